//! Removing what dropped and cleared graphs held, in the background.
//!
//! The number of such a graph is noted in the store in the same batch that took the graph away; a thread deletes its
//! ranges and then the note. What a process leaves, the next one removes when it opens the store. Numbers are never
//! used again, so nothing can come to stand in a range that is being removed. Who reads it at that time finds less and
//! less; but the graph was closed before, and a read of a graph that is closed at its end fails.
//!
//! Where several processes share the store, one of them does this for all, after all have seen that the number is no
//! graph any more.

use std::sync::Arc;
use std::thread::JoinHandle;

use key_codec::GraphNumber;
use key_codec::key::MetaKind;
use kv::{Engine, WriteBatch};
use parking_lot::{Condvar, Mutex};

use crate::cluster::Cluster;
use crate::host::Host;
use crate::hosted::Graphs;
use crate::lists::{read_numbers, read_owned_numbers};
use crate::ranges::{prefix_of, tables};
use graph_store::stored_settings::delete_number;
use graph_store::{Peers, StoreError};

/// The thread that removes. Dropping it waits for the removal at work.
pub(crate) struct Remover {
    waker: Waker,
    thread: Option<JoinHandle<()>>,
}

/// Tells the thread that there is something to do.
#[derive(Clone, Default)]
pub(crate) struct Waker(Arc<(Mutex<State>, Condvar)>);

impl Waker {
    pub(crate) fn wake(&self) {
        self.0.0.lock().asked += 1;
        self.0.1.notify_all();
    }
}

#[derive(Default)]
struct State {
    /// How often there was something to remove, and how much of that the thread has looked after.
    asked: u64,
    done: u64,
    stopped: bool,
}

impl Remover {
    /// Starts the thread.
    pub(crate) fn start(waker: Waker, host: &Arc<Host>, graphs: &Graphs) -> Self {
        let (told, host, graphs) = (Arc::clone(&waker.0), Arc::clone(host), Arc::clone(graphs));
        let run = move || {
            while let Some(asked) = next(&told) {
                let outcome = match &host.cluster {
                    Some(cluster) => collect_garbage(cluster, &*host.engine, &graphs),
                    None => finish_drops(&*host.engine, MetaKind::Dropped),
                };
                if let Err(error) = outcome {
                    tracing::warn!(
                        %error,
                        "data of a dropped graph could not be removed; the next drop or start tries again"
                    );
                }
                told.0.lock().done = asked;
                told.1.notify_all();
            }
        };
        let thread = std::thread::Builder::new().name("drops".to_owned()).spawn(run);
        if let Err(error) = &thread {
            tracing::error!(%error, "no thread for removing dropped graphs: the next start removes them");
        }
        Self { waker, thread: thread.ok() }
    }

    /// Says that there is something to remove.
    pub(crate) fn wake(&self) {
        self.waker.wake();
    }

    /// Waits until everything asked for so far has been looked after.
    pub(crate) fn settle(&self) {
        if self.thread.is_none() {
            return;
        }
        let (state, changed) = &*self.waker.0;
        let mut state = state.lock();
        let asked = state.asked;
        while state.done < asked {
            changed.wait(&mut state);
        }
    }
}

impl Drop for Remover {
    fn drop(&mut self) {
        self.waker.0.0.lock().stopped = true;
        self.waker.0.1.notify_all();
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn next((state, changed): &(Mutex<State>, Condvar)) -> Option<u64> {
    let mut state = state.lock();
    loop {
        if state.done < state.asked {
            return Some(state.asked);
        }
        if state.stopped {
            return None;
        }
        changed.wait(&mut state);
    }
}

/// Removes the data of the numbers in a list of the store, and takes them from it.
pub(crate) fn finish_drops(engine: &dyn Engine, kind: MetaKind) -> Result<(), StoreError> {
    for number in read_numbers(engine, kind)? {
        finish_drop(engine, kind, number)?;
    }
    Ok(())
}

/// What one server does for all: takes over tasks of dead servers, and removes what they left unfinished
/// and what was dropped.
fn collect_garbage(cluster: &Cluster, engine: &dyn Engine, graphs: &Graphs) -> Result<(), StoreError> {
    if !cluster.is_housekeeping() {
        return Ok(());
    }
    let mut outcome = Ok(());
    if cluster.take_orphans() {
        let all: Vec<_> = graphs.read().values().cloned().collect();
        for graph in all {
            match graph.jobs().take_over(false) {
                Ok(()) | Err(StoreError::GraphCleared { .. }) => {}
                Err(error) => outcome = outcome.and(Err(error)),
            }
        }
        if outcome.is_err() {
            cluster.note_orphans();
        }
    }
    for (number, owner) in read_owned_numbers(engine, MetaKind::Unfinished)? {
        if cluster.is_gone(owner)? {
            finish_drop(engine, MetaKind::Unfinished, number)?;
        }
    }
    let dropped = read_numbers(engine, MetaKind::Dropped)?;
    if !dropped.is_empty() {
        // Others may not have seen yet that these numbers are no graphs any more.
        cluster.wait_for_servers()?;
    }
    for number in dropped {
        finish_drop(engine, MetaKind::Dropped, number)?;
    }
    outcome
}

fn finish_drop(engine: &dyn Engine, kind: MetaKind, number: GraphNumber) -> Result<(), StoreError> {
    let prefix = prefix_of(number);
    for table in tables() {
        // A deleted range costs reads near it until it has been compacted away: none for what is empty, as most tables
        // of a small graph are.
        if engine.scan_partitions(table, &prefix, None)?.next()?.is_some() {
            engine.delete_prefix(table, &prefix)?;
        }
    }
    let mut batch = WriteBatch::new();
    delete_number(&mut batch, kind, number);
    Ok(engine.commit(batch)?)
}
