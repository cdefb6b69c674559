"""Runs TinkerPop's feature suite against a Gremlin server.

Each scenario is sent in the chosen ways: text over HTTP with answers in GraphSON 3, text or bytecode over a WebSocket in
GraphSON 3 or GraphBinary 1. Failures must be in the file of expected failures, with a reason; a scenario in it that passes
is a failure too, so that the list can only shrink.
"""

from __future__ import annotations

import argparse
import fnmatch
import re
import sys
import time
from typing import Any

import toys
import transport
from features import Scenario, Step, read_features
from notation import NoLiteral, UnknownName, literal, parse_value
from translate import NotTranslated
from values import (
    Bulk, Edge, Map, Path, Set, Subgraph, Tree, Vertex, VertexProperty, same, same_items, same_list, same_tree,
)

GRAPHS = ("modern", "classic", "crew", "sink", "grateful")
VERTICES = 'g.V().as("e").project("e", "n").by().by(__.values("name").fold())'
EDGES = (
    'g.E().project("e", "l", "o", "i").by().by(T.label).by(__.outV().values("name").fold())'
    '.by(__.inV().values("name").fold())'
)
PROPERTIES = 'g.V().properties().project("e", "n").by().by(__.element().values("name").fold())'


class Failed(Exception):
    """What a scenario expects and what came differ."""


class Skipped(Exception):
    """The scenario is not sent, and why."""


class Graph:
    """The elements of a graph by the names the suite gives them."""

    def __init__(self, client: Any, source: str):
        self.client = client
        self.source = source
        self.known: dict = {}

    def named(self, kind: str, name: str) -> Any:
        if kind not in self.known:
            self.known[kind] = {"v": self.vertices, "e": self.edges, "vp": self.properties}[kind]()
        try:
            return self.known[kind][name]
        except KeyError:
            raise UnknownName(f"the graph has no {kind}[{name}]") from None

    def rows(self, script: str) -> list:
        return [dict(row.pairs) for row in self.client.submit(script, {}, self.source)]

    def vertices(self) -> dict:
        return {str(row["n"][0]): row["e"] for row in self.rows(VERTICES) if row["n"]}

    def edges(self) -> dict:
        rows = [row for row in self.rows(EDGES) if row["o"] and row["i"]]
        return {f"{row['o'][0]}-{row['l']}->{row['i'][0]}": row["e"] for row in rows}

    def properties(self) -> dict:
        found = {}
        for row in self.rows(PROPERTIES):
            if row["n"]:
                prop = row["e"]
                value = prop.value if isinstance(prop.value, str) else f"d[{prop.value.value}].i"
                found[f"{row['n'][0]}-{prop.key}->{value}"] = prop
        return found


class Context:
    """What is kept over all scenarios of one way to the server."""

    def __init__(self, mode: str, is_strict: bool, client: Any, look_up: Any):
        self.mode = mode
        self.is_strict = is_strict
        self.client = client
        self.look_up = look_up
        self.graphs = {name: Graph(look_up, f"g{name}") for name in GRAPHS}


