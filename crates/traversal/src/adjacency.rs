//! Reading the edges of a block of vertices, in parallel where that pays, into one list in the order of the block.

use std::sync::atomic::{AtomicUsize, Ordering};

use compact_str::CompactString;
use graph_access::{EdgeRead, EdgeRow, WalkRead, drain};
use graph_model::{LabelId, VertexId};
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::nodes::{Nodes, heap_bytes};
use crate::{Node, Step, TraversalError, Weight, limits};

/// The neighbours of some vertices, in the order the vertices were given.
#[derive(Debug, Default)]
pub(crate) struct Adjacency {
    pub(crate) owners: Vec<Node>,
    /// Where the neighbours of each owner end in `targets`.
    pub(crate) ends: Vec<usize>,
    pub(crate) targets: Vec<Node>,
    /// As long as `targets`, or empty where no weights were asked for.
    pub(crate) weights: Vec<f64>,
}

/// One vertex and where its edges lead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neighbours<'a> {
    /// The vertex.
    pub(crate) owner: Node,
    /// The other end of each of its edges, in a fixed order; one that several edges lead to comes several times.
    pub(crate) targets: &'a [Node],
    /// The weight of each edge; empty where none was asked for.
    pub(crate) weights: &'a [f64],
}

impl<'a> Neighbours<'a> {
    /// Targets with the weights of the edges to them. Only where weights were asked for.
    pub(crate) fn weighted(self) -> impl Iterator<Item = (Node, f64)> + 'a {
        self.targets.iter().copied().zip(self.weights.iter().copied())
    }
}

impl Adjacency {
    /// Each vertex with its neighbours.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Neighbours<'_>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        self.owners.iter().zip(starts.zip(&self.ends)).map(|(owner, (start, end))| Neighbours {
            owner: *owner,
            targets: self.targets.get(start..*end).unwrap_or_default(),
            weights: self.weights.get(start..*end).unwrap_or_default(),
        })
    }

    /// All other ends, in order, as often as edges lead to them.
    #[must_use]
    pub(crate) fn targets(&self) -> &[Node] {
        &self.targets
    }
}

/// An edge as it is remembered for the answer: with its two ends it makes the edge's id.
#[derive(Clone, Debug)]
pub(crate) struct RecordedEdge {
    pub(crate) label: LabelId,
    pub(crate) outgoing: bool,
    pub(crate) sort_values: CompactString,
    /// Where weights were asked for; else 0.
    pub(crate) weight: f64,
    /// Whether it was met on the way back from the target, and in which read of the traversal.
    pub(crate) met: (bool, u64),
}

/// Bytes in use by a traversal, shared by the threads that read for it.
#[derive(Debug)]
pub(crate) struct Memory {
    used: AtomicUsize,
    limit: usize,
    pub(crate) what: &'static str,
}

impl Memory {
    pub(crate) fn new(limit: usize, what: &'static str) -> Self {
        Self { used: AtomicUsize::new(0), limit, what }
    }

    pub(crate) fn charge(&self, bytes: usize) -> Result<(), TraversalError> {
        if bytes == 0 {
            return Ok(());
        }
        let before = self.used.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) > self.limit {
            return Err(TraversalError::Memory { what: self.what, limit: self.limit });
        }
        Ok(())
    }

    /// Bytes that may still be charged.
    pub(crate) fn left(&self) -> usize {
        self.limit.saturating_sub(self.used.load(Ordering::Relaxed))
    }

    pub(crate) fn release(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// What one thread reads: the edges of a few vertices.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    /// Edges that are to be walked, those of one owner in order.
    pub(crate) met: Vec<Met>,
    pub(crate) weights: Vec<f64>,
    pub(crate) recorded: Vec<RecordedEdge>,
    /// Ends that had no number when the chunk was read.
    pub(crate) new: Vec<VertexId>,
    /// Bytes charged for all this.
    pub(crate) bytes: usize,
    /// Bytes still to be charged: see [`limits::BYTES_PER_CHARGE`].
    pub(crate) uncharged: usize,
    /// Owners of the chunk.
    pub(crate) owners: usize,
}

/// One edge read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Met {
    /// Position of the owner in the chunk.
    pub(crate) owner: u32,
    /// The other end: its number, or beyond [`Nodes::MAX`] its place in [`Chunk::new`].
    pub(crate) code: u32,
}

/// How a block is read.
#[derive(Clone, Copy)]
pub(crate) struct Plan<'a> {
    pub(crate) graph: &'a dyn WalkRead,
    pub(crate) nodes: &'a Nodes<'a>,
    pub(crate) memory: &'a Memory,
    pub(crate) step: &'a Step,
    pub(crate) labels: Option<&'a [LabelId]>,
    pub(crate) weight: Option<&'a Weight>,
    pub(crate) record: bool,
    pub(crate) pool: Option<&'a ThreadPool>,
}

/// Reads chunks of `owners` in parallel on the pool; all of them at once on the calling thread where there is none, or
/// they are few. The results have the order of the owners.
pub(crate) fn by_chunks<O: Sync, T: Send>(
    pool: Option<&ThreadPool>,
    owners: &[O],
    read: impl Fn(&[O]) -> Result<T, TraversalError> + Sync + Send,
) -> Result<Vec<T>, TraversalError> {
    match pool.filter(|_| owners.len() >= limits::PARALLEL_VERTICES_MIN) {
        Some(pool) => pool.install(|| owners.par_chunks(limits::CHUNK_VERTICES).map(read).collect()),
        None => Ok(vec![read(owners)?]),
    }
}

