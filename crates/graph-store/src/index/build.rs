//! Building an index label over elements that are there already, and removing the entries of one. Work of tasks; writers are not
//! locked out.
//!
//! An index label that is being built is kept by writers from the start. Then all elements of its label are read in steps, each step's
//! once
//! more with the elements locked, and their entries are put. What was written after the start has its entries from its writer, so an
//! element is missed by neither. Every step can be repeated: a build cut short by a crash is run again from the start.
//!
//! Building one anew that is in use puts its entries right one by one, and queries go on with it meanwhile. One that cannot be trusted (it
//! was never built, or not to its end), one whose texts are now cut otherwise, and a unique one, which no query uses and which may have to
//! be refused, is first taken out of use: nobody keeps it, its entries are deleted, and then it is built as a new one.

use graph_model::{ElementId, IdStrategy, LabelId, VertexId};
use graph_schema::{Catalogue, IndexLabel, IndexType, SchemaKey, Status};
use key_codec::{index_key, key, tables, value};
use kv::{KvError, RowRange, WriteBatch};

use super::changes::{IndexChanges, Refusal, group_at};
use crate::core::stripes::Locks;
use crate::core::stripes::Mask;
use crate::index::label_index::{needs_label_index, put_label_index_entry};
use crate::jobs::task::TaskWork;
use crate::{Graph, StoreError, Wait, limits};

/// What receives the elements of a label, so many at a time.
type Step<'a> = dyn FnMut(&[ElementId]) -> Result<(), StoreError> + 'a;

impl Graph {
    /// Builds an index label, or all of a label and its label index: what a task does.
    pub(crate) fn rebuild(&self, target: SchemaKey, work: &TaskWork<'_>) -> Result<(), StoreError> {
        let catalogue = self.catalogue();
        let indexes: Vec<LabelId> = match target {
            SchemaKey::IndexLabel(id) => vec![id],
            SchemaKey::VertexLabel(id) => {
                self.rebuild_label_index(id, work)?;
                catalogue.indexes_over(true, id).iter().map(|index| index.id).collect()
            }
            SchemaKey::EdgeLabel(id) => catalogue.indexes_over(false, id).iter().map(|index| index.id).collect(),
            SchemaKey::PropertyKey(_) => Vec::new(),
        };
        let mut outcome = Ok(());
        for index in indexes {
            match self.rebuild_index(index, work) {
                Ok(()) => {}
                // The others can still be built.
                Err(error @ (StoreError::UniqueConflict { .. } | StoreError::TooManyTokens { .. })) => {
                    outcome = outcome.and(Err(error));
                }
                Err(error) => return Err(error),
            }
        }
        outcome
    }

    fn rebuild_index(&self, id: LabelId, work: &TaskWork<'_>) -> Result<(), StoreError> {
        let catalogue = self.catalogue();
        // One that is gone, or on its way, needs no entries.
        let Some(index) = catalogue.index_label(id).filter(|index| !index.status.is_being_deleted()) else {
            return Ok(());
        };
        if self.is_repairable(index) {
            return self.repair_index(index, work);
        }
        if index.status != Status::Creating {
            self.put_out_of_use(index)?;
            self.change(|catalogue, rules| catalogue.rebuild_index_label(id, rules))?;
        }
        self.wait_for_writers()?;
        match self.build(id, work) {
            Ok(()) => {
                let catalogue = self.change(|catalogue, _| {
                    // One that was given up meanwhile has not been kept by all writers.
                    match catalogue.index_label(id).map(|index| index.status) {
                        Some(Status::Invalid) => catalogue.set_status(SchemaKey::IndexLabel(id), Status::Invalid),
                        _ => catalogue.finish_index_label(id),
                    }
                })?;
                if catalogue.index_label(id).is_some_and(|index| index.status == Status::Invalid) {
                    return Err(StoreError::Cancelled);
                }
                for old in catalogue.superseded_by(id) {
                    self.remove_label(SchemaKey::IndexLabel(old), work)?;
                }
                Ok(())
            }
            // It stays as it is, and the next start goes on.
            Err(StoreError::Closing) => Err(StoreError::Closing),
            Err(error) => {
                if let Some(index) = self.catalogue().index_label(id) {
                    self.put_out_of_use(index)?;
                }
                Err(error)
            }
        }
    }

