//! Checks of a new vertex.

use graph_model::{IdStrategy, Properties, VertexId, join_primary_key};

use crate::change::SchemaKind;
use crate::definition::VertexLabel;
use crate::element::id::{id_of, wrong_id};
use crate::element::properties::Label;
use crate::element::{ElementRules, VertexDraft};
use crate::input::{Literal, NewVertex};
use crate::{Catalogue, ElementError};

impl Catalogue {
    /// Checks a vertex to insert: its label, its properties and their types, its id by the label's strategy, its
    /// lifetime.
    pub fn check_vertex(&self, new: &NewVertex<'_>, rules: &ElementRules<'_>) -> Result<VertexDraft, ElementError> {
        let name = new.label.as_deref().ok_or(ElementError::LabelMissing { element: "vertex" })?;
        let definition = self.vertex_label_named(name).ok_or_else(|| self.unknown_vertex_label(name))?;
        let label = Label::from(&**definition);
        label.check_alive()?;
        if self.is_auto() {
            return self.check_auto_vertex(new, label, rules);
        }
        let given_id = new.id.as_ref().filter(|id| **id != Literal::Null);
        if let (IdStrategy::PrimaryKey, Some(_)) = (definition.id_strategy, given_id) {
            return Err(wrong_id(definition, "the id is made of the primary keys and must not be given".to_owned()));
        }
        let properties = self.read_properties(label, &new.properties, rules)?;
        let id = vertex_id(definition, given_id, &properties, rules)?;
        let expires_at_ms = label.expiry(&properties, rules)?;
        Ok(VertexDraft { label: definition.id, id, properties, expires_at_ms })
    }

    pub(super) fn unknown_vertex_label(&self, name: &str) -> ElementError {
        let hint = self.suggestion(SchemaKind::VertexLabel, name);
        ElementError::UnknownLabel { element: "vertex", name: name.to_owned(), hint }
    }
}

pub(super) fn vertex_id(
    label: &VertexLabel,
    given: Option<&Literal<'_>>,
    properties: &Properties,
    rules: &ElementRules<'_>,
) -> Result<Option<VertexId>, ElementError> {
    let is_restored = rules.mode.is_restored();
    match (label.id_strategy, given) {
        (IdStrategy::PrimaryKey, _) => {
            let values = label.primary_keys.iter().filter_map(|key| properties.get(*key));
            Ok(Some(join_primary_key(label.id, values, rules.encode_primary_key_number)?))
        }
        (IdStrategy::Automatic, None) if !is_restored => Ok(None),
        (IdStrategy::Automatic, Some(_)) if !is_restored => {
            Err(wrong_id(label, "the server makes the id, it must not be given".to_owned()))
        }
        (IdStrategy::Automatic, None) => {
            Err(wrong_id(label, "the id must be given in modes RESTORING and MERGING".to_owned()))
        }
        (_, None) => Err(wrong_id(label, "the id must be given".to_owned())),
        (_, Some(literal)) => id_of(label, literal).map(Some).map_err(|reason| wrong_id(label, reason)),
    }
}
