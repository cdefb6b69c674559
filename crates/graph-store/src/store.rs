//! The graphs of one engine: opening, listing, clearing.

use std::collections::BTreeMap;
use std::sync::Arc;

use graph_schema::{Catalogue, NextIds, SchemaKind};
use key_codec::key::{self, MetaKind};
use key_codec::{
    CodecError, FORMAT_VERSION, FORMAT_VERSION_UPGRADABLE, GraphNumber, schema_value, setting_value, tables,
};
use kv::{Engine, KeyBuf, RowRange, WriteBatch};
use parking_lot::{Mutex, RwLock};

use crate::StoreError;
use crate::graph::{Graph, GraphOptions};
use crate::id_generator::{IdGenerator, RESERVED_MAX};
use crate::purge::{Graphs, PurgeOptions, PurgeTotals, Purger};
use crate::task::next_task;
use crate::task_queue::{TaskQueue, TaskRunner};

/// Settings of the store, by name, in `meta`.
const FORMAT: &str = "format_version";
/// Present once every element that expires has its row in the table `expiry`, which version 1 did not have.
const EXPIRIES_NOTED: &str = "expiries_noted";
const IDS_RESERVED: &str = "ids_reserved";
const NEXT_GRAPH: &str = "next_graph";
/// Setting of a graph.
const NEXT_IDS: &str = "next_ids";

/// How a store is opened.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// How elements are treated.
    pub graph: GraphOptions,
    /// The graph that exists from the first start.
    pub default_graph: String,
    /// How expired elements are removed.
    pub purge: PurgeOptions,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self { graph: GraphOptions::default(), default_graph: "hugegraph".to_owned(), purge: PurgeOptions::default() }
    }
}

/// What all graphs of a store share.
pub(crate) struct Shared {
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) options: StoreOptions,
    pub(crate) ids: IdGenerator,
    pub(crate) queue: TaskQueue,
    pub(crate) purged: PurgeTotals,
}

impl Shared {
    /// A new automatic vertex id.
    pub(crate) fn next_vertex_id(&self, now_ms: i64) -> Result<i64, StoreError> {
        self.ids.next(now_ms, |reserved| {
            let mut batch = WriteBatch::new();
            put_setting(&mut batch, GraphNumber::STORE, IDS_RESERVED, &[reserved]);
            Ok(self.engine.commit(batch)?)
        })
    }
}

/// The graphs of one engine. Dropping it interrupts the tasks at work; the next start resumes them.
pub struct Store {
    pub(crate) shared: Arc<Shared>,
    pub(crate) graphs: Graphs,
    /// Serialises changes to the list of graphs.
    admin: Mutex<()>,
    _runner: TaskRunner,
    _purger: Purger,
}

