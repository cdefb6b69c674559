//! Records of a batch update: elements like new ones, except that properties which the stored element has may be left
//! out.
//!
//! The caller checks each record, merges those with the same id in order, merges what is stored under the id with the
//! result, and finishes it. Ids are made of converted values, as for new elements.

use graph_model::{Edge, EdgeIdText, IdStrategy, Properties, Vertex};

use crate::change::GraphMode;
use crate::coerce::shown;
use crate::element::edge::edge_id;
use crate::element::id::wrong_id;
use crate::element::properties::Label;
use crate::element::vertex::vertex_id;
use crate::element::{ElementRules, EndLabels, UpdateStrategies};
use crate::input::{EdgeRecord, Literal, NewVertex};
use crate::{Catalogue, ElementError};

impl Catalogue {
    /// Checks a vertex of a batch update: its label, its id, the types of its properties. Its expiry is not set yet.
    pub fn check_vertex_record(&self, new: &NewVertex<'_>, rules: &ElementRules<'_>) -> Result<Vertex, ElementError> {
        let name = new.label.as_deref().ok_or(ElementError::LabelMissing { element: "vertex" })?;
        let definition = self.vertex_label_named(name).ok_or_else(|| self.unknown_vertex_label(name))?;
        let label = Label::from(&**definition);
        label.check_alive()?;
        let properties = self.read_some_properties(label, &new.properties, rules)?;
        self.check_complete(label, &properties, GraphMode::Loading)?;
        let given = new.id.as_ref().filter(|id| **id != Literal::Null);
        let no_automatic = || {
            let reason = "vertices with ids the server makes cannot be updated in a batch; change them one by one";
            wrong_id(definition, reason.to_owned())
        };
        if definition.id_strategy == IdStrategy::Automatic {
            return Err(no_automatic());
        }
        let id = vertex_id(definition, given, &properties, rules)?.ok_or_else(no_automatic)?;
        if let (IdStrategy::PrimaryKey, Some(given)) = (definition.id_strategy, given) {
            let given = self.parse_vertex_id_literal(Some(definition.id), given)?;
            if given != id {
                return Err(wrong_id(
                    definition,
                    format!("the primary keys make the id {id}, but the one given is {given}"),
                ));
            }
        }
        Ok(Vertex { id, label: definition.id, properties, expires_at_ms: None })
    }

    /// Checks an edge of a batch update: its label, its ends, its id, the types of its properties. Its expiry is not
    /// set yet.
    pub fn check_edge_record(&self, new: &EdgeRecord<'_>, rules: &ElementRules<'_>) -> Result<Edge, ElementError> {
        if self.is_auto() {
            let reason = "edges cannot be updated in a batch; change them one by one".to_owned();
            return Err(ElementError::AutoGraph { reason });
        }
        let (definition, source, target) = self.check_link(&new.edge, EndLabels::Optional)?;
        let label = Label::from(definition);
        let properties = self.read_some_properties(label, &new.edge.properties, rules)?;
        self.check_complete(label, &properties, GraphMode::Loading)?;
        let id = edge_id(definition, source, target, &properties)?;
        let same = match new.id.as_ref() {
            None | Some(Literal::Null) => true,
            Some(Literal::Text(text)) => EdgeIdText::parse(text).is_ok_and(|given| given.id == id),
            Some(_) => false,
        };
        if !same {
            let derived = EdgeIdText { parent: definition.parent_or_self(), id };
            return Err(ElementError::EdgeIdDiffers {
                derived: derived.to_string(),
                given: new.id.as_ref().map_or_else(String::new, |id| shown(id).into_owned()),
            });
        }
        Ok(Edge { id, properties, expires_at_ms: None })
    }

    /// A vertex, as it is stored or as an earlier record of the request has it, with a later record of the same id
    /// merged in.
    pub fn merge_vertex(
        &self,
        strategies: &UpdateStrategies,
        before: &Vertex,
        record: Vertex,
    ) -> Result<Vertex, ElementError> {
        if before.label != record.label {
            let name = |label| self.vertex_label(label).map_or_else(String::new, |label| label.name.clone());
            let (stored, given) = (name(before.label), name(record.label));
            return Err(ElementError::LabelDiffers { element: "vertex", stored, given });
        }
        let label = self.label_of_vertex(&record)?;
        let properties = self.merge(label, strategies, &before.properties, record.properties)?;
        Ok(Vertex { properties, ..record })
    }

    /// The same of an edge.
    pub fn merge_edge(&self, strategies: &UpdateStrategies, before: &Edge, record: Edge) -> Result<Edge, ElementError> {
        let label = self.label_of_edge(&record)?;
        let properties = self.merge(label, strategies, &before.properties, record.properties)?;
        Ok(Edge { properties, ..record })
    }

    /// The vertex to write once everything is merged. `is_new`: nothing is stored under its id, so it must be complete
    /// in itself. Its lifetime begins now, as that of an inserted one.
    pub fn finish_vertex(
        &self,
        vertex: Vertex,
        is_new: bool,
        rules: &ElementRules<'_>,
    ) -> Result<Vertex, ElementError> {
        let label = self.label_of_vertex(&vertex)?;
        let expires_at_ms = self.finish(label, &vertex.properties, is_new, rules)?;
        Ok(Vertex { expires_at_ms, ..vertex })
    }

    /// The same of an edge.
    pub fn finish_edge(&self, edge: Edge, is_new: bool, rules: &ElementRules<'_>) -> Result<Edge, ElementError> {
        let label = self.label_of_edge(&edge)?;
        let expires_at_ms = self.finish(label, &edge.properties, is_new, rules)?;
        Ok(Edge { expires_at_ms, ..edge })
    }

    fn merge(
        &self,
        label: Label<'_>,
        strategies: &UpdateStrategies,
        before: &Properties,
        record: Properties,
    ) -> Result<Properties, ElementError> {
        let merged = strategies.merge(self, before, record)?;
        // The id says what they are: a strategy such as SUM would make the element contradict its own id.
        for key in label.identifying {
            let same = match (before.get(*key), merged.get(*key)) {
                (Some(before), Some(merged)) => before.same(merged),
                (before, merged) => before.is_none() && merged.is_none(),
            };
            if !same {
                return Err(ElementError::Identifying {
                    label: label.name.to_owned(),
                    key: self.key_name(*key).to_owned(),
                    role: label.role,
                });
            }
        }
        Ok(merged)
    }

    fn finish(
        &self,
        label: Label<'_>,
        properties: &Properties,
        is_new: bool,
        rules: &ElementRules<'_>,
    ) -> Result<Option<i64>, ElementError> {
        if is_new {
            self.check_complete(label, properties, rules.mode)?;
        }
        label.expiry(properties, rules)
    }
}
