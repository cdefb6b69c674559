//! Checks of a new edge.

use graph_model::{Edge, EdgeId, EdgeIdText, IdError, LabelId, Properties, VertexId, join_values, limits};

use crate::change::SchemaKind;
use crate::definition::{EdgeLabel, EdgeLabelKind};
use crate::element::id::id_of;
use crate::element::properties::Label;
use crate::element::{ElementRules, EndLabels};
use crate::input::{Literal, NewEdge};
use crate::{Catalogue, ElementError, VertexLabel};

impl Catalogue {
    /// Checks an edge to insert: its label, the ids of its ends by the strategies of the vertex labels it links, its
    /// properties and their types, its lifetime. Its id follows from these.
    pub fn check_edge(
        &self,
        new: &NewEdge<'_>,
        ends: EndLabels,
        rules: &ElementRules<'_>,
    ) -> Result<Edge, ElementError> {
        if self.is_auto() {
            return self.check_auto_edge(new, rules);
        }
        let (definition, source, target) = self.check_link(new, ends)?;
        let label = Label::from(definition);
        let properties = self.read_properties(label, &new.properties, rules)?;
        let id = edge_id(definition, source, target, &properties)?;
        let expires_at_ms = label.expiry(&properties, rules)?;
        Ok(Edge { id, properties, expires_at_ms })
    }

    /// Checks the label and the ends of an edge.
    pub(super) fn check_link(
        &self,
        new: &NewEdge<'_>,
        ends: EndLabels,
    ) -> Result<(&EdgeLabel, VertexId, VertexId), ElementError> {
        let name = new.label.as_deref().ok_or(ElementError::LabelMissing { element: "edge" })?;
        let definition = self.edge_label_named(name).ok_or_else(|| self.unknown_edge_label(name))?;
        Label::from(&**definition).check_alive()?;
        let (source_label, target_label) = self.linked_labels(definition)?;
        self.check_end_labels(definition, new, ends, source_label, target_label)?;
        let source = end_id("outV", source_label, new.source.as_ref())?;
        let target = end_id("inV", target_label, new.target.as_ref())?;
        Ok((definition, source, target))
    }

    pub(super) fn unknown_edge_label(&self, name: &str) -> ElementError {
        let hint = self.suggestion(SchemaKind::EdgeLabel, name);
        ElementError::UnknownLabel { element: "edge", name: name.to_owned(), hint }
    }

    /// The vertex labels an edge label links.
    fn linked_labels(&self, label: &EdgeLabel) -> Result<(&VertexLabel, &VertexLabel), ElementError> {
        let (source, target) = match (label.kind, label.link) {
            (EdgeLabelKind::Normal | EdgeLabelKind::Sub { .. }, Some(link)) => link,
            _ => return Err(ElementError::ParentLabel { label: label.name.clone() }),
        };
        let gone = || ElementError::LabelGone { label: label.name.clone() };
        Ok((self.vertex_label(source).ok_or_else(gone)?, self.vertex_label(target).ok_or_else(gone)?))
    }

    /// The labels a client names for the ends must be the linked ones.
    fn check_end_labels(
        &self,
        label: &EdgeLabel,
        new: &NewEdge<'_>,
        ends: EndLabels,
        source_label: &VertexLabel,
        target_label: &VertexLabel,
    ) -> Result<(), ElementError> {
        let missing = |end, reason: &str| Err(ElementError::End { end, reason: reason.to_owned() });
        let (source, target) = match (new.source_label.as_deref(), new.target_label.as_deref(), ends) {
            (Some(source), Some(target), _) => (source, target),
            (None, None, EndLabels::Optional) => return Ok(()),
            (None, Some(_), EndLabels::Optional) => {
                return missing("outVLabel", "is missing: give both labels or none");
            }
            (Some(_), None, EndLabels::Optional) => return missing("inVLabel", "is missing: give both labels or none"),
            (None, _, EndLabels::Required) => return missing("outVLabel", "is missing"),
            (_, None, EndLabels::Required) => return missing("inVLabel", "is missing"),
        };
        if source == source_label.name && target == target_label.name {
            return Ok(());
        }
        if let Some(unknown) = [source, target].into_iter().find(|name| self.vertex_label_named(name).is_none()) {
            return Err(self.unknown_vertex_label(unknown));
        }
        Err(ElementError::WrongLink {
            label: label.name.clone(),
            source_label: source_label.name.clone(),
            target_label: target_label.name.clone(),
            got_source: source.to_owned(),
            got_target: target.to_owned(),
        })
    }
}

fn end_id(end: &'static str, label: &VertexLabel, literal: Option<&Literal<'_>>) -> Result<VertexId, ElementError> {
    let literal = literal.filter(|id| **id != Literal::Null);
    let literal = literal.ok_or_else(|| ElementError::End { end, reason: "is missing".to_owned() })?;
    id_of(label, literal).map_err(|reason| ElementError::End {
        end,
        reason: format!("does not fit vertex label '{}': {reason}", label.name),
    })
}

pub(super) fn edge_id(
    label: &EdgeLabel,
    source: VertexId,
    target: VertexId,
    properties: &Properties,
) -> Result<EdgeId, ElementError> {
    let sort_values = join_values(label.sort_keys.iter().filter_map(|key| properties.get(*key)), true)?;
    checked_edge_id(label.parent_or_self(), EdgeId { label: label.id, source, sort_values, target })
}

/// An edge id whose text is not too long. `parent`: what the text names first.
pub(super) fn checked_edge_id(parent: LabelId, id: EdgeId) -> Result<EdgeId, ElementError> {
    // Escaping at most doubles a part; only what may exceed the limit is written out to be measured.
    let text_bytes = |id: &VertexId| if let VertexId::String(text) = id { text.len() } else { 0 };
    if text_bytes(&id.source) + id.sort_values.len() + text_bytes(&id.target) < limits::EDGE_ID_CHARS_MAX / 4 {
        return Ok(id);
    }
    let text = EdgeIdText { parent, id };
    let chars = text.to_string().len();
    if chars > limits::EDGE_ID_CHARS_MAX {
        return Err(IdError::EdgeTooLong { chars }.into());
    }
    Ok(text.id)
}
