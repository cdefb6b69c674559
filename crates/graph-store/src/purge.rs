//! Removing what has expired.
//!
//! An element with an expiry has a row in the table `expiry`, written in its batch. A purge takes the rows that are due, reads their
//! elements again with all of them locked, and deletes each that has really expired, wholly: a vertex with its edges, both with their
//! index entries. A row whose element is gone or lives longer by now, because it was written again, goes without it. Reads hide expired
//! elements by themselves, so nothing but space depends on when this happens.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use graph_model::{EdgeId, ElementId, ElementRef, VertexId};
use graph_schema::Catalogue;
use key_codec::{key, tables, value};
use kv::{RowRange, WriteBatch, successor};
use parking_lot::{Condvar, Mutex, RwLock};

use crate::graph::{Locks, now_ms as real_now_ms};
use crate::index::changes::{IndexChanges, Refusal};
use crate::stripes::{Held, Mask};
use crate::{Graph, Store, StoreError, Wait, limits};

/// How expired elements are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PurgeOptions {
    /// Pause between two looks at what is due; `None`: only [`Store::purge_expired`] removes anything.
    pub interval: Option<Duration>,
    /// Elements removed at one time. Writers to the same elements wait for that long.
    pub elements_per_batch: usize,
}

impl Default for PurgeOptions {
    fn default() -> Self {
        Self { interval: Some(Duration::from_secs(10)), elements_per_batch: 200 }
    }
}

/// What was removed because it had expired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Purged {
    /// Vertices; the edges that went with them are not counted.
    pub vertices: u64,
    /// Edges that had expired themselves.
    pub edges: u64,
}

/// The totals since the store was opened.
#[derive(Default)]
pub(crate) struct PurgeTotals {
    vertices: AtomicU64,
    edges: AtomicU64,
}

impl PurgeTotals {
    fn add(&self, purged: Purged) {
        self.vertices.fetch_add(purged.vertices, Ordering::Relaxed);
        self.edges.fetch_add(purged.edges, Ordering::Relaxed);
    }
}

/// The graphs of a store by name, shared with the thread that purges them.
pub(crate) type Graphs = Arc<RwLock<BTreeMap<String, Arc<Graph>>>>;

impl Store {
    /// Removes every element of every graph that has expired at a moment, in milliseconds since 1970 UTC. Returns what it removed.
    pub fn purge_expired(&self, now_ms: i64) -> Result<Purged, StoreError> {
        purge(&self.graphs, self.shared.options.purge.elements_per_batch, now_ms, || false)
    }

    /// What was removed since the store was opened because it had expired.
    #[must_use]
    pub fn purged(&self) -> Purged {
        let totals = &self.shared.purged;
        Purged { vertices: totals.vertices.load(Ordering::Relaxed), edges: totals.edges.load(Ordering::Relaxed) }
    }
}

fn purge(graphs: &Graphs, batch: usize, now_ms: i64, stop: impl Fn() -> bool) -> Result<Purged, StoreError> {
    let all: Vec<_> = graphs.read().values().cloned().collect();
    let mut purged = Purged::default();
    for graph in all {
        let mut from = graph.first_due(now_ms);
        while !stop() {
            match graph.purge_batch(now_ms, batch.max(1), &mut from) {
                Ok(Some(done)) => {
                    purged.vertices += done.vertices;
                    purged.edges += done.edges;
                }
                Ok(None) => {
                    graph.purged_to_ms.store(now_ms.min(real_now_ms()), Ordering::Relaxed);
                    break;
                }
                // Cleared or dropped meanwhile: its rows go with the rest of it.
                Err(StoreError::GraphCleared { .. }) => break,
                Err(error) => return Err(error),
            }
        }
    }
    Ok(purged)
}

/// Rows of the table that are due: moments and elements.
#[derive(Default)]
struct Due {
    vertices: Vec<(i64, VertexId)>,
    edges: Vec<(i64, EdgeId)>,
    /// The row to go on with.
    next: Vec<u8>,
}

impl Graph {
    /// The row to begin with: those of earlier moments are gone. Looking for them would mean to step over what is left in storage of
    /// deleted rows. An element is written with a moment in the future, so only a write that took long can come before the last purge.
    fn first_due(&self, now_ms: i64) -> Vec<u8> {
        let purged_to_ms = self.purged_to_ms.load(Ordering::Relaxed).min(now_ms);
        let mut from = Vec::new();
        key::expiry_bound(&mut from, purged_to_ms.saturating_sub(limits::EXPIRY_WRITE_MS_MAX));
        from
    }

