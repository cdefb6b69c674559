"""The driver gremlinpython as its users use it: traversals, scripts, sessions, transactions, errors."""

from __future__ import annotations

import datetime
import subprocess
import sys
import time
import uuid
from typing import Any

import pytest
from conftest import GRAPH, LOGIN, SOURCE, VERTICES, address, rest
from gremlin_python.driver.client import Client
from gremlin_python.driver.protocol import GremlinServerError
from gremlin_python.process.graph_traversal import __
from gremlin_python.process.traversal import Order, P, T
from gremlin_python.statics import long
from gremlin_python.structure.graph import Edge, Path, Vertex


def test_a_traversal_counts(g: Any) -> None:
    assert g.V().count().next() == VERTICES


def test_elements_come_as_elements(g: Any) -> None:
    vertex = g.V(7).next()
    assert isinstance(vertex, Vertex) and vertex.id == 7 and vertex.label == "node"
    edge = g.V(7).outE("next").next()
    assert isinstance(edge, Edge) and (edge.outV.id, edge.inV.id, edge.label) == (7, 8, "next")
    path = g.V(7).as_("a").out().path().next()
    assert isinstance(path, Path) and [one.id for one in path.objects] == [7, 8] and path.labels[0] == {"a"}


def test_an_element_is_an_argument(g: Any) -> None:
    vertex = g.V(7).next()
    assert g.V(vertex).out().values("n").next() == 8
    # The driver reads a number of 64 bits as one that it would write with 32.
    assert g.E(long(g.V(7).outE().next().id)).values("w").next() == 7.5


def test_steps_with_arguments_of_all_kinds(g: Any) -> None:
    assert g.V().has("n", P.between(10, 15)).values("n").order().by(Order.desc).toList() == [14, 13, 12, 11, 10]
    assert g.V().has("node", "n", P.within(3, 4)).order().by("n").valueMap("n").toList() == [{"n": [3]}, {"n": [4]}]
    assert g.V(1).repeat(__.out()).times(3).values("n").next() == 4
    assert g.V(1).project("id", "out").by(T.id if hasattr(T, "id") else T.id_).by(__.out().count()).next() == {"id": 1, "out": 1}
    assert g.V().groupCount().by(T.label).next() == {"node": VERTICES}


def test_values_go_there_and_back(g: Any) -> None:
    moment = datetime.datetime(2024, 2, 29, 12, 30, 15, tzinfo=datetime.timezone.utc)
    there = [1, long(2), 1.5, "é\n\"'", True, uuid.UUID(int=5), ["a", 1], {"k": 1}]
    back = g.inject(*there).toList()
    assert back == there
    came = g.inject(moment).next()
    assert came.replace(tzinfo=None) == moment.replace(tzinfo=None)


def test_equal_results_come_as_often_as_they_occur(g: Any) -> None:
    assert g.V().limit(300).constant("x").toList() == ["x"] * 300


def test_a_large_result_comes_in_parts(client: Any) -> None:
    result = client.submit("g.V().values('n')")
    parts = list(result)
    assert len(parts) > 1, "each part is a message"
    assert sorted(n for part in parts for n in part) == list(range(VERTICES))


def test_a_part_is_as_large_as_asked(client: Any) -> None:
    parts = list(client.submit("g.V().values('n')", request_options={"batchSize": 100}))
    assert [len(part) for part in parts] == [100] * 5


def test_a_script_has_bindings(client: Any) -> None:
    assert client.submit("g.V().has('n', x).values('n')", {"x": 5}).all().result() == [5]
    assert client.submit("g.V(ids).count()", {"ids": [1, 2, 3]}).all().result() == [3]


@pytest.mark.parametrize(
    ("script", "status"),
    [
        ("g.V(", 597),
        ("g.V().noSuchStep()", 597),
        ("noSuchName.V()", 597),
        ("g.inject(1).fail('stop here')", 595),
        ("g.inject(1, 'a').sum()", 597),
    ],
)
def test_an_error_has_its_status(client: Any, script: str, status: int) -> None:
    with pytest.raises(GremlinServerError) as raised:
        client.submit(script).all().result()
    assert raised.value.status_code == status, str(raised.value)
    assert raised.value.status_attributes["exceptions"]
    # The connection is as good as before.
    assert client.submit("g.V().limit(1).count()").all().result() == [1]


def test_an_error_of_a_traversal(g: Any) -> None:
    with pytest.raises(GremlinServerError) as raised:
        g.inject("a").math("_ + 1").next()
    assert raised.value.status_code == 597
    assert g.V().limit(1).count().next() == 1


def test_a_query_ends_at_its_time(client: Any) -> None:
    began = time.monotonic()
    with pytest.raises(GremlinServerError) as raised:
        script = "g.V().repeat(__.both()).times(1000).path().count()"
        client.submit(script, request_options={"evaluationTimeout": 300}).all().result()
    assert raised.value.status_code == 598
    assert time.monotonic() - began < 10


def test_a_session_keeps_variables(message_serializer: Any) -> None:
    session = Client(address(), SOURCE, message_serializer=message_serializer, **LOGIN, session=str(uuid.uuid4()))
    session.submit("x = 42").all().result()
    assert session.submit("x").all().result() == [42]
    session.close()


def test_a_transaction_is_committed_or_rolled_back(g: Any) -> None:
    count = g.V().hasLabel("tx").count().next()
    kept, dropped = g.tx(), g.tx()
    inside = kept.begin()
    inside.addV("tx").property("n", 1).iterate()
    assert inside.V().hasLabel("tx").count().next() == count + 1
    assert g.V().hasLabel("tx").count().next() == count, "nobody else sees it yet"
    kept.commit()
    assert g.V().hasLabel("tx").count().next() == count + 1
    inside = dropped.begin()
    inside.addV("tx").property("n", 2).iterate()
    dropped.rollback()
    assert g.V().hasLabel("tx").count().next() == count + 1


def test_requests_at_one_time(message_serializer: Any) -> None:
    client = Client(address(), SOURCE, message_serializer=message_serializer, **LOGIN, pool_size=4, max_workers=4)
    results = [client.submit_async(f"g.V({n}).values('n')") for n in range(40)]
    assert [one.result().all().result() for one in results] == [[n] for n in range(40)]
    client.close()


def running() -> list:
    return [query for query in rest("GET", f"/graphs/{GRAPH}/queries")["queries"] if "5000" in query["gremlin"]]


# A program of its own, since no version of the client closes a connection that waits for an answer.
ASKING = """
from conftest import LOGIN, SOURCE, address
from gremlin_python.driver.client import Client
Client(address(), SOURCE, **LOGIN).submit("g.V().repeat(__.both()).times(5000).path().count()").all().result()
"""


def test_a_closed_connection_ends_its_query() -> None:
    asking = subprocess.Popen([sys.executable, "-c", ASKING], stderr=subprocess.DEVNULL)
    wait_for(lambda: running())
    assert asking.poll() is None, "it has an answer already"
    asking.kill()
    asking.wait()
    wait_for(lambda: not running())


def wait_for(condition: Any) -> None:
    deadline = time.monotonic() + 15
    while not condition():
        assert time.monotonic() < deadline, "it took more than 15 s"
        time.sleep(0.05)
