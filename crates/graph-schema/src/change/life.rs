//! Where elements are in their lives: their status, and their removal once nothing refers to them.

use std::sync::Arc;

use graph_model::LabelId;

use crate::change::subject::Subject;
use crate::change::{Change, SchemaElement, SchemaKey};
use crate::definition::{EdgeLabel, EdgeLabelKind, IndexLabel, PropertyKey, Status, VertexLabel};
use crate::{Catalogue, SchemaError};

impl Catalogue {
    /// The element of a key.
    #[must_use]
    pub fn element(&self, key: SchemaKey) -> Option<SchemaElement> {
        match key {
            SchemaKey::PropertyKey(id) => {
                self.property_key(id).map(|key| SchemaElement::PropertyKey(PropertyKey::clone(key)))
            }
            SchemaKey::VertexLabel(id) => {
                self.vertex_label(id).map(|label| SchemaElement::VertexLabel(VertexLabel::clone(label)))
            }
            SchemaKey::EdgeLabel(id) => {
                self.edge_label(id).map(|label| SchemaElement::EdgeLabel(EdgeLabel::clone(label)))
            }
            SchemaKey::IndexLabel(id) => {
                self.index_label(id).map(|label| SchemaElement::IndexLabel(IndexLabel::clone(label)))
            }
        }
    }

    /// Sets where an element is in its life.
    pub fn set_status(&self, key: SchemaKey, status: Status) -> Result<Change, SchemaError> {
        let mut element = self.element(key).ok_or_else(|| absent(key))?;
        let slot = match &mut element {
            SchemaElement::PropertyKey(key) => &mut key.status,
            SchemaElement::VertexLabel(label) => &mut label.status,
            SchemaElement::EdgeLabel(label) => &mut label.status,
            SchemaElement::IndexLabel(label) => &mut label.status,
        };
        *slot = status;
        self.with(element)
    }

    /// Sets where a label is in its life, and its index labels with it: what happens to its elements happens to their
    /// entries.
    pub fn set_status_with_indexes(&self, key: SchemaKey, status: Status) -> Result<Change, SchemaError> {
        let mut change = self.set_status(key, status)?;
        for index in self.indexes_of(key) {
            let next = change.catalogue.set_status(SchemaKey::IndexLabel(index.id), status)?;
            change.catalogue = next.catalogue;
            change.put.extend(next.put);
        }
        Ok(change)
    }

    fn indexes_of(&self, key: SchemaKey) -> &[Arc<IndexLabel>] {
        match key {
            SchemaKey::VertexLabel(id) => self.indexes_over(true, id),
            SchemaKey::EdgeLabel(id) => self.indexes_over(false, id),
            SchemaKey::PropertyKey(_) | SchemaKey::IndexLabel(_) => &[],
        }
    }

    /// Takes an element out, once its data is gone; of a label, its index labels too. An element that others refer to
    /// stays.
    pub fn remove(&self, key: SchemaKey) -> Result<Change, SchemaError> {
        match key {
            SchemaKey::PropertyKey(id) => {
                let name = self.property_key(id).map(|key| key.name.clone()).ok_or_else(|| absent(key))?;
                return self.delete_property_key(&name);
            }
            SchemaKey::VertexLabel(id) => self.check_vertex_label_removable(id)?,
            SchemaKey::EdgeLabel(id) => self.check_edge_label_removable(id)?,
            SchemaKey::IndexLabel(id) => {
                self.index_label(id).ok_or_else(|| absent(key))?;
            }
        }
        let mut removed: Vec<_> = self.indexes_of(key).iter().map(|index| SchemaKey::IndexLabel(index.id)).collect();
        removed.push(key);
        Ok(self.without(removed))
    }

    /// Refuses where the vertex label does not exist or an edge label links it.
    pub fn check_vertex_label_removable(&self, id: LabelId) -> Result<(), SchemaError> {
        let key = SchemaKey::VertexLabel(id);
        let label = self.vertex_label(id).ok_or_else(|| absent(key))?;
        if self.is_auto() {
            return Err(Subject { kind: key.kind(), name: &label.name }.made_on_write());
        }
        let links = |edge: &&Arc<EdgeLabel>| edge.link.is_some_and(|(source, target)| source == id || target == id);
        match self.edge_labels().find(links) {
            Some(edge) => Err(Subject { kind: key.kind(), name: &label.name }
                .not_allowed(format!("it cannot be removed because edge label '{}' links it", edge.name))),
            None => Ok(()),
        }
    }

    /// Refuses where the edge label does not exist or is a parent that has sub labels.
    pub fn check_edge_label_removable(&self, id: LabelId) -> Result<(), SchemaError> {
        let key = SchemaKey::EdgeLabel(id);
        let label = self.edge_label(id).ok_or_else(|| absent(key))?;
        if self.is_auto() {
            return Err(Subject { kind: key.kind(), name: &label.name }.made_on_write());
        }
        if label.kind != EdgeLabelKind::Parent {
            return Ok(());
        }
        match self.sub_labels(id).next() {
            Some(sub) => Err(Subject { kind: key.kind(), name: &label.name }
                .not_allowed(format!("it cannot be removed because edge label '{}' belongs to it", sub.name))),
            None => Ok(()),
        }
    }
}

pub(super) fn absent(key: SchemaKey) -> SchemaError {
    SchemaError::NotFound { kind: key.kind().name(), name: key.number().to_string(), hint: String::new() }
}
