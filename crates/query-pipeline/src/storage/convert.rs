//! Ids and values: of storage and of queries.

use std::sync::Arc;

use graph_model::{Edge, EdgeId, EdgeIdText, LabelId, Vertex, VertexId};
use graph_schema::Catalogue;
use query_value::{DateTime, ElementKind, Reference, Text, Value};

/// The stored id of a vertex; none for what is no id of a vertex.
pub fn vertex_id(value: &Value) -> Option<VertexId> {
    match value {
        Value::Vertex(vertex) => vertex_id(&vertex.id),
        Value::String(text) => VertexId::from_text(text).ok(),
        Value::Uuid(bits) => Some(VertexId::Uuid(*bits)),
        other => other.as_i64().map(VertexId::Number),
    }
}

/// An id as queries see it. In an auto graph a number is an INT where it fits, whatever it was given as: that is known
/// without reading the vertex, so all values of one vertex are equal. [`super::given_id`] has the one it was given.
pub(crate) fn id_value(catalogue: &Catalogue, id: &VertexId) -> Value {
    match id {
        VertexId::Number(number) if catalogue.is_auto() => {
            i32::try_from(*number).map_or(Value::Long(*number), Value::Int)
        }
        VertexId::Number(number) => Value::Long(*number),
        VertexId::String(text) => Value::String(text.clone()),
        VertexId::Uuid(bits) => Value::Uuid(*bits),
    }
}

/// A vertex of which only the id is known.
pub fn vertex_ref(catalogue: &Catalogue, id: &VertexId) -> Value {
    let (id, label) = (id_value(catalogue, id), Text::default());
    Value::Vertex(Arc::new(query_value::Vertex { id, label, properties: None }))
}

/// The name of a vertex label.
pub(crate) fn vertex_label(catalogue: &Catalogue, label: LabelId) -> Text {
    catalogue.vertex_label(label).map(|label| Text::from(label.name.as_str())).unwrap_or_default()
}

/// The name of an edge label.
pub(crate) fn edge_label(catalogue: &Catalogue, label: LabelId) -> Text {
    catalogue.edge_label(label).map(|label| Text::from(label.name.as_str())).unwrap_or_default()
}

/// A vertex with its label.
pub fn vertex_value(catalogue: &Catalogue, vertex: &Vertex) -> Value {
    let label = vertex_label(catalogue, vertex.label);
    let id = id_value(catalogue, &vertex.id);
    Value::Vertex(Arc::new(query_value::Vertex { id, label, properties: None }))
}

/// The id of an edge: in an auto graph its own, else HugeGraph's text of its parts.
pub(crate) fn edge_id_value(catalogue: &Catalogue, id: &EdgeId) -> Value {
    if catalogue.is_auto() {
        return auto_graph::ids::edge_id(id);
    }
    let parent = catalogue.edge_label(id.label).map_or(id.label, |label| label.parent_or_self());
    Value::from(id.text(parent).to_string())
}

/// An edge with its label. Its ends have the labels that the schema says, or ids alone where it does not.
pub fn edge_value(catalogue: &Catalogue, edge: &Edge) -> Value {
    let (source, target) = end_labels(catalogue, edge.id.label);
    let end = |id: &VertexId, label: Text| Reference::vertex(id_value(catalogue, id), label);
    Value::Edge(Arc::new(query_value::Edge {
        id: edge_id_value(catalogue, &edge.id),
        label: edge_label(catalogue, edge.id.label),
        source: end(&edge.id.source, source),
        target: end(&edge.id.target, target),
        properties: None,
    }))
}

/// The labels of the vertices that edges of a label lead from and to, each empty where edges of it may have others.
fn end_labels(catalogue: &Catalogue, label: LabelId) -> (Text, Text) {
    let link = catalogue.edge_label(label).filter(|_| !catalogue.is_auto()).and_then(|label| label.link);
    link.map_or_else(Default::default, |(source, target)| {
        (vertex_label(catalogue, source), vertex_label(catalogue, target))
    })
}

/// An end of an edge as a vertex.
pub fn end_value(reference: &Reference) -> Value {
    let label = reference.label.clone();
    Value::Vertex(Arc::new(query_value::Vertex { id: reference.id.clone(), label, properties: None }))
}

/// The element of a property as a value in a query.
pub fn owner_value(catalogue: &Catalogue, owner: &Reference) -> Value {
    match vertex_id(&owner.id) {
        Some(id) if owner.kind == ElementKind::Vertex => {
            Reference::vertex(id_value(catalogue, &id), owner.label.clone()).to_value()
        }
        _ => owner.to_value(),
    }
}

/// The stored id of an edge of a graph with a strict schema; none for what is no id of an edge.
pub(crate) fn edge_id(value: &Value) -> Option<EdgeId> {
    match value {
        Value::Edge(edge) => edge_id(&edge.id),
        Value::String(text) => EdgeIdText::parse(text).ok().map(|text| text.id),
        _ => None,
    }
}

/// A stored property value as queries see it.
pub fn property_value(value: &graph_model::Value) -> Value {
    use graph_model::Value as Stored;
    match value {
        Stored::Object(text) => Value::from(text.as_ref()),
        Stored::Boolean(flag) => Value::Bool(*flag),
        Stored::Byte(number) => Value::Byte(*number),
        Stored::Int(number) => Value::Int(*number),
        Stored::Long(number) => Value::Long(*number),
        Stored::Float(number) => Value::Float(*number),
        Stored::Double(number) => Value::Double(*number),
        Stored::Text(text) => Value::String(text.clone()),
        Stored::Blob(bytes) => Value::Bytes(bytes.as_ref().into()),
        Stored::Date(milliseconds) => {
            let nanoseconds = milliseconds.rem_euclid(1000) * 1_000_000;
            DateTime::from_epoch(milliseconds.div_euclid(1000), nanoseconds).map_or(Value::Null, Value::DateTime)
        }
        Stored::Uuid(bits) => Value::Uuid(*bits),
        Stored::Any(tagged) => auto_graph::decode(tagged).unwrap_or_default(),
        Stored::List(items) => Value::list(items.iter().map(property_value)),
        Stored::Set(items) => Value::set(items.iter().map(property_value)),
    }
}