    /// Whether building an index label anew can leave it in use.
    fn is_repairable(&self, index: &IndexLabel) -> bool {
        let is_in_use = index.status == Status::Created && index.complete;
        is_in_use
            && match index.index_type {
                IndexType::Secondary | IndexType::Range | IndexType::Shard => true,
                IndexType::Search => index.analyzer == self.options().analyzer,
                IndexType::Unique => false,
            }
    }

    /// Marks an index label as not built, so that nobody keeps or uses it, and deletes its entries.
    pub(crate) fn put_out_of_use(&self, index: &IndexLabel) -> Result<(), StoreError> {
        self.change(|catalogue, _| catalogue.set_status(SchemaKey::IndexLabel(index.id), Status::Invalid))?;
        self.wait_for_writers()?;
        self.delete_entries(index)
    }

    /// Deletes all entries of an index label that nobody keeps.
    pub(crate) fn delete_entries(&self, index: &IndexLabel) -> Result<(), StoreError> {
        let mut prefix = Vec::new();
        index_key::index_partition(&mut prefix, self.number, index.id);
        Ok(self.engine().delete_prefix(tables::of_index(index.index_type), &prefix)?)
    }

    fn build(&self, id: LabelId, work: &TaskWork<'_>) -> Result<(), StoreError> {
        let catalogue = self.catalogue();
        let Some(index) = catalogue.index_label(id) else { return Ok(()) };
        let mut unreported = 0;
        self.for_each_step(&catalogue, index.on_vertices, index.base, &mut |elements| {
            self.build_step(id, elements)?;
            unreported += elements.len();
            if unreported < limits::REMOVAL_ELEMENTS_PER_BATCH {
                return work.check();
            }
            work.advance(std::mem::take(&mut unreported))
        })?;
        work.advance(unreported)
    }

    /// Puts the entries of some elements, with them locked. Where they are too many for one batch, in several.
    fn build_step(&self, id: LabelId, elements: &[ElementId]) -> Result<(), StoreError> {
        let outcome = self.locking(|extra| self.try_build_step(id, elements, extra));
        match outcome {
            Err(StoreError::TooManyIndexEntries { .. } | StoreError::Kv(KvError::BatchTooLarge { .. }))
                if elements.len() > 1 =>
            {
                let (first, second) = elements.split_at(elements.len() / 2);
                self.build_step(id, first)?;
                self.build_step(id, second)
            }
            outcome => outcome,
        }
    }

    fn try_build_step(&self, id: LabelId, elements: &[ElementId], extra: Mask) -> Result<(), Refusal> {
        let exclusive = elements.iter().fold(extra, |mask, element| mask.union(Mask::of_element(element)));
        let locks = Locks { exclusive, ..Locks::default() };
        let ((), held, catalogue) = self.lock_for(Wait::Allowed, |_| Ok(((), locks)))?;
        let Some(index) = catalogue.index_label(id).filter(|index| index.is_kept()) else { return Ok(()) };
        let mut changes = IndexChanges::default();
        for (at, stored) in self.stored_elements(elements)?.iter().flatten().enumerate() {
            changes.group = group_at(at);
            changes.built(self, index, stored)?;
        }
        let mut batch = WriteBatch::new();
        self.put_index_changes(&mut batch, &catalogue, &held, &changes)?;
        self.submit(batch, held).wait()?;
        Ok(())
    }

