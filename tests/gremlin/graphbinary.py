"""GraphBinary 1: requests, answers and values."""

from __future__ import annotations

import struct
import uuid
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from values import (
    Bulk, Bytecode, ClassName, Edge, Map, Path, Predicate, Property, Set, Strategy, Subgraph, Traverser, Tree, Typed,
    Vertex, VertexProperty,
)

ENUM_CODES = {
    0x13: "Barrier", 0x16: "Cardinality", 0x17: "Column", 0x18: "Direction", 0x19: "Operator", 0x1A: "Order", 0x1B: "Pick",
    0x1C: "Pop", 0x1F: "Scope", 0x20: "T", 0x2E: "Merge", 0x2F: "DT", 0x30: "GType",
}
CODES = {name: code for code, name in ENUM_CODES.items()}
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class Reader:
    """Reads values from bytes."""

    def __init__(self, data: bytes):
        self.data = data
        self.at = 0

    def take(self, count: int) -> bytes:
        if self.at + count > len(self.data):
            raise ValueError("the GraphBinary answer is cut off")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, form: str) -> Any:
        return struct.unpack(">" + form, self.take(struct.calcsize(form)))[0]

    def text(self) -> str:
        return self.take(self.number("i")).decode("utf-8")

    def value(self) -> Any:
        """A value with its type in front."""
        code = self.number("B")
        if self.number("B") == 1:
            return None
        return self.bare(code)

    def nullable(self, code: int) -> Any:
        return None if self.number("B") == 1 else self.bare(code)

    def list(self) -> list:
        return [self.value() for _ in range(self.number("i"))]

    def map(self) -> Map:
        return Map([(self.value(), self.value()) for _ in range(self.number("i"))])

    def big_integer(self) -> int:
        return int.from_bytes(self.take(self.number("i")), "big", signed=True)

    def bare(self, code: int) -> Any:
        simple = {0x01: ("int", "i"), 0x02: ("long", "q"), 0x07: ("double", "d"), 0x08: ("float", "f"), 0x24: ("byte", "b"), 0x26: ("short", "h")}
        if code in simple:
            kind, form = simple[code]
            return Typed(kind, self.number(form))
        if code in ENUM_CODES:
            return Typed(f"enum:{ENUM_CODES[code]}", self.value())
        match code:
            case 0x03:
                return self.text()
            case 0x04 | 0x05:
                return Typed("datetime", self.number("q") * 10**6)
            case 0x06:
                return ClassName(self.text())
            case 0x09:
                return self.list()
            case 0x0A:
                return self.map()
            case 0x0B:
                return Set(self.list())
            case 0x0C:
                return Typed("uuid", str(uuid.UUID(bytes=self.take(16))))
            case 0x0D:
                return self.edge()
            case 0x0E:
                _labels, objects = self.value(), self.value()
                return Path(objects)
            case 0x0F:
                key, value, _parent = self.text(), self.value(), self.value()
                return Property(key, value)
            case 0x10:
                return self.graph()
            case 0x11:
                vertex = Vertex(self.value(), self.text())
                self.value()
                return vertex
            case 0x12:
                id_, label, value, _parent, _properties = self.value(), self.text(), self.value(), self.value(), self.value()
                return VertexProperty(id_, label, value)
            case 0x15:
                return self.bytecode()
            case 0x21:
                bulk = self.number("q")
                return Traverser(self.value(), bulk)
            case 0x22:
                scale = self.number("i")
                return Typed("bigdecimal", Decimal(self.big_integer()).scaleb(-scale))
            case 0x23:
                return Typed("bigint", self.big_integer())
            case 0x25:
                return Typed("binary", self.take(self.number("i")))
            case 0x27:
                return self.number("B") == 1
            case 0x2B:
                return self.tree()
            case 0x2A:
                items = []
                for _ in range(self.number("i")):
                    item, count = self.value(), self.number("q")
                    items += [item] * count
                return Bulk(items)
            case 0x80:
                head = self.take(1)
                size = 1 + sum(head[0] >= bound for bound in (0xC0, 0xE0, 0xF0))
                return Typed("char", (head + self.take(size - 1)).decode("utf-8"))
            case 0x81:
                return Typed("duration", (self.number("q"), self.number("i")))
            case 0x88:
                year, month, day = self.number("i"), self.number("b"), self.number("b")
                nanoseconds, offset = self.number("q"), self.number("i")
                days = datetime(year, month, day).toordinal() - datetime(1970, 1, 1).toordinal()
                return Typed("datetime", (days * 86400 - offset) * 10**9 + nanoseconds)
        raise ValueError(f"the GraphBinary type 0x{code:02x} is not known")

    def edge(self) -> Edge:
        id_, label = self.value(), self.text()
        in_vertex = Vertex(self.value(), self.text())
        out_vertex = Vertex(self.value(), self.text())
        self.value()
        self.value()
        return Edge(id_, label, out_vertex, in_vertex)

    def tree(self) -> Tree:
        return Tree([(self.value(), self.tree()) for _ in range(self.number("i"))])

    def graph(self) -> Subgraph:
        vertices, edges = [], []
        for _ in range(self.number("i")):
            vertices.append(Vertex(self.value(), self.text()))
            for _ in range(self.number("i")):
                self.value(), self.text(), self.value(), self.value(), self.list()
        for _ in range(self.number("i")):
            id_, label, in_id, _, out_id, _, _ = self.value(), self.text(), *(self.value() for _ in range(5))
            self.list()
            edges.append(Edge(id_, label, Vertex(out_id), Vertex(in_id)))
        return Subgraph(vertices, edges)

    def bytecode(self) -> Bytecode:
        calls = [[[self.text(), *self.list()] for _ in range(self.number("i"))] for _ in range(2)]
        return Bytecode(steps=calls[0], sources=calls[1])


