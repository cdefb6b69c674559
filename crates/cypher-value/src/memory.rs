//! How much memory values take.

use std::mem::size_of_val;

use crate::value::{Map, Node, Relationship, Value};

/// Bytes that a value takes, with all it holds; what is shared counts for each of its owners.
pub fn memory(value: &Value) -> usize {
    size_of::<Value>() + behind(value)
}

/// Bytes behind the 24 of the value itself.
fn behind(value: &Value) -> usize {
    match value {
        Value::Null
        | Value::Boolean(_)
        | Value::Integer(_)
        | Value::Float(_)
        | Value::Date(_)
        | Value::LocalTime(_)
        | Value::Time(_)
        | Value::LocalDateTime(_) => 0,
        Value::String(text) => {
            if text.is_heap_allocated() {
                text.len()
            } else {
                0
            }
        }
        Value::Bytes(bytes) => bytes.len(),
        Value::List(list) => size_of_val(list.as_slice()) + list.iter().map(behind).sum::<usize>(),
        Value::Map(map) => of_map(map),
        Value::DateTime(moment) => size_of_val(moment.as_ref()),
        Value::Duration(length) => size_of_val(length.as_ref()),
        Value::Point(point) => size_of_val(point.as_ref()),
        Value::Node(node) => of_node(node),
        Value::Relationship(relationship) => of_relationship(relationship),
        Value::Path(path) => {
            let nodes: usize = path.nodes.iter().map(|node| of_node(node)).sum();
            nodes + path.relationships.iter().map(|relationship| of_relationship(relationship)).sum::<usize>()
        }
    }
}

/// Bytes of a map: an entry has a hash and a place in the index beside name and value.
fn of_map(map: &Map) -> usize {
    const ENTRY: usize = size_of::<Value>() * 2 + 3 * size_of::<usize>();
    map.values().map(|value| ENTRY + behind(value)).sum()
}

/// Bytes of a node.
fn of_node(node: &Node) -> usize {
    let content =
        node.content.as_ref().map_or(0, |content| size_of_val(&*content.labels) + of_map(&content.properties));
    size_of_val(node) + content
}

/// Bytes of a relationship.
fn of_relationship(relationship: &Relationship) -> usize {
    size_of_val(relationship) + relationship.properties.as_deref().map_or(0, of_map)
}
