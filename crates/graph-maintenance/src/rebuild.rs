//! Building an index label over elements that are there already, and removing the entries of one. Work of tasks;
//! writers are not locked out.
//!
//! An index label that is being built is kept by writers from the start. Then all elements of its label are read in
//! steps, each step's once more with the elements locked, and their entries are put. What was written after the start
//! has its entries from its writer, so an element is missed by neither. Every step can be repeated: a build cut short
//! by a crash is run again from the start.
//!
//! Rebuilding one that is in use repairs its entries one by one, and queries continue to use it meanwhile. One that
//! cannot be trusted (it was never built, or not to its end), one whose texts are now cut otherwise, and a unique one,
//! which no query uses and which may have to be refused, is first taken out of use: nobody keeps it, its entries are
//! deleted, and then it is built as a new one.

use std::sync::Arc;

use graph_model::{ElementId, IdStrategy, LabelId, VertexId};
use graph_schema::{IndexLabel, IndexType, SchemaKey, Status};
use graph_store::parts::{
    Locks, Mask, Refusal, WriteUnit, needs_label_index, put_label_index_entry, stored_elements, stored_vertices,
};
use graph_store::{Graph, Schema, StoreError, Wait};
use key_codec::{key, tables, value};
use kv::KvError;

use crate::check::repair;
use crate::progress::Progress;
use crate::removal::{delete_entries, remove_label};
use crate::steps::{for_each_reported_step, in_steps};

