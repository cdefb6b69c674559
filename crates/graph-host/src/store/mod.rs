//! The graphs of one engine.
//!
//! Here a store is opened, and its graphs are found. What is done to the list of graphs is in `graphs`, what copies
//! whole graphs in `snapshot` and `transfer`.

mod compact;
mod freeze;
pub(crate) mod graphs;
mod memory;
mod snapshot;
pub(crate) mod transfer;

use std::sync::Arc;

use graph_maintenance::{Purged, note_expiries};
use graph_store::StoreError;
use graph_store::stored_settings::{put_setting, read_setting};
use key_codec::key::MetaKind;
use key_codec::{FORMAT_VERSION, FORMAT_VERSION_UPGRADABLE, GraphNumber, setting_value};
use kv::{Engine, WriteBatch};
use parking_lot::Mutex;

use crate::background::dropped::{Remover, Waker, finish_drops};
use crate::background::purge::Purger;
use crate::background::read_ahead::{self, ReaderAhead};
use crate::background::rounds::{Context, Refresher};
use crate::background::task_runner::TaskRunner;
use crate::cluster::rows;
use crate::host::Host;
use crate::hosted::{Graphs, HostedGraph};
use crate::jobs::JobRegistry;
use crate::lists::read_graphs;
use crate::options::StoreOptions;

/// Settings of the store, by name, in `meta`.
const FORMAT: &str = "format_version";
/// Present once every element that expires has its row in the table `expiry`, which version 1 did not have.
const EXPIRIES_NOTED: &str = "expiries_noted";

/// The graphs of one engine. Dropping it interrupts the tasks at work; the next start resumes them.
pub struct Store {
    host: Arc<Host>,
    graphs: Graphs,
    /// Serialises changes to the list of graphs.
    admin: Mutex<()>,
    /// Held by the one snapshot that is made or resumed.
    copying: Mutex<()>,
    /// Held by the one compaction at work.
    compacting: Mutex<()>,
    remover: Remover,
    _runner: TaskRunner,
    purger: Purger,
    _reader_ahead: ReaderAhead,
    /// The last one to go: what the others do uses what it keeps up to date.
    _refresher: Refresher,
}

impl Drop for Store {
    fn drop(&mut self) {
        // Before the threads are waited for.
        if let Some(cluster) = &self.host.cluster {
            cluster.close();
        }
        for graph in self.graphs.read().values() {
            if let Err(error) = graph.keep_counts() {
                tracing::warn!(%error, graph = graph.name(), "the next start counts the elements of a graph again");
            }
        }
    }
}

impl Store {
    /// Opens the graphs in `engine`; an empty engine becomes a store with the default graph. Refuses a store of an
    /// unknown format. Tasks can be the jobs of this crate; others need [`Self::open_with_jobs`].
    pub fn open(engine: Arc<dyn Engine>, options: StoreOptions) -> Result<Self, StoreError> {
        Self::open_with_jobs(engine, options, JobRegistry::default())
    }

    /// As [`Self::open`], with all kinds of jobs that tasks can be.
    pub fn open_with_jobs(
        engine: Arc<dyn Engine>,
        options: StoreOptions,
        jobs: JobRegistry,
    ) -> Result<Self, StoreError> {
        check_format(&*engine)?;
        let host = Arc::new(Host::new(engine, options, jobs)?);
        let graphs = Graphs::default();
        let context = Context { host: Arc::clone(&host), graphs: Arc::clone(&graphs), waker: Waker::default() };
        let waker = context.waker.clone();
        match &host.cluster {
            // The first round reads the graphs. Others may be making what looks unfinished.
            Some(cluster) => context.round(cluster)?,
            None => {
                for kind in [MetaKind::Dropped, MetaKind::Unfinished] {
                    finish_drops(&*host.engine, kind)?;
                }
                for (name, number) in read_graphs(&*host.engine)? {
                    let graph = HostedGraph::open(&host, name.clone(), number)?;
                    graphs.write().insert(name, Arc::new(graph));
                }
            }
        }
        let refresher = Refresher::start(context);
        let runner = TaskRunner::start(&host, &graphs);
        note_expiries_once(&*host.engine, &graphs)?;
        let purger = Purger::start(Arc::clone(&host), Arc::clone(&graphs));
        let remover = Remover::start(waker, &host, &graphs);
        let reads_ahead = host.options.reads_ahead && !host.engine.capabilities().remote;
        let reader_ahead = if reads_ahead { ReaderAhead::start(Arc::clone(&graphs)) } else { ReaderAhead::none() };
        let store = Self {
            host,
            graphs,
            admin: Mutex::default(),
            copying: Mutex::default(),
            compacting: Mutex::default(),
            remover,
            _runner: runner,
            purger,
            _reader_ahead: reader_ahead,
            _refresher: refresher,
        };
        store.ensure_default_graph()?;
        if !store.host.is_shared() {
            for graph in store.graphs.read().values() {
                graph.jobs().resume()?;
            }
        }
        Ok(store)
    }