def text(value: str) -> bytes:
    data = value.encode("utf-8")
    return struct.pack(">i", len(data)) + data


def typed(code: int, body: bytes) -> bytes:
    return bytes((code, 0)) + body


def big_integer(value: int) -> bytes:
    data = value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True)
    return struct.pack(">i", len(data)) + data


def items(values: list) -> bytes:
    return struct.pack(">i", len(values)) + b"".join(map(write, values))


def pairs(value: Map) -> bytes:
    return struct.pack(">i", len(value.pairs)) + b"".join(write(part) for pair in value.pairs for part in pair)


def calls(instructions: list) -> bytes:
    return struct.pack(">i", len(instructions)) + b"".join(text(name) + items(arguments) for name, *arguments in instructions)


def write(value: Any) -> bytes:
    """A value with its type in front."""
    if value is None:
        return b"\xfe\x01"
    if isinstance(value, bool):
        return typed(0x27, bytes((value,)))
    if isinstance(value, str):
        return typed(0x03, text(value))
    if isinstance(value, Typed):
        return write_typed(value)
    if isinstance(value, list):
        return typed(0x09, items(value))
    if isinstance(value, Map):
        return typed(0x0A, pairs(value))
    if isinstance(value, Set):
        return typed(0x0B, items(value.items))
    if isinstance(value, Vertex):
        return typed(0x11, write(value.id) + text(value.label) + b"\xfe\x01")
    if isinstance(value, Edge):
        ends = [end or Vertex(None) for end in (value.in_vertex, value.out_vertex)]
        body = write(value.id) + text(value.label) + b"".join(write(end.id) + text(end.label) for end in ends)
        return typed(0x0D, body + b"\xfe\x01\xfe\x01")
    if isinstance(value, Bytecode):
        return typed(0x15, calls(value.steps) + calls(value.sources))
    if isinstance(value, Predicate):
        return typed(0x1E if value.kind == "P" else 0x28, text(value.name) + items(value.arguments))
    if isinstance(value, Strategy):
        return typed(0x29, text(value.name) + pairs(value.options))
    if isinstance(value, ClassName):
        return typed(0x06, text(value.name))
    raise TypeError(f"cannot write {type(value).__name__}")


def write_typed(value: Typed) -> bytes:
    simple = {"int": (0x01, "i"), "long": (0x02, "q"), "double": (0x07, "d"), "float": (0x08, "f"), "byte": (0x24, "b"), "short": (0x26, "h")}
    if value.kind in simple:
        code, form = simple[value.kind]
        return typed(code, struct.pack(">" + form, value.value))
    if value.kind.startswith("enum:"):
        return typed(CODES[value.kind[5:]], write(value.value))
    match value.kind:
        case "uuid":
            return typed(0x0C, uuid.UUID(value.value).bytes)
        case "bigint":
            return typed(0x23, big_integer(value.value))
        case "bigdecimal":
            sign, digits, exponent = value.value.as_tuple()
            unscaled = int("".join(map(str, digits))) * (-1 if sign else 1)
            return typed(0x22, struct.pack(">i", -exponent) + big_integer(unscaled))
        case "datetime":
            days, rest = divmod(value.value, 86400 * 10**9)
            day = EPOCH + timedelta(days=days)
            return typed(0x88, struct.pack(">ibbqi", day.year, day.month, day.day, rest, 0))
    raise TypeError(f"cannot write a {value.kind}")


def write_request(request_id: uuid.UUID, op: str, processor: str, arguments: Map) -> bytes:
    return b"\x81" + request_id.bytes + text(op) + text(processor) + pairs(arguments)


def read_answer(data: bytes) -> tuple:
    """(request id, status, message, attributes, meta, data)"""
    reader = Reader(data)
    if reader.number("B") != 0x81:
        raise ValueError("the answer is not GraphBinary 1")
    request_id = None if reader.number("B") == 1 else str(uuid.UUID(bytes=reader.take(16)))
    status = reader.number("i")
    message = None if reader.number("B") == 1 else reader.text()
    attributes, meta = reader.map(), reader.map()
    return request_id, status, message, attributes, meta, reader.value()
