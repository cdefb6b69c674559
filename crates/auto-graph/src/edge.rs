//! Edges: ids of their own, one value for each key.

use std::borrow::Cow;

use graph_access::GraphWrite;
use graph_model::Edge;
use graph_schema::{Catalogue, Declaration, EDGE_ID, Literal, NewEdge};
use query_value::{Text, Value};

use crate::value::{decode, encode};
use crate::vertex::{shown, vertex_literal};
use crate::{AutoError, ids};

/// An edge of an auto graph, stored or to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct AutoEdge {
    /// Its id; of one to be written `None`, where the server is to make it.
    pub id: Option<Value>,
    /// Its label.
    pub label: Text,
    /// The id of the vertex it starts at; of a stored edge as [`ids::unread_vertex_id`] has it.
    pub source: Value,
    /// The id of the vertex it ends at.
    pub target: Value,
    /// Its properties, each key at most once.
    pub properties: Vec<(Text, Value)>,
}

impl AutoEdge {
    /// Sets a property.
    pub fn set_property(&mut self, key: Text, value: Value) {
        match self.properties.iter_mut().find(|(own, _)| *own == key) {
            Some(slot) => slot.1 = value,
            None => self.properties.push((key, value)),
        }
    }
}

/// A stored edge.
///
/// # Errors
/// [`AutoError::Damaged`].
pub fn read_edge(edge: &Edge, catalogue: &Catalogue) -> Result<AutoEdge, AutoError> {
    let label = catalogue.edge_label(edge.id.label).map_or("", |label| label.name.as_str());
    let mut properties = Vec::with_capacity(edge.properties.len());
    for (key, value) in edge.properties.iter() {
        if let (Some(key), graph_model::Value::Any(tagged)) = (catalogue.property_key(key), value) {
            properties.push((key.name.as_str().into(), decode(tagged)?));
        }
    }
    Ok(AutoEdge {
        id: Some(ids::edge_id(&edge.id)),
        label: label.into(),
        source: ids::unread_vertex_id(&edge.id.source),
        target: ids::unread_vertex_id(&edge.id.target),
        properties,
    })
}

/// Writes an edge in a unit, with the label and the keys it names; one with its id, label and ends is replaced. Its
/// ends must exist. Answers it as it is stored, with its id.
///
/// That another edge has its id shows when the unit commits; ask [`graph_access::GraphRead::edges_by_key`] before.
///
/// # Errors
/// Values and ids that cannot be stored; those of [`GraphWrite::declare`] and [`GraphWrite::insert_edge`].
pub fn write_edge(graph: &mut dyn GraphWrite, edge: &AutoEdge) -> Result<Edge, AutoError> {
    let literal = |value: &Value| Ok::<_, AutoError>(Literal::Tagged(Cow::Owned(encode(value)?.into())));
    let mut properties = Vec::with_capacity(edge.properties.len() + 1);
    for (key, value) in &edge.properties {
        properties.push((Cow::Borrowed(key.as_str()), literal(value)?));
    }
    if let Some(id) = &edge.id {
        ids::edge_key(id).ok_or_else(|| AutoError::Id { what: "an edge", got: shown(id) })?;
        properties.push((Cow::Borrowed(EDGE_ID), literal(id)?));
    }
    let (source, target) = (vertex_literal(&edge.source)?, vertex_literal(&edge.target)?);
    let keys: Vec<&str> = edge.properties.iter().map(|(key, _)| key.as_str()).collect();
    graph.declare(&Declaration { vertex_labels: &[], edge_labels: &[&edge.label], property_keys: &keys })?;
    Ok(graph.insert_edge(&NewEdge {
        label: Some(Cow::Borrowed(&edge.label)),
        source: Some(source),
        source_label: None,
        target: Some(target),
        target_label: None,
        properties,
    })?)
}
