//! Reading the vertices and edges of a graph in parallel, at one moment.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use graph_model::{LabelId, PropertyKeyId, Value, VertexId, VertexIdRef};
use graph_store::parts::is_expired;
use graph_store::{Graph, StoreError, now_ms};
use hashbrown::HashTable;
use key_codec::{key, tables, value};
use kv::{Entry, Key, Read, TableId, prefix_end};
use parking_lot::{Mutex, RwLock};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::limits;

/// Which elements are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    /// Vertices of these labels; none: all.
    pub(crate) vertex_labels: Option<Vec<LabelId>>,
    /// Edges of these labels; none: all.
    pub(crate) edge_labels: Option<Vec<LabelId>>,
    /// Whose value is the weight of an edge.
    pub(crate) weight: Option<PropertyKeyId>,
}

/// How many elements there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Vertices by label.
    pub vertices: FxHashMap<LabelId, u64>,
    /// Edges by label, those whose ends are among the vertices.
    pub edges: FxHashMap<LabelId, u64>,
    /// Bytes of ids besides their places.
    pub id_bytes: u64,
}

impl Counts {
    /// All vertices.
    #[must_use]
    pub fn all_vertices(&self) -> u64 {
        self.vertices.values().sum()
    }

    /// All edges.
    #[must_use]
    pub fn all_edges(&self) -> u64 {
        self.edges.values().sum()
    }

    fn add(&mut self, other: Self) {
        other.vertices.into_iter().for_each(|(label, count)| *self.vertices.entry(label).or_default() += count);
        other.edges.into_iter().for_each(|(label, count)| *self.edges.entry(label).or_default() += count);
        self.id_bytes += other.id_bytes;
    }
}

/// The numbers of vertices by their ids.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    pub(crate) ids: Vec<VertexId>,
    places: HashTable<u32>,
}

fn hash(id: VertexIdRef<'_>) -> u64 {
    std::hash::BuildHasher::hash_one(&FxBuildHasher, id)
}

impl Ids {
    fn new(ids: Vec<VertexId>) -> Self {
        let mut places = HashTable::with_capacity(ids.len());
        let of = |place: &u32| ids.get(*place as usize).map_or(0, |id| hash(id.into()));
        for (place, id) in (0_u32..).zip(&ids) {
            places.insert_unique(hash(id.into()), place, of);
        }
        Self { ids, places }
    }

    /// The number of an id.
    pub(crate) fn number(&self, id: VertexIdRef<'_>) -> Option<u32> {
        let is_it = |place: &u32| self.ids.get(*place as usize).is_some_and(|own| VertexIdRef::from(own) == id);
        self.places.find(hash(id), is_it).copied()
    }
}

/// Edges in the order in which they were read.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    pub(crate) sources: Vec<u32>,
    pub(crate) targets: Vec<u32>,
    /// Empty where there are none.
    pub(crate) weights: Vec<f64>,
}

/// What was read.
pub(crate) struct Copied {
    pub(crate) ids: Ids,
    pub(crate) edges: Vec<Edges>,
    pub(crate) counts: Counts,
    /// Whether all is of one moment.
    pub(crate) is_of_one_moment: bool,
    /// Whether elements were only counted from some point on, because there are too many.
    pub(crate) is_only_counted: bool,
}

/// Who asks for it, and what may be kept.
pub(crate) struct Order<'a> {
    pub(crate) threads: usize,
    /// Bytes that may be kept.
    pub(crate) bytes_max: u64,
    /// Whether to go on.
    pub(crate) check: &'a (dyn Fn() -> Result<(), StoreError> + Sync),
    /// Rows read so far.
    pub(crate) rows: &'a AtomicU64,
}

/// What threads share while they read.
struct Shared<'a> {
    graph: &'a Graph,
    filter: &'a Filter,
    order: &'a Order<'a>,
    now_ms: i64,
    kept: AtomicU64,
    failed: AtomicBool,
    error: Mutex<Option<StoreError>>,
    counts: Mutex<Counts>,
}

/// A part of a table: after a key, up to another one.
struct Part {
    after: Option<Vec<u8>>,
    end: Vec<u8>,
}

