//! Auto graphs: labels and property keys come into being when something is first written with them.
//!
//! A key so made holds values that say their own types ([`DataType::Any`]), any element can have any key, vertices of a
//! label can have ids of any kind, and edges join vertices of any labels. Edges are told apart by ids that are unique
//! within the graph; one index, which no client sees, is over all of them. Nothing is ever removed from the schema but
//! by clearing the graph, so a later catalogue of a graph has all that an earlier one had.
//!
//! [`DataType::Any`]: graph_model::DataType::Any

use std::sync::Arc;

use graph_model::{LabelId, PropertyKeyId};
use text_analysis::Analyzer;

use crate::definition::{IndexLabel, IndexType, SchemaMode, Status, UserData};
use crate::input::Declaration;
use crate::{Catalogue, NextIds};

use super::{Definition, Table};

impl Catalogue {
    /// The schema of a new graph.
    #[must_use]
    pub fn empty(mode: SchemaMode) -> Self {
        let edge_ids = (mode == SchemaMode::Auto).then(|| {
            let index = IndexLabel {
                id: LabelId::EDGE_IDS,
                name: "~edge_ids".to_owned(),
                on_vertices: false,
                base: LabelId(0),
                index_type: IndexType::Unique,
                fields: vec![PropertyKeyId::HIDDEN],
                complete: true,
                analyzer: Analyzer::Simple,
                status: Status::Created,
                user_data: UserData::default(),
            };
            Arc::from([Arc::new(index)])
        });
        Self { edge_ids, ..Self::default() }
    }

    /// Who makes the schema.
    #[must_use]
    pub fn mode(&self) -> SchemaMode {
        if self.edge_ids.is_some() { SchemaMode::Auto } else { SchemaMode::Strict }
    }

    /// Whether this is an auto graph's.
    #[must_use]
    pub fn is_auto(&self) -> bool {
        self.edge_ids.is_some()
    }

    /// An empty catalogue of the same mode and with the given numbers.
    pub(super) fn blank(mode: SchemaMode, next_ids: NextIds) -> Self {
        Self { next_ids, ..Self::empty(mode) }
    }

    /// Whether all labels and keys of a declaration are there.
    #[must_use]
    pub fn has_all(&self, names: &Declaration<'_>) -> bool {
        names.vertex_labels.iter().all(|name| self.vertex_label_named(name).is_some())
            && names.edge_labels.iter().all(|name| self.edge_label_named(name).is_some())
            && names.property_keys.iter().all(|name| self.property_key_named(name).is_some())
    }

    /// Whether this is an auto graph's catalogue that has everything an earlier one had: what was checked by that one
    /// still holds.
    #[must_use]
    pub fn extends(&self, earlier: &Self) -> bool {
        fn has_all<T: Definition + PartialEq>(later: &Table<T>, earlier: &Table<T>) -> bool {
            let kept = |it: &Arc<T>| later.get(it.number()).is_some_and(|now| Arc::ptr_eq(now, it) || now == it);
            earlier.iter().all(kept)
        }
        self.is_auto()
            && earlier.is_auto()
            && has_all(&self.property_keys, &earlier.property_keys)
            && has_all(&self.vertex_labels, &earlier.vertex_labels)
            && has_all(&self.edge_labels, &earlier.edge_labels)
    }
}
