//! The thread that removes what has expired.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use graph_maintenance::{Purged, limits};
use graph_store::{StoreError, now_ms};
use parking_lot::{Condvar, Mutex};

use crate::host::Host;
use crate::hosted::Graphs;

/// The totals since the store was opened.
#[derive(Default)]
struct PurgeTotals {
    vertices: AtomicU64,
    edges: AtomicU64,
}

impl PurgeTotals {
    fn add(&self, purged: Purged) {
        self.vertices.fetch_add(purged.vertices, Ordering::Relaxed);
        self.edges.fetch_add(purged.edges, Ordering::Relaxed);
    }
}

/// What is purged, and what was.
struct Work {
    host: Arc<Host>,
    graphs: Graphs,
    totals: PurgeTotals,
}

impl Work {
    /// Purges one graph after the other. One that cannot be purged does not keep the others from it; the first error is
    /// returned.
    fn purge(&self, now_ms: i64, stop: impl Fn() -> bool) -> Result<Purged, StoreError> {
        let all: Vec<_> = self.graphs.read().values().cloned().collect();
        let batch = self.host.options.purge.elements_per_batch.clamp(1, limits::EXPIRY_BATCH_ELEMENTS_MAX);
        let mut purged = Purged::default();
        let mut outcome = Ok(());
        for graph in all {
            let removed = |of_batch: Purged| {
                self.totals.add(of_batch);
                purged.vertices += of_batch.vertices;
                purged.edges += of_batch.edges;
            };
            match graph_maintenance::purge(&graph, batch, now_ms, &stop, removed) {
                // Cleared or dropped meanwhile: its rows go with the rest of it.
                Ok(()) | Err(StoreError::GraphCleared { .. }) => {}
                Err(error) => {
                    tracing::warn!(
                        graph = graph.name(),
                        %error,
                        "expired elements could not be removed; the next round tries again"
                    );
                    outcome = outcome.and(Err(error));
                }
            }
        }
        outcome.map(|()| purged)
    }
}

/// The thread that purges. Dropping it waits for the batch at work.
pub(crate) struct Purger {
    work: Arc<Work>,
    stop: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Purger {
    /// Starts the thread, where there is to be one.
    pub(crate) fn start(host: Arc<Host>, graphs: Graphs) -> Self {
        let options = host.options.purge;
        let stop = Arc::<(Mutex<bool>, Condvar)>::default();
        let work = Arc::new(Work { host, graphs, totals: PurgeTotals::default() });
        let Some(interval) = options.interval else { return Self { work, stop, thread: None } };
        let (told, of_thread) = (Arc::clone(&stop), Arc::clone(&work));
        let run = move || {
            while !wait(&told, interval) {
                if of_thread.host.cluster.as_ref().is_some_and(|cluster| !cluster.is_housekeeping()) {
                    continue;
                }
                // What failed has been logged.
                drop(of_thread.purge(now_ms(), || *told.0.lock()));
            }
        };
        let thread = std::thread::Builder::new().name("purge".to_owned()).spawn(run);
        if let Err(error) = &thread {
            tracing::error!(%error, "no thread for removing expired elements: they stay, hidden");
        }
        Self { work, stop, thread: thread.ok() }
    }

    /// Removes what has expired at a moment, on the thread of the caller. Returns what it removed.
    pub(crate) fn purge(&self, now_ms: i64) -> Result<Purged, StoreError> {
        self.work.purge(now_ms, || false)
    }

    /// What was removed since the store was opened.
    pub(crate) fn totals(&self) -> Purged {
        let totals = &self.work.totals;
        Purged { vertices: totals.vertices.load(Ordering::Relaxed), edges: totals.edges.load(Ordering::Relaxed) }
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
