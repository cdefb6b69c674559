//! Removing what has expired.
//!
//! An element with an expiry has a row in the table `expiry`, written in its batch. A purge takes the rows that are
//! due, reads their elements again with those locked, and deletes each that has really expired, wholly: a vertex with
//! its edges, both with their index entries. A row whose element is gone or lives longer by now, because it was written
//! again, goes without it. Reads hide expired elements by themselves, so nothing but space depends on when this
//! happens.
//!
//! Edges go many in one batch; each vertex, whose edges can be very many, in batches of its own, the last of which
//! takes the vertex, its index entries and its row together. So what a failure leaves is due again.

use graph_model::{EdgeId, ElementId, ElementRef, VertexId};
use graph_store::limits::EXPIRY_WRITE_MS_MAX;
use graph_store::parts::{
    Locks, Mask, WriteUnit, delete_expiry, put_expiry, remove_edge, remove_vertex_wholly, stored_edges, stored_vertices,
};
use graph_store::{Graph, StoreError, Wait, now_ms as real_now_ms};
use key_codec::{key, tables, value};
use kv::{Commit, KvError, RowRange, WriteBatch, successor};

use crate::limits;

/// What was removed because it had expired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Purged {
    /// Vertices; the edges that went with them are not counted.
    pub vertices: u64,
    /// Edges that had expired themselves.
    pub edges: u64,
}

/// Rows of the table that are due: moments and elements.
#[derive(Default)]
struct Due {
    vertices: Vec<(i64, VertexId)>,
    edges: Vec<(i64, EdgeId)>,
    /// The row to go on with.
    next: Vec<u8>,
}

/// The row to begin with: those of earlier moments are gone. Looking for them would mean to step over what is left
/// in storage of deleted rows. An element is written with a moment in the future, so only a write that took long
/// can come before the last purge.
fn first_due(graph: &Graph, now_ms: i64) -> Vec<u8> {
    let purged_to_ms = graph.purged_to_ms().min(now_ms);
    let mut from = Vec::new();
    key::expiry_bound(&mut from, purged_to_ms.saturating_sub(EXPIRY_WRITE_MS_MAX));
    from
}

/// Removes the elements that have expired at a moment, in milliseconds since 1970 UTC, until `stop`. `batch`: rows
/// looked at at one time. Each batch is reported to `removed`.
///
/// # Errors
/// Those of storage; [`StoreError::GraphCleared`].
pub fn purge(
    graph: &Graph,
    batch: usize,
    now_ms: i64,
    stop: impl Fn() -> bool,
    mut removed: impl FnMut(Purged),
) -> Result<(), StoreError> {
    let mut from = first_due(graph, now_ms);
    while !stop() {
        if !purge_batch(graph, now_ms, batch, &mut from, &mut removed)? {
            graph.set_purged_to_ms(now_ms.min(real_now_ms()));
            break;
        }
    }
    Ok(())
}

/// Removes up to `limit` of the elements that are due, from a row on, which is moved on. Whether there were any.
fn purge_batch(
    graph: &Graph,
    now_ms: i64,
    limit: usize,
    from: &mut Vec<u8>,
    removed: &mut impl FnMut(Purged),
) -> Result<bool, StoreError> {
    let Due { vertices, edges, next } = due(graph, now_ms, limit, from)?;
    if vertices.is_empty() && edges.is_empty() {
        return Ok(false);
    }
    // The edges first: with a vertex go those that are not counted.
    let mut purged = Purged { vertices: 0, edges: purge_edges(graph, &edges)? };
    // Not waited for one by one, so that the engine can write several together.
    let mut under_way = Vec::with_capacity(vertices.len());
    let mut outcome = Ok(());
    for (at, id) in &vertices {
        match purge_vertex(graph, *at, id) {
            Ok((count, commit)) => under_way.push((id, count, commit)),
            Err(error) if is_too_large(&error) => stays(graph, id, &error),
            Err(error) => {
                outcome = Err(error);
                break;
            }
        }
    }
    for (id, count, commit) in under_way {
        match commit.wait().map_err(StoreError::from) {
            Ok(()) => purged.vertices += count,
            Err(error) if is_too_large(&error) => stays(graph, id, &error),
            Err(error) => outcome = outcome.and(Err(error)),
        }
    }
    removed(purged);
    outcome?;
    *from = next;
    Ok(true)
}

/// Says that an element cannot be removed. Tried again by the next start; nobody else's turn waits for it.
fn stays(graph: &Graph, element: &dyn std::fmt::Debug, error: &StoreError) {
    tracing::error!(
        graph = graph.name(),
        ?element,
        %error,
        "an expired element cannot be removed: it stays, hidden"
    );
}

/// Removes a vertex, its edges and its row; counts 1 if the vertex still expires when its row says.
fn purge_vertex(graph: &Graph, at: i64, id: &VertexId) -> Result<(u64, Commit), StoreError> {
    WriteUnit::lock(graph, Wait::Allowed, Locks::exclusive(Mask::of(id)), |mut unit| {
        let stored = stored_vertices(graph, std::slice::from_ref(id))?.into_iter().flatten().next();
        let expired = stored.filter(|vertex| vertex.expires_at_ms == Some(at));
        match &expired {
            Some(vertex) => remove_vertex_wholly(&mut unit, vertex)?,
            None => delete_expiry(&mut unit.batch, graph.number(), Some(at), ElementRef::Vertex(id)),
        }
        Ok((u64::from(expired.is_some()), unit.submit()))
    })
}

