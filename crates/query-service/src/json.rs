//! Results as plain JSON, and JSON as arguments.

use gremlin_codec::graphson::{self, Version};
use gremlin_codec::{CodecError, Item};
use query_value::Value;

/// A result as the codecs write it.
#[must_use]
pub fn item(value: &Value) -> Item {
    use gremlin::Value as Plain;
    let all = |items: &mut dyn Iterator<Item = &Value>| items.map(item).collect::<Vec<_>>();
    let property =
        |found: &query_value::Property| gremlin_codec::Property { key: found.key.clone(), value: item(&found.value) };
    let vertex_property = |found: &query_value::VertexProperty| gremlin_codec::VertexProperty {
        id: item(&found.id),
        label: found.key.clone(),
        value: item(&found.value),
        properties: found.meta.iter().map(property).collect(),
    };
    match value {
        Value::List(items) => Item::List(all(&mut items.iter())),
        Value::Set(items) => Item::Set(all(&mut items.iter())),
        Value::Map(pairs) => Item::Map(pairs.iter().map(|(key, value)| (item(key), item(value))).collect()),
        Value::Entry(entry) => Item::Map(vec![(item(&entry.0), item(&entry.1))]),
        Value::BulkSet(items) => Item::BulkSet(
            items.iter().map(|(one, count)| (item(one), i64::try_from(*count).unwrap_or(i64::MAX))).collect(),
        ),
        Value::Vertex(vertex) => Item::Vertex(Box::new(gremlin_codec::Vertex {
            id: item(&vertex.id),
            label: vertex.label.clone(),
            properties: vertex.properties.iter().flat_map(|all| all.iter()).map(vertex_property).collect(),
        })),
        Value::Edge(edge) => Item::Edge(Box::new(gremlin_codec::Edge {
            id: item(&edge.id),
            label: edge.label.clone(),
            out_id: item(&edge.source.id),
            out_label: edge.source.label.clone(),
            in_id: item(&edge.target.id),
            in_label: edge.target.label.clone(),
            properties: edge.properties.iter().flat_map(|all| all.iter()).map(property).collect(),
        })),
        Value::VertexProperty(found) => Item::VertexProperty(Box::new(vertex_property(found))),
        Value::Property(found) => Item::Property(Box::new(property(found))),
        Value::Path(path) => Item::Path(Box::new(gremlin_codec::Path {
            labels: path.labels.clone(),
            objects: all(&mut path.objects.iter()),
        })),
        Value::Tree(found) => Item::Tree(tree(found)),
        Value::Metrics(found) => Item::TraversalMetrics(Box::new(gremlin_codec::TraversalMetrics {
            nanoseconds: found.nanoseconds,
            steps: found.steps.iter().map(metrics).collect(),
        })),
        Value::Graph(found) => Item::Map(vec![
            (
                Item::text("vertices"),
                Item::List(
                    found.vertices.values().map(|one| item(&Value::Vertex(std::sync::Arc::clone(one)))).collect(),
                ),
            ),
            (
                Item::text("edges"),
                Item::List(found.edges.values().map(|one| item(&Value::Edge(std::sync::Arc::clone(one)))).collect()),
            ),
        ]),
        other => Item::Value(Plain::from_plain(other).unwrap_or(Plain::Null)),
    }
}

fn tree(found: &query_value::Tree) -> gremlin_codec::Tree {
    gremlin_codec::Tree(found.0.iter().map(|(key, below)| (item(key), tree(below))).collect())
}

fn metrics(found: &query_value::Metrics) -> gremlin_codec::Metrics {
    gremlin_codec::Metrics {
        id: found.id.clone(),
        name: found.name.clone(),
        nanoseconds: found.nanoseconds,
        counts: found.counts.clone(),
        annotations: found.annotations.iter().map(|(name, value)| (name.clone(), item(value))).collect(),
        nested: found.nested.iter().map(metrics).collect(),
    }
}

/// A value as plain JSON.
///
/// # Errors
/// It contains what JSON cannot say.
pub fn to_json(value: &Value) -> Result<String, CodecError> {
    let mut out = String::new();
    graphson::write(&item(value), Version::Untyped, &mut out)?;
    Ok(out)
}

/// JSON as an argument.
///
/// # Errors
/// It names a type that does not exist.
pub fn from_json(json: &serde_json::Value) -> Result<gremlin::Value, CodecError> {
    graphson::read(json.to_string().as_bytes())?.into_value()
}
