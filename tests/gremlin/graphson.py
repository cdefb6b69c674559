"""GraphSON 3: values to JSON and back."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from notation import instant, instant_text
from values import (
    Bulk, Bytecode, ClassName, Edge, Map, Path, Predicate, Property, Set, Strategy, Subgraph, Traverser, Tree, Typed,
    Vertex, VertexProperty,
)

NUMBERS = {
    "g:Int32": "int", "g:Int64": "long", "g:Float": "float", "g:Double": "double", "gx:Byte": "byte", "gx:Int16": "short",
    "gx:BigInteger": "bigint", "gx:BigDecimal": "bigdecimal",
}
NUMBER_TAGS = {kind: tag for tag, kind in NUMBERS.items()}
ENUMS = ("T", "Direction", "Merge", "Order", "Scope", "Pop", "Column", "Cardinality", "Operator", "Pick", "Barrier", "GType", "DT")


def read(node: Any) -> Any:
    """A value of decoded JSON."""
    if isinstance(node, dict) and "@type" in node:
        return read_typed(node["@type"], node.get("@value"))
    if isinstance(node, dict):
        return Map([(key, read(value)) for key, value in node.items()])
    if isinstance(node, list):
        return [read(item) for item in node]
    return node


def read_typed(tag: str, value: Any) -> Any:
    if tag in NUMBERS:
        return read_number(NUMBERS[tag], value)
    match tag:
        case "g:List":
            return [read(item) for item in value]
        case "g:Set":
            return Set([read(item) for item in value])
        case "g:BulkSet":
            items = []
            for item, count in zip(value[::2], value[1::2]):
                items += [read(item)] * read(count).value
            return Bulk(items)
        case "g:Map":
            return Map([(read(key), read(item)) for key, item in zip(value[::2], value[1::2])])
        case "g:Vertex":
            return Vertex(read(value["id"]), value.get("label", "vertex"))
        case "g:Edge":
            ends = [Vertex(read(value[end]), value.get(f"{end}Label", "vertex")) for end in ("outV", "inV")]
            return Edge(read(value["id"]), value.get("label", "edge"), *ends)
        case "g:VertexProperty":
            return VertexProperty(read(value["id"]), value["label"], read(value["value"]))
        case "g:Property":
            return Property(value["key"], read(value["value"]))
        case "g:Path":
            return Path(read(value["objects"]))
        case "g:Tree":
            return Tree([(read(branch["key"]), read(branch["value"])) for branch in value])
        case "tinker:graph":
            return Subgraph([read(item) for item in value["vertices"]], [read(item) for item in value["edges"]])
        case "g:Traverser":
            return Traverser(read(value["value"]), read(value["bulk"]).value)
        case "g:UUID":
            return Typed("uuid", value.lower())
        case "gx:OffsetDateTime" | "gx:ZonedDateTime" | "gx:Instant":
            return Typed("datetime", instant(value))
        case "g:Date" | "g:Timestamp":
            return Typed("datetime", int(value) * 10**6)
        case "gx:Duration":
            return Typed("duration", value)
        case "gx:Char":
            return Typed("char", value)
        case "gx:ByteBuffer":
            return Typed("binary", value)
        case "g:TraversalMetrics" | "g:Metrics":
            return read(value)
    if tag.startswith("g:") and tag[2:] in ENUMS:
        return Typed(f"enum:{tag[2:]}", value)
    raise ValueError(f"the GraphSON type {tag} is not known")


def read_number(kind: str, value: Any) -> Typed:
    if kind in ("float", "double"):
        special = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}
        return Typed(kind, float(special.get(value, value)))
    return Typed(kind, Decimal(str(value)) if kind == "bigdecimal" else int(value))


def write(value: Any) -> Any:
    """A value as JSON with types."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, Typed):
        return write_typed(value)
    if isinstance(value, list):
        return tagged("g:List", [write(item) for item in value])
    if isinstance(value, Set):
        return tagged("g:Set", [write(item) for item in value.items])
    if isinstance(value, Map):
        return tagged("g:Map", [write(part) for pair in value.pairs for part in pair])
    if isinstance(value, Vertex):
        return tagged("g:Vertex", {"id": write(value.id), "label": value.label})
    if isinstance(value, Edge):
        ends = {"outV": value.out_vertex, "inV": value.in_vertex}
        body = {"id": write(value.id), "label": value.label}
        for name, end in ends.items():
            if end is not None:
                body |= {name: write(end.id), f"{name}Label": end.label}
        return tagged("g:Edge", body)
    if isinstance(value, Bytecode):
        instructions = {"source": value.sources, "step": value.steps}
        return tagged(
            "g:Bytecode",
            {key: [[name, *map(write, arguments)] for name, *arguments in calls] for key, calls in instructions.items() if calls},
        )
    if isinstance(value, Predicate):
        arguments = [write(item) for item in value.arguments]
        several = value.name in ("between", "inside", "outside", "and", "or")
        if value.name in ("within", "without"):
            body = tagged("g:List", arguments)
        elif several:
            body = arguments if value.name in ("and", "or") else tagged("g:List", arguments)
        else:
            body = arguments[0] if arguments else None
        return tagged(f"g:{value.kind}", {"predicate": value.name, "value": body})
    if isinstance(value, Strategy):
        name = value.name.rsplit(".", 1)[-1]
        return tagged(f"g:{name}", {"fqcn": value.name, "conf": {key: write(item) for key, item in value.options.pairs}})
    if isinstance(value, ClassName):
        return tagged("g:Class", value.name)
    raise TypeError(f"cannot write {type(value).__name__}")


def tagged(tag: str, value: Any) -> dict:
    return {"@type": tag, "@value": value}


def write_typed(value: Typed) -> Any:
    if value.kind in ("float", "double"):
        number = float(value.value)
        special = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(str(number))
        return tagged(NUMBER_TAGS[value.kind], special if special else number)
    if value.kind == "bigdecimal":
        return tagged("gx:BigDecimal", str(value.value))
    if value.kind in NUMBER_TAGS:
        return tagged(NUMBER_TAGS[value.kind], value.value)
    if value.kind == "uuid":
        return tagged("g:UUID", value.value)
    if value.kind == "datetime":
        return tagged("gx:OffsetDateTime", instant_text(value.value))
    if value.kind.startswith("enum:"):
        return tagged(f"g:{value.kind[5:]}", value.value)
    raise TypeError(f"cannot write a {value.kind}")
