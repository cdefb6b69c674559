"""hugegraph-mcp, unmodified, as an MCP client starts it: a process that speaks over its standard input and output."""

import asyncio
import os
import sys

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from pyhugegraph.client import PyHugeClient

URL = os.environ["RHIZOME_URL"]
PASSWORD = os.environ.get("RHIZOME_ADMIN_PASSWORD") or "admin"


@pytest.fixture(scope="session")
def settings(tmp_path_factory):
    """The environment of the MCP server: what it needs of ours, and where it keeps its plans."""
    home = tmp_path_factory.mktemp("mcp")
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "HUGEGRAPH_URL": URL,
        "HUGEGRAPH_GRAPH_PATH": "DEFAULT/hugegraph",
        "HUGEGRAPH_USER": "admin",
        "HUGEGRAPH_PASSWORD": PASSWORD,
        "HUGEGRAPH_MCP_READONLY": "false",
        "HUGEGRAPH_CONNECT_TIMEOUT_SECONDS": "5",
        "HUGEGRAPH_MCP_STATE_DIR": str(home / "state"),
    }


@pytest.fixture(scope="session")
def call(settings):
    """Calls a tool in a process of its own, and gives what the tool answers."""

    async def ask(name, arguments):
        transport = StdioTransport(sys.executable, ["-m", "hugegraph_mcp.server"], env=settings, cwd=settings["HOME"])
        async with Client(transport) as client:
            return (await client.call_tool(name, arguments)).data

    return lambda name, **arguments: asyncio.run(ask(name, arguments))


@pytest.fixture(scope="session")
def graph(settings):
    """People who know each other."""
    os.chdir(settings["HOME"])  # The client writes a log file there.
    client = PyHugeClient(URL, graph="hugegraph", user="admin", pwd=PASSWORD, timeout=(5.0, 60.0))
    schema = client.schema()
    schema.propertyKey("name").asText().ifNotExist().create()
    schema.propertyKey("age").asInt().ifNotExist().create()
    schema.vertexLabel("person").properties("name", "age").primaryKeys("name").nullableKeys("age").ifNotExist().create()
    schema.edgeLabel("knows").link("person", "person").ifNotExist().create()
    graph = client.graph()
    for name, age in (("ann", 30), ("bob", 40), ("cid", 50)):
        graph.addVertex("person", {"name": name, "age": age})
    graph.addEdge("knows", "1:ann", "1:bob", {})
    graph.addEdge("knows", "1:bob", "1:cid", {})
    return graph
