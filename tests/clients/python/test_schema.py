"""Schema through the Python client."""

import pytest
from pyhugegraph.utils.exceptions import NotFoundError, ServerError


def test_property_keys(schema):
    key = schema.getPropertyKey("height")
    assert key.name == "height"
    assert key.dataType == "DOUBLE"
    assert key.cardinality == "SINGLE"
    assert schema.getPropertyKey("tags").cardinality == "SET"
    names = [key.name for key in schema.getPropertyKeys()]
    assert {"name", "age", "height", "tags", "day"} <= set(names)


@pytest.mark.parametrize(
    ("method", "data_type"),
    [
        ("asObject", "OBJECT"),
        ("asBool", "BOOLEAN"),
        ("asByte", "BYTE"),
        ("asInt", "INT"),
        ("asLong", "LONG"),
        ("asFloat", "FLOAT"),
        ("asDouble", "DOUBLE"),
        ("asText", "TEXT"),
        ("asBlob", "BLOB"),
        ("asDate", "DATE"),
    ],
)
def test_data_types(schema, method, data_type):
    name = f"type {data_type}"
    getattr(schema.propertyKey(name), method)().create()
    assert schema.getPropertyKey(name).dataType == data_type


def test_user_data_of_a_property_key(schema):
    schema.propertyKey("documented").asText().userdata("unit", "cm", "min", 0).create()
    schema.propertyKey("documented").userdata("max", 250).append()
    assert schema.getPropertyKey("documented").userdata["max"] == 250
    schema.propertyKey("documented").userdata("min", 0).eliminate()
    user_data = schema.getPropertyKey("documented").userdata
    assert "min" not in user_data
    assert user_data["unit"] == "cm"


def test_vertex_labels(schema):
    person = schema.getVertexLabel("person")
    assert person.name == "person"
    assert person.primaryKeys == ["name"]
    assert set(person.properties) == {"name", "age", "height", "tags"}
    assert {"person", "city", "item"} <= {label.name for label in schema.getVertexLabels()}


def test_append_to_a_vertex_label(schema):
    schema.vertexLabel("grows").properties("name").primaryKeys("name").create()
    schema.vertexLabel("grows").properties("age").nullableKeys("age").append()
    assert set(schema.getVertexLabel("grows").properties) == {"name", "age"}


def test_edge_labels(schema):
    visited = schema.getEdgeLabel("visited")
    assert visited.sourceLabel == "person"
    assert visited.targetLabel == "city"
    assert visited.sortKeys == ["day"]
    assert {"knows", "visited"} <= {label.name for label in schema.getEdgeLabels()}
    assert "person--visited-->city" in schema.getRelations()


def test_whole_schema(schema):
    whole = schema.getSchema()
    assert set(whole) == {"propertykeys", "vertexlabels", "edgelabels", "indexlabels"}
    assert "person" in [label["name"] for label in whole["vertexlabels"]]


def test_existing_and_missing(schema):
    with pytest.raises(ServerError, match="existed"):
        schema.propertyKey("name").asText().create()
    with pytest.raises(NotFoundError):
        schema.getPropertyKey("no such key")
    with pytest.raises(NotFoundError):
        schema.getVertexLabel("no such label")


def test_remove(client, schema):
    schema.propertyKey("short_lived").asText().create()
    schema.vertexLabel("short_lived").useCustomizeStringId().properties("short_lived").create()
    with pytest.raises(ServerError):
        schema.propertyKey("short_lived").remove()
    answer = schema.vertexLabel("short_lived").remove()
    assert "task_id" in answer
    wait_until_gone(lambda: schema.getVertexLabel("short_lived"))
    schema.propertyKey("short_lived").remove()
    with pytest.raises(NotFoundError):
        schema.getPropertyKey("short_lived")


def wait_until_gone(read):
    """Deleting a label runs as a task; the label answers 404 when it is done."""
    import time

    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            read()
        except NotFoundError:
            return
        time.sleep(0.05)
    pytest.fail("the label is still there after 60 s")
