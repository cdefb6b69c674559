//! One traversal: its vertices, its counters, its memory, and the one way it reads edges.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use adjacency::{ColumnOf, NumberLists, Wanted};
use graph_access::{EdgeRead, NumberedRead, WalkRead, drain};
use graph_model::{EdgeId, Vertex, VertexId};
use indexmap::IndexSet;
use rayon::ThreadPool;
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::adjacency::{Adjacency, Memory, Plan, RecordedEdge, by_chunks};
use crate::nodes::{Nodes, heap_bytes};
use crate::recorded::Recorded;
use crate::{Node, NodeMap, Step, TraversalError, Weight, limits};

/// How much a traversal has looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Edges walked along.
    pub edge_iterations: u64,
    /// Different vertices met, those it began at included.
    pub vertex_iterations: u64,
}

/// The state all algorithms share.
pub struct Traversal<'g> {
    graph: &'g dyn WalkRead,
    /// Where blocks are read in parallel; `None`: on the calling thread.
    pool: Option<&'g ThreadPool>,
    nodes: Nodes<'g>,
    pub(crate) memory: Memory,
    /// Bytes charged for the block read last.
    block_bytes: usize,
    edges: AtomicU64,
    /// The edges walked along, where the answer is to show edges.
    recorded: Option<Recorded>,
    /// Whether vertices satisfy the step's vertex conditions.
    accepted: NodeMap<bool>,
}

/// A frontier in blocks of the size [`Traversal::expand`] is made for. The first ones are small: who finds enough early
/// reads no more.
pub(crate) fn blocks(frontier: &[Node]) -> impl Iterator<Item = &[Node]> {
    blocks_for(frontier, Some(0))
}

/// As [`blocks`], for who wants so many vertices; `None`: all, so that there is no reason to begin with a small block.
pub(crate) fn blocks_for(frontier: &[Node], wanted: Option<u64>) -> impl Iterator<Item = &[Node]> {
    let first = wanted.map_or(limits::BLOCK_VERTICES, |wanted| {
        let share = usize::try_from(wanted).unwrap_or(usize::MAX) / limits::FIRST_BLOCK_SHARE;
        share.clamp(limits::FIRST_BLOCK_VERTICES, limits::BLOCK_VERTICES)
    });
    let (mut rest, mut size) = (frontier, first);
    std::iter::from_fn(move || {
        let (block, after) = rest.split_at(rest.len().min(size));
        rest = after;
        size = (size * limits::BLOCK_GROWTH).min(limits::BLOCK_VERTICES);
        (!block.is_empty()).then_some(block)
    })
}

impl<'g> Traversal<'g> {
    /// A traversal that has met nothing yet. `what` is looked for, in plural, for errors; `memory_bytes_max` bounds
    /// what it holds. It reads on the calling thread; see [`Self::parallel_on`].
    #[must_use]
    pub fn new(graph: &'g dyn WalkRead, what: &'static str, memory_bytes_max: usize) -> Self {
        Self {
            graph,
            pool: None,
            nodes: Nodes::new(graph.numbered()),
            memory: Memory::new(memory_bytes_max, what),
            block_bytes: 0,
            edges: AtomicU64::new(0),
            recorded: None,
            accepted: NodeMap::new(),
        }
    }

    /// From now on reads large blocks of vertices in parallel, on the threads of `pool`.
    #[must_use]
    pub fn parallel_on(mut self, pool: Option<&'g ThreadPool>) -> Self {
        self.pool = pool;
        self
    }

    /// From now on remembers an edge for each pair of vertices it walks along, for [`Self::edges_between`].
    #[must_use]
    pub fn recording_edges(mut self, wanted: bool) -> Self {
        self.recorded = wanted.then(Recorded::default);
        self
    }

    /// The node of a vertex, whether or not the vertex exists.
    pub fn node(&mut self, id: VertexId) -> Result<Node, TraversalError> {
        let text_bytes = heap_bytes(&id);
        match self.nodes.number(id) {
            Some((node, false)) => Ok(node),
            Some((node, true)) => {
                self.memory.charge(limits::NODE_BYTES + text_bytes)?;
                Ok(node)
            }
            None => Err(TraversalError::TooManyVertices { what: self.memory.what, limit: Nodes::MAX }),
        }
    }

