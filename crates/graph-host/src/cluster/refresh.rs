//! The rounds of a server: its beat, and reading again what others changed.

use crate::limits;
use graph_store::graph_version::read_versions;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use key_codec::key::MetaKind;
use key_codec::{GraphNumber, setting_value};

use super::rows::{self, HOUSEKEEPER, Rows, Server};
use super::{Cluster, State};
use crate::dropped::Waker;
use crate::host::Host;
use crate::hosted::{Graphs, HostedGraph};
use crate::store::read_graphs;
use graph_store::stored_settings::swap;
use graph_store::{RetiredWriters, StoreError};

/// Brings the graphs in memory in line with those in the store. Nothing else may do so at the same time: the caller
/// holds the right to change, or what it is made with.
pub(crate) fn reload(host: &Arc<Host>, graphs: &Graphs) -> Result<(), StoreError> {
    let engine = &*host.engine;
    let listed: BTreeMap<String, GraphNumber> = read_graphs(engine)?.into_iter().collect();
    let versions = read_versions(engine)?;
    let current: Vec<Arc<HostedGraph>> = graphs.read().values().cloned().collect();
    for graph in &current {
        if listed.get(graph.name()) == Some(&graph.number()) {
            if let Some(version) = versions.get(&graph.number()) {
                graph.follow(*version)?;
            }
        } else if !listed.contains_key(graph.name()) {
            graph.mark_cleared();
            graphs.write().remove(graph.name());
        }
    }
    for (name, number) in listed {
        let old = graphs.read().get(&name).cloned();
        if old.as_ref().is_some_and(|old| old.number() == number) {
            continue;
        }
        let graph = HostedGraph::open(host, name.clone(), number)?;
        if let Some(old) = old {
            graph.replace(&old);
            old.mark_cleared();
        }
        if let Some(version) = versions.get(&number) {
            graph.set_version(*version);
        }
        graphs.write().insert(name, Arc::new(graph));
    }
    Ok(())
}

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
        let server = {
            let mut state = cluster.state.lock();
            state.beat += 1;
            Server { id: cluster.id, beat: state.beat, seen: state.seen() }
        };
        rows::put_server(&*cluster.engine, server)?;
        let rows = rows::read(&*cluster.engine)?;
        if !rows.servers.iter().any(|found| found.id == server.id && found.beat >= server.beat) {
            return Err(StoreError::NotListed { server: rows::server_name(server.id) });
        }
        cluster.observe(&rows);
        cluster.free_changes(&rows)?;
        let changed = self.read_again(cluster, &rows)?;
        cluster.set_fresh(began);
        self.keep_house(cluster, &rows)?;
        if cluster.is_housekeeping() && (changed || cluster.orphans.load(Ordering::Acquire)) {
            self.waker.wake();
        }
        Ok(())
    }

    /// Reads again what changed. Whether there was anything.
    fn read_again(&self, cluster: &Cluster, rows: &Rows) -> Result<bool, StoreError> {
        let local = cluster.local.lock();
        let count = rows.changes.count;
        {
            let state = cluster.state.lock();
            let is_recent = state.read_at.is_some_and(|at| at.elapsed() < limits::RELOAD_INTERVAL);
            if state.noticed == Some(count) && is_recent {
                return Ok(false);
            }
        }
        let began = Instant::now();
        reload(&self.host, &self.graphs)?;
        // A change at work may have been seen in parts.
        let whole = rows.changes.owner == 0 && rows::read(&*cluster.engine)?.changes == rows.changes;
        let all: Vec<Arc<HostedGraph>> = self.graphs.read().values().cloned().collect();
        let graphs: Vec<Arc<HostedGraph>> = all.into_iter().filter(|graph| graph.take_unsettled(whole)).collect();
        let retired = self.host.graphs_share.take_retired();
        drop(local);
        let mut state = cluster.state.lock();
        state.noticed = whole.then_some(count);
        state.read_at = Some(began);
        state.acknowledged = state.acknowledged.max(count);
        if graphs.is_empty() && retired.is_empty() {
            return Ok(true);
        }
        state.pending.insert(count);
        drop(state);
        self.settle(count, graphs, retired);
        Ok(true)
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

    /// Takes over what only one server does, where nobody does it.
    fn keep_house(&self, cluster: &Cluster, rows: &Rows) -> Result<(), StoreError> {
        let owner = rows.housekeeper_id()?;
        if owner == cluster.id {
            cluster.housekeeping.store(true, Ordering::Release);
            return remove_dead(cluster, rows);
        }
        cluster.housekeeping.store(false, Ordering::Release);
        if owner != 0 && cluster.is_live(rows, owner) {
            return Ok(());
        }
        let mut new = Vec::new();
        setting_value::put_numbers(&mut new, &[cluster.id]);
        let place = (GraphNumber::STORE, MetaKind::Cluster, HOUSEKEEPER);
        let taken = swap(&*cluster.engine, place, rows.housekeeper.as_deref(), Some(&new))?;
        if taken {
            cluster.note_orphans();
        }
        cluster.housekeeping.store(taken, Ordering::Release);
        Ok(())
    }
}

/// Forgets servers that died without a word.
fn remove_dead(cluster: &Cluster, rows: &Rows) -> Result<(), StoreError> {
    for server in &rows.servers {
        if server.id != cluster.id && cluster.silence(server.id) > limits::DEAD_SERVER_KEPT {
            rows::delete_server(&*cluster.engine, server.id)?;
        }
    }
    Ok(())
}

/// The thread of the rounds. Dropping it ends them and says that this server is gone.
pub(crate) struct Refresher {
    host: Arc<Host>,
    thread: Option<JoinHandle<()>>,
}

impl Refresher {
    /// Starts the thread, where other processes can be over the store.
    pub(crate) fn start(context: Context) -> Self {
        let host = Arc::clone(&context.host);
        if host.cluster.is_none() {
            return Self { host, thread: None };
        }
        let run = move || {
            let Some(cluster) = &context.host.cluster else { return };
            let mut failing = false;
            while let Some(()) = wait(cluster, failing) {
                let outcome = context.round(cluster);
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
        Self { host, thread: thread.ok() }
    }
}

/// Waits for the next round; `None` where there is none.
fn wait(cluster: &Cluster, failing: bool) -> Option<()> {
    let pause = if failing { cluster.options.refresh.min(Duration::from_millis(100)) } else { cluster.options.refresh };
    let until = Instant::now() + pause;
    let mut state = cluster.state.lock();
    let ended = |state: &State| state.stopped || state.wanted;
    while !ended(&state) && !cluster.asked.wait_until(&mut state, until).timed_out() {}
    state.wanted = false;
    (!state.stopped).then_some(())
}

impl Drop for Refresher {
    fn drop(&mut self) {
        let Some(cluster) = &self.host.cluster else { return };
        cluster.state.lock().stopped = true;
        cluster.asked.notify_all();
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
        if let Err(error) = rows::delete_server(&*cluster.engine, cluster.id) {
            tracing::warn!(%error, "the other servers will only see by its silence that this one is gone");
        }
    }
}
