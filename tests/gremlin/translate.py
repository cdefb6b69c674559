"""gremlin-lang text to bytecode, as far as the feature files go."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

from notation import instant
from values import Bytecode, ClassName, Map, Predicate, Set, Strategy, Typed, Vertex

TOKEN = re.compile(
    r"""\s*(?:
      (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    | (?P<number>[+-]?(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+)[bBsSiIlLnNfFdDmM]?(?![\w]))
    | (?P<infinite>[+-]Infinity)
    | (?P<name>[A-Za-z_]\w*)
    | (?P<sign>[().,:\[\]{}])
    )""",
    re.VERBOSE,
)
SUFFIXES = {"b": "byte", "s": "short", "i": "int", "l": "long", "n": "bigint", "f": "float", "d": "double", "m": "bigdecimal"}
ENUMS = {
    "T": "T", "Order": "Order", "Scope": "Scope", "Pop": "Pop", "Column": "Column", "Cardinality": "Cardinality",
    "Direction": "Direction", "Operator": "Operator", "Merge": "Merge", "Pick": "Pick", "Barrier": "Barrier", "GType": "GType",
    "DT": "DT", "VertexProperty": "VertexProperty",
}
BARE = {
    "local": "Scope", "global": "Scope", "asc": "Order", "desc": "Order", "shuffle": "Order", "all": "Pop", "mixed": "Pop",
    "keys": "Column", "values": "Column", "id": "T", "label": "T", "sum": "Operator", "assign": "Operator", "mult": "Operator",
    "minus": "Operator", "div": "Operator", "min": "Operator", "max": "Operator", "addAll": "Operator", "and": "Operator",
    "or": "Operator", "any": "Pick", "none": "Pick", "normSack": "Barrier", "single": "Cardinality", "list": "Cardinality",
    "set": "Cardinality", "OUT": "Direction", "IN": "Direction", "BOTH": "Direction", "onCreate": "Merge", "onMatch": "Merge",
    "outV": "Merge", "inV": "Merge", "first": "Pop", "last": "Pop", "second": "DT", "minute": "DT", "hour": "DT", "day": "DT",
    "key": "T", "value": "T",
}
DIRECTIONS = {"from": "OUT", "to": "IN"}
CONSTANTS = {
    "WithOptions.tokens": "~tinkerpop.valueMap.tokens", "WithOptions.none": 0, "WithOptions.ids": 1, "WithOptions.labels": 2,
    "WithOptions.keys": 4, "WithOptions.values": 8, "WithOptions.all": 15, "WithOptions.indexer": "~tinkerpop.index.indexer",
    "WithOptions.list": 0, "WithOptions.map": 1, "IO.reader": "~tinkerpop.io.reader", "IO.writer": "~tinkerpop.io.writer",
    "IO.gryo": "gryo", "IO.graphson": "graphson", "IO.graphml": "graphml",
    "ConnectedComponent.component": "gremlin.connectedComponentVertexProgram.component",
}
PREDICATES = {"eq", "neq", "gt", "gte", "lt", "lte", "between", "inside", "outside", "within", "without", "not", "typeOf", "test"}
TEXT_PREDICATES = {
    "containing", "notContaining", "startingWith", "notStartingWith", "endingWith", "notEndingWith", "regex", "notRegex",
}
SOURCE_CALLS = {"withSack", "withSideEffect", "withStrategies", "withoutStrategies", "withBulk", "withPath", "with", "withComputer"}
PACKAGE = "org.apache.tinkerpop.gremlin.process.traversal.strategy"
FOLDERS = {
    "decoration": (
        "SubgraphStrategy", "PartitionStrategy", "SeedStrategy", "OptionsStrategy", "ConnectiveStrategy", "ElementIdStrategy",
        "EventStrategy", "HaltedTraverserStrategy", "RequirementsStrategy", "SackStrategy", "SideEffectStrategy",
    ),
    "finalization": ("MatchAlgorithmStrategy", "ProfileStrategy", "ReferenceElementStrategy"),
    "verification": (
        "ComputerVerificationStrategy", "EdgeLabelVerificationStrategy", "LambdaRestrictionStrategy", "ReadOnlyStrategy",
        "ReservedKeysVerificationStrategy", "StandardVerificationStrategy",
    ),
}
COMPUTER_FOLDERS = {
    "VertexProgramStrategy": "decoration", "ComputerFinalizationStrategy": "finalization", "GraphFilterStrategy": "optimization",
    "MessagePassingReductionStrategy": "optimization", "VertexProgramRestrictionStrategy": "verification",
}


class NotTranslated(Exception):
    """A construct that has no form in bytecode, or that the translation does not know."""


def strategy_class(name: str) -> str:
    if name in COMPUTER_FOLDERS:
        return f"org.apache.tinkerpop.gremlin.process.computer.traversal.strategy.{COMPUTER_FOLDERS[name]}.{name}"
    folder = next((folder for folder, names in FOLDERS.items() if name in names), "optimization")
    return f"{PACKAGE}.{folder}.{name}"


class Translator:
    def __init__(self, script: str, parameters: dict):
        self.parameters = parameters
        self.tokens: list = []
        at = 0
        script = script.rstrip()
        while at < len(script):
            found = TOKEN.match(script, at)
            if not found:
                raise NotTranslated(f"at {script[at:at + 20]!r}")
            self.tokens.append((found.lastgroup, found.group(found.lastgroup)))
            at = found.end()
        self.at = 0

    def peek(self, ahead: int = 0) -> tuple:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ("end", "")

    def next(self) -> tuple:
        token = self.peek()
        self.at += 1
        return token

    def accept(self, sign: str) -> bool:
        if self.peek() == ("sign", sign):
            self.at += 1
            return True
        return False

    def expect(self, sign: str) -> None:
        if not self.accept(sign):
            raise NotTranslated(f"expected {sign} at {self.peek()}")

    def traversal(self) -> Bytecode:
        if self.next() != ("name", "g"):
            raise NotTranslated("not a traversal of g")
        code = Bytecode()
        while self.accept("."):
            self.call(code, code.sources if not code.steps and self.peek()[1] in SOURCE_CALLS else code.steps)
        if self.peek()[0] != "end":
            raise NotTranslated(f"after the traversal: {self.peek()}")
        return code

    def call(self, code: Bytecode, calls: list) -> None:
        name = self.next()[1]
        is_strategies = name in ("withStrategies", "withoutStrategies")
        arguments = self.arguments(is_strategies)
        if name == "withComputer":
            name, arguments = "withStrategies", [Strategy(strategy_class("VertexProgramStrategy"), Map())]
        if calls is code.sources and name == "with":
            # Drivers send it as a strategy.
            options = Map([(arguments[0], arguments[1] if len(arguments) > 1 else True)])
            name, arguments = "withStrategies", [Strategy(strategy_class("OptionsStrategy"), options)]
        if name == "withoutStrategies":
            arguments = [ClassName(one.name if isinstance(one, Strategy) else one) for one in arguments]
        calls.append([name, *arguments])

    def arguments(self, is_strategies: bool = False) -> list:
        self.expect("(")
        values = []
        while not self.accept(")"):
            values.append(self.value(is_strategies))
            self.accept(",")
        return values

    def value(self, is_strategies: bool = False) -> Any:
        kind, word = self.next()
        if kind == "text":
            inner = word[1:-1].replace("\\'", "'")
            return json.loads('"' + re.sub(r'(?<!\\)"', r'\\"', inner) + '"') if word[0] == "'" else json.loads(word)
        if kind == "number":
            return self.number(word)
        if kind == "infinite":
            return Typed("double", float(word.replace("Infinity", "inf")))
        if (kind, word) == ("sign", "["):
            return self.list_or_map()
        if (kind, word) == ("sign", "{"):
            return Set(self.items("}"))
        if kind != "name":
            raise NotTranslated(f"a value begins with {word!r}")
        return self.named(word, is_strategies)

    def number(self, word: str) -> Typed:
        suffix = SUFFIXES.get(word[-1].lower())
        digits = word[:-1] if suffix else word
        is_whole = not any(char in digits for char in ".eE")
        if suffix is None:
            suffix = ("int" if -(2**31) <= int(digits) < 2**31 else "long") if is_whole else "double"
            if is_whole and not -(2**63) <= int(digits) < 2**63:
                suffix = "bigint"
        if suffix in ("float", "double"):
            return Typed(suffix, float(digits))
        return Typed(suffix, Decimal(digits) if suffix == "bigdecimal" else int(digits))

    def items(self, end: str) -> list:
        values = []
        while not self.accept(end):
            values.append(self.value())
            self.accept(",")
        return values

    def list_or_map(self) -> Any:
        if self.accept(":"):
            self.expect("]")
            return Map()
        values, entries = [], []
        while not self.accept("]"):
            if self.accept("("):
                key = self.value()
                self.expect(")")
            elif self.peek()[0] == "name" and self.peek(1) == ("sign", ":"):
                key = self.next()[1]
                key = Typed("enum:T", key) if key in ("id", "label") and False else key
            else:
                key = self.value()
            if self.accept(":"):
                entries.append((key, self.value()))
            else:
                values.append(key)
            self.accept(",")
        return Map(entries) if entries else values

    def named(self, word: str, is_strategies: bool) -> Any:
        is_call = self.peek() == ("sign", "(")
        if word in self.parameters and not is_call:
            return self.parameters[word]
        if word in ("null", "true", "false") and not is_call:
            return {"null": None, "true": True, "false": False}[word]
        if word in ("NaN", "Infinity"):
            return Typed("double", float(word.replace("Infinity", "inf")))
        if word == "new":
            return self.new(self.next()[1])
        if word.endswith("Strategy") and is_strategies:
            return self.new(word)
        if word == "__":
            self.expect(".")
            return self.anonymous()
        if word.lower() == "datetime":
            return Typed("datetime", instant(self.arguments()[0]))
        if word == "UUID":
            arguments = self.arguments()
            if not arguments:
                raise NotTranslated("UUID() without a text")
            return Typed("uuid", arguments[0].lower())
        if word in ("P", "TextP"):
            self.expect(".")
            return self.predicate(self.next()[1], self.arguments())
        if word in ENUMS:
            return self.constant(word)
        if self.peek() == ("sign", ".") and f"{word}.{self.peek(1)[1]}" in CONSTANTS:
            self.next()
            found = CONSTANTS[f"{word}.{self.next()[1]}"]
            return Typed("int", found) if isinstance(found, int) else found
        if word in ("PageRank", "PeerPressure", "ConnectedComponent", "ShortestPath"):
            self.expect(".")
            return f"~tinkerpop.{word[0].lower()}{word[1:]}.{self.next()[1]}"
        if is_call and (word in PREDICATES or word in TEXT_PREDICATES) and word not in ("not",):
            return self.predicate(word, self.arguments())
        if word == "not" and (self.peek(1)[1] in ("P", "TextP") or self.peek(1)[1] in PREDICATES):
            return self.predicate(word, self.arguments())
        if is_call:
            self.at -= 1
            return self.anonymous()
        if word in BARE:
            return Typed(f"enum:{BARE[word]}", word)
        raise NotTranslated(f"the name {word}")

    def constant(self, word: str) -> Any:
        self.expect(".")
        name = self.next()[1]
        if word == "VertexProperty":
            self.expect(".")
            word, name = "Cardinality", self.next()[1]
        if word == "Direction":
            name = DIRECTIONS.get(name, name)
        constant = Typed(f"enum:{word}", name)
        if word == "Cardinality" and self.peek() == ("sign", "("):
            return Bytecode(sources=[["CardinalityValueTraversal", constant, *self.arguments()]])
        return constant

    def anonymous(self) -> Bytecode:
        code = Bytecode()
        while True:
            self.call(code, code.steps)
            if not self.accept("."):
                return code

    def predicate(self, name: str, arguments: list) -> Predicate:
        kind = "TextP" if name in TEXT_PREDICATES else "P"
        if name in ("within", "without") and len(arguments) == 1 and isinstance(arguments[0], (list, Set)):
            arguments = arguments[0] if isinstance(arguments[0], list) else arguments[0].items
        if name == "not":
            first: Any = Predicate("P", "not", arguments)
        else:
            first = Predicate(kind, name, arguments)
        while self.peek() == ("sign", ".") and self.peek(1)[1] in ("and", "or", "negate"):
            self.next()
            joined = self.next()[1]
            others = self.arguments()
            first = Predicate("P", "not", [first]) if joined == "negate" else Predicate("P", joined, [first, *others])
        return first

    def new(self, name: str) -> Any:
        if name in ("Vertex", "ReferenceVertex"):
            id_, label = self.arguments()
            return Vertex(id_, label)
        options = Map()
        if self.accept("("):
            while not self.accept(")"):
                key = self.next()[1]
                self.expect(":")
                options.pairs.append((key, self.value()))
                self.accept(",")
        return Strategy(strategy_class(name), options)


def translate(script: str, parameters: dict) -> Bytecode:
    """The bytecode of a traversal, with the values of parameters in it."""
    return Translator(script, parameters).traversal()