    /// The node of a vertex that must exist: `role` is how the request names it.
    pub fn existing(&mut self, role: &'static str, id: &VertexId) -> Result<Node, TraversalError> {
        self.check_exist(&[(role, id)])?;
        self.node(id.clone())
    }

    /// Two vertices that must exist, as [`Self::existing`] has one; what is not in memory is read in one round.
    pub fn existing_pair(&mut self, vertices: [(&'static str, &VertexId); 2]) -> Result<[Node; 2], TraversalError> {
        self.check_exist(&vertices)?;
        let [(_, one), (_, other)] = vertices;
        Ok([self.node(one.clone())?, self.node(other.clone())?])
    }

    /// Vertices that must exist, as [`Self::existing`] has one; what is not in memory is read in one round.
    pub fn all_existing(&mut self, vertices: &[(&'static str, &VertexId)]) -> Result<Vec<Node>, TraversalError> {
        self.check_exist(vertices)?;
        vertices.iter().map(|(_, id)| self.node((*id).clone())).collect()
    }

    /// Refuses the first vertex that does not exist. One that has a number exists if it has a label; others get no
    /// number by this, so that a client cannot fill the memory with ids of nobody.
    fn check_exist(&self, vertices: &[(&'static str, &VertexId)]) -> Result<(), TraversalError> {
        let mut exist: Vec<Option<bool>> = vec![None; vertices.len()];
        if let Some(graph) = self.nodes.numbered()
            && let Some(labels) = graph.column(ColumnOf::Label)
        {
            let (mut numbers, mut unread) = (Vec::new(), Vec::new());
            for (exists, (_, id)) in exist.iter_mut().zip(vertices) {
                let Some(number) = graph.known_number(id) else { continue };
                *exists = labels.get(number, |label| label.is_some());
                if exists.is_none() {
                    numbers.push(number);
                    unread.push(exists);
                }
            }
            if !numbers.is_empty() {
                graph.fill(&[ColumnOf::Label], &numbers, &mut |at, _, label| {
                    unread.get_mut(at).into_iter().for_each(|exists| **exists = Some(label.is_some()));
                })?;
            }
        }
        let unread = exist.iter().zip(vertices).filter(|(exists, _)| exists.is_none());
        let ids: Vec<VertexId> = unread.map(|(_, (_, id))| (*id).clone()).collect();
        if !ids.is_empty() {
            let mut found = self.graph.vertices(&ids)?.into_iter();
            for exists in exist.iter_mut().filter(|exists| exists.is_none()) {
                *exists = Some(matches!(found.next(), Some(Some(_))));
            }
        }
        match exist.iter().zip(vertices).find(|(exists, _)| **exists != Some(true)) {
            None => Ok(()),
            Some((_, (role, id))) => Err(TraversalError::VertexNotFound { role, id: id.to_string() }),
        }
    }

    /// The id of a node.
    #[must_use]
    pub fn id(&self, node: Node) -> &VertexId {
        const NOBODY: &VertexId = &VertexId::Number(0);
        self.nodes.id(node).unwrap_or(NOBODY)
    }

    /// The ids of nodes. For lists in which no vertex comes often; see [`Self::ids_of_path`].
    #[must_use]
    pub fn ids<'n>(&self, nodes: impl IntoIterator<Item = &'n Node>) -> Vec<VertexId> {
        nodes.into_iter().map(|node| self.id(*node).clone()).collect()
    }

    /// The ids of a path's nodes, charged: many paths pass the same vertices, so that their ids can take far more than
    /// the vertices do.
    pub fn ids_of_path(&self, nodes: &[Node]) -> Result<Vec<VertexId>, TraversalError> {
        self.charge(nodes.iter().map(|node| size_of::<VertexId>() + heap_bytes(self.id(*node))).sum())?;
        Ok(self.ids(nodes))
    }

    /// Reads the vertices of nodes, in the same order.
    pub(crate) fn vertices(&self, nodes: &[Node]) -> Result<Vec<Option<Vertex>>, TraversalError> {
        Ok(self.graph.vertices(&self.ids(nodes))?)
    }

    /// What it has looked at so far.
    #[must_use]
    pub fn counters(&self) -> Counters {
        Counters { edge_iterations: self.edges.load(Ordering::Relaxed), vertex_iterations: self.nodes.len() as u64 }
    }

    /// How many vertices have nodes: the next new node has this number.
    pub(crate) fn nodes_len(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }

    /// Fails when the time is over or nobody waits any more. Reading looks at that by itself.
    pub(crate) fn check(&self) -> Result<(), TraversalError> {
        Ok(self.graph.check()?)
    }

    /// Counts memory that an algorithm takes for itself.
    pub(crate) fn charge(&self, bytes: usize) -> Result<(), TraversalError> {
        self.memory.charge(bytes)
    }

    /// Gives back what [`Self::charge`] counted.
    pub(crate) fn release(&self, bytes: usize) {
        self.memory.release(bytes);
    }

    pub(crate) fn out_of_memory(&self) -> TraversalError {
        self.memory.charge(usize::MAX / 2).err().unwrap_or(TraversalError::Memory { what: self.memory.what, limit: 0 })
    }

    /// Fails when more than `capacity` vertices have been visited; `None`: any number may.
    pub(crate) fn check_capacity(&self, capacity: Option<u64>, visited: usize) -> Result<(), TraversalError> {
        match capacity {
            Some(capacity) if visited as u64 > capacity => Err(self.exceeded(capacity)),
            _ => Ok(()),
        }
    }

    /// That the capacity is exceeded.
    #[must_use]
    pub(crate) fn exceeded(&self, capacity: u64) -> TraversalError {
        TraversalError::Capacity { capacity, what: self.memory.what }
    }

    /// Reads where one step leads from each of `owners`, which should be a block of [`blocks`]. Vertices that do not
    /// exist have no edges. A traversal uses vertex conditions of one step only.
    pub(crate) fn expand(
        &mut self,
        owners: &[Node],
        step: &Step,
        weight: Option<&Weight>,
    ) -> Result<Adjacency, TraversalError> {
        self.read_edges(owners, step, weight, false)
    }

    /// As [`Self::expand`], for a walk that comes from its end: edges are remembered as leading from the targets to
    /// `owners`.
    pub(crate) fn expand_backwards(&mut self, owners: &[Node], step: &Step) -> Result<Adjacency, TraversalError> {
        self.read_edges(owners, step, None, true)
    }

    fn read_edges(
        &mut self,
        owners: &[Node],
        step: &Step,
        weight: Option<&Weight>,
        backwards: bool,
    ) -> Result<Adjacency, TraversalError> {
        self.memory.release(std::mem::take(&mut self.block_bytes));
        if step.needs_edge_properties() || weight.is_some_and(|weight| weight.key.is_some()) {
            // Where edges are read as rows with their ids, numbers of the graph would only cost a look-up each.
            if self.recorded.as_ref().is_some_and(Recorded::is_fresh) {
                self.nodes = std::mem::replace(&mut self.nodes, Nodes::new(None)).by_ids();
            }
        } else if let Some(graph) = self.nodes.numbered() {
            return self.read_numbers(graph, owners, step, weight, backwards);
        }
        let labels = step.labels();
        let plan = Plan {
            graph: self.graph,
            nodes: &self.nodes,
            memory: &self.memory,
            step,
            labels: labels.as_deref(),
            weight,
            record: self.recorded.is_some(),
            pool: self.pool,
        };
        let chunks = plan.read(owners)?;
        let mut adjacency = Adjacency { owners: owners.to_vec(), ..Adjacency::default() };
        let mut recorded = Vec::new();
        for chunk in chunks {
            self.block_bytes += chunk.bytes;
            let mut numbered: Vec<Option<Node>> = vec![None; chunk.new.len()];
            let mut new: Vec<Option<VertexId>> = chunk.new.into_iter().map(Some).collect();
            let mut met = chunk.met.iter().peekable();
            for owner in 0..chunk.owners {
                while let Some(edge) = met.next_if(|met| met.owner as usize == owner) {
                    let target = match edge.code.checked_sub(Nodes::MAX) {
                        None => Node(edge.code),
                        Some(at) => self.number_new(at as usize, &mut numbered, &mut new)?,
                    };
                    adjacency.targets.push(target);
                }
                adjacency.ends.push(adjacency.targets.len());
            }
            adjacency.weights.extend_from_slice(&chunk.weights);
            recorded.extend(chunk.recorded);
        }
        if !step.vertices.is_empty() {
            self.keep_accepted(&mut adjacency, &mut recorded, step)?;
        }
        self.edges.fetch_add(adjacency.targets.len() as u64, Ordering::Relaxed);
        if let Some(known) = &mut self.recorded {
            self.memory.charge(known.add_rows(&adjacency, recorded, backwards) * limits::RECORDED_EDGE_BYTES)?;
        }
        Ok(adjacency)
    }

    /// As [`Self::read_edges`], where only the ends of edges matter.
    fn read_numbers(
        &mut self,
        graph: &dyn NumberedRead,
        owners: &[Node],
        step: &Step,
        weight: Option<&Weight>,
        backwards: bool,
    ) -> Result<Adjacency, TraversalError> {
        let lists = self.numbers_around(graph, owners, step)?;
        let mut adjacency = Adjacency {
            owners: owners.to_vec(),
            ends: Vec::with_capacity(owners.len()),
            targets: Vec::with_capacity(lists.numbers.len()),
            ..Adjacency::default()
        };
        self.block_bytes = lists.numbers.len() * limits::NUMBERED_EDGE_BYTES;
        self.memory.charge(self.block_bytes)?;
        let before = (self.nodes.len(), self.nodes.array_bytes());
        let mut walked = Vec::new();
        for (owner, list) in owners.iter().zip(lists.iter()) {
            let list = step.walked(list);
            self.nodes.of_numbers(list, |node| adjacency.targets.push(node));
            walked.extend(self.recorded.is_some().then_some(*owner).filter(|_| !list.is_empty()));
            adjacency.ends.push(adjacency.targets.len());
        }
        self.charge_nodes_since(before)?;
        if let Some(weight) = weight {
            adjacency.weights = vec![weight.default; adjacency.targets.len()];
        }
        if !step.vertices.is_empty() {
            self.keep_accepted(&mut adjacency, &mut Vec::new(), step)?;
        }
        if let Some(recorded) = &mut self.recorded {
            self.memory.charge(recorded.add_walked(walked, step, backwards))?;
        }
        self.edges.fetch_add(adjacency.targets.len() as u64, Ordering::Relaxed);
        Ok(adjacency)
    }

    /// Walks one step from each of `owners`, and answers the nodes of those vertices that it meets for the first time,
    /// in that order. For a step without vertex conditions.
    pub(crate) fn reach(&mut self, owners: &[Node], step: &Step) -> Result<Range<u32>, TraversalError> {
        let first = self.nodes_len();
        let Some(graph) = self.nodes.numbered().filter(|_| self.recorded.is_none() && !step.needs_edge_properties())
        else {
            self.expand(owners, step, None)?;
            return Ok(first..self.nodes_len());
        };
        self.memory.release(std::mem::take(&mut self.block_bytes));
        let lists = self.numbers_around(graph, owners, step)?;
        let bytes = lists.numbers.len() * limits::NUMBERED_EDGE_BYTES;
        self.memory.charge(bytes)?;
        let before = (self.nodes.len(), self.nodes.array_bytes());
        let mut edges = 0;
        for list in lists.iter() {
            let list = step.walked(list);
            edges += list.len();
            self.nodes.of_numbers(list, |_| ());
        }
        self.edges.fetch_add(edges as u64, Ordering::Relaxed);
        self.charge_nodes_since(before)?;
        self.memory.release(bytes);
        Ok(first..self.nodes_len())
    }

    /// Charges the nodes by number that there are more than before, and the bytes of arrays.
    fn charge_nodes_since(&self, (nodes, array_bytes): (usize, usize)) -> Result<(), TraversalError> {
        let more = (self.nodes.len() - nodes) * limits::NUMBERED_NODE_BYTES;
        self.memory.charge(more + self.nodes.array_bytes() - array_bytes)
    }

    /// The numbers of the vertices that one step leads to from each of `owners`, those of a vertex with too many edges
    /// included.
    pub(crate) fn numbers_around(
        &self,
        graph: &dyn NumberedRead,
        owners: &[Node],
        step: &Step,
    ) -> Result<NumberLists, TraversalError> {
        let labels = step.labels();
        let wanted = Wanted { direction: step.direction, labels: labels.as_deref(), limit: step.read_limit() };
        let numbers: Vec<u32> = owners.iter().filter_map(|owner| self.nodes.number_of(*owner)).collect();
        let mut lists = NumberLists::default();
        graph.at_hand(&numbers, wanted, &mut lists)?;
        if lists.missed.is_empty() {
            return Ok(lists);
        }
        let missed: Vec<u32> = lists.missed.iter().filter_map(|at| numbers.get(*at).copied()).collect();
        let numbers_max = self.memory.left() / limits::NUMBERED_EDGE_BYTES + 1;
        let read = |chunk: &[u32]| {
            let mut lists = NumberLists { numbers_max, ..NumberLists::default() };
            graph.read(chunk, wanted, &mut lists)?;
            if lists.is_full() { Err(self.out_of_memory()) } else { Ok(lists) }
        };
        // Over a network, all at once: what is read in turns costs rounds.
        let read = if self.graph.is_remote() { vec![read(&missed)?] } else { by_chunks(self.pool, &missed, read)? };
        let mut read = read.iter().flat_map(NumberLists::iter);
        let mut all = NumberLists::default();
        let mut positions = lists.missed.iter().peekable();
        for (at, list) in lists.iter().enumerate() {
            let missed = positions.next_if_eq(&&at).is_some();
            all.numbers.extend_from_slice(if missed { read.next().unwrap_or_default() } else { list });
            all.end_list();
        }
        Ok(all)
    }

    /// How many edges of the step's direction and labels each of `owners` has, counted before conditions, up to the
    /// step's `skip_degree` or else `max_degree`. Their other ends get no numbers.
    pub(crate) fn degrees(&self, owners: &[Node], step: &Step) -> Result<Vec<u64>, TraversalError> {
        if let Some(graph) = self.nodes.numbered() {
            let lists = self.numbers_around(graph, owners, step)?;
            self.edges.fetch_add(lists.numbers.len() as u64, Ordering::Relaxed);
            return Ok(lists.iter().map(|list| list.len() as u64).collect());
        }
        let labels = step.labels();
        let wanted = EdgeRead {
            direction: step.direction,
            labels: labels.as_deref(),
            limit: step.read_limit(),
            properties: false,
        };
        let read = |chunk: &[Node]| {
            let ids: Vec<&VertexId> = chunk.iter().map(|owner| self.id(*owner)).collect();
            let mut degrees = vec![0; ids.len()];
            drain(&mut *self.graph.edges_of(&ids, wanted)?, |edge| {
                if let Some(degree) = degrees.get_mut(edge.owner) {
                    *degree += 1;
                }
                Ok::<_, TraversalError>(())
            })?;
            Ok::<_, TraversalError>(degrees)
        };
        let degrees = if self.graph.is_remote() { vec![read(owners)?] } else { by_chunks(self.pool, owners, read)? };
        self.edges.fetch_add(degrees.iter().flatten().sum(), Ordering::Relaxed);
        Ok(degrees.concat())
    }

    fn number_new(
        &mut self,
        at: usize,
        numbered: &mut [Option<Node>],
        new: &mut [Option<VertexId>],
    ) -> Result<Node, TraversalError> {
        if let Some(Some(node)) = numbered.get(at) {
            return Ok(*node);
        }
        let id = new.get_mut(at).and_then(Option::take).ok_or_else(|| self.out_of_memory())?;
        let node = self.node(id)?;
        if let Some(slot) = numbered.get_mut(at) {
            *slot = Some(node);
        }
        Ok(node)
    }

    /// Leaves out edges whose ends do not both satisfy the step's vertex conditions.
    fn keep_accepted(
        &mut self,
        adjacency: &mut Adjacency,
        recorded: &mut Vec<RecordedEdge>,
        step: &Step,
    ) -> Result<(), TraversalError> {
        let mut unknown: FxHashSet<Node> = FxHashSet::default();
        let ends = adjacency.owners.iter().chain(&adjacency.targets).copied();
        let unknown: Vec<Node> = ends.filter(|node| !self.accepted.contains(*node) && unknown.insert(*node)).collect();
        for some in blocks_for(&unknown, None) {
            for (node, vertex) in some.iter().zip(self.vertices(some)?) {
                let accepted = vertex.is_some_and(|vertex| step.accepts_vertex(vertex.label, &vertex.properties));
                self.accepted.insert(*node, accepted);
            }
        }
        let accepted = |node: Node| self.accepted.get(node).copied().unwrap_or(false);
        let mut kept = Adjacency { owners: std::mem::take(&mut adjacency.owners), ..Adjacency::default() };
        let mut kept_edges = Vec::new();
        let (mut start, mut edges) = (0, std::mem::take(recorded).into_iter());
        for (owner, end) in kept.owners.iter().zip(&adjacency.ends) {
            for at in start..*end {
                let edge = edges.next();
                let Some(target) = adjacency.targets.get(at) else { continue };
                if accepted(*owner) && accepted(*target) {
                    kept.targets.push(*target);
                    kept.weights.extend(adjacency.weights.get(at));
                    kept_edges.extend(edge);
                }
            }
            kept.ends.push(kept.targets.len());
            start = *end;
        }
        (*adjacency, *recorded) = (kept, kept_edges);
        Ok(())
    }

    /// The ids of the edges it walked along between pairs of vertices, one for each pair it did, in the order of the
    /// pairs, none twice.
    pub fn edges_between(&self, pairs: impl IntoIterator<Item = (Node, Node)>) -> Result<Vec<EdgeId>, TraversalError> {
        let Some(recorded) = &self.recorded else { return Ok(Vec::new()) };
        let pairs: IndexSet<(Node, Node), FxBuildHasher> = pairs.into_iter().collect();
        let bytes = pairs.len() * limits::PAIR_BYTES;
        self.charge(bytes)?;
        let accepted = |node: Node| self.accepted.get(node).copied().unwrap_or(false);
        let accepts = |step: &Step, from, to| step.vertices.is_empty() || (accepted(from) && accepted(to));
        let pairs: Vec<(Node, Node)> = pairs.into_iter().collect();
        let mut edges = recorded.along(&self.nodes, &pairs, accepts)?;
        // Those walked along in the other direction only.
        let missing: Vec<usize> =
            edges.iter().enumerate().filter(|(_, edge)| edge.is_none()).map(|(at, _)| at).collect();
        let other_way: Vec<(Node, Node)> =
            missing.iter().filter_map(|at| pairs.get(*at)).map(|(from, to)| (*to, *from)).collect();
        for (at, mut edge) in missing.iter().zip(recorded.along(&self.nodes, &other_way, accepts)?) {
            if let (Some(edge), Some(slot)) = (edge.take(), edges.get_mut(*at)) {
                *slot = Some(RecordedEdge { outgoing: !edge.outgoing, ..edge });
            }
        }
        let mut given = FxHashSet::default();
        let mut ids = Vec::new();
        for ((from, to), edge) in pairs.iter().zip(edges) {
            let Some(edge) = edge else { continue };
            let (source, target) = if edge.outgoing { (*from, *to) } else { (*to, *from) };
            if given.insert((source, target, edge.label)) {
                ids.push(EdgeId {
                    label: edge.label,
                    source: self.id(source).clone(),
                    sort_values: edge.sort_values,
                    target: self.id(target).clone(),
                });
            }
        }
        self.release(bytes);
        Ok(ids)
    }
}

#[cfg(test)]
mod tests {
    use graph_model::Direction;

    use super::*;
    use crate::fixture::{TestGraph, WEIGHT, id, numbers};

    /// Everything within two steps of vertex 1 of a graph wide enough to be read in parallel, in the order found; 0
    /// threads: read on this one.
    fn found(graph: &TestGraph, threads: usize) -> (Vec<Vec<i64>>, Vec<VertexId>, Counters) {
        let pool = (threads > 0).then(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
        let mut traversal = graph.traversal().parallel_on(pool.as_ref());
        let first = traversal.node(id(1)).unwrap();
        let step = Step { skip_degree: 40, max_degree: Some(30), ..Step::default() };
        let near = traversal.expand(&[first], &Step::default(), None).unwrap().targets().to_vec();
        let mut lists = Vec::new();
        for block in blocks(&near) {
            let adjacency = traversal.expand(block, &step, None).unwrap();
            assert_eq!(adjacency.iter().map(|some| some.owner).collect::<Vec<_>>(), block);
            lists.extend(adjacency.iter().map(|some| numbers(&traversal.ids(some.targets))));
        }
        let all: Vec<Node> = (0..u32::try_from(traversal.nodes.len()).unwrap()).map(Node).collect();
        (lists, traversal.ids(&all), traversal.counters())
    }

    #[test]
    fn results_do_not_depend_on_the_threads() {
        let near = 2..1_000;
        let spokes = near.clone().map(|target| (1, target));
        let further = near.flat_map(|at| [(at, 5_000 + at % 7), (6_000 + at % 3, at), (at, 7_000 + at)]);
        let graph = TestGraph::of(spokes.chain(further));
        let one = found(&graph, 1);
        assert_eq!(one, found(&graph, 4));
        assert_eq!(one, found(&graph, 0));
        assert_eq!(one.0.len(), 998);
        assert_eq!(one.0[0], [5_002, 7_002, 1, 6_002]);
        assert_eq!(one.2.vertex_iterations, 1 + 998 + 7 + 3 + 998);
    }

    #[test]
    fn edges_between_vertices_are_those_walked_along() {
        let graph = TestGraph::weighted([
            (1, 2, Some(3.0)),
            (1, 2, Some(1.0)),
            (1, 2, Some(2.0)),
            (2, 3, Some(1.0)),
            (4, 2, None),
        ]);
        let mut traversal = graph.traversal().recording_edges(true);
        let one = traversal.node(id(1)).unwrap();
        let step = Step { direction: Direction::Out, ..Step::default() };
        let weight = Weight { key: Some(WEIGHT), default: 1.0 };
        let adjacency = traversal.expand(&[one], &step, Some(&weight)).unwrap();
        let weights: Vec<f64> = adjacency.iter().flat_map(|some| some.weighted().map(|(_, weight)| weight)).collect();
        assert_eq!(weights, [3.0, 1.0, 2.0]);
        let two = adjacency.targets()[0];
        assert_eq!(traversal.recorded.as_ref().unwrap().row((one, two)).unwrap().weight, 1.0);
        traversal.expand(&[two], &step.reversed(), Some(&weight)).unwrap();
        let four = traversal.node(id(4)).unwrap();
        let three = traversal.node(id(3)).unwrap();
        let edges = traversal.edges_between([(four, two), (two, one), (one, two), (two, three)]).unwrap();
        let ends: Vec<_> = edges.iter().map(|edge| numbers(&[edge.source.clone(), edge.target.clone()])).collect();
        assert_eq!(ends, [[4, 2], [1, 2]], "each once, in its own direction, none that was not walked along");
    }
}
