"""The server under test: its address comes from RHIZOME_URL, its graph must be empty at the start."""

import os
import tempfile

import pytest

# The client writes a log file next to where it runs; keep that out of the repository.
os.chdir(tempfile.mkdtemp(prefix="rhizome-python-client-"))

from pyhugegraph.client import PyHugeClient  # noqa: E402

URL = os.environ.get("RHIZOME_URL", "http://127.0.0.1:8080")
# Of a server that asks for none, it does not matter.
PASSWORD = os.environ.get("RHIZOME_ADMIN_PASSWORD", "admin")


@pytest.fixture(scope="session")
def client():
    """A client that asks the server for its version, and so chooses its own URL layout."""
    return PyHugeClient(URL, graph="hugegraph", user="admin", pwd=PASSWORD, timeout=(5.0, 60.0))


@pytest.fixture(scope="session")
def schema(client):
    """The schema of all tests: people with number, text and primary key ids, cities, and two edge labels."""
    schema = client.schema()
    schema.propertyKey("name").asText().ifNotExist().create()
    schema.propertyKey("age").asInt().ifNotExist().create()
    schema.propertyKey("height").asDouble().ifNotExist().create()
    schema.propertyKey("tags").asText().valueSet().ifNotExist().create()
    schema.propertyKey("day").asDate().ifNotExist().create()
    (
        schema.vertexLabel("person")
        .properties("name", "age", "height", "tags")
        .primaryKeys("name")
        .nullableKeys("age", "height", "tags")
        .ifNotExist()
        .create()
    )
    schema.vertexLabel("city").useCustomizeStringId().properties("name").nullableKeys("name").ifNotExist().create()
    schema.vertexLabel("item").useCustomizeNumberId().properties("name").nullableKeys("name").ifNotExist().create()
    (
        schema.edgeLabel("knows")
        .link("person", "person")
        .properties("age")
        .nullableKeys("age")
        .ifNotExist()
        .create()
    )
    (
        schema.edgeLabel("visited")
        .sourceLabel("person")
        .targetLabel("city")
        .multiTimes()
        .properties("day", "name")
        .sortKeys("day")
        .nullableKeys("name")
        .ifNotExist()
        .create()
    )
    return schema


@pytest.fixture(scope="session")
def graph(client, schema):
    """Vertices and edges, with the schema in place."""
    return client.graph()
