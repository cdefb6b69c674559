//! The graphs of one engine: opening, listing. Changes of the list are in `graphs.rs`.

use crate::core::stored_catalogue::read_catalogue;
use std::sync::Arc;

use key_codec::key::{self, MetaKind};
use key_codec::{FORMAT_VERSION, FORMAT_VERSION_UPGRADABLE, GraphNumber, setting_value, tables};
use kv::{Engine, RowRange, WriteBatch};
use parking_lot::Mutex;

use crate::StoreError;
use crate::cluster::changing::Changing;
use crate::cluster::refresh::{Context, Refresher};
use crate::cluster::{Cluster, ClusterOptions};
use crate::core::graph::Graph;
use crate::core::id_generator::{BLOCK, IdGenerator, RESERVED_MAX};
use crate::core::options::GraphOptions;
use crate::core::stored_catalogue::prepare_analyzers;
use crate::core::stored_settings::{advance_setting, graph_number, number_up_to, put_setting, read_setting};
use crate::core::stripes::Stripes;
use crate::host::dropped::{Remover, Waker, finish_drops, keep_house};
use crate::host::purge::{Graphs, PurgeOptions, PurgeTotals, Purger};
use crate::jobs::task::next_task;
use crate::jobs::task_queue::{TaskQueue, TaskRunner};

/// Settings of the store, by name, in `meta`.
const FORMAT: &str = "format_version";
/// Present once every element that expires has its row in the table `expiry`, which version 1 did not have.
const EXPIRIES_NOTED: &str = "expiries_noted";
pub(crate) const IDS_RESERVED: &str = "ids_reserved";

/// How a store is opened.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// How elements are treated.
    pub graph: GraphOptions,
    /// The graph that exists from the first start.
    pub default_graph: String,
    /// How many graphs there may be.
    pub graphs_max: usize,
    /// How expired elements are removed.
    pub purge: PurgeOptions,
    /// How several processes over one store keep up with each other.
    pub cluster: ClusterOptions,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            graph: GraphOptions::default(),
            default_graph: "hugegraph".to_owned(),
            graphs_max: 4_096,
            purge: PurgeOptions::default(),
            cluster: ClusterOptions::default(),
        }
    }
}

/// What all graphs of a store share.
pub(crate) struct Shared {
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) options: StoreOptions,
    pub(crate) ids: IdGenerator,
    pub(crate) queue: TaskQueue,
    pub(crate) purged: PurgeTotals,
    /// This process among others, where there can be others.
    pub(crate) cluster: Option<Cluster>,
    /// Locks of graphs that another server took away, until their writers have been waited for.
    pub(crate) retired: Mutex<Vec<Stripes>>,
}

impl Shared {
    /// A new automatic vertex id.
    pub(crate) fn next_vertex_id(&self, now_ms: i64) -> Result<i64, StoreError> {
        self.ids.next(now_ms, |least| {
            let reserved = advance_setting(&*self.engine, GraphNumber::STORE, IDS_RESERVED, |before| {
                let before = number_up_to(RESERVED_MAX, [before.unwrap_or_default()])?;
                Ok(before.max(least) + BLOCK)
            })?;
            Ok(reserved - BLOCK)
        })
    }

    /// Whether other processes can be at work on the store.
    pub(crate) fn is_shared(&self) -> bool {
        self.cluster.is_some()
    }

    /// Refuses to write with what may be out of date.
    pub(crate) fn check_fresh(&self) -> Result<(), StoreError> {
        self.cluster.as_ref().map_or(Ok(()), Cluster::check_fresh)
    }

    /// The right to change schema or graphs; `None` where there is nobody to share it with.
    pub(crate) fn begin_change(&self) -> Result<Option<Changing<'_>>, StoreError> {
        self.cluster.as_ref().map(Cluster::begin_change).transpose()
    }

    /// See [`Cluster::wait_for_servers`].
    pub(crate) fn wait_for_servers(&self) -> Result<(), StoreError> {
        self.cluster.as_ref().map_or(Ok(()), Cluster::wait_for_servers)
    }

    /// Which server this is; 0 where there can be no other.
    pub(crate) fn server(&self) -> u64 {
        self.cluster.as_ref().map_or(0, Cluster::id)
    }
}

