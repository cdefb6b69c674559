"""Reads the scenarios of the openCypher TCK: outlines are expanded, one scenario for each row of their examples."""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass, field, replace

STEP = re.compile(r"^(Given|When|Then|And|But)\s+(.*)$")


@dataclass
class Step:
    text: str
    document: str = ""
    rows: list = field(default_factory=list)

    def filled(self, values: dict) -> Step:
        def fill(text: str) -> str:
            return re.sub(r"<([^<>]+)>", lambda found: values.get(found.group(1), found.group()), text)

        return Step(fill(self.text), fill(self.document), [[fill(cell) for cell in row] for row in self.rows])


@dataclass
class Scenario:
    """A scenario by its folder, its file, and its name: `[3]`, of outlines `[3]#2`."""

    folder: str
    file: str
    name: str
    title: str
    steps: list

    @property
    def id(self) -> str:
        return f"{self.folder}/{self.file}{self.name}"


def read_jar(path: str) -> tuple:
    """The scenarios of the jar in the order of its files' names, and the texts of the graphs by name."""
    with zipfile.ZipFile(path) as archive:
        names = sorted(archive.namelist())
        texts = {name: archive.read(name).decode() for name in names if name.endswith((".feature", ".cypher"))}
    scenarios = [one for name, text in texts.items() if name.endswith(".feature") for one in read_feature(name, text)]
    graphs = {name.rsplit("/", 1)[-1].removesuffix(".cypher"): text for name, text in texts.items() if name.endswith(".cypher")}
    return scenarios, graphs


def read_feature(path: str, text: str) -> list:
    *_, area, folder, file = path.removesuffix(".feature").split("/")
    scenarios: list = []
    background: list = []
    outline: Scenario | None = None
    examples: list | None = None
    steps: list = background
    lines = iter(text.splitlines())

    def finish() -> None:
        nonlocal outline, examples
        if outline is not None:
            rows = examples or []
            header = rows[0] if rows else []
            for number, row in enumerate(rows[1:], 1):
                values = dict(zip(header, row))
                expanded = [step.filled(values) for step in outline.steps]
                scenarios.append(replace(outline, name=f"{outline.name}#{number}", steps=expanded))
        outline, examples = None, None

    for line in lines:
        stripped = line.strip()
        if not stripped or stripped.startswith(("#", "@", "Feature:")):
            continue
        if stripped.startswith("Background:"):
            steps = background
        elif found := re.match(r"(Scenario(?: Outline)?):\s*(\[\d+\])?\s*(.*)", stripped):
            finish()
            kind, name, title = found.groups()
            scenario = Scenario(f"{area}/{folder}", file, name or f"[{title}]", title, list(background))
            steps = scenario.steps
            if kind == "Scenario":
                scenarios.append(scenario)
            else:
                outline = scenario
        elif stripped.startswith("Examples:"):
            examples = examples or []
            steps = []
        elif stripped == '"""':
            document = []
            for inner in lines:
                if inner.strip() == '"""':
                    break
                document.append(inner)
            steps[-1].document = dedent(document)
        elif stripped.startswith("|"):
            row = cells(stripped)
            if examples is not None and not steps:
                # Further tables of examples begin with their header again.
                if not examples or row != examples[0]:
                    examples.append(row)
            else:
                steps[-1].rows.append(row)
        elif found := STEP.match(stripped):
            steps.append(Step(found.group(2)))
    finish()
    return scenarios


def cells(line: str) -> list:
    """The cells of a row of a table: `\\|`, `\\\\` and `\\n` are one character each."""
    found, cell, escaped = [], "", False
    for letter in line[1:]:
        if escaped:
            cell += {"n": "\n", "|": "|", "\\": "\\"}.get(letter, "\\" + letter)
            escaped = False
        elif letter == "\\":
            escaped = True
        elif letter == "|":
            found.append(cell.strip())
            cell = ""
        else:
            cell += letter
    return found


def dedent(lines: list) -> str:
    depth = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[depth:] for line in lines)
