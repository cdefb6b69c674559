//! The thread that reads neighbours before walks ask for them.
//!
//! It is for engines on this machine: over a network, what nobody asked for would cost the nodes that others use.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use graph_access::Budget;
use graph_store::{GraphReader, StoreError};

use crate::hosted::{Graphs, HostedGraph};
use crate::limits;

/// The thread, where there is one. Dropping it waits for the vertices being read.
pub(crate) struct ReaderAhead {
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ReaderAhead {
    /// Starts the thread.
    pub(crate) fn start(graphs: Graphs) -> Self {
        let stopped = Arc::<AtomicBool>::default();
        let told = Arc::clone(&stopped);
        let run = move || {
            threads::stand_back(limits::READ_AHEAD_NICENESS);
            while !told.load(Ordering::Relaxed) {
                read(&graphs, &told);
                std::thread::park_timeout(limits::READ_AHEAD_PAUSE);
            }
        };
        let thread = std::thread::Builder::new().name("read-ahead".to_owned()).spawn(run);
        if let Err(error) = &thread {
            tracing::warn!(%error, "no thread for reading ahead: the first walks through a graph take longer");
        }
        Self { stopped, thread: thread.ok() }
    }

    /// None.
    pub(crate) fn none() -> Self {
        Self { stopped: Arc::default(), thread: None }
    }
}

/// Reads what walks through the graphs are likely to ask for, until there is no more or `stop` is set.
pub(crate) fn read(graphs: &Graphs, stop: &Arc<AtomicBool>) {
    let all: Vec<_> = graphs.read().values().cloned().collect();
    for graph in all {
        if let Err(error) = read_of(&graph, stop) {
            // Walks that read the same say so to their users.
            tracing::debug!(graph = graph.name(), %error, "neighbours could not be read ahead");
        }
    }
}

fn read_of(graph: &HostedGraph, stop: &Arc<AtomicBool>) -> Result<(), StoreError> {
    let mut more = true;
    while more && !stop.load(Ordering::Relaxed) {
        let budget = Budget::new(limits::READ_AHEAD_TIME_MAX, Arc::clone(stop));
        more = GraphReader::new(graph, &graph.catalogue(), &budget).read_ahead()?;
    }
    Ok(())
}

impl Drop for ReaderAhead {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            drop(thread.join());
        }
    }
}
