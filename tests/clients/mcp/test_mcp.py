"""What an assistant asks through hugegraph-mcp."""

import pytest


def data(answer):
    assert answer["ok"], answer
    return answer["data"]


def test_the_server_is_found_with_its_schema_and_counts(call, graph):
    answer = call("inspect_graph_tool", include_raw_schema=True, include_counts=True)
    found = data(answer)
    assert found["hugegraph_server_status"] == "available", answer
    # g.V().count() and g.E().count()
    assert (found["vertex_count"], found["edge_count"]) == (3, 2), answer
    assert [label["name"] for label in found["raw_schema"]["vertexlabels"]] == ["person"]
    assert {key["name"] for key in data(call("inspect_schema_tool", include_raw_schema=True))["raw_schema"]["propertykeys"]} >= {"name", "age"}


def test_elements_are_read(call, graph):
    one = data(call("query_graph_data_tool", target="vertex", operation="get_by_id", id="1:ann"))
    assert one["items"][0]["properties"] == {"name": "ann", "age": 30}
    some = data(call("query_graph_data_tool", target="vertex", operation="get_by_ids", ids=["1:ann", "1:bob"]))
    assert some["count"] == 2
    page = data(call("query_graph_data_tool", target="vertex", operation="page", label="person", limit=2))
    assert (page["count"], bool(page["next_page"])) == (2, True)
    edges = data(
        call("query_graph_data_tool", target="edge", operation="page", vertex_id="1:ann", direction="OUT", limit=10)
    )
    assert [edge["inV"] for edge in edges["items"]] == ["1:bob"]


def test_a_property_key_is_planned_and_created(call, graph):
    key = {"type": "create_property_key", "name": "email", "data_type": "TEXT"}
    plan = data(call("apply_schema_tool", mode="dry_run", operations=[key]))
    assert data(call("confirm_write_tool", plan_id=plan["plan_id"]))
    keys = data(call("inspect_schema_tool", include_raw_schema=True))["raw_schema"]["propertykeys"]
    assert "email" in {key["name"] for key in keys}


@pytest.fixture
def tools(settings, monkeypatch, graph):
    """The functions behind the tools that the package has turned off for all servers: they send Gremlin."""
    for name, value in settings.items():
        if name.startswith("HUGEGRAPH_"):
            monkeypatch.setenv(name, value)
    from hugegraph_mcp import gremlin_tools

    return gremlin_tools


def test_gremlin_that_reads(tools):
    def rows(script):
        return data(tools.execute_gremlin_read(script))["data"]["data"]

    assert rows("g.V().count()") == [3]
    assert rows("g.V().hasLabel('person').has('name','ann').limit(2).id()") == ["1:ann"]
    [shown] = rows("g.V().hasLabel('person').hasId('1:bob').limit(2).elementMap()")
    assert (shown["id"], shown["label"], shown["age"]) == ("1:bob", "person", 40)
    edge = "g.V().hasLabel('person').has('name','ann').outE('knows').where(inV().hasLabel('person').has('name','bob'))"
    assert rows(f"{edge}.limit(2).id()") == ["S1:ann>1>1>>S1:bob"]
    refused = tools.execute_gremlin_read("g.V().nope()")
    assert not refused["ok"]


def test_gremlin_that_writes(tools):
    from hugegraph_mcp.tools.graph_data_gremlin import _write_query

    def write(**operation):
        data(tools.execute_gremlin_write(_write_query(operation)))

    def count(script):
        return data(tools.execute_gremlin_read(script))["data"]["data"][0]

    quoted = "d'an\n\\\"x"
    write(op="create_vertex", label="person", properties={"name": "dan", "age": 7})
    write(op="create_vertex", label="person", properties={"name": quoted})
    write(op="create_edge", label="knows", source_id="1:dan", target_id="1:ann", properties={})
    assert count("g.V('1:dan').out('knows').count()") == 1
    assert count("g.V().hasLabel('person').has('name', 'd\\'an\\n\\\\\"x').count()") == 1
    # A vertex with edges stays.
    write(op="delete_vertex", target_id="1:dan")
    assert count("g.V('1:dan').count()") == 1
    write(op="delete_edge", target_id="S1:dan>1>1>>S1:ann")
    write(op="delete_vertex", target_id="1:dan")
    assert count("g.V('1:dan').count()") == 0
    write(op="delete_vertex", target_id=f"1:{quoted}")


def test_an_edge_is_deleted_by_a_plan(call, graph):
    graph.addVertex("person", {"name": "eve"})
    edge = graph.addEdge("knows", "1:eve", "1:ann", {})
    operation = {
        "op": "delete_edge", "label": "knows", "source_label": "person", "target_label": "person",
        "source_match": {"name": "eve"}, "target_match": {"name": "ann"},
    }
    plan = data(call("delete_graph_data_tool", change_plan={"operations": [operation]}))
    assert data(call("confirm_write_tool", plan_id=plan["plan_id"]))
    gone = call("query_graph_data_tool", target="edge", operation="get_by_id", id=edge.id)
    assert not gone["ok"] or gone["data"]["count"] == 0, gone
    graph.removeVertexById("1:eve")
