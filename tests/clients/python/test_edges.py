"""Edges through the Python client."""

import pytest
from pyhugegraph.utils.exceptions import NotFoundError, ServerError


def person(graph, name):
    return graph.addVertex("person", {"name": name}).id


def city(graph, name):
    return graph.addVertex("city", {}, id=name).id


def test_add_and_get(graph):
    ann, bob = person(graph, "e ann"), person(graph, "e bob")
    edge = graph.addEdge("knows", ann, bob, {"age": 3})
    assert edge.id.startswith(f"S{ann}>")
    assert edge.id.endswith(f">>S{bob}")
    read = graph.getEdgeById(edge.id)
    assert (read.outV, read.inV) == (ann, bob)
    assert (read.outVLabel, read.inVLabel) == ("person", "person")
    assert read.label == "knows"
    assert read.type == "edge"
    assert read.properties == {"age": 3}


def test_dates_as_sort_keys(graph):
    ann, rome = person(graph, "d ann"), city(graph, "d rome")
    first = graph.addEdge("visited", ann, rome, {"day": "2026-01-05"})
    second = graph.addEdge("visited", ann, rome, {"day": "2026-01-06 10:30:00"})
    assert first.id != second.id
    assert graph.getEdgeById(first.id).properties["day"] == "2026-01-05 00:00:00.000"
    edges, _ = graph.getEdgeByPage(label="visited", vertex_id=ann, direction="OUT")
    assert [edge.properties["day"] for edge in edges] == ["2026-01-05 00:00:00.000", "2026-01-06 10:30:00.000"]


@pytest.mark.parametrize("end", ["a>b", "a b", "a&b", "中>文", "a!b:c"])
def test_ends_with_special_characters(graph, end):
    ann, place = person(graph, "s ann"), city(graph, end)
    edge = graph.addEdge("visited", ann, place, {"day": "2026-01-05"})
    assert graph.getEdgeById(edge.id).inV == end
    assert graph.getEdgeByPage(vertex_id=end, direction="IN")[0][0].id == edge.id


@pytest.mark.beyond_hugegraph
@pytest.mark.parametrize("end", ["a/b", "a%2Fb", "a?b", "a;b", "a#b", 'a"b'])
def test_ends_with_difficult_characters(graph, end):
    test_ends_with_special_characters(graph, end)


def test_batch(graph):
    people = [person(graph, f"b {i}") for i in range(11)]
    rows = [("knows", people[i], people[i + 1], "person", "person", {"age": i}) for i in range(10)]
    edges = graph.addEdges(rows)
    assert len(edges) == 10
    assert graph.getEdgeById(edges[9].id).properties["age"] == 9
    with pytest.raises(ServerError):
        graph.addEdges([("knows", people[0], "1:nobody", "person", "person", {})])


def test_query_by_ids(graph):
    people = [person(graph, f"q {i}") for i in range(3)]
    ids = [graph.addEdge("knows", people[0], people[1], {}).id, graph.addEdge("knows", people[0], people[2], {}).id]
    assert sorted(edge.id for edge in graph.getEdgesById(ids)) == sorted(ids)


def test_neighbourhoods(graph):
    hub, friend, fan = person(graph, "n hub"), person(graph, "n friend"), person(graph, "n fan")
    graph.addEdge("knows", hub, friend, {})
    graph.addEdge("knows", fan, hub, {})

    def count(direction, **more):
        return len(graph.getEdgeByPage(vertex_id=hub, direction=direction, **more)[0])

    assert count("OUT") == 1
    assert count("IN") == 1
    assert count("BOTH") == 2
    assert count("BOTH", limit=1) == 1
    assert count("BOTH", label="visited") == 0


def test_pages(graph):
    hub, place = person(graph, "p hub"), city(graph, "p place")
    for day in range(1, 26):
        graph.addEdge("visited", hub, place, {"day": f"2026-01-{day:02}"})
    seen, page = [], None
    while True:
        edges, page = graph.getEdgeByPage(vertex_id=hub, direction="OUT", label="visited", limit=10, page=page)
        seen += [edge.properties["day"][:10] for edge in edges]
        if not page:
            break
    assert seen == [f"2026-01-{day:02}" for day in range(1, 26)]


def test_append_and_eliminate(graph):
    edge = graph.addEdge("knows", person(graph, "c ann"), person(graph, "c bob"), {})
    assert graph.appendEdge(edge.id, {"age": 4}).properties == {"age": 4}
    graph.eliminateEdge(edge.id, {"age": 4})
    assert graph.getEdgeById(edge.id).properties == {}


def test_remove(graph):
    ann, bob = person(graph, "r ann"), person(graph, "r bob")
    edge = graph.addEdge("knows", ann, bob, {})
    graph.removeEdgeById(edge.id)
    with pytest.raises(NotFoundError):
        graph.getEdgeById(edge.id)
    again = graph.addEdge("knows", ann, bob, {})
    graph.removeVertexById(bob)
    with pytest.raises(NotFoundError):
        graph.getEdgeById(again.id)


def test_refusals(graph):
    ann, bob, rome = person(graph, "f ann"), person(graph, "f bob"), city(graph, "f rome")
    for label, source, target, properties in [
        ("knows", ann, "1:nobody", {}),
        ("knows", ann, rome, {}),
        ("no such label", ann, bob, {}),
        ("visited", ann, rome, {}),
        ("knows", ann, bob, {"age": "four"}),
    ]:
        with pytest.raises(ServerError):
            graph.addEdge(label, source, target, properties)
