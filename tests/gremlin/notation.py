"""The suite's notation of values (`d[1].i`, `v[marko].id`, `m[{...}]`) and their literals in Gremlin."""

from __future__ import annotations

import json
import re
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

from values import Edge, Map, Path, Set, Typed, Vertex

NUMBERS = {"i": "int", "l": "long", "d": "double", "f": "float", "m": "bigdecimal", "n": "bigint", "b": "byte", "s": "short"}
SUFFIXES = {kind: suffix for suffix, kind in NUMBERS.items()}
NUMBER = re.compile(r"^d\[(.*)\]\.([ildfmnbs])$")
BRACKETED = re.compile(r"^(str|dt|uuid|vp|v|e|l|s|m|p|t|D|M|c)\[(.*)\](\.id|\.sid)?$", re.DOTALL)


class UnknownName(Exception):
    """An element that the graph of the scenario does not have."""


def split_items(text: str) -> list:
    """Splits at commas outside of brackets."""
    items, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "[{(") - (char in "]})")
        if char == "," and depth == 0:
            items.append(text[start:at])
            start = at + 1
    return [*items, text[start:]] if text else []


def parse_value(text: str, graph: Any) -> Any:
    """A value in the suite's notation; `graph` knows elements by their names."""
    if text in ("null", "true", "false"):
        return {"null": None, "true": True, "false": False}[text]
    if text in ("d[NaN]", "d[Infinity]", "d[-Infinity]"):
        return Typed("double", float(text[2:-1].replace("Infinity", "inf")))
    if found := NUMBER.match(text):
        return number(found.group(1), NUMBERS[found.group(2)])
    if not (found := BRACKETED.match(text)):
        return text
    kind, inner, part = found.groups()
    if part and kind not in ("v", "e", "vp"):
        return text
    match kind:
        case "str":
            return inner
        case "dt":
            return Typed("datetime", instant(inner))
        case "uuid":
            return Typed("uuid", inner.lower())
        case "v" | "e" | "vp":
            element = graph.named(kind, inner)
            if part == ".id":
                return element.id
            return id_text(element.id) if part == ".sid" else element
        case "l":
            return [parse_value(item, graph) for item in split_items(inner)]
        case "s":
            return Set([parse_value(item, graph) for item in split_items(inner)])
        case "p":
            return Path([parse_value(item, graph) for item in split_items(inner)])
        case "m":
            return from_json(json.loads(inner), graph)
        case "t":
            return Typed("enum:T", inner)
        case "D":
            return Typed("enum:Direction", {"from": "OUT", "to": "IN"}.get(inner, inner))
        case "M":
            return Typed("enum:Merge", inner)
    raise ValueError(f"the notation {text} is not known")


def id_text(value: Any) -> str:
    return str(value.value) if isinstance(value, Typed) else str(value)


def number(text: str, kind: str) -> Typed:
    if kind in ("float", "double"):
        return Typed(kind, float(text))
    return Typed(kind, Decimal(text) if kind == "bigdecimal" else int(text))


def from_json(value: Any, graph: Any) -> Any:
    if isinstance(value, dict):
        return Map([(parse_value(key, graph), from_json(item, graph)) for key, item in value.items()])
    if isinstance(value, list):
        return [from_json(item, graph) for item in value]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return Typed("int", value) if -(2**31) <= value < 2**31 else Typed("long", value)
    if isinstance(value, float):
        return Typed("double", value)
    return parse_value(value, graph)


def instant(text: str) -> int:
    """Nanoseconds since 1970 UTC of an ISO 8601 text."""
    text = text.replace("Z", "+00:00")
    text, digits = re.subn(r"(T\d\d:\d\d)([+-])", r"\1:00\2", text)
    found = re.match(r"^(.*T\d\d:\d\d:\d\d)(?:\.(\d+))?(.*)$", text)
    fraction = 0
    if found:
        fraction = int((found.group(2) or "0").ljust(9, "0")[:9])
        text = found.group(1) + found.group(3)
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    delta = moment - datetime(1970, 1, 1, tzinfo=timezone.utc)
    return (delta.days * 86400 + delta.seconds) * 10**9 + fraction


def instant_text(nanoseconds: int) -> str:
    seconds, rest = divmod(nanoseconds, 10**9)
    days, seconds = divmod(seconds, 86400)
    moment = datetime.fromordinal(datetime(1970, 1, 1).toordinal() + days)
    fraction = f".{rest:09d}".rstrip("0") if rest else ""
    return f"{moment:%Y-%m-%d}T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{fraction}Z"


class NoLiteral(Exception):
    """A value that cannot be written in Gremlin."""


def literal(value: Any) -> str:
    """A value as gremlin-lang text."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Typed):
        return typed_literal(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, Set):
        return "{" + ", ".join(map(literal, value.items)) + "}"
    if isinstance(value, Map):
        pairs = [(literal(key) if isinstance(key, str) else f"({literal(key)})", literal(item)) for key, item in value.pairs]
        return "[" + (", ".join(f"{key}:{item}" for key, item in pairs) or ":") + "]"
    if isinstance(value, Vertex):
        return f"new Vertex({literal(value.id)}, {literal(value.label)})"
    raise NoLiteral(f"there is no literal for {type(value).__name__}")


def typed_literal(value: Typed) -> str:
    if value.kind in ("float", "double"):
        if value.value != value.value:
            return "NaN"
        if value.value in (float("inf"), float("-inf")):
            return "Infinity" if value.value > 0 else "-Infinity"
        return f"{value.value!r}{SUFFIXES[value.kind]}"
    if value.kind in SUFFIXES:
        return f"{value.value}{SUFFIXES[value.kind]}"
    if value.kind == "uuid":
        return f'UUID("{value.value}")'
    if value.kind == "datetime":
        return f'datetime("{instant_text(value.value)}")'
    if value.kind.startswith("enum:"):
        return f"{value.kind[5:]}.{value.value}"
    raise NoLiteral(f"there is no literal for a {value.kind}")


WORD = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|(?<![\w.])[A-Za-z_]\w*')


def with_literals(script: str, parameters: dict) -> str:
    """A script with its parameters written in."""

    def replace(found: re.Match) -> str:
        word = found.group()
        return literal(parameters[word]) if word in parameters else word

    return WORD.sub(replace, script)


__all__ = ["Edge", "NoLiteral", "UnknownName", "literal", "parse_value", "with_literals"]
