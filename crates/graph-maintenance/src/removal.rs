//! Removing a label with all its data, or an index label with all its entries. Every step can be repeated, so a removal
//! cut short by a crash is simply run again.
//!
//! The label is first marked as being deleted, so that nothing new is written; then the writers at work are waited for;
//! then the data goes; then the definition.

use graph_model::{IdStrategy, LabelId, VertexId};
use graph_schema::{Catalogue, IndexLabel, SchemaKey, Status, VertexLabel};
use graph_store::parts::{Locks, Mask, WriteUnit, fetch, remove_vertex};
use graph_store::{Graph, Schema, StoreError, Wait};
use key_codec::{index_key, key, tables, value};
use kv::{Keys, RowRange};

use crate::limits;
use crate::progress::Progress;

/// Removes a label and its elements. A label that is gone already counts as removed.
///
/// # Errors
/// [`StoreError::Schema`] where others refer to the label; those of storage and of `work`.
pub fn remove_label(graph: &Graph, label: SchemaKey, work: &dyn Progress) -> Result<(), StoreError> {
    let catalogue = graph.catalogue();
    match label {
        SchemaKey::VertexLabel(id) if catalogue.vertex_label(id).is_none() => return Ok(()),
        SchemaKey::EdgeLabel(id) if catalogue.edge_label(id).is_none() => return Ok(()),
        SchemaKey::IndexLabel(id) if catalogue.index_label(id).is_none() => return Ok(()),
        SchemaKey::PropertyKey(_) => return Ok(()),
        SchemaKey::VertexLabel(_) | SchemaKey::EdgeLabel(_) | SchemaKey::IndexLabel(_) => {}
    }
    // Checked and marked in one change: nothing can come to refer to the label in between, nor after.
    let catalogue = Schema::new(graph).change(|catalogue, _| {
        match label {
            SchemaKey::VertexLabel(id) => catalogue.check_vertex_label_removable(id)?,
            SchemaKey::EdgeLabel(id) => catalogue.check_edge_label_removable(id)?,
            SchemaKey::PropertyKey(_) | SchemaKey::IndexLabel(_) => {}
        }
        catalogue.set_status_with_indexes(label, Status::Deleting)
    })?;
    graph.wait_for_writers()?;
    let outcome = remove_elements(graph, &catalogue, label, work);
    match outcome {
        Ok(()) => Schema::new(graph).change(|catalogue, _| catalogue.remove(label)).map(drop),
        // The label stays marked, and the next start goes on.
        Err(StoreError::Closing) => Err(StoreError::Closing),
        Err(error) => {
            Schema::new(graph).change(|catalogue, _| catalogue.set_status_with_indexes(label, Status::Undeleted))?;
            Err(error)
        }
    }
}

/// Deletes all entries of an index label that nobody keeps.
pub(crate) fn delete_entries(graph: &Graph, index: &IndexLabel) -> Result<(), StoreError> {
    let mut prefix = Vec::new();
    index_key::index_partition(&mut prefix, graph.number(), index.id);
    Ok(graph.engine().delete_prefix(tables::of_index(index.index_type), &prefix)?)
}

fn remove_elements(
    graph: &Graph,
    catalogue: &Catalogue,
    label: SchemaKey,
    work: &dyn Progress,
) -> Result<(), StoreError> {
    // Nobody keeps them any more.
    let indexes = match label {
        SchemaKey::VertexLabel(id) => catalogue.indexes_over(true, id),
        SchemaKey::EdgeLabel(id) => catalogue.indexes_over(false, id),
        SchemaKey::PropertyKey(_) | SchemaKey::IndexLabel(_) => &[],
    };
    for index in indexes {
        delete_entries(graph, index)?;
    }
    match label {
        SchemaKey::EdgeLabel(id) => {
            let mut prefix = Vec::new();
            key::edge_label_prefix(&mut prefix, graph.number(), id);
            graph.remove_rows(|engine| {
                engine.delete_prefix(tables::EDGE_OUT, &prefix)?;
                engine.delete_prefix(tables::EDGE_IN, &prefix)
            })
        }
        SchemaKey::VertexLabel(id) => match catalogue.vertex_label(id) {
            Some(label) => remove_vertices(graph, catalogue, label, work),
            None => Ok(()),
        },
        SchemaKey::IndexLabel(id) => match catalogue.index_label(id) {
            Some(index) => delete_entries(graph, index),
            None => Ok(()),
        },
        SchemaKey::PropertyKey(_) => Ok(()),
    }
}

