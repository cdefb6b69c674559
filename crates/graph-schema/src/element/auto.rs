//! Elements of auto graphs: any key, any value, any kind of id.
//!
//! A whole number that is a vertex id is of 32 bits where it fits, else of 64. A vertex whose id was given as one of
//! another type holds it as it was given under [`PropertyKeyId::HIDDEN`].
//!
//! An edge's id is in its sort values, which tells parallel edges apart: see [`edge_id_text`]. Under
//! [`PropertyKeyId::HIDDEN`] it holds the text by which the id is found ([`edge_id_key`]).

use std::borrow::Cow;

use compact_str::CompactString;
use graph_model::{Edge, EdgeId, PropertyKeyId, Value};

use crate::coerce::shown;
use crate::element::auto_id::{auto_vertex_id, edge_id_key, edge_id_text, literal_token};
use crate::element::edge::checked_edge_id;
use crate::element::properties::{Given, Label};
use crate::element::{ElementRules, VertexDraft};
use crate::input::{Literal, NewEdge, NewVertex};
use crate::{Catalogue, ElementError, limits};

/// The property of a [`NewEdge`] that is the id a client gave it; no property key has this name.
pub const EDGE_ID: &str = "~id";

impl Catalogue {
    pub(super) fn check_auto_vertex(
        &self,
        new: &NewVertex<'_>,
        label: Label<'_>,
        rules: &ElementRules<'_>,
    ) -> Result<VertexDraft, ElementError> {
        let definition = self.vertex_label_named(label.name).ok_or_else(|| self.unknown_vertex_label(label.name))?;
        let mut properties = self.read_some_properties(label, &new.properties, rules)?;
        check_number(label, &new.properties)?;
        let id = match &new.id {
            None | Some(Literal::Null) => None,
            Some(given) => {
                let (id, hidden) = auto_vertex_id(given)?;
                hidden.map(|hidden| properties.insert(PropertyKeyId::HIDDEN, Value::Any(hidden)));
                Some(id)
            }
        };
        Ok(VertexDraft { label: definition.id, id, properties, expires_at_ms: None })
    }

    /// An edge whose sort values are empty where no id was given: see [`set_edge_id`].
    pub(super) fn check_auto_edge(&self, new: &NewEdge<'_>, rules: &ElementRules<'_>) -> Result<Edge, ElementError> {
        let name = new.label.as_deref().ok_or(ElementError::LabelMissing { element: "edge" })?;
        let definition = self.edge_label_named(name).ok_or_else(|| self.unknown_edge_label(name))?;
        let label = Label::from(&**definition);
        let given_id = new.properties.iter().find(|(name, _)| name == EDGE_ID).map(|(_, id)| id);
        let properties = match given_id {
            None => self.read_some_properties(label, &new.properties, rules)?,
            Some(_) => {
                let rest: Vec<(Cow<'_, str>, Literal<'_>)> =
                    new.properties.iter().filter(|(name, _)| name != EDGE_ID).cloned().collect();
                self.read_some_properties(label, &rest, rules)?
            }
        };
        check_number(label, &new.properties)?;
        let end = |end: &'static str, given: &Option<Literal<'_>>| match given {
            None | Some(Literal::Null) => Err(ElementError::End { end, reason: "is missing".to_owned() }),
            Some(given) => Ok(auto_vertex_id(given)?.0),
        };
        let (source, target) = (end("outV", &new.source)?, end("inV", &new.target)?);
        let id = EdgeId { label: definition.id, source, sort_values: CompactString::default(), target };
        let mut edge = Edge { id, properties, expires_at_ms: None };
        if let Some(given) = given_id {
            let text = literal_token(given).and_then(edge_id_text).ok_or_else(|| ElementError::AutoGraph {
                reason: format!("an edge id must be of a simple type, but got {}", shown(given)),
            })?;
            set_edge_id(&mut edge, text)?;
        }
        Ok(edge)
    }
}

/// Gives an edge of an auto graph an id, by its text.
///
/// # Errors
/// That the whole id of the edge becomes too long.
pub fn set_edge_id(edge: &mut Edge, text: CompactString) -> Result<(), ElementError> {
    edge.properties.insert(PropertyKeyId::HIDDEN, Value::Text(edge_id_key(&text)));
    edge.id = checked_edge_id(edge.id.label, EdgeId { sort_values: text, ..edge.id.clone() })?;
    Ok(())
}

fn check_number(label: Label<'_>, given: &Given<'_>) -> Result<(), ElementError> {
    let limit = limits::PROPERTIES_PER_LABEL_MAX;
    if given.len() <= limit {
        return Ok(());
    }
    let reason =
        format!("{} of label '{}' with {} properties: the limit is {limit}", label.element, label.name, given.len());
    Err(ElementError::AutoGraph { reason })
}