fn parts(graph: &Graph, table: TableId) -> Result<Vec<Part>, StoreError> {
    let mut prefix = Vec::new();
    key::graph_prefix(&mut prefix, graph.number());
    let runs = graph.engine().split(table, &prefix, limits::RUN_BYTES)?;
    let ends = runs.iter().skip(1).map(|run| run.start.clone()).chain(prefix_end(&prefix));
    let part = |(run, end): (&kv::Run, Vec<u8>)| Part { after: (run.start != prefix).then(|| run.start.clone()), end };
    Ok(runs.iter().zip(ends).map(part).collect())
}

impl Shared<'_> {
    /// Whether to go on keeping what is read.
    fn keep(&self, bytes: u64) -> bool {
        self.kept.fetch_add(bytes, Ordering::Relaxed) + bytes <= self.order.bytes_max
    }

    fn fail(&self, error: StoreError) {
        self.failed.store(true, Ordering::Relaxed);
        self.error.lock().get_or_insert(error);
    }

    fn scan(
        &self,
        read: &dyn Read,
        (table, part): (TableId, &Part),
        mut visit: impl FnMut(Entry<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut prefix = Vec::new();
        key::graph_prefix(&mut prefix, self.graph.number());
        let after = part.after.as_ref().map(|bytes| Key::new(bytes, 0));
        let mut rows = read.scan_partitions(table, &prefix, after)?;
        let mut count = 0;
        while let Some(entry) = rows.next()? {
            if entry.key.as_bytes() > &*part.end {
                break;
            }
            count += 1;
            if count % limits::ROWS_PER_CHECK == 0 {
                self.order.rows.fetch_add(limits::ROWS_PER_CHECK as u64, Ordering::Relaxed);
                (self.order.check)()?;
                if self.failed.load(Ordering::Relaxed) {
                    break;
                }
            }
            visit(entry)?;
        }
        self.order.rows.fetch_add((count % limits::ROWS_PER_CHECK) as u64, Ordering::Relaxed);
        Ok(())
    }

    fn vertices(&self, read: &dyn Read, part: &Part) -> Result<Vec<VertexId>, StoreError> {
        let (mut ids, mut counts) = (Vec::new(), Counts::default());
        self.scan(read, (tables::VERTEX, part), |entry| {
            let head = value::read_vertex_head(entry.value)?;
            let is_wanted = self.filter.vertex_labels.as_ref().is_none_or(|labels| labels.contains(&head.label));
            if !is_wanted || is_expired(head.expires_at_ms, self.now_ms) {
                return Ok(());
            }
            let id = key::read_vertex_key(entry.key)?;
            let own = match &id {
                VertexId::String(text) if text.is_heap_allocated() => text.len() as u64,
                _ => 0,
            };
            *counts.vertices.entry(head.label).or_default() += 1;
            counts.id_bytes += own;
            if self.keep(limits::VERTEX_BYTES + own) {
                ids.push(id);
            }
            Ok(())
        })?;
        self.counts.lock().add(counts);
        Ok(ids)
    }

    fn edges(&self, read: &dyn Read, part: &Part, ids: &Ids) -> Result<Edges, StoreError> {
        let (mut edges, mut counts) = (Edges::default(), Counts::default());
        let (mut partition, mut text): (Vec<u8>, Vec<u8>) = (Vec::new(), Vec::new());
        // The label and the source of the partition at hand; none where it is not wanted.
        let mut owner: Option<(LabelId, u32)> = None;
        let is_counting = ids.ids.is_empty();
        let own_bytes = if self.filter.weight.is_some() { 16 } else { 8 };
        self.scan(read, (tables::EDGE_OUT, part), |entry| {
            if partition.is_empty() || entry.key.partition() != &*partition {
                partition.clear();
                partition.extend_from_slice(entry.key.partition());
                let (label, source) = key::read_edge_partition(&partition, &mut text)?;
                let is_wanted = self.filter.edge_labels.as_ref().is_none_or(|labels| labels.contains(&label));
                let number = || if is_counting { Some(0) } else { ids.number(source) };
                owner = is_wanted.then(number).flatten().map(|number| (label, number));
            }
            let Some((label, source)) = owner else { return Ok(()) };
            let (_, target) = key::read_edge_row(entry.key.row())?;
            let (expires_at_ms, weight) = match self.filter.weight {
                Some(key) => {
                    let (expires_at_ms, properties) = value::read_edge(entry.value)?;
                    (expires_at_ms, properties.get(key).map_or(Some(1.0), number))
                }
                None => (value::read_edge_expiry(entry.value)?, Some(1.0)),
            };
            if is_expired(expires_at_ms, self.now_ms) {
                return Ok(());
            }
            let target = if is_counting { Some(0) } else { ids.number((&target).into()) };
            let Some(target) = target else { return Ok(()) };
            *counts.edges.entry(label).or_default() += 1;
            if self.keep(own_bytes) && !is_counting {
                edges.sources.push(source);
                edges.targets.push(target);
                if self.filter.weight.is_some() {
                    edges.weights.push(weight.unwrap_or(f64::NAN));
                }
            }
            Ok(())
        })?;
        self.counts.lock().add(counts);
        Ok(edges)
    }
}