impl Plan<'_> {
    /// Reads the edges of `owners`, in order.
    pub(crate) fn read(self, owners: &[Node]) -> Result<Vec<Chunk>, TraversalError> {
        if self.graph.is_remote() {
            return Ok(vec![self.read_chunk(owners)?]);
        }
        by_chunks(self.pool, owners, |chunk| self.read_chunk(chunk))
    }

    fn read_chunk(self, owners: &[Node]) -> Result<Chunk, TraversalError> {
        let ids: Vec<&VertexId> = owners.iter().filter_map(|owner| self.nodes.id(*owner)).collect();
        let read = EdgeRead {
            direction: self.step.direction,
            labels: self.labels,
            limit: self.step.read_limit(),
            properties: self.step.needs_edge_properties() || self.weight.is_some_and(|weight| weight.key.is_some()),
        };
        let mut chunk = Chunk { owners: owners.len(), ..Chunk::default() };
        let mut seen = vec![0u64; ids.len()];
        drain(&mut *self.graph.edges_of(&ids, read)?, |edge| self.take(edge, &mut chunk, &mut seen))?;
        if self.step.skip_degree > 0 {
            chunk.retain(|met| {
                usize::try_from(met.owner)
                    .ok()
                    .and_then(|at| seen.get(at))
                    .is_none_or(|seen| *seen < self.step.skip_degree)
            });
        }
        chunk.put_in_order();
        Ok(chunk)
    }

    fn take(self, edge: EdgeRow, chunk: &mut Chunk, seen: &mut [u64]) -> Result<(), TraversalError> {
        let Some(count) = seen.get_mut(edge.owner) else { return Ok(()) };
        *count += 1;
        if self.step.max_degree.is_some_and(|max| *count > max) || !self.step.accepts_edge(edge.label, &edge.properties)
        {
            return Ok(());
        }
        let weight = self.weight.map(|weight| weight.of(&edge.properties));
        chunk.weights.extend(weight);
        chunk.uncharged += limits::EDGE_BYTES;
        if self.record {
            let sort_values = edge.sort_values;
            chunk.uncharged += limits::RECORDED_EDGE_BYTES;
            chunk.uncharged += if sort_values.is_heap_allocated() { sort_values.capacity() } else { 0 };
            let (label, outgoing, weight) = (edge.label, edge.outgoing, weight.unwrap_or_default());
            chunk.recorded.push(RecordedEdge { label, outgoing, sort_values, weight, met: (false, 0) });
        }
        let code = match self.nodes.find(&edge.other) {
            Some(node) => node.0,
            None => {
                chunk.uncharged += limits::NEW_VERTEX_BYTES + heap_bytes(&edge.other);
                chunk.new.push(edge.other);
                Nodes::MAX.saturating_add(u32::try_from(chunk.new.len() - 1).unwrap_or(u32::MAX))
            }
        };
        chunk.met.push(Met { owner: u32::try_from(edge.owner).unwrap_or(u32::MAX), code });
        if chunk.uncharged >= limits::BYTES_PER_CHARGE {
            let bytes = std::mem::take(&mut chunk.uncharged);
            chunk.bytes += bytes;
            self.memory.charge(bytes)?;
        }
        Ok(())
    }
}

impl Chunk {
    /// Keeps the edges for which `keep` holds.
    fn retain(&mut self, keep: impl Fn(&Met) -> bool) {
        let kept: Vec<bool> = self.met.iter().map(keep).collect();
        retain_by(&mut self.met, &kept);
        retain_by(&mut self.weights, &kept);
        retain_by(&mut self.recorded, &kept);
    }

    /// Brings together what belongs to one owner, without changing the order within.
    fn put_in_order(&mut self) {
        if self.met.is_sorted_by_key(|met| met.owner) {
            return;
        }
        let mut order: Vec<usize> = (0..self.met.len()).collect();
        order.sort_by_key(|at| self.met.get(*at).map_or(u32::MAX, |met| met.owner));
        self.met = order.iter().filter_map(|at| self.met.get(*at).copied()).collect();
        self.weights = order.iter().filter_map(|at| self.weights.get(*at).copied()).collect();
        self.recorded = order.iter().filter_map(|at| self.recorded.get(*at).cloned()).collect();
    }
}

fn retain_by<T>(items: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    items.retain(|_| kept.next().copied().unwrap_or(false));
}

#[cfg(test)]
mod tests {
    use crate::fixture::{TestGraph, id};
    use crate::{Step, Traversal, TraversalError};

    #[test]
    fn ends_that_have_no_number_yet_are_charged_while_they_are_read() {
        // 4000 edges to vertices not met before take more than their 16 bytes each: the read itself must stop at the
        // limit.
        let graph = TestGraph::of((2..4_002).map(|target| (1, target))).by_numbers(false);
        let read = |limit: usize| {
            let mut traversal = Traversal::new(&graph, "things", limit);
            let one = traversal.node(id(1)).unwrap();
            traversal.expand(&[one], &Step::default(), None).map(|_| ()).map_err(|error| {
                assert!(matches!(error, TraversalError::Memory { .. }), "{error}");
                traversal.counters().vertex_iterations
            })
        };
        assert_eq!(read(200_000), Err(1), "no end was numbered before the limit was noticed");
        assert_eq!(read(1_000_000), Ok(()));
    }
}