/// Builds an index label, or all of a label and its label index: what a task does.
///
/// # Errors
/// Those of storage and of `work`; [`StoreError::UniqueConflict`] and [`StoreError::TooManyTokens`] where an index
/// label cannot be built over these elements, after the others of the label have been built.
pub fn rebuild_indexes(graph: &Graph, target: SchemaKey, work: &dyn Progress) -> Result<(), StoreError> {
    let catalogue = graph.catalogue();
    let indexes: Vec<LabelId> = match target {
        SchemaKey::IndexLabel(id) => vec![id],
        SchemaKey::VertexLabel(id) => {
            rebuild_label_index(graph, id, work)?;
            catalogue.indexes_over(true, id).iter().map(|index| index.id).collect()
        }
        SchemaKey::EdgeLabel(id) => catalogue.indexes_over(false, id).iter().map(|index| index.id).collect(),
        SchemaKey::PropertyKey(_) => Vec::new(),
    };
    let mut outcome = Ok(());
    for index in indexes {
        match rebuild_index(graph, index, work) {
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

fn rebuild_index(graph: &Graph, id: LabelId, work: &dyn Progress) -> Result<(), StoreError> {
    let catalogue = graph.catalogue();
    // One that is gone, or on its way, needs no entries.
    let Some(index) = catalogue.index_label(id).filter(|index| !index.status.is_being_deleted()) else {
        return Ok(());
    };
    if is_repairable(graph, index) {
        return repair(graph, index, work);
    }
    if index.status != Status::Creating {
        put_out_of_use(graph, index)?;
        Schema::new(graph).change(|catalogue, rules| catalogue.rebuild_index_label(id, rules))?;
    }
    graph.wait_for_writers()?;
    match build(graph, id, work) {
        Ok(()) => {
            let catalogue = Schema::new(graph).change(|catalogue, _| {
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
                remove_label(graph, SchemaKey::IndexLabel(old), work)?;
            }
            Ok(())
        }
        // It stays as it is, and the next start goes on.
        Err(StoreError::Closing) => Err(StoreError::Closing),
        Err(error) => {
            if let Some(index) = graph.catalogue().index_label(id) {
                put_out_of_use(graph, index)?;
            }
            Err(error)
        }
    }
}

/// Whether an index label can stay in use while it is rebuilt.
fn is_repairable(graph: &Graph, index: &IndexLabel) -> bool {
    let is_in_use = index.status == Status::Created && index.complete;
    is_in_use
        && match index.index_type {
            IndexType::Secondary | IndexType::Range | IndexType::Shard => true,
            IndexType::Search => index.analyzer == graph.options().analyzer,
            IndexType::Unique => false,
        }
}

/// Marks an index label as not built, so that nobody keeps or uses it, and deletes its entries.
fn put_out_of_use(graph: &Graph, index: &IndexLabel) -> Result<(), StoreError> {
    Schema::new(graph).change(|catalogue, _| catalogue.set_status(SchemaKey::IndexLabel(index.id), Status::Invalid))?;
    graph.wait_for_writers()?;
    delete_entries(graph, index)
}

fn build(graph: &Graph, id: LabelId, work: &dyn Progress) -> Result<(), StoreError> {
    let catalogue = graph.catalogue();
    let Some(index) = catalogue.index_label(id) else { return Ok(()) };
    for_each_reported_step(graph, &catalogue, index, work, &mut |elements| build_step(graph, id, elements))
}

/// Puts the entries of some elements, with them locked. Where they are too many for one batch, in several.
fn build_step(graph: &Graph, id: LabelId, elements: &[ElementId]) -> Result<(), StoreError> {
    let exclusive = elements.iter().fold(Mask::default(), |mask, element| mask.union(Mask::of_element(element)));
    let outcome = WriteUnit::lock(graph, Wait::Allowed, Locks::exclusive(exclusive), |unit| {
        put_entries(graph, unit, id, elements)
    });
    match outcome {
        Err(StoreError::TooManyIndexEntries { .. } | StoreError::Kv(KvError::BatchTooLarge { .. }))
            if elements.len() > 1 =>
        {
            let (first, second) = elements.split_at(elements.len() / 2);
            build_step(graph, id, first)?;
            build_step(graph, id, second)
        }
        outcome => outcome,
    }
}

fn put_entries(graph: &Graph, mut unit: WriteUnit<'_>, id: LabelId, elements: &[ElementId]) -> Result<(), Refusal> {
    let index = unit.catalogue().index_label(id).map(Arc::clone);
    let Some(index) = index.filter(|index| index.is_kept()) else { return Ok(()) };
    for (at, stored) in stored_elements(graph, elements)?.iter().flatten().enumerate() {
        unit.note_built(&index, stored, at)?;
    }
    unit.finish(())?.wait()?;
    Ok(())
}

/// Puts the label index entries of all vertices of a label. Those of vertices that are gone are passed over by
/// every reader.
fn rebuild_label_index(graph: &Graph, label: LabelId, work: &dyn Progress) -> Result<(), StoreError> {
    if !needs_label_index(&graph.catalogue(), label) {
        return Ok(());
    }
    let mut prefix = Vec::new();
    key::graph_prefix(&mut prefix, graph.number());
    let mut cursor = graph.engine().scan_partitions(tables::VERTEX, &prefix, None)?;
    let mut step = |ids: &[ElementId]| {
        let exclusive = ids.iter().fold(Mask::default(), |mask, id| mask.union(Mask::of_element(id)));
        let ids: Vec<VertexId> = ids.iter().filter_map(vertex_id).collect();
        WriteUnit::lock(graph, Wait::Allowed, Locks::exclusive(exclusive), |mut unit| {
            for vertex in stored_vertices(graph, &ids)?.iter().flatten().filter(|vertex| vertex.label == label) {
                put_label_index_entry(&mut unit.batch, graph.number(), label, &vertex.id);
                unit.batch.end_group();
            }
            Ok(unit.submit().wait()?)
        })?;
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

/// Takes out of use the index labels whose entries an ingest of elements of these labels would make wrong. Returns
/// the names of those that are to be built by a rebuild after the ingest.
///
/// An ingested vertex can replace one of another label where ids do not begin with the label; then all index labels
/// of vertices are.
///
/// # Errors
/// Those of storage.
pub fn suspend_indexes(graph: &Graph, vertex_labels: &[&str], edge_labels: &[&str]) -> Result<Vec<String>, StoreError> {
    let catalogue = graph.catalogue();
    let vertex_labels: Vec<_> = vertex_labels.iter().filter_map(|name| catalogue.vertex_label_named(name)).collect();
    let may_replace_others = vertex_labels.iter().any(|label| label.id_strategy != IdStrategy::PrimaryKey);
    let edge_labels: Vec<LabelId> =
        edge_labels.iter().filter_map(|name| catalogue.edge_label_named(name)).map(|label| label.id).collect();
    let concerned = catalogue.index_labels().filter(|index| {
        let of_vertices = || may_replace_others || vertex_labels.iter().any(|label| label.id == index.base);
        let is_concerned = if index.on_vertices { of_vertices() } else { edge_labels.contains(&index.base) };
        is_concerned && !index.status.is_being_deleted()
    });
    let mut names = Vec::new();
    for index in concerned {
        put_out_of_use(graph, index)?;
        names.push(index.name.clone());
    }
    Ok(names)
}

fn vertex_id(id: &ElementId) -> Option<VertexId> {
    match id {
        ElementId::Vertex(id) => Some(id.clone()),
        ElementId::Edge(_) => None,
    }
}
