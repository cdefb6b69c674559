"""A client for Bolt 5.1 to 5.4 that shows values as they come: structures are not made into Python's types."""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass
from typing import Any

HELLO, LOGON, RUN, PULL, RESET = 0x01, 0x6A, 0x10, 0x3F, 0x0F
SUCCESS, RECORD, IGNORED, FAILURE = 0x70, 0x71, 0x7E, 0x7F
# Seconds to wait for an answer: a query of the suite takes milliseconds.
PATIENCE = 60


@dataclass
class Structure:
    """A structure of PackStream: a node, a date and so on."""

    tag: str
    fields: list


class Refused(Exception):
    """The server answers with a failure."""

    def __init__(self, code: str, message: str):
        super().__init__(f"{code}: {message}")
        self.code = code


@dataclass
class Result:
    columns: list
    rows: list


class Connection:
    """One connection. A failure is followed by a RESET, so that the next query runs."""

    def __init__(self, host: str, port: int, database: str | None):
        self.socket = socket.create_connection((host, port), timeout=PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""
        self.database = database
        self.socket.sendall(bytes.fromhex("6060b017") + bytes([0, 3, 4, 5]) + bytes(12))
        version = self.take(4)
        if version[3] != 5:
            raise ConnectionError(f"the server speaks no Bolt 5.1 to 5.4, but answers {version.hex()}")
        self.send(HELLO, [{"user_agent": "rhizome-tck/1", "bolt_agent": {"product": "rhizome-tck/1"}}])
        self.send(LOGON, [{"scheme": "none"}])
        for _ in range(2):
            self.expect_success()

    def close(self) -> None:
        self.socket.close()

    def run(self, query: str, parameters: dict | None = None) -> Result:
        """The rows of a query in a transaction of its own."""
        extra = {"db": self.database} if self.database else {}
        self.send(RUN, [query, parameters or {}, extra])
        self.send(PULL, [{"n": -1}])
        try:
            columns = self.expect_success().get("fields", [])
        except Refused:
            self.receive()
            self.reset()
            raise
        rows = []
        while True:
            tag, fields = self.receive()
            if tag == RECORD:
                rows.append(fields[0])
            elif tag == SUCCESS:
                return Result(columns, rows)
            else:
                self.reset()
                raise Refused(fields[0].get("code", "?"), fields[0].get("message", "?"))

    def reset(self) -> None:
        self.send(RESET, [])
        self.expect_success()

    def expect_success(self) -> dict:
        tag, fields = self.receive()
        if tag == SUCCESS:
            return fields[0]
        if tag == FAILURE:
            raise Refused(fields[0].get("code", "?"), fields[0].get("message", "?"))
        raise ConnectionError(f"message {tag:#x} was not expected")

    def send(self, tag: int, fields: list) -> None:
        message = bytes([0xB0 + len(fields), tag]) + b"".join(pack(field) for field in fields)
        chunks = [message[at : at + 0xFFFF] for at in range(0, len(message), 0xFFFF)]
        self.socket.sendall(b"".join(struct.pack(">H", len(chunk)) + chunk for chunk in chunks) + b"\0\0")

    def receive(self) -> tuple:
        message = b""
        while True:
            size = int.from_bytes(self.take(2), "big")
            if size:
                message += self.take(size)
            elif message:
                whole, _ = unpack(message, 0)
                return ord(whole.tag), whole.fields

    def take(self, count: int) -> bytes:
        while len(self.buffer) < count:
            more = self.socket.recv(1 << 16)
            if not more:
                raise ConnectionError("the server closed the connection")
            self.buffer += more
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken


def pack(value: Any) -> bytes:
    if value is None:
        return b"\xc0"
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        return b"\xcb" + struct.pack(">q", value)
    if isinstance(value, float):
        return b"\xc1" + struct.pack(">d", value)
    if isinstance(value, str):
        data = value.encode()
        return b"\xd2" + struct.pack(">I", len(data)) + data
    if isinstance(value, list):
        return b"\xd6" + struct.pack(">I", len(value)) + b"".join(pack(item) for item in value)
    if isinstance(value, dict):
        entries = b"".join(pack(key) + pack(item) for key, item in value.items())
        return b"\xda" + struct.pack(">I", len(value)) + entries
    raise TypeError(f"{value!r} cannot be sent")


INTEGERS = {0xC8: ">b", 0xC9: ">h", 0xCA: ">i", 0xCB: ">q"}
# Markers with a length in 1, 2 or 4 bytes.
SIZES = {kind + width: (name, 1 << width) for kind, name in
         ((0xD0, "text"), (0xD4, "list"), (0xD8, "map"), (0xCC, "bytes")) for width in range(3)}
TINY = {0x8: "text", 0x9: "list", 0xA: "map", 0xB: "structure"}


def unpack(data: bytes, at: int) -> tuple:
    """A value and where the next begins."""
    marker = data[at]
    at += 1
    if marker < 0x80 or marker >= 0xF0:
        return (marker if marker < 0x80 else marker - 0x100), at
    if marker in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[marker], at
    if marker == 0xC1:
        return struct.unpack_from(">d", data, at)[0], at + 8
    if marker in INTEGERS:
        form = INTEGERS[marker]
        return struct.unpack_from(form, data, at)[0], at + struct.calcsize(form)
    if marker in SIZES:
        kind, width = SIZES[marker]
        size = int.from_bytes(data[at : at + width], "big")
        at += width
    else:
        kind, size = TINY[marker >> 4], marker & 0xF
    if kind in ("text", "bytes"):
        content = data[at : at + size]
        return (content.decode() if kind == "text" else content), at + size
    if kind == "map":
        entries = {}
        for _ in range(size):
            key, at = unpack(data, at)
            entries[key], at = unpack(data, at)
        return entries, at
    tag = ""
    if kind == "structure":
        tag = chr(data[at])
        at += 1
    items = []
    for _ in range(size):
        item, at = unpack(data, at)
        items.append(item)
    return (Structure(tag, items) if kind == "structure" else items), at
