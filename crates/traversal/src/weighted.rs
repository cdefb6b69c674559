//! Shortest paths by weight (Dijkstra 1959), to one vertex or to all.
//!
//! Vertices are settled one by one, but their edges are read many at a time: when the next vertex to settle has not
//! been read yet, it is read together with those that stand behind it in the queue. All of them will be settled sooner
//! or later, unless the search ends first; so the reads begin small and grow.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::{Node, NodeMap, Path, Step, Traversal, TraversalError, Weight, limits};

/// Which paths to look for.
#[derive(Clone, Copy, Debug)]
pub struct WeightedPaths<'a> {
    /// Which edges to follow.
    pub step: &'a Step,
    /// How long an edge is.
    pub weight: Weight,
    /// How many vertices may be visited; `None`: any number.
    pub capacity: Option<u64>,
}

/// A path and its length.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedPath {
    /// The sum of the weights of its edges.
    pub weight: f64,
    /// Its vertices.
    pub path: Path,
}

/// The lightest path; `None` where there is none. The path from a vertex to itself is the vertex, of weight 0.
pub fn lightest_path(
    traversal: &mut Traversal<'_>,
    source: Node,
    target: Node,
    query: &WeightedPaths<'_>,
) -> Result<Option<WeightedPath>, TraversalError> {
    let mut search = Search::begin(source);
    while let Some((weight, node)) = search.settle(traversal, query)? {
        if node == target {
            return Ok(Some(WeightedPath { weight, path: search.path(node) }));
        }
    }
    Ok(None)
}

/// The lightest path to each vertex that can be reached, nearest first; `limit` at most.
pub fn lightest_paths(
    traversal: &mut Traversal<'_>,
    source: Node,
    query: &WeightedPaths<'_>,
    limit: Option<u64>,
) -> Result<Vec<(Node, WeightedPath)>, TraversalError> {
    let mut search = Search::begin(source);
    let mut paths = Vec::new();
    while limit.is_none_or(|limit| (paths.len() as u64) < limit) {
        let Some((weight, node)) = search.settle(traversal, query)? else { break };
        if node != source {
            let path = search.path(node);
            traversal.charge(path.nodes.len() * size_of::<Node>() + size_of::<WeightedPath>())?;
            paths.push((node, WeightedPath { weight, path }));
        }
    }
    Ok(paths)
}

/// A vertex that is to be settled.
#[derive(Clone, Copy, PartialEq)]
struct Queued {
    weight: f64,
    node: Node,
}

impl Eq for Queued {}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> Ordering {
        self.weight.total_cmp(&other.weight).then(self.node.cmp(&other.node))
    }
}

/// What is known of a vertex.
struct Known {
    weight: f64,
    before: Option<Node>,
    settled: bool,
}

struct Search {
    known: NodeMap<Known>,
    len: usize,
    queue: BinaryHeap<Reverse<Queued>>,
    /// Edges read for vertices that are not settled yet.
    read: FxHashMap<Node, Vec<(Node, f64)>>,
    /// Vertices to read next time.
    batch: usize,
}

impl Search {
    fn begin(source: Node) -> Self {
        let mut known = NodeMap::new();
        known.insert(source, Known { weight: 0.0, before: None, settled: false });
        let queue = BinaryHeap::from([Reverse(Queued { weight: 0.0, node: source })]);
        Self { known, len: 1, queue, read: FxHashMap::default(), batch: 1 }
    }

    /// Settles the nearest vertex that is not settled: no lighter way to it exists. Its neighbours are looked at before
    /// the next one.
    fn settle(
        &mut self,
        traversal: &mut Traversal<'_>,
        query: &WeightedPaths<'_>,
    ) -> Result<Option<(f64, Node)>, TraversalError> {
        while let Some(Reverse(next)) = self.queue.pop() {
            match self.known.get_mut(next.node) {
                Some(known) if !known.settled => known.settled = true,
                _ => continue,
            }
            if !self.read.contains_key(&next.node) {
                self.read_ahead(traversal, query, next.node)?;
            }
            let edges = self.read.remove(&next.node).unwrap_or_default();
            for (target, weight) in &edges {
                self.meet(traversal, query, next, *target, *weight)?;
            }
            traversal.release(edges.len() * size_of::<(Node, f64)>());
            return Ok(Some((next.weight, next.node)));
        }
        Ok(None)
    }

    fn meet(
        &mut self,
        traversal: &Traversal<'_>,
        query: &WeightedPaths<'_>,
        from: Queued,
        target: Node,
        weight: f64,
    ) -> Result<(), TraversalError> {
        if weight.is_nan() || weight < 0.0 {
            let (source_id, target_id) = (traversal.id(from.node).to_string(), traversal.id(target).to_string());
            return Err(TraversalError::Weight { source_id, target_id, weight });
        }
        let weight = from.weight + weight;
        match self.known.get(target) {
            Some(known) if known.settled || known.weight <= weight => return Ok(()),
            Some(_) => {}
            None => {
                self.len += 1;
                traversal.check_capacity(query.capacity, self.len)?;
                traversal.charge(size_of::<Known>())?;
            }
        }
        traversal.charge(size_of::<Queued>())?;
        self.known.insert(target, Known { weight, before: Some(from.node), settled: false });
        self.queue.push(Reverse(Queued { weight, node: target }));
        Ok(())
    }

