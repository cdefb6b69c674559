"""Reads the scenarios of TinkerPop's feature files."""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass, field

STEP = re.compile(r"^(Given|When|Then|And|But)\s+(.*)$")
CELL_ESCAPES = {"\\|": "|", "\\\\": "\\", "\\n": "\n"}


@dataclass
class Step:
    text: str
    document: str = ""
    rows: list = field(default_factory=list)


@dataclass
class Scenario:
    feature: str
    name: str
    tags: frozenset
    steps: list

    @property
    def text(self) -> str:
        """What the scenario sends, to look for constructs in."""
        return "\n".join(step.document for step in self.steps)


def cells(line: str) -> str:
    inner = line.strip().strip("|") if not line.strip().endswith("\\|") else line.strip()[1:]
    inner = inner.strip()
    return re.sub(r"\\[|\\n]", lambda found: CELL_ESCAPES[found.group()], inner)


def read_features(jar: str) -> list:
    """The scenarios of a jar of gremlin-test, in the order of the files' names."""
    with zipfile.ZipFile(jar) as archive:
        names = sorted(name for name in archive.namelist() if name.endswith(".feature"))
        return [one for name in names for one in read_feature(name, archive.read(name).decode("utf-8"))]


def read_feature(path: str, text: str) -> list:
    feature = path.split("/features/", 1)[-1].removesuffix(".feature")
    scenarios: list = []
    feature_tags: frozenset = frozenset()
    tags: list = []
    lines = iter(text.splitlines())
    for line in lines:
        stripped = line.strip()
        if stripped.startswith("#") or not stripped:
            continue
        if stripped.startswith("@"):
            tags += stripped.split()
        elif stripped.startswith("Feature:"):
            feature_tags, tags = frozenset(tags), []
        elif stripped.startswith("Scenario:"):
            name = stripped.removeprefix("Scenario:").strip()
            scenarios.append(Scenario(feature, name, feature_tags | frozenset(tags), []))
            tags = []
        elif stripped == '"""':
            document = []
            for inner in lines:
                if inner.strip() == '"""':
                    break
                document.append(inner)
            scenarios[-1].steps[-1].document = dedent(document)
        elif stripped.startswith("|") and not stripped.startswith("|--"):
            scenarios[-1].steps[-1].rows.append(cells(stripped))
        elif found := STEP.match(stripped):
            # The licence of the next file is glued to the last line of some.
            scenarios[-1].steps.append(Step(found.group(2)))
    return scenarios


def dedent(lines: list) -> str:
    depth = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[depth:].rstrip() for line in lines)
