"""A graph of 500 vertices in a ring on the server at RHIZOME_URL, and ways to it."""

from __future__ import annotations

import base64
import json
import os
import urllib.request
from typing import Any

import pytest
from gremlin_python.driver import serializer
from gremlin_python.driver.client import Client
from gremlin_python.driver.driver_remote_connection import DriverRemoteConnection
from gremlin_python.process.anonymous_traversal import traversal

URL = os.environ["RHIZOME_URL"]
# The administrator's, of a server that asks for one.
PASSWORD = os.environ.get("RHIZOME_ADMIN_PASSWORD", "")
LOGIN = {"username": "admin", "password": PASSWORD} if PASSWORD else {}
GRAPH = "pythondriver"
SOURCE = f"g{GRAPH}"
VERTICES = 500
SERIALIZERS = {
    "graphbinary": serializer.GraphBinarySerializersV1,
    "graphson3": serializer.GraphSONSerializersV3d0,
    "graphson2": serializer.GraphSONSerializersV2d0,
}


def rest(method: str, path: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    if PASSWORD:
        headers["Authorization"] = "Basic " + base64.b64encode(f"admin:{PASSWORD}".encode()).decode()
    request = urllib.request.Request(f"{URL}{path}", data, headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def address() -> str:
    return URL.replace("http://", "ws://") + "/gremlin"


@pytest.fixture(scope="session", autouse=True)
def graph() -> None:
    rest("POST", f"/graphs/{GRAPH}", {"schema.mode": "auto"})
    client = Client(address(), SOURCE, **LOGIN)
    for first in range(0, VERTICES, 50):
        added = "".join(f".addV('node').property(T.id, {n}).property('n', {n})" for n in range(first, first + 50))
        client.submit("g" + added + ".iterate()").all().result()
    for first in range(0, VERTICES, 50):
        added = "".join(
            f".addE('next').from(__.V({n})).to(__.V({(n + 1) % VERTICES})).property('w', {n}.5d)"
            for n in range(first, first + 50)
        )
        client.submit("g" + added + ".iterate()").all().result()
    client.close()


@pytest.fixture(params=list(SERIALIZERS))
def message_serializer(request: Any) -> Any:
    return SERIALIZERS[request.param]()


@pytest.fixture
def client(message_serializer: Any) -> Any:
    client = Client(address(), SOURCE, message_serializer=message_serializer, **LOGIN)
    yield client
    client.close()


@pytest.fixture
def connection(message_serializer: Any) -> Any:
    connection = DriverRemoteConnection(address(), SOURCE, message_serializer=message_serializer, **LOGIN)
    yield connection
    connection.close()


@pytest.fixture
def g(connection: Any) -> Any:
    source = traversal()
    # As it was called before 3.6.
    connect = source.with_ if hasattr(source, "with_") else source.withRemote
    return connect(connection)