    /// The graph of a name.
    pub fn graph(&self, name: &str) -> Result<Arc<HostedGraph>, StoreError> {
        let graphs = self.graphs.read();
        graphs.get(name).map(Arc::clone).ok_or_else(|| StoreError::GraphNotFound { name: name.to_owned() })
    }

    /// Names of all graphs, sorted.
    #[must_use]
    pub fn graph_names(&self) -> Vec<String> {
        self.graphs.read().keys().cloned().collect()
    }

    /// The engine, for statistics and for `sync`.
    #[must_use]
    pub fn engine(&self) -> &dyn Engine {
        &*self.host.engine
    }

    /// Says why requests cannot be served at present: the engine is not reached, writes fail, or what is known of
    /// changes by other servers is too old.
    ///
    /// # Errors
    /// The reason: [`StoreError::Stale`], or that of storage.
    pub fn check_ready(&self) -> Result<(), StoreError> {
        self.host.check_fresh()?;
        read_setting(&*self.host.engine, GraphNumber::STORE, FORMAT)?;
        Ok(self.host.engine.check_writable()?)
    }

    /// Names of the servers over the store that are alive or were a moment ago, this one included; empty where there
    /// can be no others.
    pub fn servers(&self) -> Result<Vec<String>, StoreError> {
        if !self.host.is_shared() {
            return Ok(Vec::new());
        }
        let rows = rows::read(&*self.host.engine)?;
        Ok(rows.servers.iter().map(|server| rows::server_name(server.id)).collect())
    }

    /// Removes every element of every graph that has expired at a moment, in milliseconds since 1970 UTC. Returns what
    /// it removed.
    pub fn purge_expired(&self, now_ms: i64) -> Result<Purged, StoreError> {
        self.purger.purge(now_ms)
    }

    /// Reads the neighbours that walks are likely to ask for, on the thread of the caller, until there are no more of
    /// them or half of the memory for neighbours is in use. [`StoreOptions::reads_ahead`] has a thread do so.
    pub fn read_ahead(&self) {
        read_ahead::read(&self.graphs, &Arc::default());
    }

    /// What was removed since the store was opened because it had expired.
    #[must_use]
    pub fn purged(&self) -> Purged {
        self.purger.totals()
    }

    /// Waits until what was dropped or cleared before has been removed from storage. Nothing needs this but tests and
    /// measurements.
    pub fn settle(&self) {
        self.remover.settle();
    }
}

/// What is stored in an engine, for who does not open it as a store: the format version, and the names of the graphs,
/// sorted. `None`: nothing was stored yet.
///
/// # Errors
/// Those of storage.
pub fn contents(engine: &dyn Engine) -> Result<Option<(u32, Vec<String>)>, StoreError> {
    let Some(bytes) = read_setting(engine, GraphNumber::STORE, FORMAT)? else { return Ok(None) };
    let version = u32::try_from(setting_value::read_first_number(&bytes)?).unwrap_or(u32::MAX);
    let mut names: Vec<String> = read_graphs(engine)?.into_iter().map(|(name, _)| name).collect();
    names.sort();
    Ok(Some((version, names)))
}

/// Compares the format version with this program's; writes it into an empty engine and into one of an older version.
/// The engine has added the tables that older version did not have.
fn check_format(engine: &dyn Engine) -> Result<(), StoreError> {
    if let Some(bytes) = read_setting(engine, GraphNumber::STORE, FORMAT)? {
        let found = setting_value::read_first_number(&bytes)?;
        if found == u64::from(FORMAT_VERSION) {
            return Ok(());
        }
        if !(u64::from(FORMAT_VERSION_UPGRADABLE)..u64::from(FORMAT_VERSION)).contains(&found) {
            return Err(StoreError::FormatVersion { found, supported: FORMAT_VERSION });
        }
        tracing::info!(
            from = found,
            to = FORMAT_VERSION,
            "upgrading the format of the store: what it lacks is added, nothing is rewritten"
        );
    }
    let mut batch = WriteBatch::new();
    put_setting(&mut batch, GraphNumber::STORE, FORMAT, &[u64::from(FORMAT_VERSION)]);
    Ok(engine.commit(batch)?)
}

/// Writes the rows of the table `expiry` in a store that was made by a version without it.
fn note_expiries_once(engine: &dyn Engine, graphs: &Graphs) -> Result<(), StoreError> {
    if let Some(bytes) = read_setting(engine, GraphNumber::STORE, EXPIRIES_NOTED)? {
        setting_value::read_numbers::<1>(&bytes)?;
        return Ok(());
    }
    for graph in graphs.read().values() {
        note_expiries(graph)?;
    }
    let mut batch = WriteBatch::new();
    put_setting(&mut batch, GraphNumber::STORE, EXPIRIES_NOTED, &[1]);
    Ok(engine.commit(batch)?)
}
