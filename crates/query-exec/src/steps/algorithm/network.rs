//! A graph in memory: vertices by number, and to which others each one's edges lead.

use std::sync::Arc;

use query_plan::{Algorithm, Op, OpFacts as _, Pipeline, PipelineFacts as _};
use query_value::{Edge, Value};
use rustc_hash::FxHashMap;

use crate::context::{Build, Cx};
use crate::error::{ExecError, Result};
use crate::limits::TRAVERSER_BYTES;
use crate::pipe::Pipe;
use crate::storage;
use crate::traverser::Traverser;

/// Numbers of vertices, by their ids.
pub(super) type Numbers = FxHashMap<graph_model::VertexId, u32>;

/// Bytes of a vertex and of an edge.
const VERTEX_BYTES: u64 = 2 * TRAVERSER_BYTES;
const EDGE_BYTES: u64 = 4;

/// The graph that an algorithm sees.
pub(super) struct Network {
    vertices: Vec<Value>,
    numbers: Numbers,
    /// Where each vertex's edges begin in `targets`; one more for the end.
    offsets: Vec<usize>,
    targets: Vec<u32>,
    held: u64,
}

impl Network {
    /// Reads all vertices and the edges that the algorithm follows.
    pub(super) fn load<'g>(cx: &mut Cx<'g>, algorithm: &Algorithm, build: Build<'g>) -> Result<Self> {
        let mut network =
            Self { vertices: Vec::new(), numbers: Numbers::default(), offsets: vec![0], targets: Vec::new(), held: 0 };
        let mut all = Pipe::new(&algorithm.vertices, build)?;
        while let Some(vertex) = all.next(cx)? {
            let number = u32::try_from(network.vertices.len()).map_err(|_| too_many())?;
            if let Some(id) = storage::vertex_id(&vertex.value) {
                network.take(cx, VERTEX_BYTES)?;
                network.numbers.insert(id, number);
                network.vertices.push(vertex.value);
            }
        }
        let mut edges = Edges::new(&algorithm.edges, build)?;
        let batch = cx.batch;
        let mut start = 0;
        let mut found = Vec::new();
        while start < network.vertices.len() {
            let end = (start + batch).min(network.vertices.len());
            let owners = network.vertices.get(start..end).unwrap_or_default();
            found.clear();
            edges.read(cx, owners, |_, owner, edge| {
                let vertex = owners.get(owner).and_then(Value::element_id);
                let edge = edge_of(&edge.value)?;
                let number = other_end(&edge, vertex);
                let number = storage::vertex_id(&number).and_then(|id| network.numbers.get(&id).copied());
                found.extend(number.map(|number| (owner, number)));
                Ok(())
            })?;
            network.take(cx, u64::try_from(found.len()).unwrap_or(u64::MAX).saturating_mul(EDGE_BYTES))?;
            found.sort_by_key(|(owner, _)| *owner);
            let mut rest = found.iter().peekable();
            for owner in 0..end - start {
                while let Some((_, target)) = rest.next_if(|(own, _)| *own == owner) {
                    network.targets.push(*target);
                }
                network.offsets.push(network.targets.len());
            }
            start = end;
        }
        Ok(network)
    }

    fn take(&mut self, cx: &mut Cx<'_>, bytes: u64) -> Result<()> {
        let before = self.held / TRAVERSER_BYTES;
        self.held += bytes;
        cx.hold(self.held / TRAVERSER_BYTES - before)
    }

    /// Gives back the memory.
    pub(super) fn release(self, cx: &mut Cx<'_>) {
        cx.release(self.held / TRAVERSER_BYTES);
    }

    pub(super) fn len(&self) -> usize {
        self.vertices.len()
    }

    /// How many edges.
    pub(super) fn edges(&self) -> usize {
        self.targets.len()
    }

    pub(super) fn vertices(&self) -> &[Value] {
        &self.vertices
    }

    pub(super) fn number(&self, vertex: &Value) -> Option<usize> {
        let number = storage::vertex_id(vertex).and_then(|id| self.numbers.get(&id).copied())?;
        usize::try_from(number).ok()
    }

    /// The other ends of a vertex's edges.
    pub(super) fn targets(&self, vertex: usize) -> impl ExactSizeIterator<Item = usize> {
        let from = self.offsets.get(vertex).copied().unwrap_or_default();
        let to = self.offsets.get(vertex + 1).copied().unwrap_or(from);
        let targets = self.targets.get(from..to).unwrap_or_default();
        targets.iter().map(|target| usize::try_from(*target).unwrap_or(usize::MAX))
    }
}

pub(super) fn too_many() -> ExecError {
    ExecError::unsupported("algorithms take graphs of at most 2^32 vertices")
}

/// The edge that a result is.
pub(super) fn edge_of(value: &Value) -> Result<Arc<Edge>> {
    match value {
        Value::Edge(edge) => Ok(Arc::clone(edge)),
        other => Err(ExecError::evaluation(format!("the edges of an algorithm must be edges, found {}", other.kind()))),
    }
}

/// The vertex that an edge leads to from one of its ends.
pub(super) fn other_end(edge: &Edge, from: Option<&Value>) -> Value {
    storage::end_value(if Some(&edge.source.id) == from { &edge.target } else { &edge.source })
}

/// From vertices to the edges that an algorithm follows.
pub(super) struct Edges<'g> {
    pipe: Pipe<'g>,
    /// Whether many vertices may go through the pipeline together; their sacks say which one an edge is of.
    is_row_wise: bool,
}

impl<'g> Edges<'g> {
    pub(super) fn new(edges: &Pipeline, build: Build<'g>) -> Result<Self> {
        let has_sacks = edges.any(&mut |node| matches!(node.op, Op::SackGet | Op::SackSet(..)));
        let is_row_wise = !has_sacks && !edges.has_barrier() && edges.nodes.iter().all(|node| node.op.is_row_wise());
        Ok(Self { pipe: Pipe::new(edges, build)?, is_row_wise })
    }

    /// Reads the edges of vertices; `take` gets each with the position of its vertex.
    pub(super) fn read(
        &mut self,
        cx: &mut Cx<'g>,
        vertices: &[Value],
        mut take: impl FnMut(&mut Cx<'g>, usize, Traverser) -> Result<()>,
    ) -> Result<()> {
        let together = if self.is_row_wise { vertices.len().max(1) } else { 1 };
        let mut before = 0;
        for some in vertices.chunks(together) {
            self.pipe.reset();
            for (at, vertex) in some.iter().enumerate() {
                let mut traverser = Traverser::new(vertex.clone());
                traverser.state_mut().sack = Some(Value::Long(i64::try_from(at).unwrap_or(i64::MAX)));
                self.pipe.push(traverser);
            }
            while let Some(edge) = self.pipe.next(cx)? {
                let at = if self.is_row_wise { edge.sack().and_then(Value::as_i64) } else { Some(0) };
                let at = at.and_then(|at| usize::try_from(at).ok()).unwrap_or_default();
                take(cx, before + at, edge)?;
            }
            before += some.len();
        }
        Ok(())
    }
}
