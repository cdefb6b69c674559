//! Deleting one element: an edge, or a vertex with all its edges.

use std::sync::Arc;

use edge_rows::{TABLES, each_edge_at};
use graph_model::{Edge, EdgeId, ElementRef, Vertex, VertexId};
use key_codec::{key, value};
use kv::RowRange;

use crate::core::expiry::delete_expiry;
use crate::core::graph::Graph;
use crate::core::pending::Pending;
use crate::core::texts::edge_id_text;
use crate::index::changes::is_indexed_edge;
use crate::index::write_unit::{Refusal, WriteUnit};
use crate::limits;
use crate::reader::Reader;
use crate::write::Writer;
use crate::write::rows::{remove_edge, remove_vertex};
use store_error::StoreError;
use stripe_locks::{Locks, Mask, Wait};

impl Writer<'_> {
    /// Deletes an edge.
    pub fn delete_edge(&self, id: &EdgeId, wait: Wait) -> Result<Pending<()>, StoreError> {
        let graph = self.graph;
        let stripes = Locks { shared: Mask::of(&id.target), ..Locks::exclusive(Mask::of(&id.source)) };
        WriteUnit::lock(graph, wait, stripes, |mut unit| {
            let not_found = || StoreError::EdgeNotFound { id: edge_id_text(&unit.catalogue, id) };
            let edge = Reader::new(graph).edge(id)?.ok_or_else(not_found)?;
            remove_edge(&mut unit.batch, graph.number, id);
            unit.note_edge(Some(&edge), None, 0)?;
            unit.put_index_removals()?;
            delete_expiry(&mut unit.batch, graph.number, edge.expires_at_ms, ElementRef::Edge(id));
            Ok(unit.submit_with(()))
        })
    }

    /// Deletes a vertex and every edge that starts or ends at it. The edges of a vertex with very many of them go in
    /// several batches, the vertex in the last one.
    pub fn delete_vertex(&self, id: &VertexId, wait: Wait) -> Result<Pending<()>, StoreError> {
        WriteUnit::lock(self.graph, wait, Locks::exclusive(Mask::of(id)), |mut unit| {
            let not_found = || StoreError::VertexNotFound { id: id.to_string() };
            let vertex = Reader::new(unit.graph).vertex(id)?.ok_or_else(not_found)?;
            remove_vertex_wholly(&mut unit, &vertex)?;
            Ok((unit.graph.shared.has_others(), unit.submit_with(())))
        })
        .and_then(|(others, pending)| if others { self.with_late_edges(pending, id) } else { Ok(pending) })
    }

    fn with_late_edges(&self, removed: Pending<()>, id: &VertexId) -> Result<Pending<()>, StoreError> {
        removed.wait()?;
        remove_late_edges(self.graph, id).map(Pending::stored)
    }
}

/// Removes the edges of a vertex that another process put there while the vertex was being removed, having seen it. One
/// that comes later still finds the vertex gone and takes its edge away itself ([`Writer::with_ends`]).
pub(super) fn remove_late_edges(graph: &Graph, id: &VertexId) -> Result<(), StoreError> {
    loop {
        let late = WriteUnit::lock(graph, Wait::Allowed, Locks::exclusive(Mask::of(id)), |mut unit| {
            if Reader::new(graph).vertex(id)?.is_none() {
                remove_edges_of(&mut unit, id)?;
            }
            Ok((!unit.batch.is_empty()).then(|| unit.submit()))
        })?;
        match late {
            // Looked for again: where clocks order writes, an edge can be later than its removal.
            Some(late) => late.wait()?,
            None => return Ok(()),
        }
    }
}

/// Appends the removal of a stored vertex, which must be locked exclusively, with its edges, its index entries and its
/// expiry. The batch must hold nothing else: of very many edges the first ones are removed at once.
pub fn remove_vertex_wholly(unit: &mut WriteUnit<'_>, vertex: &Vertex) -> Result<(), Refusal> {
    remove_edges_of(unit, &vertex.id)?;
    remove_vertex(&mut unit.batch, unit.graph.number, &unit.catalogue, &vertex.id, vertex.label);
    unit.note_vertex(Some(vertex), None, 0)?;
    unit.put_index_removals()?;
    delete_expiry(&mut unit.batch, unit.graph.number, vertex.expires_at_ms, ElementRef::Vertex(&vertex.id));
    Ok(())
}

/// Appends the removal of every edge that starts or ends at a vertex, which must be locked exclusively. Of very many
/// edges the first ones are removed at once. Writers at both ends of an edge can do this together, so the places it has
/// in unique indexes are locked too: the slower one must not take a place from an element that got it after the faster
/// one.
fn remove_edges_of(unit: &mut WriteUnit<'_>, id: &VertexId) -> Result<(), Refusal> {
    let graph = unit.graph;
    let catalogue = Arc::clone(&unit.catalogue);
    let labels = catalogue.edge_labels().map(|label| label.id);
    let is_whole = each_edge_at(graph.engine(), graph.number, labels, id, &mut |edge_id, value| {
        remove_edge_of(unit, edge_id, value)?;
        Ok::<_, Refusal>(!is_part(unit))
    })?;
    if !is_whole {
        remove_part(unit)?;
        remove_many_edges_of(unit, id)?;
    }
    put_edge_removals(unit)
}

/// As [`remove_edges_of`], partition by partition, so that each part goes on where the last one stopped.
fn remove_many_edges_of(unit: &mut WriteUnit<'_>, id: &VertexId) -> Result<(), Refusal> {
    let graph = unit.graph;
    let catalogue = Arc::clone(&unit.catalogue);
    for (table, read_key) in TABLES {
        for label in catalogue.edge_labels() {
            let mut partition = Vec::new();
            key::edge_partition(&mut partition, graph.number, label.id, id);
            let mut cursor = graph.engine().scan(table, RowRange::all(&partition))?;
            while let Some(entry) = cursor.next()? {
                remove_edge_of(unit, read_key(entry.key)?, entry.value)?;
                if is_part(unit) {
                    remove_part(unit)?;
                }
            }
        }
    }
    Ok(())
}

/// Appends the removal of a stored edge.
fn remove_edge_of(unit: &mut WriteUnit<'_>, edge_id: EdgeId, value: &[u8]) -> Result<(), StoreError> {
    remove_edge(&mut unit.batch, unit.graph.number, &edge_id);
    if is_indexed_edge(&unit.catalogue, &edge_id) {
        let (expires_at_ms, properties) = value::read_edge(value)?;
        let edge = Edge { id: edge_id, properties, expires_at_ms };
        unit.note_edge(Some(&edge), None, 0)?;
    }
    unit.batch.end_group();
    Ok(())
}

/// Whether so many edges are to be removed that these are removed at once.
fn is_part(unit: &WriteUnit<'_>) -> bool {
    unit.batch.len() >= 2 * limits::DELETE_EDGES_PER_BATCH || unit.changes.is_large()
}

fn remove_part(unit: &mut WriteUnit<'_>) -> Result<(), Refusal> {
    put_edge_removals(unit)?;
    Ok(unit.commit_part()?)
}

/// Appends the removal of the index entries of edges, with the places they give up locked.
fn put_edge_removals(unit: &mut WriteUnit<'_>) -> Result<(), Refusal> {
    unit.check_held(unit.changes.released_stripes())?;
    Ok(unit.put_index_removals()?)
}
