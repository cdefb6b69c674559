//! The thread that removes what has expired.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use graph_store::{Purged, StoreError, limits, now_ms};
use parking_lot::{Condvar, Mutex};

use crate::host::Host;
use crate::hosted::Graphs;
use crate::store::Store;

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

impl Store {
    /// Removes every element of every graph that has expired at a moment, in milliseconds since 1970 UTC. Returns what
    /// it removed.
    pub fn purge_expired(&self, now_ms: i64) -> Result<Purged, StoreError> {
        purge(&self.host, &self.graphs, now_ms, || false)
    }

    /// What was removed since the store was opened because it had expired.
    #[must_use]
    pub fn purged(&self) -> Purged {
        let totals = &self.host.purged;
        Purged { vertices: totals.vertices.load(Ordering::Relaxed), edges: totals.edges.load(Ordering::Relaxed) }
    }
}

/// Purges one graph after the other. One that cannot be purged does not keep the others from it; the first error is
/// returned.
fn purge(host: &Host, graphs: &Graphs, now_ms: i64, stop: impl Fn() -> bool) -> Result<Purged, StoreError> {
    let all: Vec<_> = graphs.read().values().cloned().collect();
    let batch = host.options.purge.elements_per_batch.clamp(1, limits::EXPIRY_BATCH_ELEMENTS_MAX);
    let mut purged = Purged::default();
    let mut outcome = Ok(());
    for graph in all {
        let removed = |of_batch: Purged| {
            host.purged.add(of_batch);
            purged.vertices += of_batch.vertices;
            purged.edges += of_batch.edges;
        };
        match graph.writer().purge(batch, now_ms, &stop, removed) {
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

/// The thread that purges. Dropping it waits for the batch at work.
pub(crate) struct Purger {
    stop: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Purger {
    /// Starts the thread, where there is to be one.
    pub(crate) fn start(host: Arc<Host>, graphs: Graphs) -> Self {
        let options = host.options.purge;
        let stop = Arc::<(Mutex<bool>, Condvar)>::default();
        let Some(interval) = options.interval else { return Self { stop, thread: None } };
        let told = Arc::clone(&stop);
        let run = move || {
            while !wait(&told, interval) {
                if host.cluster.as_ref().is_some_and(|cluster| !cluster.is_housekeeping()) {
                    continue;
                }
                // What failed has been logged.
                drop(purge(&host, &graphs, now_ms(), || *told.0.lock()));
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
