//! Removing what has expired.
//!
//! An element with an expiry has a row in the table `expiry`, written in its batch. A purge takes the rows that are due, reads their
//! elements again with those locked, and deletes each that has really expired, wholly: a vertex with its edges, both with their
//! index entries. A row whose element is gone or lives longer by now, because it was written again, goes without it. Reads hide expired
//! elements by themselves, so nothing but space depends on when this happens.
//!
//! Edges go many in one batch; each vertex, whose edges can be very many, in batches of its own, the last of which takes the vertex, its
//! index entries and its row together. So what a failure leaves is due again.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use graph_model::{EdgeId, ElementId, ElementRef, VertexId};
use key_codec::{key, tables, value};
use kv::{Commit, KvError, RowRange, WriteBatch, successor};
use parking_lot::{Condvar, Mutex, RwLock};

use crate::core::clock::now_ms as real_now_ms;
use crate::core::expiry::{delete_expiry, put_expiry};
use crate::core::stripes::Locks;
use crate::core::stripes::Mask;
use crate::host::store::Shared;
use crate::index::changes::{IndexChanges, Refusal};
use crate::{Graph, Store, StoreError, Wait, limits};

/// How expired elements are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PurgeOptions {
    /// Pause between two looks at what is due; `None`: only [`Store::purge_expired`] removes anything.
    pub interval: Option<Duration>,
    /// Rows looked at at one time, at most [`limits::EXPIRY_BATCH_ELEMENTS_MAX`]. The edges among them go in one batch, for which writers
    /// of edges near them wait; a vertex keeps only its own writers waiting.
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