/// A value as a weight; none where it is no number.
#[expect(clippy::cast_precision_loss, reason = "weights are approximate")]
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Byte(value) => Some(f64::from(*value)),
        Value::Int(value) => Some(f64::from(*value)),
        Value::Long(value) => Some(*value as f64),
        Value::Float(value) => Some(f64::from(*value)),
        Value::Double(value) => Some(*value),
        _ => None,
    }
}

/// Reads all elements that pass. Writers are kept out while the threads take their snapshots, where the engine has any.
pub(crate) fn read(graph: &Graph, filter: &Filter, order: &Order<'_>) -> Result<Copied, StoreError> {
    let engine = graph.engine();
    let snapshots = engine.capabilities().snapshot_reads;
    let (vertex_parts, edge_parts) = (parts(graph, tables::VERTEX)?, parts(graph, tables::EDGE_OUT)?);
    let threads = order.threads.clamp(1, limits::THREADS_MAX);
    let shared = Shared {
        graph,
        filter,
        order,
        now_ms: now_ms(),
        kept: AtomicU64::new(0),
        failed: AtomicBool::new(false),
        error: Mutex::new(None),
        counts: Mutex::new(Counts::default()),
    };
    let barrier = Barrier::new(threads + 1);
    let (next_vertices, next_edges) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let ids_found: Mutex<Vec<(usize, Vec<VertexId>)>> = Mutex::new(Vec::new());
    let edges_found: Mutex<Vec<(usize, Edges)>> = Mutex::new(Vec::new());
    let ids = RwLock::new(Ids::default());
    let paused = if snapshots { Some(graph.pause_writes()?) } else { None };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                threads::run_anywhere();
                let own = snapshots.then(|| engine.snapshot()).transpose();
                let own = own.map_err(|error| shared.fail(error.into())).unwrap_or_default();
                let read: &dyn Read = own.as_deref().unwrap_or(engine);
                barrier.wait();
                while let Some((at, part)) = take(&next_vertices, &vertex_parts, &shared) {
                    match shared.vertices(read, part) {
                        Ok(found) => ids_found.lock().push((at, found)),
                        Err(error) => shared.fail(error),
                    }
                }
                barrier.wait();
                barrier.wait();
                let ids = ids.read();
                while let Some((at, part)) = take(&next_edges, &edge_parts, &shared) {
                    match shared.edges(read, part, &ids) {
                        Ok(found) => edges_found.lock().push((at, found)),
                        Err(error) => shared.fail(error),
                    }
                }
            });
        }
        barrier.wait();
        drop(paused);
        barrier.wait();
        let mut found = std::mem::take(&mut *ids_found.lock());
        found.sort_unstable_by_key(|(at, _)| *at);
        if shared.kept.load(Ordering::Relaxed) <= order.bytes_max {
            *ids.write() = Ids::new(found.into_iter().flat_map(|(_, ids)| ids).collect());
        }
        barrier.wait();
    });
    if let Some(error) = shared.error.into_inner() {
        return Err(error);
    }
    graph.unless_cleared(())?;
    let mut found = edges_found.into_inner();
    found.sort_unstable_by_key(|(at, _)| *at);
    Ok(Copied {
        ids: ids.into_inner(),
        edges: found.into_iter().map(|(_, edges)| edges).collect(),
        counts: shared.counts.into_inner(),
        is_of_one_moment: snapshots,
        is_only_counted: shared.kept.into_inner() > order.bytes_max,
    })
}

/// The next part that nobody has taken.
fn take<'p>(next: &AtomicUsize, parts: &'p [Part], shared: &Shared<'_>) -> Option<(usize, &'p Part)> {
    if shared.failed.load(Ordering::Relaxed) {
        return None;
    }
    let at = next.fetch_add(1, Ordering::Relaxed);
    parts.get(at).map(|part| (at, part))
}
