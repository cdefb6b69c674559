#!/usr/bin/env python3
"""Two parts of scripts/bench-backup.sh: one backup after the other, and what was measured.

    bench-backup.py back-up URL FILE          until FILE is gone; prints how many
    bench-backup.py report RESULTS ROUNDS RESTORES
"""
import json
import pathlib
import re
import statistics
import sys
import time
import urllib.request

P99_PERCENT_MAX = 20
RESTORE_MB_MIN = 200


def row(results, kind, round_, what):
    text = (results / f"{kind}-{round_}-{what}" / "results.json").read_text()
    scenarios = json.loads(text)["scenarios"]
    rows = [row for scenario in scenarios for row in scenario["rows"]]
    if len(rows) != 1:
        sys.exit(f"{kind}-{round_}-{what} has {len(rows)} rows instead of one")
    return rows[0]


def ask(url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def back_up(url, file):
    """One program for all of them: to start one for each would take processor time from those who are measured."""
    made = 0
    while pathlib.Path(file).exists():
        task = ask(f"{url}/rhizome/backups", {"reread": True})
        status = None
        while status not in ("success", "failed", "cancelled"):
            time.sleep(0.2)
            status = ask(f"{url}/graphs/{task['graph']}/tasks/{task['task_id']}")["task_status"]
        if status != "success":
            sys.exit(f"a backup ended with {status}")
        made += 1
    if made == 0:
        sys.exit("no backup was made")
    print(f"{made} backups")


def report(results, rounds, restores):
    results, rounds = pathlib.Path(results), int(rounds)
    missed = []
    print(f"{'':<8}{'':<10}{'requests/s':>12}{'p50 ms':>10}{'p99 ms':>10}{'p99.9 ms':>10}{'max ms':>10}{'errors %':>10}")
    for what in ["reads", "writes"]:
        p99 = {}
        for kind in ["without", "with"]:
            rows = [row(results, kind, round_, what) for round_ in range(1, rounds + 1)]
            median = {name: statistics.median(row[name] for row in rows)
                      for name in ["throughput_per_s", "p50_us", "p99_us", "p999_us", "max_us", "error_percent"]}
            p99[kind] = median["p99_us"]
            times = "".join(f"{median[name] / 1000:>10.2f}" for name in ["p50_us", "p99_us", "p999_us", "max_us"])
            print(f"{what:<8}{kind:<10}{median['throughput_per_s']:>12.0f}{times}{median['error_percent']:>10.3f}")
        percent = (p99["with"] / p99["without"] - 1) * 100
        print(f"{what}: p99 during backups {percent:+.1f} % (goal: at most +{P99_PERCENT_MAX} %)")
        if percent > P99_PERCENT_MAX:
            missed.append(f"p99 of {what}")
    rates = [float(rate) for rate in re.findall(r"([0-9.]+) MB/s", pathlib.Path(restores).read_text())]
    if len(rates) != rounds:
        sys.exit(f"{len(rates)} restores instead of {rounds} have said how fast they were")
    print(f"restore: {statistics.median(rates):.0f} MB/s, median of {', '.join(f'{rate:.0f}' for rate in rates)} "
          f"(goal: at least {RESTORE_MB_MIN})")
    if statistics.median(rates) < RESTORE_MB_MIN:
        missed.append("restore")
    print("goals missed: " + ", ".join(missed) if missed else "all goals met")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["back-up", url, file]:
            back_up(url, file)
        case ["report", *given] if len(given) == 3:
            report(*given)
        case _:
            sys.exit(__doc__)