impl Store {
    /// Opens the graphs in `engine`; an empty engine becomes a store with the default graph. Refuses a store of an unknown format.
    pub fn open(engine: Arc<dyn Engine>, options: StoreOptions) -> Result<Self, StoreError> {
        check_format(&*engine)?;
        let reserved = match read_setting(&*engine, GraphNumber::STORE, IDS_RESERVED)? {
            Some(bytes) => number_up_to(RESERVED_MAX, setting_value::read_numbers::<1>(&bytes)?)?,
            None => 0,
        };
        let shared = Arc::new(Shared {
            engine,
            options,
            ids: IdGenerator::new(reserved),
            queue: TaskQueue::default(),
            purged: PurgeTotals::default(),
        });
        finish_drops(&*shared.engine)?;
        let mut graphs = BTreeMap::new();
        for (name, number) in read_graphs(&*shared.engine)? {
            graphs.insert(name.clone(), Arc::new(open_graph(&shared, name, number)?));
        }
        let runner = TaskRunner::start(Arc::clone(&shared));
        let graphs = Arc::new(RwLock::new(graphs));
        note_expiries_once(&*shared.engine, &graphs)?;
        let purger = Purger::start(Arc::clone(&graphs), shared.options.purge);
        let store = Self { shared, graphs, admin: Mutex::default(), _runner: runner, _purger: purger };
        let default = store.shared.options.default_graph.clone();
        if store.graph(&default).is_err() {
            store.create_graph(&default)?;
        }
        for graph in store.graphs.read().values() {
            graph.resume_tasks()?;
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

    /// Removes the schema, the elements and the tasks of a graph. The graph goes on under a new number, so this takes the same short
    /// time whatever it held; requests at work on the old content are turned away.
    pub fn clear_graph(&self, name: &str) -> Result<(), StoreError> {
        let _admin = self.admin.lock();
        let old = self.graph(name)?;
        old.close();
        let fresh = match self.register(name, Some(old.number)) {
            Ok(fresh) => fresh,
            Err(error) => {
                // Where the failed write was stored all the same, the old content is lost and only clearing again helps.
                if read_graphs(self.engine()).is_ok_and(|graphs| graphs.contains(&(name.to_owned(), old.number))) {
                    old.reopen();
                }
                return Err(error);
            }
        };
        fresh.set_mode(old.mode());
        self.graphs.write().insert(name.to_owned(), fresh);
        finish_drops(&*self.shared.engine)
    }

    fn create_graph(&self, name: &str) -> Result<(), StoreError> {
        let _admin = self.admin.lock();
        let graph = self.register(name, None)?;
        self.graphs.write().insert(name.to_owned(), graph);
        Ok(())
    }

    /// Gives the name a new number in one batch, and notes the old one for removal.
    fn register(&self, name: &str, replaced: Option<GraphNumber>) -> Result<Arc<Graph>, StoreError> {
        let engine = &*self.shared.engine;
        let number = match read_setting(engine, GraphNumber::STORE, NEXT_GRAPH)? {
            Some(bytes) => graph_number(setting_value::read_numbers::<1>(&bytes)?)?,
            None => GraphNumber(1),
        };
        let mut batch = WriteBatch::new();
        put_setting(&mut batch, GraphNumber::STORE, NEXT_GRAPH, &[u64::from(number.0) + 1]);
        batch.put(
            tables::META,
            |b| key::meta_partition(b, GraphNumber::STORE, MetaKind::Graph),
            |b| key::meta_row_name(b, name),
            |v| setting_value::put_numbers(v, &[u64::from(number.0)]),
        );
        if let Some(old) = replaced {
            batch.put(
                tables::META,
                |b| key::meta_partition(b, GraphNumber::STORE, MetaKind::Dropped),
                |b| key::meta_row_number(b, old.0),
                |_| (),
            );
        }
        engine.commit(batch)?;
        Ok(Arc::new(Graph::new(name.to_owned(), number, Arc::clone(&self.shared), Catalogue::default(), 1)))
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

/// Removes the data of graphs that were cleared or dropped, also by a process that ended in between.
fn finish_drops(engine: &dyn Engine) -> Result<(), StoreError> {
    let mut partition = Vec::new();
    key::meta_partition(&mut partition, GraphNumber::STORE, MetaKind::Dropped);
    let mut dropped = Vec::new();
    let mut cursor = engine.scan(tables::META, RowRange::all(&partition))?;
    while let Some(entry) = cursor.next()? {
        dropped.push(graph_number([key::read_meta_row_number(entry.key.row())?.into()])?);
    }
    drop(cursor);
    for number in dropped {
        let mut prefix = Vec::new();
        key::graph_prefix(&mut prefix, number);
        for table in (0u8..).zip(tables::TABLES).map(|(at, _)| kv::TableId(at)) {
            engine.delete_prefix(table, &prefix)?;
        }
        let mut batch = WriteBatch::new();
        batch.delete(
            tables::META,
            |b| key::meta_partition(b, GraphNumber::STORE, MetaKind::Dropped),
            |b| key::meta_row_number(b, number.0),
        );
        engine.commit(batch)?;
    }
    Ok(())
}

/// The number of a graph, which is never that of the store.
fn graph_number(stored: [u64; 1]) -> Result<GraphNumber, CodecError> {
    let number = u32::try_from(number_up_to(u32::MAX.into(), stored)?).unwrap_or(u32::MAX);
    if number == 0 {
        return Err(CodecError { what: "setting", problem: "a graph without a number", at: 0 });
    }
    Ok(GraphNumber(number))
}

fn number_up_to(max: u64, [stored]: [u64; 1]) -> Result<u64, CodecError> {
    if stored > max {
        return Err(CodecError { what: "setting", problem: "a number beyond its range", at: 0 });
    }
    Ok(stored)
}

fn read_graphs(engine: &dyn Engine) -> Result<Vec<(String, GraphNumber)>, StoreError> {
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

fn open_graph(shared: &Arc<Shared>, name: String, number: GraphNumber) -> Result<Graph, StoreError> {
    let engine = &*shared.engine;
    let catalogue = read_catalogue(engine, number)?;
    let next_task = next_task(engine, number)?;
    Ok(Graph::new(name, number, Arc::clone(shared), catalogue, next_task))
}

/// The catalogue of a graph as it is stored.
pub(crate) fn read_catalogue(engine: &dyn Engine, number: GraphNumber) -> Result<Catalogue, StoreError> {
    let mut elements = Vec::new();
    for kind in [SchemaKind::PropertyKey, SchemaKind::VertexLabel, SchemaKind::EdgeLabel, SchemaKind::IndexLabel] {
        let mut partition = Vec::new();
        key::meta_partition(&mut partition, number, schema_value::meta_kind(kind));
        let mut cursor = engine.scan(tables::META, RowRange::all(&partition))?;
        while let Some(entry) = cursor.next()? {
            let id = key::read_meta_row_number(entry.key.row())?;
            elements.push(schema_value::read_element(kind, id, entry.value)?);
        }
    }
    let next_ids = match read_setting(engine, number, NEXT_IDS)? {
        Some(bytes) => {
            let [property_key, vertex_label, edge_label, index_label] =
                setting_value::read_numbers::<4>(&bytes)?.map(|n| u32::try_from(n).unwrap_or(u32::MAX));
            NextIds { property_key, vertex_label, edge_label, index_label }
        }
        None => NextIds::default(),
    };
    Catalogue::from_elements(elements, next_ids).map_err(StoreError::CorruptSchema)
}

/// Appends the counters of a catalogue to a batch.
pub(crate) fn put_next_ids(batch: &mut WriteBatch, graph: GraphNumber, next: NextIds) {
    let numbers = [next.property_key, next.vertex_label, next.edge_label, next.index_label].map(u64::from);
    put_setting(batch, graph, NEXT_IDS, &numbers);
}

pub(crate) fn put_setting(batch: &mut WriteBatch, graph: GraphNumber, name: &str, numbers: &[u64]) {
    batch.put(
        tables::META,
        |b| key::meta_partition(b, graph, MetaKind::Setting),
        |b| key::meta_row_name(b, name),
        |v| setting_value::put_numbers(v, numbers),
    );
}

pub(crate) fn read_setting(engine: &dyn Engine, graph: GraphNumber, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
    let mut key = KeyBuf::new();
    key::meta_partition(key.bytes_mut(), graph, MetaKind::Setting);
    key.end_partition();
    key::meta_row_name(key.bytes_mut(), name);
    let mut found = None;
    engine.get(tables::META, key.as_key(), &mut |value| found = Some(value.to_vec()))?;
    Ok(found)
}
