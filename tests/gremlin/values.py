"""Values of Gremlin with their types kept apart, and how TinkerPop's feature suite compares them."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Typed:
    """A value whose type Python does not keep apart: numbers, dates, UUIDs, constants.

    The kinds are int, long, short, byte, float, double, bigint, bigdecimal, char, uuid, datetime (epoch nanoseconds),
    duration, binary, and `enum:NAME`.
    """

    kind: str
    value: Any


@dataclass
class Vertex:
    """A vertex; elements are the same when their ids are."""

    id: Any
    label: str = "vertex"


@dataclass
class Edge:
    id: Any
    label: str = "edge"
    out_vertex: Vertex | None = None
    in_vertex: Vertex | None = None


@dataclass
class VertexProperty:
    id: Any
    key: str
    value: Any


@dataclass
class Property:
    key: str
    value: Any


@dataclass
class Path:
    objects: list


@dataclass
class Set:
    items: list


@dataclass
class Bulk:
    """A multiset; its items are repeated."""

    items: list


@dataclass
class Map:
    pairs: list = field(default_factory=list)


@dataclass
class Tree:
    branches: list = field(default_factory=list)


@dataclass
class Subgraph:
    vertices: list
    edges: list


@dataclass
class Traverser:
    value: Any
    bulk: int


@dataclass
class Bytecode:
    """Calls on a source and steps, each a list of a name and arguments."""

    sources: list = field(default_factory=list)
    steps: list = field(default_factory=list)


@dataclass
class Predicate:
    kind: str  # P or TextP
    name: str
    arguments: list


@dataclass
class Strategy:
    name: str  # the whole class name
    options: Map


@dataclass
class ClassName:
    name: str


FLOATING = ("float", "double")


def same_number(expected: Typed, actual: Typed) -> bool:
    if expected.kind != actual.kind:
        return False
    if expected.kind not in FLOATING:
        return expected.value == actual.value
    first, second = float(expected.value), float(actual.value)
    if expected.kind == "float":
        first, second = (narrow(number) for number in (first, second))
    if math.isnan(first) or math.isnan(second):
        return math.isnan(first) and math.isnan(second)
    return first == second or math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


def narrow(number: float) -> float:
    return struct.unpack(">f", struct.pack(">f", number))[0]


def same(expected: Any, actual: Any) -> bool:
    """Whether two values are equal by the rules of the suite."""
    if isinstance(expected, Typed):
        return isinstance(actual, Typed) and same_number(expected, actual)
    if isinstance(expected, (Vertex, Edge)):
        return type(expected) is type(actual) and same_id(expected.id, actual.id)
    if isinstance(expected, VertexProperty):
        return isinstance(actual, VertexProperty) and expected.key == actual.key and same(expected.value, actual.value)
    if isinstance(expected, Property):
        return isinstance(actual, Property) and expected.key == actual.key and same(expected.value, actual.value)
    if isinstance(expected, Path):
        return isinstance(actual, Path) and same_list(expected.objects, actual.objects)
    if isinstance(expected, Set):
        return isinstance(actual, (Set, Bulk)) and same_items(expected.items, actual.items)
    if isinstance(expected, list):
        if isinstance(actual, Bulk):
            return same_items(expected, actual.items)
        return isinstance(actual, list) and same_list(expected, actual)
    if isinstance(expected, Map):
        return isinstance(actual, Map) and same_map(expected, actual)
    if isinstance(expected, Tree):
        return isinstance(actual, Tree) and same_tree(expected, actual)
    return type(expected) is type(actual) and expected == actual


def same_id(expected: Any, actual: Any) -> bool:
    """Ids are compared without the widths of numbers: a codec may widen them."""
    if isinstance(expected, Typed) and isinstance(actual, Typed):
        return expected.value == actual.value
    return expected == actual


def same_list(expected: list, actual: list) -> bool:
    return len(expected) == len(actual) and all(same(one, other) for one, other in zip(expected, actual))


def same_items(expected: list, actual: list) -> bool:
    """Whether two lists have the same items in any order."""
    if len(expected) != len(actual):
        return False
    left = list(actual)
    for one in expected:
        at = next((index for index, other in enumerate(left) if same(one, other)), None)
        if at is None:
            return False
        left.pop(at)
    return True


def same_map(expected: Map, actual: Map) -> bool:
    if len(expected.pairs) != len(actual.pairs):
        return False
    left = list(actual.pairs)
    for key, value in expected.pairs:
        at = next((i for i, (k, v) in enumerate(left) if same(key, k) and same(value, v)), None)
        if at is None:
            return False
        left.pop(at)
    return True


def same_tree(expected: Tree, actual: Tree) -> bool:
    if len(expected.branches) != len(actual.branches):
        return False
    left = list(actual.branches)
    for key, below in expected.branches:
        at = next((i for i, (k, b) in enumerate(left) if same(key, k) and same_tree(below, b)), None)
        if at is None:
            return False
        left.pop(at)
    return True