    /// Removes up to `limit` of the elements that are due, from a row on, which is moved on; `None` where there is nothing more.
    fn purge_batch(&self, now_ms: i64, limit: usize, from: &mut Vec<u8>) -> Result<Option<Purged>, StoreError> {
        let Due { vertices, edges, next } = self.due(now_ms, limit, from)?;
        if vertices.is_empty() && edges.is_empty() {
            return Ok(None);
        }
        let purged = self.locking(|extra| self.try_purge(&vertices, &edges, extra))?;
        self.shared.purged.add(purged);
        *from = next;
        Ok(Some(purged))
    }

    /// Removes what is due, and the rows that say so.
    fn try_purge(&self, vertices: &[(i64, VertexId)], edges: &[(i64, EdgeId)], extra: Mask) -> Result<Purged, Refusal> {
        let mut locks = Locks { exclusive: extra, ..Locks::default() };
        for (_, id) in vertices {
            locks.exclusive.add(id);
        }
        for (_, id) in edges {
            locks.exclusive.add(&id.source);
            locks.shared.add(&id.target);
        }
        let ((), held, catalogue) = self.lock_for(Wait::Allowed, |_| Ok(((), locks)))?;
        let mut batch = WriteBatch::new();
        let purged = Purged {
            vertices: self.purge_vertices(&mut batch, &catalogue, &held, vertices)?,
            edges: self.purge_edges(&mut batch, &catalogue, edges)?,
        };
        // The rows go last: should an earlier batch of a vertex with very many edges be the last one written, they are due again.
        let due = vertices.iter().map(|(at, id)| (*at, ElementRef::Vertex(id)));
        for (at, id) in due.chain(edges.iter().map(|(at, id)| (*at, ElementRef::Edge(id)))) {
            self.delete_expiry(&mut batch, Some(at), id);
        }
        self.submit(batch, held).wait()?;
        Ok(purged)
    }