    /// Gives all elements of a label to `step`. Some may be gone or of another label by the time they are looked at.
    pub(super) fn for_each_step(
        &self,
        catalogue: &Catalogue,
        on_vertices: bool,
        base: LabelId,
        step: &mut Step<'_>,
    ) -> Result<(), StoreError> {
        let mut prefix = Vec::new();
        if !on_vertices {
            key::edge_label_prefix(&mut prefix, self.number, base);
            let mut cursor = self.engine().scan_partitions(tables::EDGE_OUT, &prefix, None)?;
            return in_steps(step, || {
                let entry = cursor.next()?;
                Ok(entry.map(|entry| key::read_edge_out_key(entry.key)).transpose()?.map(ElementId::Edge))
            });
        }
        let label = catalogue.vertex_label(base);
        match label.map(|label| (label.id_strategy, label.enable_label_index)) {
            Some((IdStrategy::PrimaryKey, _)) => key::primary_key_vertices_prefix(&mut prefix, self.number, base),
            Some((_, true)) => {
                key::label_index_partition(&mut prefix, self.number, base);
                let mut cursor = self.engine().scan(tables::LABEL_INDEX, RowRange::all(&prefix))?;
                return in_steps(step, || {
                    let entry = cursor.next()?;
                    let id = entry.map(|entry| key::read_label_index_row(entry.key.row())).transpose()?;
                    Ok(id.map(ElementId::Vertex))
                });
            }
            _ => key::graph_prefix(&mut prefix, self.number),
        }
        let mut cursor = self.engine().scan_partitions(tables::VERTEX, &prefix, None)?;
        in_steps(step, || {
            while let Some(entry) = cursor.next()? {
                if value::read_vertex_head(entry.value)?.label == base {
                    return Ok(Some(ElementId::Vertex(key::read_vertex_key(entry.key)?)));
                }
            }
            Ok(None)
        })
    }

    /// Puts the label index entries of all vertices of a label. Those of vertices that are gone are passed over by every reader.
    fn rebuild_label_index(&self, label: LabelId, work: &TaskWork<'_>) -> Result<(), StoreError> {
        if !needs_label_index(&self.catalogue(), label) {
            return Ok(());
        }
        let mut prefix = Vec::new();
        key::graph_prefix(&mut prefix, self.number);
        let mut cursor = self.engine().scan_partitions(tables::VERTEX, &prefix, None)?;
        let mut step = |ids: &[ElementId]| {
            let exclusive = ids.iter().fold(Mask::default(), |mask, id| mask.union(Mask::of_element(id)));
            let held = self.lock_exclusive(exclusive)?;
            let mut batch = WriteBatch::new();
            let ids: Vec<VertexId> = ids.iter().filter_map(vertex_id).collect();
            for vertex in self.stored_vertices(&ids)?.iter().flatten().filter(|vertex| vertex.label == label) {
                put_label_index_entry(&mut batch, self.number, label, &vertex.id);
                batch.end_group();
            }
            self.submit(batch, held).wait()?;
            work.check()
        };
        in_steps(&mut step, || {
            while let Some(entry) = cursor.next()? {
                if value::read_vertex_head(entry.value)?.label == label {
                    return Ok(Some(ElementId::Vertex(key::read_vertex_key(entry.key)?)));
                }
            }
            Ok(None)
        })
    }
}

fn vertex_id(id: &ElementId) -> Option<VertexId> {
    match id {
        ElementId::Vertex(id) => Some(id.clone()),
        ElementId::Edge(_) => None,
    }
}

/// Collects elements into steps.
pub(super) fn in_steps(
    step: &mut Step<'_>,
    mut next: impl FnMut() -> Result<Option<ElementId>, StoreError>,
) -> Result<(), StoreError> {
    let mut elements = Vec::with_capacity(limits::INDEX_ELEMENTS_PER_STEP);
    while let Some(element) = next()? {
        elements.push(element);
        if elements.len() >= limits::INDEX_ELEMENTS_PER_STEP {
            step(&elements)?;
            elements.clear();
        }
    }
    if elements.is_empty() { Ok(()) } else { step(&elements) }
}