class Run:
    """One scenario."""

    def __init__(self, context: Context, scenario: Scenario):
        self.context = context
        self.scenario = scenario
        self.graph = Graph(context.look_up, "gempty")
        self.parameters: list = []
        self.predicates: list = []
        self.side_effects: list = []
        self.results: list = []
        self.error: str | None = None
        self.is_next = False
        self.script = ""

    def run(self) -> None:
        if any(step.text == "an unsupported test" for step in self.scenario.steps):
            raise Skipped("declared unsupported by the suite")
        if "g.io(" in self.scenario.text:
            raise Skipped("reads or writes files of the server")
        if re.search(r'defined as "c\[|Lambda\.', "\n".join([self.scenario.text, *(step.text for step in self.scenario.steps)])):
            raise Skipped("sends a Groovy closure, as versions before 3.8 do")
        if "@AllowNullPropertyValues" in self.scenario.tags:
            raise Skipped("needs a graph that stores null, as TinkerGraph does when it is told to")
        for step in self.scenario.steps:
            self.step(step)

    def step(self, step: Step) -> None:
        text = step.text.split("# Licensed")[0].strip()
        if found := re.fullmatch(r"the (\w+) graph", text):
            self.given(found.group(1))
        elif text == "the graph initializer of":
            script = joined(step.document)
            self.context.look_up.submit(script, self.values(), self.graph.source)
            self.graph.known.clear()
        elif found := re.fullmatch(r'using the parameter (\w+) defined as "(.*)"', text):
            self.parameters.append((found.group(1), unquoted(found.group(2))))
        elif found := re.fullmatch(r'using the parameter (\w+) of (P\.\w+)\("(.*)"\)', text):
            self.predicates.append((found.group(1), found.group(2), unquoted(found.group(3))))
        elif found := re.fullmatch(r'using the side effect (\w+) defined as "(.*)"', text):
            self.side_effects.append((found.group(1), unquoted(found.group(2))))
        elif text == "the traversal of":
            self.script = joined(step.document)
        elif found := re.fullmatch(r"iterated( to list| next)?", text):
            self.iterate(found.group(1) == " next")
        else:
            self.then(text, step)

    def given(self, name: str) -> None:
        if name == "empty":
            if self.context.is_strict:
                raise Skipped("writes labels and keys of its own")
            self.context.look_up.submit("g.V().drop()", {}, "gempty")
        else:
            self.graph = self.context.graphs[name]

    def values(self) -> dict:
        return {name: parse_value(text, self.graph) for name, text in self.parameters}

    def iterate(self, is_next: bool) -> None:
        self.is_next = is_next
        parameters = self.values()
        script = self.script
        for name, predicate, text in self.predicates:
            # Requests have no form for a bound predicate.
            script = re.sub(rf"\b{name}\b", f"{predicate}({literal(parse_value(text, self.graph))})", script)
        for name, text in self.side_effects:
            # The grammar takes no variable there.
            value = literal(parse_value(text, self.graph))
            script = f'g.withSideEffect("{name}", {value}){script.removeprefix("g")}'
        if "@GraphComputerOnly" in self.scenario.tags:
            script = f"g.withStrategies(VertexProgramStrategy){script.removeprefix('g')}"
        try:
            self.results = self.context.client.submit(script, parameters, self.graph.source)
        except transport.Refused as refused:
            self.error = str(refused)
        except NoLiteral as error:
            raise Skipped(str(error)) from None
        except NotTranslated as error:
            raise Skipped(f"not translated to bytecode: {error}") from None

    def actual(self) -> list:
        if self.error is not None:
            raise Failed(f"error: {self.error}")
        results = self.results
        if self.is_next:
            if not results:
                raise Failed("no result")
            results = iterated(results[0])
        return [Map([(one[0], one[1])]) if isinstance(one, tuple) else one for one in results]

    def expected(self, step: Step) -> list:
        return [parse_value(row, self.graph) for row in step.rows[1:]]

    def then(self, text: str, step: Step) -> None:
        if text.startswith("the traversal will raise an error"):
            self.then_error(text)
        elif text == "the result should be unordered":
            compare(same_items, self.expected(step), self.actual())
        elif text == "the result should be ordered":
            compare(same_list, self.expected(step), self.actual())
        elif text == "the result should be of":
            expected, actual = self.expected(step), self.actual()
            strange = [one for one in actual if not any(same(other, one) for other in expected)]
            if strange:
                raise Failed(f"not among the expected: {strange[0]!r}")
        elif text == "the result should be empty":
            compare(same_list, [], self.actual() if self.error is not None or self.results else [])
        elif found := re.fullmatch(r"the result should have a count of (\d+)", text):
            actual = self.actual()
            if len(actual) != int(found.group(1)):
                raise Failed(f"{len(actual)} results instead of {found.group(1)}: {actual[:5]!r}")
        elif found := re.fullmatch(r'the graph should return (\d+) for count of "(.*)"', text):
            if self.error is not None:
                raise Failed(f"error: {self.error}")
            results = self.context.look_up.submit(unquoted(found.group(2)), self.values(), self.graph.source)
            if len(results) != int(found.group(1)):
                raise Failed(f"{unquoted(found.group(2))} has {len(results)} results instead of {found.group(1)}")
        elif text == "the result should be a subgraph with the following":
            self.then_subgraph(step)
        elif text == "the result should be a tree with a structure of":
            self.then_tree(step)
        else:
            raise Failed(f"the step '{text}' is not known")

    def then_error(self, text: str) -> None:
        if self.error is None:
            raise Failed(f"no error, but {self.results[:5]!r}")
        if found := re.search(r'with message (containing|starting|ending) text of "(.*)"', text):
            message, wanted = self.error.lower(), unquoted(found.group(2)).lower()
            fits = {"containing": wanted in message, "starting": message.startswith(wanted), "ending": message.endswith(wanted)}
            if not fits[found.group(1)]:
                raise Failed(f"the error '{self.error}' is not {found.group(1)} '{unquoted(found.group(2))}'")

    def then_subgraph(self, step: Step) -> None:
        if self.error is not None or not self.results or not isinstance(self.results[0], Subgraph):
            raise Failed(f"no subgraph: {self.error or self.results[:2]!r}")
        actual = getattr(self.results[0], step.rows[0])
        compare(same_items, self.expected(step), actual)

    def then_tree(self, step: Step) -> None:
        if self.error is not None or not self.results or not isinstance(self.results[0], Tree):
            raise Failed(f"no tree: {self.error or self.results[:2]!r}")
        expected = read_tree(step.document, self.graph)
        if not same_tree(expected, self.results[0]):
            raise Failed(f"expected {expected!r}, got {self.results[0]!r}")