    /// Reads the edges of a vertex and of those next in the queue.
    fn read_ahead(
        &mut self,
        traversal: &mut Traversal<'_>,
        query: &WeightedPaths<'_>,
        first: Node,
    ) -> Result<(), TraversalError> {
        let mut owners = vec![first];
        let mut taken = Vec::new();
        while owners.len() < self.batch {
            let Some(queued) = self.queue.pop() else { break };
            taken.push(queued);
            let node = queued.0.node;
            let is_open = self.known.get(node).is_some_and(|known| !known.settled);
            if is_open && !self.read.contains_key(&node) && !owners.contains(&node) {
                owners.push(node);
            }
        }
        self.queue.extend(taken);
        self.batch = (self.batch * 2).min(limits::READ_AHEAD_VERTICES);
        let adjacency = traversal.expand(&owners, query.step, Some(&query.weight))?;
        for some in adjacency.iter() {
            let edges: Vec<(Node, f64)> = some.weighted().collect();
            traversal.charge(edges.len() * size_of::<(Node, f64)>())?;
            self.read.insert(some.owner, edges);
        }
        Ok(())
    }

    fn path(&self, end: Node) -> Path {
        let before = |node: &Node| self.known.get(*node).and_then(|known| known.before);
        let mut nodes: Vec<Node> = std::iter::successors(Some(end), before).collect();
        nodes.reverse();
        Path { nodes }
    }
}

#[cfg(test)]
mod tests {
    use graph_model::Direction;
    use petgraph::algo::dijkstra;
    use petgraph::graph::DiGraph;
    use proptest::prelude::*;

    use super::*;
    use crate::fixture::{TestGraph, WEIGHT, id, numbers};

    const BY_PROPERTY: Weight = Weight { key: Some(WEIGHT), default: 1.0 };

    fn out() -> Step {
        Step { direction: Direction::Out, ..Step::default() }
    }

    fn from_one(graph: &TestGraph, query: &WeightedPaths<'_>, limit: Option<u64>) -> Vec<(i64, f64, Vec<i64>)> {
        let mut traversal = graph.traversal();
        let source = traversal.node(id(1)).unwrap();
        let paths = lightest_paths(&mut traversal, source, query, limit).unwrap();
        let number = |nodes: &[Node]| numbers(&traversal.ids(nodes));
        paths.iter().map(|(node, way)| (number(&[*node])[0], way.weight, number(&way.path.nodes))).collect()
    }

    #[test]
    fn a_detour_can_be_lighter() {
        let graph = TestGraph::weighted([
            (1, 2, Some(5.0)),
            (1, 3, Some(0.5)),
            (3, 2, Some(0.0)),
            (2, 4, None),
            (3, 4, Some(2.5)),
        ]);
        let step = out();
        let query = WeightedPaths { step: &step, weight: BY_PROPERTY, capacity: None };
        let expected = [(3, 0.5, vec![1, 3]), (2, 0.5, vec![1, 3, 2]), (4, 1.5, vec![1, 3, 2, 4])];
        assert_eq!(from_one(&graph, &query, None), expected);
        assert_eq!(from_one(&graph, &query, Some(2)), expected[..2]);
        let plain = WeightedPaths { weight: Weight { key: None, default: 1.0 }, ..query };
        assert_eq!(from_one(&graph, &plain, None)[2].1, 2.0);
        let mut traversal = graph.traversal();
        let (source, target) = (traversal.node(id(1)).unwrap(), traversal.node(id(4)).unwrap());
        let found = lightest_path(&mut traversal, source, target, &query).unwrap().unwrap();
        assert_eq!((found.weight, numbers(&traversal.ids(&found.path.nodes))), (1.5, vec![1, 3, 2, 4]));
        assert_eq!(lightest_path(&mut traversal, target, source, &query).unwrap(), None);
        let small = WeightedPaths { capacity: Some(3), ..query };
        assert!(matches!(
            lightest_path(&mut traversal, source, target, &small),
            Err(TraversalError::Capacity { capacity: 3, .. })
        ));
    }

    #[test]
    fn negative_weights_are_refused() {
        let step = out();
        for wrong in [-0.5, f64::NAN] {
            let graph = TestGraph::weighted([(1, 2, Some(wrong))]);
            let mut traversal = graph.traversal();
            let source = traversal.node(id(1)).unwrap();
            let query = WeightedPaths { step: &step, weight: BY_PROPERTY, capacity: None };
            assert!(matches!(lightest_paths(&mut traversal, source, &query, None), Err(TraversalError::Weight { .. })));
        }
    }

    proptest! {
        #[test]
        fn distances_are_those_of_another_implementation(
            edges in proptest::collection::vec((1i64..12, 1i64..12, 0u8..6), 0..50),
        ) {
            let edge = |(source, target, weight): &(i64, i64, u8)| (*source, *target, Some(f64::from(*weight)));
            let graph = TestGraph::weighted(edges.iter().map(edge));
            let mut model: DiGraph<(), f64> = DiGraph::new();
            let nodes: Vec<_> = (0..12).map(|_| model.add_node(())).collect();
            for (source, target, weight) in &edges {
                let at = |number: i64| nodes[usize::try_from(number).unwrap()];
                model.add_edge(at(*source), at(*target), f64::from(*weight));
            }
            let expected = dijkstra(&model, nodes[1], None, |edge| *edge.weight());
            let step = out();
            let found = from_one(&graph, &WeightedPaths { step: &step, weight: BY_PROPERTY, capacity: None }, None);
            prop_assert_eq!(found.len(), expected.len() - 1);
            prop_assert!(found.is_sorted_by(|a, b| a.1 <= b.1));
            for (target, weight, path) in found {
                prop_assert_eq!(expected[&nodes[usize::try_from(target).unwrap()]], weight);
                let hop = |pair: &[i64]| {
                    let parallel = edges.iter().filter(|edge| (edge.0, edge.1) == (pair[0], pair[1]));
                    parallel.map(|edge| f64::from(edge.2)).fold(f64::INFINITY, f64::min)
                };
                prop_assert_eq!(path.windows(2).map(hop).sum::<f64>(), weight);
            }
        }
    }
}
