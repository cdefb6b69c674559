"""The program `cypher-tck`, which carries out queries without a server, with the face of a connection."""

from __future__ import annotations

import json
import math
import subprocess
from typing import Any

from bolt import Refused, Result, Structure

FLOATS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


class Early(Refused):
    """A failure that is found before the query runs."""


class Process:
    def __init__(self, program: str, graphs: str):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.graphs = graphs

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait(timeout=60)

    def clear(self) -> None:
        self.ask({"graph": self.graphs})

    def procedure(self, name: str, arguments: list, columns: list, rows: list) -> None:
        self.ask({"procedure": {"name": name, "arguments": arguments, "columns": columns, "rows": rows}})

    def run(self, query: str, parameters: dict | None = None) -> Result:
        answer = self.ask({"query": query, "parameters": parameters or {}})
        if error := answer.get("error"):
            kind = Early if error["phase"] == "compile time" else Refused
            refused = kind(error["code"], error["message"])
            refused.detail = error["detail"]
            raise refused
        return Result(answer["columns"], [[read(value) for value in row] for row in answer["rows"]])

    def ask(self, request: dict) -> dict:
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise ConnectionError("the program has ended")
        return json.loads(line)


def read(value: Any) -> Any:
    if isinstance(value, list):
        return [read(item) for item in value]
    if not isinstance(value, dict):
        return value
    (kind, inner), = value.items()
    if kind == "float":
        return FLOATS[inner] if inner in FLOATS else float(inner)
    if kind == "map":
        return {name: read(item) for name, item in inner.items()}
    return Structure(inner[0], [read(field) for field in inner[1:]])
