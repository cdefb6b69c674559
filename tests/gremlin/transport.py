"""The ways to a server: HTTP, and WebSocket with text or bytecode in GraphSON 3 or GraphBinary 1."""

from __future__ import annotations

import base64
import http.client
import json
import os
import socket
import struct
import uuid
from typing import Any
from urllib.parse import urlsplit

import graphbinary
import graphson
from notation import with_literals
from translate import translate
from values import Bulk, Map, Traverser

GRAPHSON = "application/vnd.gremlin-v3.0+json"
GRAPHBINARY = "application/vnd.graphbinary-v1.0"
TIMEOUT_SECONDS = 120


class Refused(Exception):
    """The server's answer that a request failed."""

    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status = status


def expand(items: list) -> list:
    """Results without their traversers; bulk becomes repetition."""
    results = []
    for item in items:
        if isinstance(item, Traverser):
            results += [item.value] * item.bulk
        else:
            results.append(item)
    return results


class Http:
    """POST of text with parameters written in; answers in GraphSON 3."""

    def __init__(self, url: str):
        self.address = urlsplit(url)
        self.connection = None

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def submit(self, script: str, parameters: dict, source: str) -> list:
        text = with_literals(script, parameters)
        body = json.dumps({"gremlin": text, "language": "gremlin-lang", "aliases": {"g": source}}).encode()
        headers = {"Content-Type": "application/json", "Accept": GRAPHSON}
        for attempt in (0, 1):
            if self.connection is None:
                self.connection = http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=TIMEOUT_SECONDS)
            try:
                self.connection.request("POST", "/gremlin", body, headers)
                answer = self.connection.getresponse()
                data = answer.read()
                break
            except (http.client.HTTPException, ConnectionError):
                self.close()
                if attempt:
                    raise
        decoded = json.loads(data)
        if answer.status != 200:
            raise Refused(answer.status, decoded.get("message") or str(decoded))
        return expand(graphson.read(decoded["result"]["data"]))


class WebSocket:
    """A client's side of a WebSocket, as small as it can be."""

    def __init__(self, url: str):
        address = urlsplit(url)
        self.socket = socket.create_connection((address.hostname, address.port), timeout=TIMEOUT_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /gremlin HTTP/1.1\r\nHost: {address.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        head = self.until(b"\r\n\r\n")
        if b" 101 " not in head.split(b"\r\n", 1)[0]:
            raise ConnectionError(head.decode(errors="replace"))

    def fill(self) -> None:
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("the server closed the connection")
        self.buffer += data

    def until(self, end: bytes) -> bytes:
        while end not in self.buffer:
            self.fill()
        head, self.buffer = self.buffer.split(end, 1)
        return head

    def take(self, count: int) -> bytes:
        while len(self.buffer) < count:
            self.fill()
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def send(self, payload: bytes, opcode: int = 2) -> None:
        size = len(payload)
        head = bytes((0x80 | opcode,))
        if size < 126:
            head += bytes((0x80 | size,))
        elif size < 65536:
            head += bytes((0x80 | 126,)) + struct.pack(">H", size)
        else:
            head += bytes((0x80 | 127,)) + struct.pack(">Q", size)
        mask = os.urandom(4)
        repeated = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")).to_bytes(size, "big")
        self.socket.sendall(head + mask + masked)

    def receive(self) -> bytes:
        whole = b""
        while True:
            first, second = self.take(2)
            size = second & 0x7F
            if size > 125:
                size = struct.unpack(">H", self.take(2))[0] if size == 126 else struct.unpack(">Q", self.take(8))[0]
            payload = self.take(size)
            opcode = first & 0x0F
            if opcode == 8:
                raise ConnectionError(f"the server closed the WebSocket: {payload!r}")
            if opcode == 9:
                self.send(payload, 10)
            elif opcode != 10:
                whole += payload
                if first & 0x80:
                    return whole

    def close(self) -> None:
        self.socket.close()


class Driver:
    """Requests over a WebSocket, as drivers send them."""

    def __init__(self, url: str, is_bytecode: bool, is_binary: bool):
        self.url = url
        self.is_bytecode = is_bytecode
        self.is_binary = is_binary
        self.socket: WebSocket | None = None

    def close(self) -> None:
        if self.socket is not None:
            self.socket.close()
            self.socket = None

    def submit(self, script: str, parameters: dict, source: str) -> list:
        aliases = Map([("g", source)])
        if self.is_bytecode:
            code = translate(script, parameters)
            return self.request("bytecode", "traversal", Map([("gremlin", code), ("aliases", aliases)]))
        arguments = Map([("gremlin", script), ("language", "gremlin-lang"), ("aliases", aliases)])
        if parameters:
            arguments.pairs.append(("bindings", Map(list(parameters.items()))))
        return self.request("eval", "", arguments)

    def request(self, op: str, processor: str, arguments: Map) -> list:
        request_id = uuid.uuid4()
        payload = self.encode(request_id, op, processor, arguments)
        if self.socket is None:
            self.socket = WebSocket(self.url)
        try:
            self.socket.send(payload)
            results: list = []
            while True:
                answered, status, message, data = self.decode(self.socket.receive())
                if answered not in (str(request_id), None):
                    raise ValueError(f"an answer to {answered} instead of {request_id}")
                if status not in (200, 204, 206):
                    raise Refused(status, message or "")
                results += data or []
                if status != 206:
                    return expand(results)
        except (OSError, ValueError):
            self.close()
            raise

    def encode(self, request_id: uuid.UUID, op: str, processor: str, arguments: Map) -> bytes:
        if self.is_binary:
            mime, body = GRAPHBINARY, graphbinary.write_request(request_id, op, processor, arguments)
        else:
            request = {
                "requestId": {"@type": "g:UUID", "@value": str(request_id)},
                "op": op,
                "processor": processor,
                "args": graphson.write(arguments),
            }
            mime, body = GRAPHSON, json.dumps(request).encode()
        return bytes((len(mime),)) + mime.encode() + body

    def decode(self, data: bytes) -> tuple:
        if self.is_binary:
            request_id, status, message, _attributes, _meta, results = graphbinary.read_answer(data)
        else:
            answer = json.loads(data)
            request_id, status = answer["requestId"], answer["status"]["code"]
            message, results = answer["status"]["message"], graphson.read(answer["result"]["data"])
        return request_id, status, message, results.items if isinstance(results, Bulk) else results


def connect(mode: str, url: str, driver_url: str) -> Any:
    """`http`, or `ws-FORM-CODEC` with text or bytecode, graphbinary or graphson."""
    if mode == "http":
        return Http(url)
    _, form, codec = mode.split("-")
    return Driver(driver_url, form == "bytecode", codec == "graphbinary")