/// Removes those edges that still expire when their rows say, and the rows; returns how many. Where their index
/// entries are too many for one batch, in several.
fn purge_edges(graph: &Graph, due: &[(i64, EdgeId)]) -> Result<u64, StoreError> {
    match (purge_edges_at_once(graph, due), due) {
        (Err(error), [(_, id)]) if is_too_large(&error) => {
            stays(graph, id, &error);
            Ok(0)
        }
        (Err(error), _) if is_too_large(&error) => {
            let (first, second) = due.split_at(due.len() / 2);
            Ok(purge_edges(graph, first)? + purge_edges(graph, second)?)
        }
        (outcome, _) => outcome,
    }
}

fn purge_edges_at_once(graph: &Graph, due: &[(i64, EdgeId)]) -> Result<u64, StoreError> {
    if due.is_empty() {
        return Ok(0);
    }
    let mut stripes = Locks::default();
    for (_, id) in due {
        stripes.exclusive.add(&id.source);
        stripes.shared.add(&id.target);
    }
    let ids: Vec<EdgeId> = due.iter().map(|(_, id)| id.clone()).collect();
    WriteUnit::lock(graph, Wait::Allowed, stripes, |mut unit| {
        let mut purged = 0;
        for ((at, id), edge) in due.iter().zip(stored_edges(graph, &ids)?) {
            if let Some(edge) = edge.filter(|edge| edge.expires_at_ms == Some(*at)) {
                remove_edge(&mut unit.batch, graph.number(), id);
                unit.note_edge(Some(&edge), None, 0)?;
                purged += 1;
            }
            delete_expiry(&mut unit.batch, graph.number(), Some(*at), ElementRef::Edge(id));
            unit.batch.end_group();
        }
        unit.put_index_removals()?;
        unit.submit().wait()?;
        Ok(purged)
    })
}

/// Up to `limit` rows that are due, the oldest first.
fn due(graph: &Graph, now_ms: i64, limit: usize, from: &[u8]) -> Result<Due, StoreError> {
    let mut partition = Vec::new();
    key::expiry_partition(&mut partition, graph.number());
    let mut end = Vec::new();
    key::expiry_bound(&mut end, now_ms.saturating_add(1));
    let range = RowRange { partition: &partition, start: from, end: Some(&end) };
    let mut due = Due::default();
    let mut cursor = graph.engine().scan(tables::EXPIRY, range)?;
    while due.vertices.len() + due.edges.len() < limit
        && let Some(entry) = cursor.next()?
    {
        due.next = successor(entry.key.row());
        match key::read_expiry_row(entry.key.row())? {
            (at, ElementId::Vertex(id)) => due.vertices.push((at, id)),
            (at, ElementId::Edge(id)) => due.edges.push((at, id)),
        }
    }
    Ok(due)
}

/// Writes the rows of all elements that expire: for a store of a version that did not keep them.
///
/// # Errors
/// Those of storage.
pub fn note_expiries(graph: &Graph) -> Result<(), StoreError> {
    let catalogue = graph.catalogue();
    let mut batch = WriteBatch::new();
    if catalogue.vertex_labels().any(|label| label.ttl_ms > 0) {
        let mut prefix = Vec::new();
        key::graph_prefix(&mut prefix, graph.number());
        let mut cursor = graph.engine().scan_partitions(tables::VERTEX, &prefix, None)?;
        while let Some(entry) = cursor.next()? {
            let expires_at_ms = value::read_vertex_head(entry.value)?.expires_at_ms;
            let id = key::read_vertex_key(entry.key)?;
            put_expiry(&mut batch, graph.number(), expires_at_ms, ElementRef::Vertex(&id));
            batch.end_group();
            commit_if_large(graph, &mut batch)?;
        }
    }
    for label in catalogue.edge_labels().filter(|label| label.ttl_ms > 0) {
        let mut prefix = Vec::new();
        key::edge_label_prefix(&mut prefix, graph.number(), label.id);
        let mut cursor = graph.engine().scan_partitions(tables::EDGE_OUT, &prefix, None)?;
        while let Some(entry) = cursor.next()? {
            let expires_at_ms = value::read_edge_expiry(entry.value)?;
            let id = key::read_edge_out_key(entry.key)?;
            put_expiry(&mut batch, graph.number(), expires_at_ms, ElementRef::Edge(&id));
            batch.end_group();
            commit_if_large(graph, &mut batch)?;
        }
    }
    Ok(graph.engine().commit(batch)?)
}

fn commit_if_large(graph: &Graph, batch: &mut WriteBatch) -> Result<(), StoreError> {
    if batch.len() >= limits::EXPIRIES_PER_BATCH {
        graph.engine().commit(std::mem::take(batch))?;
    }
    Ok(())
}

/// Whether a batch of fewer elements may succeed.
fn is_too_large(error: &StoreError) -> bool {
    matches!(error, StoreError::TooManyIndexEntries { .. } | StoreError::Kv(KvError::BatchTooLarge { .. }))
}
