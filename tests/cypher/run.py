"""Runs the openCypher TCK over Bolt, or without a server by the program `cypher-tck`.

Every scenario starts on an empty graph. Results are compared by type and value, errors by type and by whether EXPLAIN
finds them, and the graph before and after by all its nodes, relationships, labels and properties. Failures must be in
the file of expected failures, with a reason; a scenario in it that passes is a failure too: the list can only shrink.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import re
import sys
import time
import urllib.request
from collections import Counter
from typing import Any

from bolt import Connection, Refused, Result
from features import Scenario, Step, read_jar
from process import Early, Process
from values import parse, same, same_rows

# What reads the whole graph, for the side effects of a query.
NODES = "MATCH (n) RETURN id(n), labels(n), properties(n)"
RELATIONSHIPS = "MATCH ()-[r]->() RETURN id(r), type(r), properties(r)"
# Words of queries and graphs that a strict graph without a schema has nothing for.
GRAPH_WORDS = re.compile(r"\b(MATCH|CREATE|MERGE|CALL|DELETE)\b", re.IGNORECASE)
# Names of errors that clients know by other words in the code.
WORDS = {"ConstraintVerificationFailed": "ConstraintValidationFailed"}


class Failed(Exception):
    """What a scenario expects and what came differ."""


class Skipped(Exception):
    """The scenario is not run, and why."""


class State:
    """A graph as sets of facts, for the differences of two."""

    def __init__(self, connection: Connection):
        nodes = connection.run(NODES).rows
        relationships = connection.run(RELATIONSHIPS).rows
        self.nodes = {repr(row[0]) for row in nodes}
        self.relationships = {repr(row[0]) for row in relationships}
        self.labels = {label for row in nodes for label in row[1]}
        self.properties = {
            (kind, repr(row[0]), key, repr(value))
            for kind, rows in (("n", nodes), ("r", relationships))
            for row in rows
            for key, value in row[2].items()
        }

    def changes(self, after: State) -> dict:
        found = {}
        for name in ("nodes", "relationships", "labels", "properties"):
            old, new = getattr(self, name), getattr(after, name)
            found[f"+{name}"], found[f"-{name}"] = len(new - old), len(old - new)
        return {name: count for name, count in found.items() if count}


class Run:
    """One scenario."""

    def __init__(self, connection: Any, graphs: dict, scenario: Scenario, details: bool):
        self.details = details
        self.connection = connection
        self.is_local = isinstance(connection, Process)
        self.graphs = graphs
        self.scenario = scenario
        self.parameters: dict = {}
        self.query = ""
        self.before: State | None = None
        self.result: Result | None = None
        self.error: Refused | None = None

    def run(self) -> None:
        if not self.is_local and any(step.text.startswith("there exists a procedure") for step in self.scenario.steps):
            raise Skipped("needs a procedure of the suite's own")
        for step in self.scenario.steps:
            self.step(step)

    def step(self, step: Step) -> None:
        text = step.text.strip()
        if text in ("an empty graph", "any graph"):
            self.clear()
        elif found := re.fullmatch(r"the (binary-tree-\d+) graph", text):
            self.clear()
            self.connection.run(self.graphs[found.group(1)])
        elif text == "having executed:":
            self.connection.run(step.document, self.parameters)
        elif found := re.fullmatch(r"there exists a procedure (\S+)\((.*)\) :: \((.*)\) ?:", text):
            name, arguments, columns = found.groups()
            rows = [[parse(cell) for cell in row] for row in step.rows[1:]]
            self.connection.procedure(name, signature(arguments), signature(columns), rows)
        elif text == "parameters are:":
            self.parameters = {row[0]: parse(row[1]) for row in step.rows}
        elif text == "executing query:":
            self.before = State(self.connection)
            self.execute(step.document)
        elif text == "executing control query:":
            self.execute(step.document)
        elif text == "the result should be empty":
            self.check_rows([[]], in_order=False)
        elif found := re.fullmatch(r"the result should be, in (any )?order( \(ignoring element order for lists\))?:", text):
            self.check_rows(step.rows, in_order=not found.group(1), any_lists=bool(found.group(2)))
        elif found := re.fullmatch(r"the result should be( \(ignoring element order for lists\))?:", text):
            self.check_rows(step.rows, in_order=False, any_lists=bool(found.group(1)))
        elif text == "no side effects":
            self.check_changes({})
        elif text == "the side effects should be:":
            self.check_changes({row[0]: int(row[1]) for row in step.rows if int(row[1])})
        elif found := re.fullmatch(r"an? (\w+) should be raised at (compile time|runtime|any time): (\S+)", text):
            self.check_error(*found.groups())
        else:
            raise Failed(f"the step '{text}' is not known")

    def clear(self) -> None:
        if self.is_local:
            self.connection.clear()
        else:
            self.connection.run("MATCH (n) DETACH DELETE n")

    def execute(self, query: str) -> None:
        self.query = query
        self.result, self.error = None, None
        try:
            self.result = self.connection.run(query, self.parameters)
        except Refused as refused:
            self.error = refused

    def succeeded(self) -> Result:
        if self.result is None:
            raise Failed(f"error: {self.error}")
        return self.result

    def check_rows(self, table: list, in_order: bool, any_lists: bool = False) -> None:
        result = self.succeeded()
        header, *cells = table
        if not header:
            if result.rows:
                raise Failed(f"rows where none are expected: {result.rows[:5]!r}")
            return
        if result.columns != header:
            raise Failed(f"columns {result.columns!r} instead of {header!r}")
        expected = [[parse(cell) for cell in row] for row in cells]

        def rule(row: list, other: list) -> bool:
            return all(same(one, value, any_lists) for one, value in zip(row, other))

        if in_order:
            fits = len(expected) == len(result.rows) and all(rule(*pair) for pair in zip(expected, result.rows))
        else:
            fits = same_rows(expected, result.rows, rule)
        if not fits:
            raise Failed(f"expected {shown(cells)}, got {shown(result.rows)}")

    def check_changes(self, expected: dict) -> None:
        if self.result is None:
            raise Failed(f"error: {self.error}")
        changes = self.before.changes(State(self.connection))
        if changes != expected:
            raise Failed(f"side effects {changes} instead of {expected}")

    def check_error(self, kind: str, phase: str, detail: str) -> None:
        if self.error is None:
            raise Failed(f"no {kind}, but {shown(self.result.rows)}")
        *_, area, word = self.error.code.split(".")
        if word != WORDS.get(kind, kind) and (kind, area) != ("ProcedureError", "Procedure"):
            raise Failed(f"{kind} expected, got {self.error}")
        changes = self.before.changes(State(self.connection))
        if changes:
            raise Failed(f"a query with an error had side effects: {changes}")
        if self.is_local:
            found = "compile time" if isinstance(self.error, Early) else "runtime"
            if self.details and detail not in ("*", self.error.detail):
                raise Failed(f"{detail} expected, got {self.error.detail}: {self.error}")
        else:
            try:
                self.connection.run(f"EXPLAIN {self.query}", self.parameters)
                found = "runtime"
            except Refused:
                found = "compile time"
        if phase not in (found, "any time"):
            raise Failed(f"{kind} at {found}, not at {phase}: {self.error}")


def signature(text: str) -> list:
    """Names and types, of `name :: TYPE, ..`."""
    return [[part.strip() for part in one.split("::")] for one in text.split(",") if "::" in one]


def shown(rows: list) -> str:
    text = repr(rows[:8])
    return text if len(text) < 600 else f"{text[:600]}.."


class Expectations:
    """The list of expected failures: `GRAPHS SCENARIO REASON` a line, with wildcards in the first two."""

    def __init__(self, path: str | None, graphs: str):
        self.lines = []
        for line in open(path, encoding="utf-8") if path else []:
            if line.strip() and not line.startswith("#"):
                of_graphs, name, reason = line.split(None, 2)
                if fnmatch.fnmatch(graphs, of_graphs):
                    self.lines.append((name, reason.strip()))

    @staticmethod
    def shrink(path: str, graphs: str, passing: set) -> int:
        """Takes the lines out whose scenario passes; returns how many."""
        lines = open(path, encoding="utf-8").read().splitlines(keepends=True)
        kept = [line for line in lines if not (line.startswith(f"{graphs} ") and line.split(None, 2)[1] in passing)]
        with open(path, "w", encoding="utf-8") as out:
            out.writelines(kept)
        return len(lines) - len(kept)

    def reason(self, name: str) -> str | None:
        # The brackets of names are no wildcards.
        return next((reason for pattern, reason in self.lines if fits(name, pattern)), None)


def fits(name: str, pattern: str) -> bool:
    return fnmatch.fnmatchcase(name, pattern.replace("[", "[[]"))


def uses_graph(scenario: Scenario) -> bool:
    return any(GRAPH_WORDS.search(step.document) or "binary-tree" in step.text for step in scenario.steps)


def create_graph(url: str, name: str, graphs: str) -> None:
    settings = {"schema.mode": "auto"} if graphs == "auto" else {}
    body = json.dumps(settings).encode()
    request = urllib.request.Request(f"{url}/graphs/{name}", body, {"Content-Type": "application/json"}, method="POST")
    with urllib.request.urlopen(request, timeout=60) as answer:
        answer.read()


def connect(options: argparse.Namespace) -> Any:
    if options.program:
        return Process(options.program, options.graphs)
    host, port = options.bolt.rsplit(":", 1)
    return Connection(host, int(port), options.database)


def run_all(options: argparse.Namespace) -> int:
    scenarios, graphs = read_jar(options.jar)
    if options.count and len(scenarios) != options.count:
        print(f"the jar has {len(scenarios)} scenarios, not {options.count}")
        return 1
    expectations = Expectations(options.expected, options.graphs)
    chosen = [one for one in scenarios if fits(one.id, options.only)]
    if options.graphs == "strict":
        chosen = [one for one in chosen if not uses_graph(one)]
    connection = connect(options)
    counts: dict = {}
    skipped: Counter = Counter()
    unexpected = set()
    began = time.monotonic()
    for scenario in chosen:
        problem = None
        try:
            Run(connection, graphs, scenario, options.details).run()
        except Skipped as reason:
            skipped[str(reason)] += 1
            continue
        except Failed as error:
            problem = str(error)
        except Refused as error:
            problem = f"a step before the query: {error}"
        except (ConnectionError, TimeoutError, ValueError, TypeError, KeyError, IndexError) as error:
            problem = f"{type(error).__name__}: {error}"
            connection.close()
            connection = connect(options)
        reason = expectations.reason(scenario.id)
        folder = counts.setdefault(scenario.folder, Counter())
        if problem is None and reason is None:
            folder["passed"] += 1
        elif problem is not None and reason is not None:
            folder["failed as expected"] += 1
        else:
            folder["failed"] += 1
            if problem is None:
                unexpected.add(scenario.id)
                problem = f"passes, but is expected to fail ({reason}): remove it from {options.expected}"
            query = next((step.document for step in scenario.steps if step.text.startswith("executing")), "")
            print(f"FAILED {scenario.id}\n    {' '.join(query.split())[:400]}\n    {problem[:800]}")
    connection.close()
    for folder, of_folder in sorted(counts.items()):
        print(f"{folder:44} " + ", ".join(f"{count} {name}" for name, count in of_folder.items()))
    for reason, count in skipped.items():
        print(f"    {count} skipped: {reason}")
    if options.shrink and options.expected:
        count = Expectations.shrink(options.expected, options.graphs, unexpected)
        print(f"{count} lines taken out of {options.expected}")
    total: Counter = sum(counts.values(), Counter())
    print(f"{options.graphs}: {total['failed as expected']} failed as expected, {time.monotonic() - began:.0f} s")
    print(f"test result: {total['passed']} passed; {total['failed']} failed")
    return 1 if total["failed"] else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jar", required=True, help="the jar of the suite")
    under_test = parser.add_mutually_exclusive_group(required=True)
    under_test.add_argument("--bolt", help="HOST:PORT of the server under test")
    under_test.add_argument("--program", help="the program cypher-tck, for a run without a server")
    parser.add_argument("--details", action="store_true", help="compare the details of errors too; without a server")
    parser.add_argument("--url", help="its REST API, where the graph under test is made; without it, it is there already")
    parser.add_argument("--database", help="the graph to use; it is emptied")
    parser.add_argument("--graphs", choices=("auto", "strict"), default="auto")
    parser.add_argument("--expected", help="the file of expected failures")
    parser.add_argument("--shrink", action="store_true", help="take out of that file what passes now")
    parser.add_argument("--only", default="*", help="scenarios whose ids fit, such as 'clauses/match/*'")
    parser.add_argument("--count", type=int, help="how many scenarios the jar must have")
    options = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)
    if options.url and options.database:
        create_graph(options.url, options.database, options.graphs)
    return run_all(options)


if __name__ == "__main__":
    sys.exit(main())
