#!/usr/bin/env python3
"""Draws the chart of README.md, docs/images/hugegraph-1.7-{light,dark}.svg, from docs/benchmarks/hugegraph.md.

Each bar is the ratio of Rhizome's throughput to HugeGraph's, with the lowest and highest ratio of the measured pairs.
Single inserts are drawn as measured before HugeGraph has read an edge, which is when it is fastest at them.
`make compare` measures and calls this script. Needs only Python's standard library.

Usage: scripts/chart.py [--check]      --check: exit with 1 if the committed files differ from what would be drawn
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/benchmarks/hugegraph.md"
FILE = "docs/images/hugegraph-1.7-%s.svg"

# Scenario, label, marker of the table, what is counted.
ROWS = [
    ("vertex-by-id", "Read a vertex by id", "compare", "vertices"),
    ("edge-by-id", "Read an edge by id", "compare", "edges"),
    ("single-vertex", "Insert one vertex", "compare-inserts", "vertices"),
    ("single-edge", "Insert one edge, ends checked", "compare-inserts", "edges"),
    ("batch-vertex", "Insert batches of 200 vertices", "compare", "vertices"),
    ("batch-edge-unchecked", "Insert batches of 500 edges", "compare", "edges"),
    ("batch-edge", "The same, ends checked", "compare", "edges"),
]
THEMES = {
    "light": {"text": "#1f2328", "soft": "#59636e", "grid": "#d1d9e0", "base": "#9aa4af",
              "bar": "#1a7f64", "spread": "#0b3d30"},
    "dark": {"text": "#f0f6fc", "soft": "#9198a1", "grid": "#3d444d", "base": "#6e7681",
             "bar": "#23866b", "spread": "#b6f0dd"},
}
FONTS = "-apple-system, BlinkMacSystemFont, Segoe UI, Noto Sans, Helvetica, Arial, sans-serif"
WIDTH, LEFT, RIGHT, TOP, STEP, BAR = 860, 250, 610, 78, 36, 18
TICKS = (1, 2, 4, 6, 8, 10, 12)


def number(text):
    return float(text.replace(",", ""))


def measured(page, marker):
    """The rows of a marked table of ratios: scenario -> (ours, theirs, ratio, lowest, highest)."""
    part = page.split("<!-- %s:begin -->" % marker, 1)[1].split("<!-- %s:end -->" % marker, 1)[0]
    rows = {}
    for line in part.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        ratio = re.fullmatch(r"([\d.,]+) \(([\d.,]+) to ([\d.,]+)\)", cells[5]) if len(cells) > 5 else None
        if ratio:
            rows[cells[0]] = (number(cells[1]), number(cells[3]), *map(number, ratio.groups()))
    return rows


def rounded(value):
    """Three digits, as in 111,700 and 2,230."""
    step = 10 ** max(len(str(int(value))) - 3, 0)
    if value >= 100_000:
        step = 1000
    return format(int(round(value / step) * step), ",")


def draw(rows, theme):
    color = THEMES[theme]
    height = TOP + STEP * len(ROWS) + 44
    x = lambda ratio: LEFT + (RIGHT - LEFT) * ratio / TICKS[-1]
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" '
           'aria-labelledby="title" font-family="%s">'
           % (WIDTH, height, WIDTH, height, FONTS),
           '<title id="title">Throughput of Rhizome relative to HugeGraph 1.7.0, same machine</title>']

    def text(left, top, words, size=13, fill="text", anchor="start", weight="normal"):
        out.append('<text x="%.1f" y="%.1f" font-size="%d" fill="%s" text-anchor="%s" font-weight="%s">%s</text>'
                   % (left, top, size, color[fill], anchor, weight, words))

    text(0, 20, "Throughput relative to Apache HugeGraph 1.7.0", 17, weight="600")
    text(0, 41, "Same machine, two cores of an AMD EPYC, RocksDB, write-ahead log without fsync. Longer is faster.",
         13, "soft")
    bottom = TOP + STEP * len(ROWS)
    for tick in TICKS:
        out.append('<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="%s" stroke-width="1"/>'
                   % (x(tick), TOP - 6, x(tick), bottom, color["base" if tick == 1 else "grid"]))
        text(x(tick), bottom + 17, "%d×" % tick, 12, "soft", "middle")
    text(x(1), TOP - 12, "HugeGraph", 12, "soft", "middle")
    text(RIGHT + 130, TOP - 12, "Rhizome vs. HugeGraph, per second", 12, "soft", "middle")
    for place, (scenario, label, marker, unit) in enumerate(ROWS):
        ours, theirs, ratio, lowest, highest = rows[marker][scenario]
        top = TOP + STEP * place + 4
        middle = top + BAR / 2
        text(LEFT - 12, middle + 4.5, label, 14, anchor="end")
        out.append('<rect x="%.1f" y="%.1f" width="%.1f" height="%d" rx="2" fill="%s"/>'
                   % (x(0), top, x(ratio) - x(0), BAR, color["bar"]))
        out.append('<path d="M%.1f %.1fH%.1fM%.1f %.1fv8M%.1f %.1fv8" stroke="%s" stroke-width="1.5" fill="none"/>'
                   % (x(lowest), middle, x(highest), x(lowest), middle - 4, x(highest), middle - 4, color["spread"]))
        out.append('<text x="%.1f" y="%.1f" font-size="13" fill="#ffffff" font-weight="600">%.1f×</text>'
                   % (x(0) + 8, middle + 4.5, ratio))
        text(RIGHT + 130, middle + 4.5, "%s vs. %s %s" % (rounded(ours), rounded(theirs), unit), 13, anchor="middle")
    text(0, height - 6, "Medians of five alternating pairs; whiskers: lowest and highest pair. "
         "Source: docs/benchmarks/hugegraph.md", 12, "soft")
    out.append("</svg>\n")
    return "\n".join(out)


def main():
    page = PAGE.read_text(encoding="utf-8")
    rows = {marker: measured(page, marker) for marker in {row[2] for row in ROWS}}
    stale = []
    for theme in THEMES:
        path = ROOT / (FILE % theme)
        drawn = draw(rows, theme)
        if "--check" not in sys.argv[1:]:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(drawn, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != drawn:
            stale.append(FILE % theme)
    if stale:
        sys.exit("%s: differs from docs/benchmarks/hugegraph.md; run scripts/chart.py" % ", ".join(stale))


if __name__ == "__main__":
    main()
