//! The rounds of a server: its heartbeat, and reading again what others changed.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use graph_store::{RetiredWriters, StoreError};

use super::dropped::Waker;
use crate::cluster::Cluster;
use crate::cluster::round::Reading;
use crate::cluster::rows::Rows;
use crate::host::Host;
use crate::hosted::{Graphs, HostedGraph, reload};

/// What a round works on.
#[derive(Clone)]
pub(crate) struct Context {
    pub(crate) host: Arc<Host>,
    pub(crate) graphs: Graphs,
    pub(crate) waker: Waker,
}

impl Context {
    /// One round. Where it fails, what is in memory may be out of date, and the next one tries again.
    pub(crate) fn round(&self, cluster: &Cluster) -> Result<(), StoreError> {
        let began = Instant::now();
        let rows = cluster.beat()?;
        if cluster.take_drain() {
            self.drain();
        }
        let changed = self.read_again(cluster, &rows)?;
        cluster.set_fresh(began);
        cluster.claim_housekeeping(&rows)?;
        if cluster.is_housekeeping() && (changed || cluster.has_orphans()) {
            self.waker.wake();
        }
        Ok(())
    }

    /// Reads again what changed. Whether there was anything.
    fn read_again(&self, cluster: &Cluster, rows: &Rows) -> Result<bool, StoreError> {
        let local = cluster.hold_changes();
        let count = rows.changes.count;
        if cluster.has_read(count) {
            return Ok(false);
        }
        let began = Instant::now();
        reload(&self.host, &self.graphs)?;
        // A change at work may have been seen in parts.
        let whole = cluster.is_unchanged_since(rows)?;
        let all: Vec<Arc<HostedGraph>> = self.graphs.read().values().cloned().collect();
        let frozen = cluster.take_frozen();
        let is_old = |graph: &Arc<HostedGraph>| graph.take_unsettled(whole) || frozen;
        let graphs: Vec<Arc<HostedGraph>> = all.into_iter().filter(is_old).collect();
        let retired = self.host.graphs_share.take_retired();
        drop(local);
        let waits = !graphs.is_empty() || !retired.is_empty();
        cluster.note_read(count, Reading { began, whole, waits });
        if waits {
            self.settle(count, graphs, retired);
        }
        Ok(true)
    }

    /// Has what was touched by writes that failed some time ago kept in memory again.
    fn end_doubts(&self) {
        self.host.end_doubts();
        self.graphs.read().values().for_each(|graph| graph.end_doubts());
    }

    /// Forgets what is kept while no other server writes. Then waits, on a thread of its own, for those who write as if
    /// none did.
    fn drain(&self) {
        let host = Arc::clone(&self.host);
        let graphs: Vec<Arc<HostedGraph>> = self.graphs.read().values().cloned().collect();
        graphs.iter().for_each(|graph| graph.forget_neighbours());
        let wait = move || {
            graphs.iter().for_each(|graph| graph.wait_for_own_writers());
            if let Some(cluster) = &host.cluster {
                cluster.drained();
            }
        };
        if let Err(error) = std::thread::Builder::new().name("settle".to_owned()).spawn(wait) {
            // The other one goes on refusing writes that need to know.
            tracing::error!(%error, "no thread to wait for writers");
        }
    }

    /// Waits, on a thread of its own, for those who write with what is out of date.
    fn settle(&self, count: u64, graphs: Vec<Arc<HostedGraph>>, retired: RetiredWriters) {
        let host = Arc::clone(&self.host);
        let wait = move || {
            graphs.iter().for_each(|graph| graph.wait_for_own_writers());
            retired.wait();
            if let Some(cluster) = &host.cluster {
                cluster.settled(count);
            }
        };
        if let Err(error) = std::thread::Builder::new().name("settle".to_owned()).spawn(wait) {
            // Others go on when this server's beat stands still: nothing is acknowledged before its time.
            tracing::error!(%error, "no thread to wait for writers");
        }
    }
}

/// The threads of the rounds and of locks among servers. Dropping it ends them and says that this server is gone.
pub(crate) struct Refresher {
    host: Arc<Host>,
    threads: Vec<JoinHandle<()>>,
}

impl Refresher {
    /// Starts the thread, where other processes can be over the store.
    pub(crate) fn start(context: Context) -> Self {
        let host = Arc::clone(&context.host);
        if host.cluster.is_none() {
            return Self { host, threads: Vec::new() };
        }
        let run = move || {
            let Some(cluster) = &context.host.cluster else { return };
            let mut failing = false;
            let mut doubted_since = Instant::now();
            while cluster.wait_for_round(failing) {
                let outcome = context.round(cluster);
                if outcome.is_err() {
                    // The store does not answer: what is sent to it meanwhile may arrive after that.
                    doubted_since = Instant::now();
                } else if doubted_since.elapsed() >= context.host.options.cluster.in_doubt {
                    context.end_doubts();
                    doubted_since = Instant::now();
                }
                match &outcome {
                    Err(error) if !failing => {
                        tracing::warn!(%error, "this server could not look at what others changed; it goes on trying");
                    }
                    Ok(()) if failing => tracing::info!("this server sees the others again"),
                    _ => {}
                }
                failing = outcome.is_err();
            }
        };
        let thread = std::thread::Builder::new().name("cluster".to_owned()).spawn(run);
        if let Err(error) = &thread {
            tracing::error!(%error, "no thread to keep up with other servers: this one will refuse to write");
        }
        let of_stripes = Arc::clone(&host);
        let look_after = move || of_stripes.cluster.iter().for_each(|cluster| cluster.look_after_stripes());
        let stripes = std::thread::Builder::new().name("stripes".to_owned()).spawn(look_after);
        if let Err(error) = &stripes {
            tracing::error!(%error, "no thread to give back locks: other servers will wait for them in vain");
        }
        Self { host, threads: thread.into_iter().chain(stripes).collect() }
    }
}

impl Drop for Refresher {
    fn drop(&mut self) {
        let Some(cluster) = &self.host.cluster else { return };
        cluster.end_rounds();
        cluster.end_stripes();
        for thread in self.threads.drain(..) {
            drop(thread.join());
        }
        if let Err(error) = cluster.leave() {
            tracing::warn!(%error, "the other servers will only see by its silence that this one is gone");
        }
    }
}
