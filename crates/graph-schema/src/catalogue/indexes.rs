//! Index labels by the labels they are over, and whether a write touches any: asked on every insert, so both are kept
//! ready.

use std::sync::Arc;

use graph_model::{IdStrategy, LabelId, VertexId, split_primary_key_label};
use imbl::GenericHashMap;
use imbl::shared_ptr::DefaultSharedPtr;
use rustc_hash::FxBuildHasher;

use crate::Catalogue;
use crate::definition::IndexLabel;

/// Index labels by the kind and the number of the label they are over, in the order of their numbers.
pub(super) type IndexesByBase = GenericHashMap<(bool, u32), Arc<[Arc<IndexLabel>]>, FxBuildHasher, DefaultSharedPtr>;

/// How many vertex labels have index labels, by what their ids can be mistaken for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct IndexedLabels {
    primary_key: u32,
    string: u32,
    number: u32,
    uuid: u32,
}

impl IndexedLabels {
    fn of(&mut self, strategy: IdStrategy) -> &mut u32 {
        match strategy {
            IdStrategy::PrimaryKey => &mut self.primary_key,
            IdStrategy::CustomizeString => &mut self.string,
            IdStrategy::Automatic | IdStrategy::CustomizeNumber => &mut self.number,
            IdStrategy::CustomizeUuid => &mut self.uuid,
        }
    }
}

impl Catalogue {
    /// The index labels over a vertex label (`on_vertices`) or an edge label, of every status, in the order of their
    /// numbers.
    #[must_use]
    pub fn indexes_over(&self, on_vertices: bool, base: LabelId) -> &[Arc<IndexLabel>] {
        // Most graphs have none, and inserts ask for every element.
        if self.indexes.is_empty() {
            return &[];
        }
        self.indexes.get(&(on_vertices, base.0)).map_or(&[], |indexes| indexes)
    }

    /// Whether any label has an index label.
    #[must_use]
    pub fn has_indexes(&self) -> bool {
        !self.indexes.is_empty()
    }

    /// Notes that an index label comes, changes or goes.
    pub(super) fn set_index(&mut self, old: Option<&Arc<IndexLabel>>, new: Option<&Arc<IndexLabel>>) {
        for index in [old, new].into_iter().flatten() {
            let base = (index.on_vertices, index.base.0);
            let mut over: Vec<_> = self.indexes_over(base.0, index.base).to_vec();
            over.retain(|other| other.id != index.id);
            if new.is_some_and(|new| Arc::ptr_eq(new, index)) {
                over.push(Arc::clone(index));
                over.sort_by_key(|index| index.id);
            }
            let was_indexed = !self.indexes_over(base.0, index.base).is_empty();
            if over.is_empty() == was_indexed && base.0 {
                let strategy = self.vertex_label(index.base).map(|label| label.id_strategy);
                if let Some(count) = strategy.map(|strategy| self.indexed.of(strategy)) {
                    *count = if was_indexed { count.saturating_sub(1) } else { count.saturating_add(1) };
                }
            }
            if over.is_empty() {
                self.indexes.remove(&base);
            } else {
                self.indexes.insert(base, over.into());
            }
        }
    }

    /// Whether writing a vertex of this label and id touches indexes: its label has index labels, or the vertex it may
    /// replace can be of another label that has.
    #[must_use]
    pub fn touches_indexes(&self, label: LabelId, id: &VertexId) -> bool {
        if self.indexes.is_empty() {
            return false;
        }
        let strategy = self.vertex_label(label).map(|label| label.id_strategy);
        let others = match strategy {
            Some(IdStrategy::PrimaryKey) => self.indexed.string,
            Some(IdStrategy::CustomizeString) => match id {
                VertexId::String(text) if split_primary_key_label(text).is_some() => {
                    self.indexed.string.saturating_add(self.indexed.primary_key)
                }
                _ => self.indexed.string,
            },
            Some(IdStrategy::Automatic | IdStrategy::CustomizeNumber) => self.indexed.number,
            Some(IdStrategy::CustomizeUuid) => self.indexed.uuid,
            None => 0,
        };
        others > 0 || !self.indexes_over(true, label).is_empty()
    }
}