    /// Up to `limit` rows that are due, the oldest first.
    fn due(&self, now_ms: i64, limit: usize, from: &[u8]) -> Result<Due, StoreError> {
        let mut partition = Vec::new();
        key::expiry_partition(&mut partition, self.number);
        let mut end = Vec::new();
        key::expiry_bound(&mut end, now_ms.saturating_add(1));
        let range = RowRange { partition: &partition, start: from, end: Some(&end) };
        let mut due = Due::default();
        let mut cursor = self.engine().scan(tables::EXPIRY, range)?;
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

    /// Appends the removal of those vertices that still expire when their rows say.
    fn purge_vertices(
        &self,
        batch: &mut WriteBatch,
        catalogue: &Catalogue,
        held: &Held,
        due: &[(i64, VertexId)],
    ) -> Result<u64, Refusal> {
        let ids: Vec<VertexId> = due.iter().map(|(_, id)| id.clone()).collect();
        let mut changes = IndexChanges::default();
        let mut purged = 0;
        for ((at, id), vertex) in due.iter().zip(self.stored_vertices(&ids)?) {
            if let Some(vertex) = vertex.filter(|vertex| vertex.expires_at_ms == Some(*at)) {
                self.remove_edges_of(batch, catalogue, held, id)?;
                self.remove_vertex(batch, catalogue, id, vertex.label);
                changes.vertex(self, catalogue, Some(&vertex), None, None)?;
                purged += 1;
            }
        }
        self.put_index_removals(batch, &changes)?;
        Ok(purged)
    }

    /// Appends the removal of those edges that still expire when their rows say.
    fn purge_edges(
        &self,
        batch: &mut WriteBatch,
        catalogue: &Catalogue,
        due: &[(i64, EdgeId)],
    ) -> Result<u64, StoreError> {
        let ids: Vec<EdgeId> = due.iter().map(|(_, id)| id.clone()).collect();
        let mut changes = IndexChanges::default();
        let mut purged = 0;
        for ((at, id), edge) in due.iter().zip(self.stored_edges(&ids)?) {
            if let Some(edge) = edge.filter(|edge| edge.expires_at_ms == Some(*at)) {
                self.remove_edge(batch, id);
                changes.edge(self, catalogue, Some(&edge), None, None)?;
                purged += 1;
            }
        }
        self.put_index_removals(batch, &changes)?;
        Ok(purged)
    }

    /// Appends the row of an element that expires.
    pub(crate) fn put_expiry(&self, batch: &mut WriteBatch, expires_at_ms: Option<i64>, element: ElementRef<'_>) {
        if let Some(at) = expires_at_ms {
            batch.put(
                tables::EXPIRY,
                |b| key::expiry_partition(b, self.number),
                |b| key::expiry_row(b, at, element),
                |_| (),
            );
        }
    }

    /// Appends the removal of such a row. Where it is left out, the purge removes it when it is due.
    pub(crate) fn delete_expiry(&self, batch: &mut WriteBatch, expires_at_ms: Option<i64>, element: ElementRef<'_>) {
        if let Some(at) = expires_at_ms {
            batch.delete(
                tables::EXPIRY,
                |b| key::expiry_partition(b, self.number),
                |b| key::expiry_row(b, at, element),
            );
        }
    }

    /// Writes the rows of all elements that expire: for a store of a version that did not keep them.
    pub(crate) fn note_expiries(&self) -> Result<(), StoreError> {
        let catalogue = self.catalogue();
        let mut batch = WriteBatch::new();
        if catalogue.vertex_labels().any(|label| label.ttl_ms > 0) {
            let mut prefix = Vec::new();
            key::graph_prefix(&mut prefix, self.number);
            let mut cursor = self.engine().scan_partitions(tables::VERTEX, &prefix, None)?;
            while let Some(entry) = cursor.next()? {
                let expires_at_ms = value::read_vertex_head(entry.value)?.expires_at_ms;
                let id = key::read_vertex_key(entry.key)?;
                self.put_expiry(&mut batch, expires_at_ms, ElementRef::Vertex(&id));
                self.commit_if_large(&mut batch)?;
            }
        }
        for label in catalogue.edge_labels().filter(|label| label.ttl_ms > 0) {
            let mut prefix = Vec::new();
            key::edge_label_prefix(&mut prefix, self.number, label.id);
            let mut cursor = self.engine().scan_partitions(tables::EDGE_OUT, &prefix, None)?;
            while let Some(entry) = cursor.next()? {
                let expires_at_ms = value::read_edge_expiry(entry.value)?;
                let id = key::read_edge_out_key(entry.key)?;
                self.put_expiry(&mut batch, expires_at_ms, ElementRef::Edge(&id));
                self.commit_if_large(&mut batch)?;
            }
        }
        Ok(self.engine().commit(batch)?)
    }

    fn commit_if_large(&self, batch: &mut WriteBatch) -> Result<(), StoreError> {
        if batch.len() >= limits::EXPIRIES_PER_BATCH {
            self.engine().commit(std::mem::take(batch))?;
        }
        Ok(())
    }
}

/// The thread that purges. Dropping it waits for the batch at work.
pub(crate) struct Purger {
    stop: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Purger {
    /// Starts the thread, where there is to be one.
    pub(crate) fn start(graphs: Graphs, options: PurgeOptions) -> Self {
        let stop = Arc::<(Mutex<bool>, Condvar)>::default();
        let Some(interval) = options.interval else { return Self { stop, thread: None } };
        let told = Arc::clone(&stop);
        let run = move || {
            while !wait(&told, interval) {
                if let Err(error) = purge(&graphs, options.elements_per_batch, real_now_ms(), || *told.0.lock()) {
                    tracing::warn!(%error, "expired elements could not be removed; the next round tries again");
                }
            }
        };
        let thread = std::thread::Builder::new().name("purge".to_owned()).spawn(run);
        if let Err(error) = &thread {
            tracing::error!(%error, "no thread for removing expired elements: they stay, hidden");
        }
        Self { stop, thread: thread.ok() }
    }
}

/// Waits; whether the thread is to end.
fn wait((stopped, changed): &(Mutex<bool>, Condvar), interval: Duration) -> bool {
    let mut stopped = stopped.lock();
    changed.wait_while_for(&mut stopped, |stopped| !*stopped, interval);
    *stopped
}

impl Drop for Purger {
    fn drop(&mut self) {
        *self.stop.0.lock() = true;
        self.stop.1.notify_all();
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
