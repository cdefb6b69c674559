//! The graphs of one engine: opening, listing. Changes of the list are in `graphs.rs`.

use std::sync::Arc;

use crate::lists::graph_number;
use graph_store::StoreError;
use graph_store::stored_settings::{put_setting, read_setting};
use key_codec::key::{self, MetaKind};
use key_codec::{FORMAT_VERSION, FORMAT_VERSION_UPGRADABLE, GraphNumber, setting_value, tables};
use kv::{Engine, RowRange, WriteBatch};
use parking_lot::Mutex;

use crate::cluster::refresh::{Context, Refresher};
use crate::dropped::{Remover, Waker, finish_drops, keep_house};
use crate::host::Host;
use crate::hosted::{Graphs, HostedGraph};
use crate::jobs::JobRegistry;
use crate::jobs::task_queue::TaskRunner;
use crate::options::StoreOptions;
use crate::purge::Purger;

/// Settings of the store, by name, in `meta`.
const FORMAT: &str = "format_version";
/// Present once every element that expires has its row in the table `expiry`, which version 1 did not have.
const EXPIRIES_NOTED: &str = "expiries_noted";

/// The graphs of one engine. Dropping it interrupts the tasks at work; the next start resumes them.
pub struct Store {
    pub(crate) host: Arc<Host>,
    pub(crate) graphs: Graphs,
    /// Serialises changes to the list of graphs.
    pub(crate) admin: Mutex<()>,
    /// Held by the one snapshot that is made or resumed.
    pub(crate) copying: Mutex<()>,
    /// Held by the one compaction at work.
    pub(crate) compacting: Mutex<()>,
    pub(crate) remover: Remover,
    _runner: TaskRunner,
    _purger: Purger,
    /// The last one to go: what the others do uses what it keeps up to date.
    _refresher: Refresher,
}

impl Drop for Store {
    fn drop(&mut self) {
        // Before the threads are waited for.
        if let Some(cluster) = &self.host.cluster {
            cluster.close();
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
        let remover = Remover::start(waker, house_work(&host, &graphs));
        let store = Self {
            host,
            graphs,
            admin: Mutex::default(),
            copying: Mutex::default(),
            compacting: Mutex::default(),
            remover,
            _runner: runner,
            _purger: purger,
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

    /// Names of the servers over the store that are alive or were a moment ago, this one included; empty where there
    /// can be no others.
    pub fn servers(&self) -> Result<Vec<String>, StoreError> {
        if !self.host.is_shared() {
            return Ok(Vec::new());
        }
        let rows = crate::cluster::rows::read(&*self.host.engine)?;
        Ok(rows.servers.iter().map(|server| crate::cluster::rows::server_name(server.id)).collect())
    }

    /// Waits until what was dropped or cleared before has been removed from storage. Nothing needs this but tests and
    /// measurements.
    pub fn settle(&self) {
        self.remover.settle();
    }
}

/// What the thread does that removes what was dropped.
fn house_work(host: &Arc<Host>, graphs: &Graphs) -> impl Fn() -> Result<(), StoreError> + Send + 'static {
    let (host, graphs) = (Arc::clone(host), Arc::clone(graphs));
    move || match &host.cluster {
        Some(cluster) => keep_house(cluster, &*host.engine, &graphs),
        None => finish_drops(&*host.engine, MetaKind::Dropped),
    }
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
            "upgrading the format of the store: tables are added, nothing is rewritten"
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
        graph.writer().note_expiries()?;
    }
    let mut batch = WriteBatch::new();
    put_setting(&mut batch, GraphNumber::STORE, EXPIRIES_NOTED, &[1]);
    Ok(engine.commit(batch)?)
}

pub(crate) fn read_graphs(engine: &dyn Engine) -> Result<Vec<(String, GraphNumber)>, StoreError> {
    let mut partition = Vec::new();
    key::meta_partition(&mut partition, GraphNumber::STORE, MetaKind::Graph);
    let mut graphs = Vec::new();
    let mut cursor = engine.scan(tables::META, RowRange::all(&partition))?;
    while let Some(entry) = cursor.next()? {
        let number = graph_number(setting_value::read_numbers::<1>(entry.value)?)?;
        let name = key::read_meta_row_name(entry.key.row())?;
        graphs.push((name.into(), number));
    }
    Ok(graphs)
}
