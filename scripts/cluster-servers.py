#!/usr/bin/env python3
"""Whether several servers over one store do more than one: elements a second of one, two and four servers over a node of
Cassandra, each with a load of its own on the same graph at the same time.

On one machine the processors are shared, so that more servers have no more of them. Each server may therefore have few
requests to the node under way (`storage.cassandra.requests_in_flight_max`): that is what limits it, as a machine of its
own would, until node and load generators have used up the processors. What servers would have to wait for each other
for shows as less than twice as much for twice as many.

    scripts/cluster-servers.py --rhizome BIN [--cassandra 127.0.0.1:9042] [--servers 1 2 4] [--in-flight 2]

Prints a Markdown table. Starts a node of Cassandra unless it is given one that runs.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
SCENARIOS = ["single-vertex", "single-edge", "vertex-by-id", "batch-vertex", "batch-edge"]
USERS = 16


def start(options, folder, name, keyspace):
    """A server; its address."""
    environment = os.environ | {
        "RHIZOME_BIN": options.rhizome, "RHIZOME__LOG__LEVEL": "warn", "RHIZOME__STORAGE__ENGINE": "cassandra",
        "RHIZOME__STORAGE__CASSANDRA__CONTACT_POINTS": options.cassandra,
        "RHIZOME__STORAGE__CASSANDRA__KEYSPACE": keyspace,
        "RHIZOME__STORAGE__CASSANDRA__REQUESTS_IN_FLIGHT_MAX": str(options.in_flight),
        # A server that is alone would answer from memory what several ask the node for.
        "RHIZOME__STORAGE__ADJACENCY_CACHE": "0B", "RHIZOME__STORAGE__CASSANDRA__ROW_CACHE": "0B",
    }
    subprocess.run([ROOT / "scripts" / "server.sh", "start", folder / name, "0"], check=True, env=environment,
                   stdout=sys.stderr)
    return (folder / name / "url").read_text().strip()


def stop(folder, name):
    subprocess.run([ROOT / "scripts" / "server.sh", "stop", folder / name], check=True, stdout=sys.stderr)


def load(options, url, scenario, out, duration):
    return subprocess.Popen(
        [options.rhizome, "bench", "run", "--url", url, "--scenario", scenario, "--driver", "closed", "--concurrency",
         str(USERS), "--duration", duration, "--vertices", "5000", "--edges", "10000", "--keep-data", "--out", out],
        stdout=subprocess.DEVNULL)


def elements(out):
    """Elements a second, and the errors of requests."""
    row = json.loads((out / "results.json").read_text())["scenarios"][0]["rows"][0]
    return row["elements_per_s"], row["errors"]


def measure(options, folder, count):
    """Elements a second of all servers together, by scenario."""
    names = [f"server{at}" for at in range(count)]
    found = {}
    try:
        urls = [start(options, folder, name, f"servers{count}_{os.getpid()}") for name in names]
        for scenario in SCENARIOS:
            # The data, which all share.
            load(options, urls[0], scenario, folder / "prepared", "1s").wait()
            outs = [folder / f"{scenario}-{count}-{name}" for name in names]
            runs = [load(options, url, scenario, out, options.duration) for url, out in zip(urls, outs)]
            if any(run.wait() for run in runs):
                raise SystemExit(f"{scenario}: a load ended with an error")
            rows = [elements(out) for out in outs]
            for failed in filter(None, (failed for _, failed in rows)):
                print(f"{scenario}, {count} servers: {str(failed)[:600]}", file=sys.stderr)
            found[scenario] = sum(speed for speed, _ in rows)
    finally:
        for name in names:
            if (folder / name).exists():
                stop(folder, name)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rhizome", required=True, help="the binary")
    parser.add_argument("--cassandra", metavar="HOST:PORT", help="a node that runs")
    parser.add_argument("--servers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--in-flight", type=int, default=2, help="requests a server has under way, and as many batches")
    parser.add_argument("--duration", default="6s", help="of each measurement")
    options = parser.parse_args()
    options.rhizome = str(pathlib.Path(options.rhizome).resolve())
    script = ROOT / "scripts" / "cassandra.sh"
    (ROOT / "var").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOT / "var") as folder:
        folder = pathlib.Path(folder)
        own = options.cassandra is None
        if own:
            # As in production: Java's optimizing compiler, and memory for more than a test.
            node = {"RHIZOME_CASSANDRA_COMPILER": "full", "RHIZOME_CASSANDRA_HEAP": "2G"} | os.environ
            subprocess.run([script, "start", folder / "cassandra"], check=True, env=node, stdout=sys.stderr)
            options.cassandra = f"127.0.0.1:{os.environ.get('RHIZOME_CASSANDRA_PORT', 9042)}"
        try:
            found = {count: measure(options, folder, count) for count in options.servers}
        finally:
            if own:
                subprocess.run([script, "stop", folder / "cassandra"], check=True)
    first = options.servers[0]
    print("| elements a second | " + " | ".join(f"{count} server" + "s" * (count > 1) for count in found) + " | "
          + " | ".join(f"{count} / {first}" for count in options.servers[1:]) + " |")
    print("|---" + "|---:" * (2 * len(found) - 1) + "|")
    for scenario in SCENARIOS:
        speeds = [found[count][scenario] for count in options.servers]
        print(f"| {scenario} | " + " | ".join(f"{speed:,.0f}" for speed in speeds) + " | "
              + " | ".join(f"{speed / speeds[0]:.1f}" for speed in speeds[1:]) + " |")


if __name__ == "__main__":
    main()
