"""Vertices through the Python client."""

import pytest
from pyhugegraph.utils.exceptions import NotFoundError, ServerError

# What means something in a URL, in JSON or inside an id. This client percent-encodes ids completely.
PLAIN_IDS = ["plain", "with blank", "a:b", "a!b", "a>b", "a&b=c", "a+b", "a'b", "a,b", "[a]", "a|b"]
# Backslashes, here from JSON escapes of other alphabets, are refused by the web server inside HugeGraph.
DIFFICULT_IDS = ["été", "中文", "🚀", "a/b", "a%b", "a%2Fb", "a?b", "{a}", "a;b", 'a"b', "a\\b", "a#b", "line\nbreak"]


def test_primary_key_vertex(graph, schema):
    label = schema.getVertexLabel("person").id
    ann = graph.addVertex("person", {"name": "ann", "age": 29, "height": 1.75, "tags": ["a", "b"]})
    assert ann.id == f"{label}:ann"
    read = graph.getVertexById(ann.id)
    assert read.label == "person"
    assert read.type == "vertex"
    assert read.properties["age"] == 29
    assert read.properties["height"] == 1.75
    assert sorted(read.properties["tags"]) == ["a", "b"]


def test_number_and_text_ids_differ(graph):
    graph.addVertex("city", {"name": "text"}, id="123")
    graph.addVertex("item", {"name": "number"}, id=123)
    assert graph.getVertexById("123").properties["name"] == "text"
    assert graph.getVertexById(123).properties["name"] == "number"


def round_trip(graph, vertex_id):
    graph.addVertex("city", {"name": "x " + vertex_id}, id=vertex_id)
    read = graph.getVertexById(vertex_id)
    assert read.id == vertex_id
    assert read.properties["name"] == "x " + vertex_id
    graph.removeVertexById(vertex_id)
    with pytest.raises(NotFoundError):
        graph.getVertexById(vertex_id)


@pytest.mark.parametrize("vertex_id", PLAIN_IDS)
def test_ids_with_special_characters(graph, vertex_id):
    round_trip(graph, vertex_id)


@pytest.mark.beyond_hugegraph
@pytest.mark.parametrize("vertex_id", DIFFICULT_IDS)
def test_ids_with_difficult_characters(graph, vertex_id):
    round_trip(graph, vertex_id)


def test_batch(graph):
    answer = graph.addVertices([("person", {"name": f"batch {i}", "age": i}) for i in range(500)])
    assert len(answer) == 500
    assert answer[7].id.endswith(":batch 7")
    assert graph.getVertexById(answer[499].id).properties["age"] == 499
    with pytest.raises(ServerError):
        graph.addVertices([("person", {"name": f"too many {i}"}) for i in range(501)])


def test_query_by_ids(graph):
    ids = [graph.addVertex("person", {"name": f"query {i}"}).id for i in range(3)]
    graph.addVertex("item", {}, id=9001)
    found = graph.getVerticesById([*ids, 9001])
    assert sorted(str(vertex.id) for vertex in found) == sorted(str(i) for i in [*ids, 9001])


def test_append_and_eliminate(graph):
    vertex = graph.addVertex("person", {"name": "changes", "tags": ["a"]})
    appended = graph.appendVertex(vertex.id, {"age": 5, "tags": ["b"]})
    assert appended.properties["age"] == 5
    assert sorted(graph.getVertexById(vertex.id).properties["tags"]) == ["a", "b"]
    graph.eliminateVertex(vertex.id, {"age": 5})
    assert "age" not in graph.getVertexById(vertex.id).properties


def test_list_and_pages(graph, schema):
    schema.vertexLabel("listed").useCustomizeNumberId().properties("name").create()
    for number in range(700, 725):
        graph.addVertex("listed", {"name": "x"}, id=number)
    assert len(graph.getVertexByCondition("listed", limit=100)) == 25
    assert len(graph.getVertexByCondition("listed", limit=10)) == 10
    seen, page = [], None
    while True:
        vertices, page = graph.getVertexByPage("listed", 10, page)
        seen += [vertex.id for vertex in vertices]
        if not page:
            break
    assert sorted(seen) == list(range(700, 725))


def test_remove(graph):
    vertex = graph.addVertex("person", {"name": "removed"})
    graph.removeVertexById(vertex.id)
    with pytest.raises(NotFoundError):
        graph.getVertexById(vertex.id)
    with pytest.raises(ServerError):
        graph.removeVertexById(vertex.id)


@pytest.mark.parametrize(
    ("label", "properties", "vertex_id"),
    [
        ("no such label", {"name": "x"}, None),
        ("person", {"name": "x", "no such key": 1}, None),
        ("person", {"age": 1}, None),
        ("person", {"name": "x", "age": "29"}, None),
        ("person", {"name": "x", "age": None}, None),
        ("person", {"name": "x"}, "1:x"),
        ("city", {}, None),
        ("city", {}, 5),
        ("item", {}, "5"),
    ],
)
def test_refusals(graph, label, properties, vertex_id):
    with pytest.raises(ServerError):
        graph.addVertex(label, properties, id=vertex_id)
