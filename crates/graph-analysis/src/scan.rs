//! Reading the vertices and edges of a graph in parallel, at one moment.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use graph_access::{Allowed, ElementRights, GraphRights};
use graph_model::{LabelId, PropertyKeyId, Value, VertexId};
use graph_store::parts::is_expired;
use graph_store::{Graph, StoreError, now_ms};
use key_codec::{key, tables, value};
use kv::{Entry, Key, Read, TableId, prefix_end};
use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHashMap;
use tagged_value::Token;

use crate::edges::{Edges, Finding};
use crate::ids::Ids;
use crate::limits;
use crate::watch::Observer;

/// Which elements are read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Filter {
    /// Vertices of these labels; none: all.
    pub(crate) vertex_labels: Option<Vec<LabelId>>,
    /// Edges of these labels; none: all.
    pub(crate) edge_labels: Option<Vec<LabelId>>,
    /// Whose value is the weight of an edge.
    pub(crate) weight: Option<PropertyKeyId>,
    /// What may be seen; none: everything. What is hidden is neither kept nor counted nor told of.
    pub(crate) rights: Option<Arc<GraphRights>>,
}

impl Filter {
    fn seen(&self) -> Option<&ElementRights> {
        self.rights.as_deref().map(|rights| &rights.read)
    }
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
    /// Whether edges are counted and not kept, those to visible vertices of other labels too.
    pub(crate) counts_edges: bool,
    /// Who may stop it, and is told how many rows were read.
    pub(crate) observer: &'a dyn Observer,
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

/// What one thread has kept of a part. It tells the others now and then only: they would wait for each other.
struct Keeper<'s> {
    shared: &'s Shared<'s>,
    /// Bytes that the others do not know of.
    pending: u64,
    /// Whether there is no more room.
    is_full: bool,
}

impl<'s> Keeper<'s> {
    fn new(shared: &'s Shared<'s>) -> Self {
        let is_full = shared.kept.load(Ordering::Relaxed) > shared.order.bytes_max || shared.order.bytes_max == 0;
        Self { shared, pending: 0, is_full }
    }

    /// Whether something is to be kept. It counts in any case: what is not kept is known to be missing.
    fn keep(&mut self, bytes: u64) -> bool {
        self.pending += bytes;
        if self.pending >= limits::KEPT_PER_LOOK {
            self.tell();
        }
        !self.is_full
    }

    fn tell(&mut self) {
        let before = self.shared.kept.fetch_add(self.pending, Ordering::Relaxed);
        self.is_full |= before + self.pending > self.shared.order.bytes_max;
        self.pending = 0;
    }
}

impl Drop for Keeper<'_> {
    fn drop(&mut self) {
        self.tell();
    }
}

