"""Prints what two servers reached on one of HugeGraph's published pages.

usage: publish_table.py DIR     DIR/rhizome and DIR/hugegraph are folders of `rhizome bench publish --out`
"""

import json
import pathlib
import sys


def best(scenario):
    """The row with the most elements a second of those without errors; of all rows where each has some."""
    rows = [row for row in scenario["rows"] if row["elements_per_s"]]
    return max([row for row in rows if not row["error_percent"]] or rows, key=lambda row: row["elements_per_s"], default=None)


def cell(row):
    if row is None:
        return "none"
    errors = f", {row['error_percent']:.0f}% errors" if row["error_percent"] else ""
    return f"{row['elements_per_s']:,.0f} ({row['concurrency']:,} users{errors})"


def main():
    folder = pathlib.Path(sys.argv[1])
    runs = {name: json.loads((folder / name / "results.json").read_text())["scenarios"] for name in ("rhizome", "hugegraph")}
    theirs = {scenario["name"]: best(scenario) for scenario in runs["hugegraph"]}
    print(f"| {folder.name} | Rhizome | HugeGraph 1.5 | times |")
    print("|---|---:|---:|---:|")
    for scenario in runs["rhizome"]:
        ours, other = best(scenario), theirs.get(scenario["name"])
        times = f"{ours['elements_per_s'] / other['elements_per_s']:.1f}" if ours and other else ""
        print(f"| {scenario['name']} | {cell(ours)} | {cell(other)} | {times} |")


if __name__ == "__main__":
    main()
