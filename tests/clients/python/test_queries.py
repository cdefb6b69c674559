"""Index labels, queries by property, traversers, variables and tasks through the Python client."""

import time

import pytest
from pyhugegraph.utils.exceptions import NotFoundError


@pytest.fixture(scope="module")
def modern(client, graph, schema):
    """TinkerPop's little "modern" graph under labels of its own."""
    schema.propertyKey("lang").asText().ifNotExist().create()
    schema.propertyKey("weight").asDouble().ifNotExist().create()
    schema.propertyKey("years").asInt().ifNotExist().create()
    (
        schema.vertexLabel("coder")
        .useCustomizeStringId()
        .properties("years", "lang")
        .nullableKeys("years", "lang")
        .ifNotExist()
        .create()
    )
    schema.edgeLabel("likes").link("coder", "coder").properties("weight").ifNotExist().create()
    for name, years in [("marko", 29), ("vadas", 27), ("josh", 32), ("peter", 35)]:
        graph.addVertex("coder", {"years": years}, id=name)
    for name in ["lop", "ripple"]:
        graph.addVertex("coder", {"lang": "java"}, id=name)
    edges = [
        ("marko", "vadas", 0.5),
        ("marko", "josh", 1.0),
        ("marko", "lop", 0.4),
        ("josh", "ripple", 1.0),
        ("josh", "lop", 0.4),
        ("peter", "lop", 0.2),
    ]
    for source, target, weight in edges:
        graph.addEdge("likes", source, target, {"weight": weight})
    schema.indexLabel("coderByYears").onV("coder").by("years").range().ifNotExist().create()
    schema.indexLabel("coderByLang").onV("coder").by("lang").secondary().ifNotExist().create()
    deadline = time.monotonic() + 30
    while {task["task_status"] for task in client.task().list_tasks()["tasks"]} != {"success"}:
        assert time.monotonic() < deadline, "the indexes are not built within 30 s"
        time.sleep(0.05)
    return client.traverser()


def ids(elements):
    return {element.id for element in elements}


def objects(answer, key="paths"):
    return {tuple(path["objects"]) for path in answer[key]}


def test_index_labels(schema, modern):
    label = schema.getIndexLabel("coderByYears")
    assert (label.baseType, label.baseValue, label.indexType) == ("VERTEX_LABEL", "coder", "RANGE")
    assert label.fields == ["years"]


def test_queries_by_property(graph, modern):
    assert ids(graph.getVertexByCondition("coder", properties={"lang": "java"})) == {"lop", "ripple"}
    assert ids(graph.getVertexByCondition("coder", properties={"years": "P.gt(29)"})) == {"josh", "peter"}
    assert ids(graph.getVertexByCondition("coder", properties={"years": "P.between(27,32)"})) == {"marko", "vadas"}
    assert graph.getVertexByCondition("coder", properties={"lang": "rust"}) == []


def test_pages_of_a_query(graph, modern):
    seen, page = [], None
    while True:
        found, page = graph.getVertexByPage("coder", 1, page, properties={"years": "P.gte(27)"})
        seen += [vertex.id for vertex in found]
        if not page:
            break
    assert sorted(seen) == ["josh", "marko", "peter", "vadas"]


def test_neighbourhoods(modern):
    assert set(modern.k_out("marko", 1)["vertices"]) == {"vadas", "josh", "lop"}
    assert set(modern.k_neighbor("marko", 2)["vertices"]) == {"vadas", "josh", "lop", "ripple", "peter"}
    assert modern.same_neighbors("marko", "peter")["same_neighbors"] == ["lop"]
    assert modern.jaccard_similarity("marko", "peter")["jaccard_similarity"] == pytest.approx(1 / 3)


def test_paths(modern):
    assert modern.shortest_path("marko", "ripple", 5)["path"] == ["marko", "josh", "ripple"]
    assert objects(modern.all_shortest_paths("vadas", "peter", 5)) == {("vadas", "marko", "lop", "peter")}
    light = modern.weighted_shortest_path("vadas", "peter", "weight", 5)
    assert light["path"]["weight"] == pytest.approx(1.1)
    assert modern.single_source_shortest_path("marko", 2)["paths"].keys() >= {"vadas", "josh", "lop"}
    between = modern.multi_node_shortest_path(["vadas", "peter", "ripple"], max_depth=5)
    assert len(between["paths"]) == 3
    assert objects(modern.paths("marko", "lop", 2)) == {("marko", "lop"), ("marko", "josh", "lop")}
    assert objects(modern.rings("marko", 5), "rings") in ({("marko", "josh", "lop", "marko")}, {("marko", "lop", "josh", "marko")})
    assert ("marko", "vadas") in objects(modern.rays("marko", 2), "rays")


def test_many_by_id(modern, graph):
    assert {vertex["id"] for vertex in modern.vertices("marko")["vertices"]} == {"marko"}
    assert ids(graph.getVerticesById(["marko", "lop"])) == {"marko", "lop"}
    edge, _ = graph.getEdgeByPage(label="likes", vertex_id="peter", direction="OUT")
    assert [found["id"] for found in modern.edges(edge[0].id)["edges"]] == [edge[0].id]


def test_variables(client):
    variable = client.variable()
    variable.set("colour", "green")
    assert variable.get("colour") == {"colour": "green"}
    assert variable.all()["colour"] == "green"
    variable.remove("colour")
    with pytest.raises(NotFoundError):
        variable.get("colour")


def test_tasks(client, modern):
    tasks = client.task().list_tasks()["tasks"]
    built = [task for task in tasks if task["task_name"].endswith(":coderByYears")]
    assert [task["task_status"] for task in built] == ["success"]
    assert client.task().get_task(built[0]["id"])["task_type"] in ("create_index", "rebuild_index")