impl Shared<'_> {
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
        let mut rows = read.scan_once(table, &prefix, after)?;
        let mut count = 0;
        while let Some(entry) = rows.next()? {
            if entry.key.as_bytes() > &*part.end {
                break;
            }
            count += 1;
            if count % limits::ROWS_PER_CHECK == 0 {
                self.tell_rows(limits::ROWS_PER_CHECK);
                self.order.observer.check()?;
                if self.failed.load(Ordering::Relaxed) {
                    break;
                }
            }
            visit(entry)?;
        }
        self.tell_rows(count % limits::ROWS_PER_CHECK);
        Ok(())
    }

    /// How many rows are read tells of hidden ones.
    fn tell_rows(&self, more: usize) {
        if self.filter.rights.is_none() {
            self.order.observer.rows(more as u64);
        }
    }

    fn vertices(&self, read: &dyn Read, part: &Part) -> Result<Vec<VertexId>, StoreError> {
        let (mut ids, mut counts, mut keeper) = (Vec::new(), Counts::default(), Keeper::new(self));
        self.scan(read, (tables::VERTEX, part), |entry| {
            let head = value::read_vertex_head(entry.value)?;
            let is_wanted = self.filter.vertex_labels.as_ref().is_none_or(|labels| labels.contains(&head.label));
            // Edges are counted between all vertices that may be seen.
            let is_end = is_wanted || (self.order.counts_edges && self.filter.rights.is_some());
            if !is_end || is_expired(head.expires_at_ms, self.now_ms) {
                return Ok(());
            }
            let is_seen = match self.filter.seen().map(|seen| seen.vertices.of(head.label)) {
                None | Some(Some(Allowed::Whole)) => true,
                Some(None) => false,
                Some(Some(Allowed::Where(any))) => {
                    let (_, properties) = value::read_vertex(entry.value)?;
                    any.iter().any(|conditions| conditions.matches(&properties))
                }
            };
            if !is_seen {
                return Ok(());
            }
            let id = key::read_vertex_key(entry.key)?;
            let own = match &id {
                VertexId::String(text) if text.is_heap_allocated() => text.len() as u64,
                _ => 0,
            };
            if is_wanted {
                *counts.vertices.entry(head.label).or_default() += 1;
                counts.id_bytes += own;
            }
            if keeper.keep(limits::VERTEX_BYTES + own) {
                ids.push(id);
            }
            Ok(())
        })?;
        self.counts.lock().add(counts);
        ids.shrink_to_fit();
        Ok(ids)
    }

    /// Without `ids` there is no room, and edges are only counted.
    fn edges(&self, read: &dyn Read, part: &Part, ids: Option<&Ids>) -> Result<Edges, StoreError> {
        if ids.is_none() && self.filter.rights.is_some() {
            // Nobody knows which of them lead to hidden vertices.
            return Ok(Edges::default());
        }
        let mut found = Finding::new(ids, self.filter.weight.is_some(), self.order.counts_edges);
        let mut keeper = Keeper::new(self);
        let (mut partition, mut text): (Vec<u8>, Vec<u8>) = (Vec::new(), Vec::new());
        // The label and the source of the partition at hand; none where it is not wanted.
        let mut owner: Option<(LabelId, u32)> = None;
        // Which edges of that label may be seen.
        let mut seen: Option<&Allowed> = None;
        let mut last = 0;
        self.scan(read, (tables::EDGE_OUT, part), |entry| {
            if partition.is_empty() || entry.key.partition() != &*partition {
                partition.clear();
                partition.extend_from_slice(entry.key.partition());
                let (label, source) = key::read_edge_partition(&partition, &mut text)?;
                let is_wanted = self.filter.edge_labels.as_ref().is_none_or(|labels| labels.contains(&label));
                seen = match self.filter.seen() {
                    None => Some(&Allowed::Whole),
                    Some(rights) => rights.edges.of(label),
                };
                let number = || ids.map_or(Some(0), |ids| ids.number_after(last, source));
                owner = (is_wanted && seen.is_some()).then(number).flatten().map(|number| (label, number));
                last = owner.map_or(last, |(_, number)| number);
                found.begin(owner.map(|(label, _)| label), &mut |bytes| keeper.keep(bytes));
            }
            let Some((_, source)) = owner else { return Ok(()) };
            let conditions = match seen {
                Some(Allowed::Where(any)) => Some(any),
                _ => None,
            };
            let (expires_at_ms, weight) = if conditions.is_some() || self.filter.weight.is_some() {
                let (expires_at_ms, properties) = value::read_edge(entry.value)?;
                if conditions.is_some_and(|any| !any.iter().any(|conditions| conditions.matches(&properties))) {
                    return Ok(());
                }
                let weight = self.filter.weight.and_then(|key| properties.get(key));
                (expires_at_ms, weight.map_or(Some(1.0), number))
            } else {
                (value::read_edge_expiry(entry.value)?, Some(1.0))
            };
            if !is_expired(expires_at_ms, self.now_ms) {
                let target = key::read_edge_other(entry.key.row(), &mut text)?;
                found.add(source, target, weight.unwrap_or(f64::NAN), &mut |bytes| keeper.keep(bytes));
            }
            Ok(())
        })?;
        let (edges, counts) = found.end(&mut |bytes| keeper.keep(bytes));
        self.counts.lock().add(Counts { edges: counts, ..Counts::default() });
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
        Value::Any(bytes) => tagged(bytes),
        _ => None,
    }
}

/// The value of an edge of an auto graph as a weight.
#[expect(clippy::cast_precision_loss, reason = "weights are approximate")]
fn tagged(bytes: &[u8]) -> Option<f64> {
    match tagged_value::read(bytes).ok()? {
        Token::Byte(value) => Some(f64::from(value)),
        Token::Short(value) => Some(f64::from(value)),
        Token::Int(value) => Some(f64::from(value)),
        Token::Long(value) => Some(value as f64),
        Token::Float(value) => Some(f64::from(value)),
        Token::Double(value) => Some(value),
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
    let ids: RwLock<Option<Ids>> = RwLock::new(None);
    let paused = if snapshots { Some(graph.pause_writes()?) } else { None };
    thread::scope(|scope| {
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
                    match shared.edges(read, part, ids.as_ref()) {
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
        // Who may see everything needs no ids to count.
        let needs_ids = !order.counts_edges || filter.rights.is_some();
        if needs_ids && shared.kept.load(Ordering::Relaxed) <= order.bytes_max {
            *ids.write() = Some(Ids::new(found.into_iter().map(|(_, ids)| ids).collect(), threads));
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
        ids: ids.into_inner().unwrap_or_default(),
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