def unquoted(text: str) -> str:
    return text.replace('\\"', '"').replace("\\\\", "\\")


def joined(document: str) -> str:
    return "".join(f"{line.strip()} " if line.strip().endswith(",") else line.strip() for line in document.splitlines())


def iterated(value: Any) -> list:
    """One result as the list of what is in it."""
    if isinstance(value, (Set, Bulk)):
        return value.items
    if isinstance(value, Path):
        return value.objects
    if isinstance(value, Map):
        return [(key, item) for key, item in value.pairs]
    return value if isinstance(value, list) else [value]


def read_tree(document: str, graph: Graph) -> Tree:
    root = Tree()
    open_: list = [(-1, root)]
    for line in document.splitlines():
        depth = line.index("|--")
        while open_[-1][0] >= depth:
            open_.pop()
        below = Tree()
        open_[-1][1].branches.append((parse_value(line.strip()[3:], graph), below))
        open_.append((depth, below))
    return root


def compare(rule: Any, expected: list, actual: list) -> None:
    if not rule(expected, actual):
        raise Failed(f"expected {shown(expected)}, got {shown(actual)}")


def shown(values: list) -> str:
    def show(value: Any) -> str:
        if isinstance(value, (Vertex, Edge, VertexProperty)):
            return f"{type(value).__name__}({show(value.id)})"
        try:
            return literal(value)
        except (NoLiteral, TypeError):
            return repr(value)

    return "[" + ", ".join(show(value) for value in values[:12]) + (", ..." if len(values) > 12 else "") + "]"


class Expectations:
    """The list of expected failures: `GRAPHS MODE SCENARIO REASON` a line, with wildcards in the first three."""

    def __init__(self, path: str | None, graphs: str):
        self.lines = []
        for line in open(path, encoding="utf-8") if path else []:
            if line.strip() and not line.startswith("#"):
                of_graphs, mode, name, reason = line.split(None, 3)
                if fnmatch.fnmatch(graphs, of_graphs):
                    self.lines.append((mode, name, reason.strip()))

    @staticmethod
    def shrink(path: str, graphs: str, passing: set, modes: list) -> int:
        """Takes the lines out whose scenario passes in every way that was tried; returns how many."""
        everywhere = {name for _, name in passing if all((mode, name) in passing for mode in modes)}
        gone = {(graphs, *one) for one in passing} | {(graphs, "*", name) for name in everywhere}
        lines = open(path, encoding="utf-8").read().splitlines(keepends=True)
        kept = [line for line in lines if tuple(line.split(None, 3)[:3]) not in gone]
        with open(path, "w", encoding="utf-8") as out:
            out.writelines(kept)
        return len(lines) - len(kept)

    def reason(self, mode: str, name: str) -> str | None:
        fits = (reason for m, n, reason in self.lines if fnmatch.fnmatch(mode, m) and fnmatch.fnmatch(name, n))
        return next(fits, None)


