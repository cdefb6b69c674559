"""Values as the openCypher TCK writes them, and whether values of Bolt are the same."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from bolt import Structure


@dataclass
class Node:
    labels: list
    properties: dict


@dataclass
class Relationship:
    kind: str
    properties: dict


@dataclass
class Path:
    """Nodes, relationships, and for each relationship whether the path follows its direction."""

    nodes: list
    relationships: list
    forward: list


TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")|(?P<number>[+-]?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|Inf(?:inity)?))"
    r"|(?P<name>`[^`]*`|[^\W\d]\w*)|(?P<mark><-\[|\]->|-\[|\]-|[()\[\]{}<>:,|]))"
)


class Reader:
    """Reads one value."""

    def __init__(self, text: str):
        self.text = text
        self.at = 0

    def peek(self) -> tuple:
        found = TOKEN.match(self.text, self.at)
        return (found.lastgroup, found.group(found.lastgroup), found.end()) if found else (None, "", self.at)

    def take(self, expected: str | None = None) -> tuple:
        kind, token, end = self.peek()
        if kind is None or expected is not None and token != expected:
            raise ValueError(f"{expected or 'a value'} expected at {self.at} of {self.text}")
        self.at = end
        return kind, token

    def taken(self, token: str) -> bool:
        if self.peek()[1] == token:
            self.take()
            return True
        return False

    def value(self) -> Any:
        kind, token, _ = self.peek()
        if token == "(":
            return self.node()
        if token == "[":
            return self.bracket()
        if token == "-[" or token == "[:":
            return self.relationship()
        if token == "{":
            return self.map()
        if token == "<":
            return self.path()
        self.take()
        if kind == "text":
            return unescaped(token[1:-1])
        if kind == "number":
            if "Inf" in token:
                return math.inf if not token.startswith("-") else -math.inf
            return float(token) if any(letter in token for letter in ".eE") else int(token)
        if token in ("true", "false"):
            return token == "true"
        if token == "null":
            return None
        if token == "NaN":
            return math.nan
        raise ValueError(f"{token} is no value, in {self.text}")

    def name(self) -> str:
        _, token = self.take()
        return token.strip("`")

    def node(self) -> Node:
        self.take("(")
        labels = []
        while self.taken(":"):
            labels.append(self.name())
        properties = self.map() if self.peek()[1] == "{" else {}
        self.take(")")
        return Node(labels, properties)

    def bracket(self) -> Any:
        self.take("[")
        if self.taken(":"):
            return self.rest_of_relationship("]")
        items = []
        while not self.taken("]"):
            items.append(self.value())
            self.taken(",")
        return items

    def rest_of_relationship(self, *ends: str) -> Relationship:
        kind = self.name()
        properties = self.map() if self.peek()[1] == "{" else {}
        _, token = self.take()
        if token not in ends:
            raise ValueError(f"{ends} expected, found {token} in {self.text}")
        self.end = token
        return Relationship(kind, properties)

    def relationship(self) -> Relationship:
        self.take()
        self.take(":")
        return self.rest_of_relationship("]-", "]->")

    def map(self) -> dict:
        self.take("{")
        entries = {}
        while not self.taken("}"):
            key = self.name()
            self.take(":")
            entries[key] = self.value()
            self.taken(",")
        return entries

    def path(self) -> Path:
        self.take("<")
        path = Path([self.node()], [], [])
        while not self.taken(">"):
            _, start = self.take()
            self.take(":")
            path.relationships.append(self.rest_of_relationship("]-", "]->"))
            path.forward.append(start == "-[")
            path.nodes.append(self.node())
        return path


def unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t", "r": "\r"}.get(found.group(1), found.group(1)), text)


def parse(text: str) -> Any:
    reader = Reader(text)
    value = reader.value()
    if reader.text[reader.at :].strip():
        raise ValueError(f"more behind a value: {text}")
    return value


# Structures of Bolt.
NODE, RELATIONSHIP, UNBOUND, PATH = "N", "R", "r", "P"
DATE, TIME, LOCAL_TIME, DATE_TIME, ZONED, LOCAL_DATE_TIME, DURATION = "D", "T", "t", "I", "i", "d", "E"


def same(expected: Any, actual: Any, any_order: bool = False) -> bool:
    """Whether a value is the expected one; with `any_order`, lists may have any order."""
    if isinstance(expected, bool) or expected is None:
        return actual is expected
    if isinstance(expected, int):
        return isinstance(actual, int) and not isinstance(actual, bool) and actual == expected
    if isinstance(expected, float):
        if not isinstance(actual, float):
            return False
        return math.isnan(actual) if math.isnan(expected) else actual == expected
    if isinstance(expected, str):
        return actual == expected if isinstance(actual, str) else isinstance(actual, Structure) and temporal(actual, expected)
    if isinstance(expected, list):
        if not isinstance(actual, list) or len(actual) != len(expected):
            return False
        if any_order:
            return same_rows(expected, actual, lambda one, other: same(one, other, True))
        return all(same(one, other) for one, other in zip(expected, actual))
    if isinstance(expected, dict):
        return (
            isinstance(actual, dict)
            and actual.keys() == expected.keys()
            and all(same(value, actual[key], any_order) for key, value in expected.items())
        )
    if not isinstance(actual, Structure):
        return False
    if isinstance(expected, Node):
        return actual.tag == NODE and same_node(expected, actual)
    if isinstance(expected, Relationship):
        return actual.tag in (RELATIONSHIP, UNBOUND) and same_relationship(expected, actual)
    return actual.tag == PATH and same_path(expected, actual)


def same_node(expected: Node, actual: Structure) -> bool:
    return sorted(expected.labels) == sorted(actual.fields[1]) and same(expected.properties, actual.fields[2])


def same_relationship(expected: Relationship, actual: Structure) -> bool:
    kind, properties = actual.fields[3:5] if actual.tag == RELATIONSHIP else actual.fields[1:3]
    return kind == expected.kind and same(expected.properties, properties)


def same_path(expected: Path, actual: Structure) -> bool:
    nodes, relationships, turns = actual.fields
    if len(turns) != 2 * len(expected.relationships) or not same_node(expected.nodes[0], nodes[0]):
        return False
    for place, (relationship, forward) in enumerate(zip(expected.relationships, expected.forward)):
        turn, node = turns[2 * place], nodes[turns[2 * place + 1]]
        if (turn > 0) != forward or not same_relationship(relationship, relationships[abs(turn) - 1]):
            return False
        if not same_node(expected.nodes[place + 1], node):
            return False
    return True


def same_rows(expected: list, actual: list, rule: Any) -> bool:
    """Whether each expected row has one of its own among the actual ones, in any order."""
    if len(expected) != len(actual):
        return False
    left = list(actual)
    for row in expected:
        for place, other in enumerate(left):
            if rule(row, other):
                del left[place]
                break
        else:
            return False
    return True


def temporal(actual: Structure, expected: str) -> bool:
    """Whether a date, time or duration is written so."""
    fields = actual.fields
    if actual.tag == DATE:
        return date_text(fields[0]) == expected
    if actual.tag == LOCAL_TIME:
        return time_text(fields[0]) == expected
    if actual.tag == TIME:
        return time_text(fields[0]) + offset_text(fields[1]) == expected
    if actual.tag == LOCAL_DATE_TIME:
        return local_text(fields[0], fields[1]) == expected
    if actual.tag == DATE_TIME:
        return local_text(fields[0] + fields[2], fields[1]) + offset_text(fields[2]) == expected
    if actual.tag == ZONED:
        # The offset is what the suite expects: Bolt says only the moment and the zone.
        found = re.fullmatch(r".*T[\d:.]+?(Z|[+-][\d:]+)\[(.*)\]", expected)
        if not found or found.group(2) != fields[2]:
            return False
        offset = seconds_of(found.group(1))
        return f"{local_text(fields[0] + offset, fields[1])}{offset_text(offset)}[{fields[2]}]" == expected
    if actual.tag == DURATION:
        return duration_text(*fields) == expected
    return False


def seconds_of(offset: str) -> int:
    if offset == "Z":
        return 0
    parts = [int(part) for part in offset[1:].split(":")]
    seconds = sum(part * unit for part, unit in zip(parts, (3600, 60, 1)))
    return -seconds if offset[0] == "-" else seconds


def civil(day: int) -> tuple:
    """Year, month and day of days since 1970-01-01, in the proleptic Gregorian calendar."""
    shifted = day + 719468
    era, of_era = divmod(shifted, 146097)
    year = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    month_of_year = month + 3 if month < 10 else month - 9
    return year + era * 400 + (month_of_year <= 2), month_of_year, of_year - (153 * month + 2) // 5 + 1


def date_text(day: int) -> str:
    year, month, of_month = civil(day)
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04}-{month:02}-{of_month:02}"


def time_text(nanoseconds: int) -> str:
    seconds, rest = divmod(nanoseconds, 10**9)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}"
    if seconds % 60 or rest:
        text += f":{seconds % 60:02}"
    if rest:
        digits = f"{rest:09}"
        while digits.endswith("000"):
            digits = digits[:-3]
        text += f".{digits}"
    return text


def local_text(seconds: int, nanoseconds: int) -> str:
    day, of_day = divmod(seconds, 86400)
    return f"{date_text(day)}T{time_text(of_day * 10**9 + nanoseconds)}"


def offset_text(seconds: int) -> str:
    if seconds == 0:
        return "Z"
    size = abs(seconds)
    text = f"{'-' if seconds < 0 else '+'}{size // 3600:02}:{size // 60 % 60:02}"
    return text + (f":{size % 60:02}" if size % 60 else "")


def duration_text(months: int, days: int, seconds: int, nanoseconds: int) -> str:
    def part(number: int, unit: str) -> str:
        return f"{number}{unit}" if number else ""

    def split(number: int, by: int) -> tuple:
        whole, rest = divmod(abs(number), by)
        return (-whole, -rest) if number < 0 else (whole, rest)

    years, of_year = split(months, 12)
    text = "P" + part(years, "Y") + part(of_year, "M") + part(days, "D")
    total = seconds * 10**9 + nanoseconds
    if total:
        whole, rest = divmod(abs(total), 10**9)
        sign = -1 if total < 0 else 1
        text += "T" + part(sign * (whole // 3600), "H") + part(sign * (whole // 60 % 60), "M")
        if whole % 60 or rest:
            fraction = f".{rest:09}".rstrip("0") if rest else ""
            text += f"{'-' if sign < 0 else ''}{whole % 60}{fraction}S"
    return text if text != "P" else "PT0S"