/// The graphs of one engine. Dropping it interrupts the tasks at work; the next start resumes them.
pub struct Store {
    pub(crate) shared: Arc<Shared>,
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
        if let Some(cluster) = &self.shared.cluster {
            cluster.close();
        }
    }
}

impl Store {
    /// Opens the graphs in `engine`; an empty engine becomes a store with the default graph. Refuses a store of an unknown format.
    pub fn open(engine: Arc<dyn Engine>, options: StoreOptions) -> Result<Self, StoreError> {
        check_format(&*engine)?;
        let reserved = match read_setting(&*engine, GraphNumber::STORE, IDS_RESERVED)? {
            Some(bytes) => number_up_to(RESERVED_MAX, setting_value::read_numbers::<1>(&bytes)?)?,
            None => 0,
        };
        let cluster = Cluster::of(&engine, options.cluster);
        let shared = Arc::new(Shared {
            engine,
            options,
            ids: IdGenerator::new(reserved),
            queue: TaskQueue::default(),
            purged: PurgeTotals::default(),
            cluster,
            retired: Mutex::default(),
        });
        let graphs = Graphs::default();
        let context = Context { shared: Arc::clone(&shared), graphs: Arc::clone(&graphs), waker: Waker::default() };
        let waker = context.waker.clone();
        match &shared.cluster {
            // The first round reads the graphs. Others may be making what looks unfinished.
            Some(cluster) => context.round(cluster)?,
            None => {
                for kind in [MetaKind::Dropped, MetaKind::Unfinished] {
                    finish_drops(&*shared.engine, kind)?;
                }
                for (name, number) in read_graphs(&*shared.engine)? {
                    let graph = open_graph(&shared, name.clone(), number)?;
                    graphs.write().insert(name, Arc::new(graph));
                }
            }
        }
        let refresher = Refresher::start(context);
        let runner = TaskRunner::start(Arc::clone(&shared));
        note_expiries_once(&*shared.engine, &graphs)?;
        let purger = Purger::start(Arc::clone(&shared), Arc::clone(&graphs));
        let remover = Remover::start(waker, house_work(&shared, &graphs));
        let store = Self {
            shared,
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
        if !store.shared.is_shared() {
            for graph in store.graphs.read().values() {
                graph.resume_tasks()?;
            }
        }
        Ok(store)
    }

    /// The graph of a name.
    pub fn graph(&self, name: &str) -> Result<Arc<Graph>, StoreError> {
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
        &*self.shared.engine
    }

    /// Names of the servers over the store that are alive or were a moment ago, this one included; empty where there can be no others.
    pub fn servers(&self) -> Result<Vec<String>, StoreError> {
        if !self.shared.is_shared() {
            return Ok(Vec::new());
        }
        let rows = crate::cluster::rows::read(&*self.shared.engine)?;
        Ok(rows.servers.iter().map(|server| crate::cluster::rows::server_name(server.id)).collect())
    }

    /// Waits until what was dropped or cleared before has been removed from storage. Nothing needs this but tests and measurements.
    pub fn settle(&self) {
        self.remover.settle();
    }
}

/// What the thread does that removes what was dropped.
fn house_work(shared: &Arc<Shared>, graphs: &Graphs) -> impl Fn() -> Result<(), StoreError> + Send + 'static {
    let (shared, graphs) = (Arc::clone(shared), Arc::clone(graphs));
    move || match &shared.cluster {
        Some(cluster) => keep_house(cluster, &*shared.engine, &graphs),
        None => finish_drops(&*shared.engine, MetaKind::Dropped),
    }
}

/// Compares the format version with this program's; writes it into an empty engine and into one of an older version. The engine has added
/// the tables that older version did not have.
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
        graph.note_expiries()?;
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

pub(crate) fn open_graph(shared: &Arc<Shared>, name: String, number: GraphNumber) -> Result<Graph, StoreError> {
    let engine = &*shared.engine;
    let catalogue = read_catalogue(engine, number)?;
    prepare_analyzers(&catalogue);
    let first_task = next_task(engine, number)?;
    Ok(Graph::new(name, number, Arc::clone(shared), catalogue, first_task))
}