/// Purges one graph after the other. One that cannot be purged does not keep the others from it; the first error is returned.
fn purge(graphs: &Graphs, batch: usize, now_ms: i64, stop: impl Fn() -> bool) -> Result<Purged, StoreError> {
    let all: Vec<_> = graphs.read().values().cloned().collect();
    let batch = batch.clamp(1, limits::EXPIRY_BATCH_ELEMENTS_MAX);
    let mut purged = Purged::default();
    let mut outcome = Ok(());
    for graph in all {
        match graph.purge(batch, now_ms, &stop, &mut purged) {
            // Cleared or dropped meanwhile: its rows go with the rest of it.
            Ok(()) | Err(StoreError::GraphCleared { .. }) => {}
            Err(error) => {
                tracing::warn!(graph = graph.name(), %error, "expired elements could not be removed; the next round tries again");
                outcome = outcome.and(Err(error));
            }
        }
    }
    outcome.map(|()| purged)
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

    /// Removes what is due, and adds it to `purged`.
    fn purge(&self, batch: usize, now_ms: i64, stop: impl Fn() -> bool, purged: &mut Purged) -> Result<(), StoreError> {
        let mut from = self.first_due(now_ms);
        while !stop() {
            let Some(done) = self.purge_batch(now_ms, batch, &mut from)? else {
                self.purged_to_ms.store(now_ms.min(real_now_ms()), Ordering::Relaxed);
                break;
            };
            purged.vertices += done.vertices;
            purged.edges += done.edges;
        }
        Ok(())
    }

    /// Removes up to `limit` of the elements that are due, from a row on, which is moved on; `None` where there is nothing more.
    fn purge_batch(&self, now_ms: i64, limit: usize, from: &mut Vec<u8>) -> Result<Option<Purged>, StoreError> {
        let Due { vertices, edges, next } = self.due(now_ms, limit, from)?;
        if vertices.is_empty() && edges.is_empty() {
            return Ok(None);
        }
        // The edges first: with a vertex go those that are not counted.
        let mut purged = Purged { vertices: 0, edges: self.purge_edges(&edges)? };
        // Not waited for one by one, so that the engine can write several together.
        let mut under_way = Vec::with_capacity(vertices.len());
        let mut outcome = Ok(());
        for (at, id) in &vertices {
            match self.locking(|extra| self.try_purge_vertex(*at, id, extra)) {
                Ok((count, commit)) => under_way.push((id, count, commit)),
                Err(error) if is_too_large(&error) => self.stays(id, &error),
                Err(error) => {
                    outcome = Err(error);
                    break;
                }
            }
        }
        for (id, count, commit) in under_way {
            match commit.wait().map_err(StoreError::from) {
                Ok(()) => purged.vertices += count,
                Err(error) if is_too_large(&error) => self.stays(id, &error),
                Err(error) => outcome = outcome.and(Err(error)),
            }
        }
        self.shared.purged.add(purged);
        outcome?;
        *from = next;
        Ok(Some(purged))
    }

    /// Says that an element cannot be removed. Tried again by the next start; nobody else's turn waits for it.
    fn stays(&self, element: &dyn std::fmt::Debug, error: &StoreError) {
        tracing::error!(graph = self.name(), ?element, %error, "an expired element cannot be removed: it stays, hidden");
    }

    /// Removes a vertex, its edges and its row; counts 1 if the vertex still expires when its row says.
    fn try_purge_vertex(&self, at: i64, id: &VertexId, extra: Mask) -> Result<(u64, Commit), Refusal> {
        let locks = Locks { exclusive: Mask::of(id).union(extra), ..Locks::default() };
        let ((), held, catalogue) = self.lock_for(Wait::Allowed, |_| Ok(((), locks)))?;
        let mut batch = WriteBatch::new();
        let stored = self.stored_vertices(std::slice::from_ref(id))?.into_iter().flatten().next();
        let expired = stored.filter(|vertex| vertex.expires_at_ms == Some(at));
        match &expired {
            Some(vertex) => self.remove_vertex_wholly(&mut batch, &catalogue, &held, vertex)?,
            None => delete_expiry(&mut batch, self.number, Some(at), ElementRef::Vertex(id)),
        }
        Ok((expired.map_or(0, |_| 1), self.submit(batch, held)))
    }

    /// Removes those edges that still expire when their rows say, and the rows; returns how many. Where their index entries are too many
    /// for one batch, in several.
    fn purge_edges(&self, due: &[(i64, EdgeId)]) -> Result<u64, StoreError> {
        match (self.locking(|extra| self.try_purge_edges(due, extra)), due) {
            (Err(error), [(_, id)]) if is_too_large(&error) => {
                self.stays(id, &error);
                Ok(0)
            }
            (Err(error), _) if is_too_large(&error) => {
                let (first, second) = due.split_at(due.len() / 2);
                Ok(self.purge_edges(first)? + self.purge_edges(second)?)
            }
            (outcome, _) => outcome,
        }
    }

    fn try_purge_edges(&self, due: &[(i64, EdgeId)], extra: Mask) -> Result<u64, Refusal> {
        if due.is_empty() {
            return Ok(0);
        }
        let mut locks = Locks { exclusive: extra, ..Locks::default() };
        for (_, id) in due {
            locks.exclusive.add(&id.source);
            locks.shared.add(&id.target);
        }
        let ((), held, catalogue) = self.lock_for(Wait::Allowed, |_| Ok(((), locks)))?;
        let ids: Vec<EdgeId> = due.iter().map(|(_, id)| id.clone()).collect();
        let mut batch = WriteBatch::new();
        let mut changes = IndexChanges::default();
        let mut purged = 0;
        for ((at, id), edge) in due.iter().zip(self.stored_edges(&ids)?) {
            changes.group = batch.group();
            if let Some(edge) = edge.filter(|edge| edge.expires_at_ms == Some(*at)) {
                self.remove_edge(&mut batch, id);
                changes.edge(self, &catalogue, Some(&edge), None, None)?;
                purged += 1;
            }
            delete_expiry(&mut batch, self.number, Some(*at), ElementRef::Edge(id));
            batch.end_group();
        }
        self.put_index_removals(&mut batch, &changes)?;
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
                put_expiry(&mut batch, self.number, expires_at_ms, ElementRef::Vertex(&id));
                batch.end_group();
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
                put_expiry(&mut batch, self.number, expires_at_ms, ElementRef::Edge(&id));
                batch.end_group();
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

/// Whether a batch of fewer elements may succeed.
fn is_too_large(error: &StoreError) -> bool {
    matches!(error, StoreError::TooManyIndexEntries { .. } | StoreError::Kv(KvError::BatchTooLarge { .. }))
}

/// The thread that purges. Dropping it waits for the batch at work.
pub(crate) struct Purger {
    stop: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Purger {
    /// Starts the thread, where there is to be one.
    pub(crate) fn start(shared: Arc<Shared>, graphs: Graphs) -> Self {
        let options = shared.options.purge;
        let stop = Arc::<(Mutex<bool>, Condvar)>::default();
        let Some(interval) = options.interval else { return Self { stop, thread: None } };
        let told = Arc::clone(&stop);
        let run = move || {
            while !wait(&told, interval) {
                if shared.cluster.as_ref().is_some_and(|cluster| !cluster.is_housekeeping()) {
                    continue;
                }
                // What failed has been logged.
                drop(purge(&graphs, options.elements_per_batch, real_now_ms(), || *told.0.lock()));
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
