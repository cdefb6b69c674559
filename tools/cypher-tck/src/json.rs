//! Values as JSON. Null, booleans, integers, texts and lists are what they are; a float is `{"float": "1.0"}`, a map
//! `{"map": {..}}`, and all else `{"structure": [TAG, FIELD, ..]}` with the tags and fields of Bolt 5.

use cypher_value::{Map, Node, Path, Relationship, Value, float_text};
use serde_json::{Value as Json, json};

/// A value as JSON.
pub(crate) fn of(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Boolean(fact) => json!(fact),
        Value::Integer(integer) => json!(integer),
        Value::Float(float) => json!({"float": float_text(*float).as_str()}),
        Value::String(text) => json!(text.as_str()),
        Value::List(list) => list.iter().map(of).collect(),
        Value::Map(entries) => of_map(Some(entries)),
        Value::Bytes(bytes) => structure("B", bytes.iter().map(|byte| json!(byte)).collect()),
        Value::Date(date) => structure("D", vec![json!(date.epoch_day)]),
        Value::LocalTime(time) => structure("t", vec![json!(time.nanoseconds)]),
        Value::Time(time) => structure("T", vec![json!(time.nanoseconds), json!(time.offset)]),
        Value::LocalDateTime(local) => structure("d", vec![json!(local.seconds), json!(local.nanoseconds)]),
        Value::DateTime(moment) => {
            let (tag, place) = match &moment.zone {
                Some(zone) => ("i", json!(zone.as_str())),
                None => ("I", json!(moment.offset)),
            };
            structure(tag, vec![json!(moment.seconds), json!(moment.nanoseconds), place])
        }
        Value::Duration(length) => structure(
            "E",
            vec![json!(length.months), json!(length.days), json!(length.seconds), json!(length.nanoseconds)],
        ),
        Value::Point(point) => {
            let tag = if point.z.is_some() { "Y" } else { "X" };
            let coordinates = [Some(point.x), Some(point.y), point.z].into_iter().flatten();
            let fields = coordinates.map(|coordinate| of(&Value::Float(coordinate)));
            structure(tag, [json!(point.srid)].into_iter().chain(fields).collect())
        }
        Value::Node(node) => of_node(node),
        Value::Relationship(relationship) => structure(
            "R",
            vec![
                of(&Value::from(&relationship.id)),
                of(&Value::from(&relationship.start.id)),
                of(&Value::from(&relationship.end.id)),
                json!(relationship.kind.as_str()),
                of_map(relationship.properties()),
                json!(relationship.element_id.as_str()),
            ],
        ),
        Value::Path(path) => of_path(path),
    }
}

/// A structure.
fn structure(tag: &str, fields: Vec<Json>) -> Json {
    let all: Vec<Json> = [json!(tag)].into_iter().chain(fields).collect();
    json!({"structure": all})
}

/// A map, empty where there is none.
fn of_map(entries: Option<&Map>) -> Json {
    let entries: serde_json::Map<String, Json> =
        entries.into_iter().flatten().map(|(name, value)| (name.to_string(), of(value))).collect();
    json!({"map": entries})
}

/// A node.
fn of_node(node: &Node) -> Json {
    let labels: Vec<&str> = node.labels().iter().map(|label| label.as_str()).collect();
    let fields = vec![of(&Value::from(&node.id)), json!(labels), of_map(node.properties())];
    structure("N", fields.into_iter().chain([json!(node.element_id.as_str())]).collect())
}

/// A path: nodes, relationships without their ends, and turns, each a relationship by its number from 1, negative where
/// the path goes against it, and a node by its number from 0.
fn of_path(path: &Path) -> Json {
    let turns = path.relationships.iter().zip(&path.nodes).zip(1_i64..).flat_map(|((relationship, from), number)| {
        let forward = relationship.start.id == from.id;
        [json!(if forward { number } else { -number }), json!(number)]
    });
    let unbound = |relationship: &Relationship| {
        let id = of(&Value::from(&relationship.id));
        structure("r", vec![id, json!(relationship.kind.as_str()), of_map(relationship.properties())])
    };
    structure(
        "P",
        vec![
            path.nodes.iter().map(|node| of_node(node)).collect(),
            path.relationships.iter().map(|relationship| unbound(relationship)).collect(),
            turns.collect(),
        ],
    )
}

/// A value of plain JSON: a parameter, a cell of a table.
pub(crate) fn read(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(fact) => Value::Boolean(*fact),
        Json::Number(number) => match number.as_i64() {
            Some(integer) => Value::Integer(integer),
            None => Value::from(number.as_f64()),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::list(items.iter().map(read).collect()),
        Json::Object(_) => Value::map(map(json)),
    }
}

/// The entries of an object; none of all else.
pub(crate) fn map(json: &Json) -> Map {
    json.as_object().into_iter().flatten().map(|(name, value)| (name.as_str().into(), read(value))).collect()
}
