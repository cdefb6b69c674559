"""Puts what `scripts/engines.sh` measured into a page, between its marks.

usage: engines_tables.py PAGE DIR...     each DIR holds a results.json; its name is the column's
"""

import json
import pathlib
import sys

BEGIN, END = "<!-- engines:begin -->", "<!-- engines:end -->"


def best(rows):
    """The row with the most elements a second, of the requests that went well."""
    return max(rows, key=lambda row: row["elements_per_s"])


def ms(us):
    return f"{us / 1000:.2f}" if us < 10_000 else f"{us / 1000:,.0f}"


def table(title, what, names, scenarios, cell):
    lines = [f"### {title}", "", what, "", "| | " + " | ".join(names) + " |", "|---|" + "---:|" * len(names)]
    for scenario in scenarios:
        lines.append(f"| {scenario} | " + " | ".join(cell(name, scenario) for name in names) + " |")
    return lines + [""]


def main():
    page, folders = pathlib.Path(sys.argv[1]), [pathlib.Path(name) for name in sys.argv[2:]]
    runs = {folder.name: json.loads((folder / "results.json").read_text()) for folder in folders}
    names = list(runs)
    found = {name: {each["name"]: each for each in run["scenarios"]} for name, run in runs.items()}
    scenarios = [each["name"] for each in runs[names[0]]["scenarios"]]
    machine = runs[names[0]]["machine"]
    lines = [f"Measured on {machine['cpu_model']}, {machine['cores']} logical processors, {machine['memory_bytes'] / 2**30:.1f} GiB, {machine['os']}; "
             f"servers, stores and load generator all on it. Begun {runs[names[0]]['started_at']}.", ""]

    def row(name, scenario, pick):
        result = found[name].get(scenario)
        return pick(result["rows"]) if result and result["rows"] else None

    def most(name, scenario):
        highest = row(name, scenario, best)
        if highest is None:
            return "-"
        errors = f", {highest['error_percent']:.1f} % errors" if highest["error_percent"] else ""
        return f"{highest['elements_per_s']:,.0f} ({highest['concurrency']} users{errors})"

    def times(name, scenario):
        first = row(name, scenario, lambda rows: rows[0])
        return "-" if first is None else f"{ms(first['p50_us'])}, {ms(first['p99_us'])}"

    few = found[names[0]][scenarios[0]]["rows"][0]["concurrency"]
    lines += table("Elements a second", "The most of 4, 16 and 64 users, counting only requests that went well; in brackets how many users that were.",
                   names, scenarios, most)
    lines += table("Time of a request, ms", f"With {few} users: the median, and what 99 of 100 do not exceed.", names, scenarios, times)
    before, rest = page.read_text().split(BEGIN)
    after = rest.split(END)[1]
    page.write_text(before + BEGIN + "\n\n" + "\n".join(lines) + "\n" + END + after)


main()