def run_mode(mode: str, scenarios: list, options: argparse.Namespace) -> tuple:
    client = transport.connect(mode, options.url, options.driver_url)
    look_up = transport.connect("http", options.url, options.driver_url)
    context = Context(mode, options.graphs == "strict", client, look_up)
    expectations = Expectations(options.expected, options.graphs)
    passed = failed = expected_failures = 0
    unexpected = set()
    skipped: dict = {}
    began = time.monotonic()
    for scenario in scenarios:
        problem = None
        try:
            Run(context, scenario).run()
        except Skipped as reason:
            skipped[str(reason)] = skipped.get(str(reason), 0) + 1
            continue
        except Failed as error:
            problem = str(error)
        except (UnknownName, transport.Refused, ValueError, OSError, KeyError, TypeError) as error:
            problem = f"{type(error).__name__}: {error}"
        reason = expectations.reason(mode, scenario.name)
        if problem is None and reason is None:
            passed += 1
        elif problem is not None and reason is not None:
            expected_failures += 1
        else:
            failed += 1
            if problem is None:
                unexpected.add((mode, scenario.name))
                problem = f"passes, but is expected to fail ({reason}): remove it from {options.expected}"
            print(f"FAILED {mode} {scenario.feature} {scenario.name}\n    {joined(scenario.text)[:400]}\n    {problem[:800]}")
    for one in (client, look_up):
        one.close()
    print(f"{mode}: {passed} passed, {failed} failed, {expected_failures} failed as expected, {time.monotonic() - began:.0f} s")
    for reason, count in sorted(skipped.items()):
        print(f"    {count} skipped: {reason}")
    return passed, failed, unexpected


def prepare(options: argparse.Namespace) -> None:
    if options.graphs == "preloaded":
        return
    client = transport.connect("http", options.url, options.driver_url)
    for name in (*GRAPHS, "empty"):
        toys.create_graph(options.url, name, options.graphs == "auto")
        if name == "empty":
            continue
        if options.graphs == "auto":
            toys.load_by_gremlin(client, options.jar, name, f"g{name}")
        else:
            toys.load_by_rest(options.url, options.jar, name)
    client.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jar", required=True, help="the jar of gremlin-test")
    parser.add_argument("--url", required=True, help="where POST /gremlin is, and REST for making graphs")
    parser.add_argument("--driver-url", help="where drivers connect; default: the same")
    parser.add_argument("--graphs", choices=("auto", "strict", "preloaded"), default="auto")
    parser.add_argument("--mode", action="append", required=True, help="http or ws-(text|bytecode)-(graphson|graphbinary)")
    parser.add_argument("--expected", help="the file of expected failures")
    parser.add_argument("--shrink", action="store_true", help="take out of that file what passes now")
    parser.add_argument("--only", default="*", help="scenarios whose names fit")
    parser.add_argument("--loaded", action="store_true", help="the graphs are there already")
    options = parser.parse_args()
    options.driver_url = options.driver_url or options.url
    sys.stdout.reconfigure(line_buffering=True)
    scenarios = [one for one in read_features(options.jar) if fnmatch.fnmatch(one.name, options.only)]
    if not options.loaded:
        prepare(options)
    counts = [run_mode(mode, scenarios, options) for mode in options.mode]
    passed, failed = (sum(column) for column in list(zip(*counts))[:2])
    if options.shrink and options.expected:
        passing = set().union(*(unexpected for _, _, unexpected in counts))
        count = Expectations.shrink(options.expected, options.graphs, passing, options.mode)
        print(f"{count} lines taken out of {options.expected}")
    print(f"test result: {passed} passed; {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
