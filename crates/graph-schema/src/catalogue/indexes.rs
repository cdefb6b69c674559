//! Index labels by the labels they are over, and whether a write touches any: asked on every insert, so both are kept
//! ready.

use std::sync::Arc;

use graph_model::{IdStrategy, LabelId, VertexId, split_primary_key_label};
use imbl::GenericHashMap;
use imbl::shared_ptr::DefaultSharedPtr;
use rustc_hash::FxBuildHasher;

use crate::Catalogue;
use crate::definition::{IndexLabel, LABEL_JOINT};

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

    /// The labels an index label is over: its own, and of an auto graph those of vertices whose name is a set with the
    /// name of its own.
    #[must_use]
    pub fn labels_under(&self, index: &IndexLabel) -> Vec<LabelId> {
        if !(self.is_auto() && index.on_vertices) {
            return vec![index.base];
        }
        self.vertex_labels().map(|label| label.id).filter(|label| self.takes(index, *label)).collect()
    }

    /// Whether an index label is over a label of its kind, by their names.
    fn takes(&self, index: &IndexLabel, label: LabelId) -> bool {
        if index.base == label || !(self.is_auto() && index.on_vertices) {
            return index.base == label;
        }
        let (base, label) = (self.vertex_label(index.base), self.vertex_label(label));
        base.zip(label).is_some_and(|(base, label)| label.name.split(LABEL_JOINT).any(|own| own == base.name))
    }

    /// Whether an index label is over a vertex label (`on_vertices`) or an edge label.
    #[must_use]
    pub fn is_over(&self, index: &IndexLabel, (on_vertices, base): (bool, LabelId)) -> bool {
        self.indexes_over(on_vertices, base).iter().any(|over| over.id == index.id)
    }

    /// Whether another catalogue has the same index labels in the same states.
    #[must_use]
    pub fn has_same_indexes(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.index_labels, &other.index_labels) || self.index_labels == other.index_labels
    }

    /// Notes that an index label comes, changes or goes.
    pub(super) fn set_index(&mut self, old: Option<&Arc<IndexLabel>>, new: Option<&Arc<IndexLabel>>) {
        for index in [old, new].into_iter().flatten() {
            for label in self.labels_under(index) {
                let mut over: Vec<_> = self.indexes_over(index.on_vertices, label).to_vec();
                over.retain(|other| other.id != index.id);
                if new.is_some_and(|new| Arc::ptr_eq(new, index)) {
                    over.push(Arc::clone(index));
                    over.sort_by_key(|index| index.id);
                }
                self.set_indexes_over((index.on_vertices, label), over);
            }
        }
    }

    /// Notes the index labels over a label of an auto graph that has just come.
    pub(super) fn index_new_label(&mut self, on_vertices: bool, id: LabelId) {
        let edge_ids = self.edge_ids.iter().filter(|_| !on_vertices).flat_map(|own| own.iter());
        let defined = self.index_labels().filter(|index| index.on_vertices == on_vertices);
        let over: Vec<_> = edge_ids.chain(defined.filter(|index| self.takes(index, id))).cloned().collect();
        if !over.is_empty() {
            self.set_indexes_over((on_vertices, id), over);
        }
    }

    fn set_indexes_over(&mut self, (on_vertices, label): (bool, LabelId), over: Vec<Arc<IndexLabel>>) {
        let was_indexed = !self.indexes_over(on_vertices, label).is_empty();
        if over.is_empty() == was_indexed && on_vertices {
            let strategy = self.vertex_label(label).map(|label| label.id_strategy);
            if let Some(count) = strategy.map(|strategy| self.indexed.of(strategy)) {
                *count = if was_indexed { count.saturating_sub(1) } else { count.saturating_add(1) };
            }
        }
        if over.is_empty() {
            self.indexes.remove(&(on_vertices, label.0));
        } else {
            self.indexes.insert((on_vertices, label.0), over.into());
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