fn remove_vertices(
    graph: &Graph,
    catalogue: &Catalogue,
    label: &VertexLabel,
    work: &dyn Progress,
) -> Result<(), StoreError> {
    let mut prefix = Vec::new();
    if label.id_strategy == IdStrategy::PrimaryKey {
        key::primary_key_vertices_prefix(&mut prefix, graph.number(), label.id);
        // A client-given string can look like an id of this label and belong to another one. No label with such
        // strings can come about while the schema is locked.
        let locked = graph.lock_schema()?;
        if !graph.is_shared()
            && graph.catalogue().vertex_labels().all(|other| other.id_strategy != IdStrategy::CustomizeString)
        {
            return graph.remove_rows(|engine| engine.delete_prefix(tables::VERTEX, &prefix));
        }
        drop(locked);
        return remove_vertices_in_table(graph, catalogue, label.id, &prefix, work);
    }
    if !label.enable_label_index {
        key::graph_prefix(&mut prefix, graph.number());
        return remove_vertices_in_table(graph, catalogue, label.id, &prefix, work);
    }
    remove_indexed_vertices(graph, catalogue, label.id, work)?;
    key::label_index_partition(&mut prefix, graph.number(), label.id);
    Ok(graph.engine().delete_prefix(tables::LABEL_INDEX, &prefix)?)
}

/// Removes vertices of a label among those whose keys begin with `prefix`.
fn remove_vertices_in_table(
    graph: &Graph,
    catalogue: &Catalogue,
    label: LabelId,
    prefix: &[u8],
    work: &dyn Progress,
) -> Result<(), StoreError> {
    let mut ids = Vec::new();
    let mut cursor = graph.engine().scan_partitions(tables::VERTEX, prefix, None)?;
    while let Some(entry) = cursor.next()? {
        if value::read_vertex_head(entry.value)?.label != label {
            continue;
        }
        ids.push(key::read_vertex_key(entry.key)?);
        if ids.len() >= limits::REMOVAL_ELEMENTS_PER_BATCH {
            remove_if_labelled(graph, catalogue, label, &ids)?;
            work.advance(ids.len())?;
            ids.clear();
        }
    }
    remove_if_labelled(graph, catalogue, label, &ids)
}

/// Removes vertices the label index names.
fn remove_indexed_vertices(
    graph: &Graph,
    catalogue: &Catalogue,
    label: LabelId,
    work: &dyn Progress,
) -> Result<(), StoreError> {
    let mut partition = Vec::new();
    key::label_index_partition(&mut partition, graph.number(), label);
    let mut ids = Vec::new();
    let mut cursor = graph.engine().scan(tables::LABEL_INDEX, RowRange::all(&partition))?;
    while let Some(entry) = cursor.next()? {
        ids.push(key::read_label_index_row(entry.key.row())?);
        if ids.len() >= limits::REMOVAL_ELEMENTS_PER_BATCH {
            remove_if_labelled(graph, catalogue, label, &ids)?;
            work.advance(ids.len())?;
            ids.clear();
        }
    }
    remove_if_labelled(graph, catalogue, label, &ids)
}

/// Removes those of the vertices that still have the label, with all of them locked: meanwhile one may have been
/// inserted again under another label.
fn remove_if_labelled(
    graph: &Graph,
    catalogue: &Catalogue,
    label: LabelId,
    ids: &[VertexId],
) -> Result<(), StoreError> {
    let mut mask = Mask::default();
    let mut keys = Keys::new();
    for id in ids {
        mask.add(id);
        keys.push(|b| key::vertex_partition(b, graph.number(), id), |_| ());
    }
    WriteUnit::lock(graph, Wait::Allowed, Locks::exclusive(mask), |mut unit| {
        let labels =
            fetch(graph.engine(), tables::VERTEX, &keys, |_, found| Ok(Some(value::read_vertex_head(found)?.label)))?;
        for (id, _) in ids.iter().zip(labels).filter(|(_, stored)| *stored == Some(label)) {
            remove_vertex(&mut unit.batch, graph.number(), catalogue, id, label);
            unit.batch.end_group();
        }
        Ok(unit.submit().wait()?)
    })
}
