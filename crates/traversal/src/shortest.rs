//! Shortest paths by number of edges: one, or all of them. Searched from both ends, always from the side with the
//! smaller frontier.

use smallvec::{SmallVec, smallvec};

use crate::{Node, NodeMap, Path, Step, Traversal, TraversalError, blocks};

/// Which paths to look for.
#[derive(Clone, Copy, Debug)]
pub struct ShortestPath<'a> {
    /// Which edges to follow from the source on. A vertex that the step skips for its degree in that direction is not
    /// walked from, from whichever end the search comes to it; it may be the target.
    pub step: &'a Step,
    /// Length of the longest path wanted.
    pub depth: u64,
    /// How many vertices may be visited; `None`: any number.
    pub capacity: Option<u64>,
}

/// What one side knows of a vertex.
struct Seen {
    depth: u64,
    /// The vertices it was reached from at that depth: one, or all where all paths are wanted. Most have one, which
    /// takes no allocation.
    before: SmallVec<[Node; 2]>,
}

/// The search from one end.
struct Side {
    step: Step,
    seen: NodeMap<Seen>,
    len: usize,
    frontier: Vec<Node>,
    depth: u64,
}

impl Side {
    fn new(start: Node, step: Step) -> Self {
        let mut seen = NodeMap::new();
        seen.insert(start, Seen { depth: 0, before: SmallVec::new() });
        Self { step, seen, len: 1, frontier: vec![start], depth: 0 }
    }

    /// All ways from its start to a node, each beginning with the node.
    fn ways(&self, traversal: &Traversal<'_>, node: Node) -> Result<Vec<Vec<Node>>, TraversalError> {
        let mut done = Vec::new();
        let mut open = vec![vec![node]];
        while let Some(way) = open.pop() {
            traversal.charge(way.len() * size_of::<Node>())?;
            let before = way.last().and_then(|last| self.seen.get(*last)).map_or(&[][..], |seen| &seen.before);
            if before.is_empty() {
                done.push(way);
                if done.len().is_multiple_of(crate::limits::PATHS_PER_CHECK) {
                    traversal.check()?;
                }
                continue;
            }
            open.extend(before.iter().rev().map(|node| way.iter().copied().chain([*node]).collect::<Vec<_>>()));
        }
        Ok(done)
    }
}

/// One shortest path; `None` where there is none. The path from a vertex to itself is the vertex.
pub fn shortest_path(
    traversal: &mut Traversal<'_>,
    source: Node,
    target: Node,
    query: &ShortestPath<'_>,
) -> Result<Option<Path>, TraversalError> {
    Ok(search(traversal, source, target, query, false)?.into_iter().next())
}

/// All shortest paths.
pub fn all_shortest_paths(
    traversal: &mut Traversal<'_>,
    source: Node,
    target: Node,
    query: &ShortestPath<'_>,
) -> Result<Vec<Path>, TraversalError> {
    search(traversal, source, target, query, true)
}

fn search(
    traversal: &mut Traversal<'_>,
    source: Node,
    target: Node,
    query: &ShortestPath<'_>,
    all: bool,
) -> Result<Vec<Path>, TraversalError> {
    if source == target {
        return Ok(vec![Path { nodes: vec![source] }]);
    }
    let mut forward = Side::new(source, query.step.clone());
    // The degree that counts is the one in the direction of the walk: see `passable`.
    let mut backward = Side::new(target, Step { skip_degree: 0, ..query.step.reversed() });
    for _ in 0..query.depth {
        let from_source = forward.frontier.len() <= backward.frontier.len();
        let meetings = if from_source {
            advance(traversal, &mut forward, &backward, target, query.step, all)?
        } else {
            if backward.depth > 0 {
                backward.frontier = passable(traversal, &backward.frontier, query.step)?;
            }
            advance(traversal, &mut backward, &forward, target, query.step, all)?
        };
        if !meetings.is_empty() {
            return paths(traversal, &forward, &backward, &meetings, all);
        }
        traversal.check_capacity(query.capacity, forward.len + backward.len)?;
        if forward.frontier.is_empty() || backward.frontier.is_empty() {
            break;
        }
    }
    Ok(Vec::new())
}

/// Goes one step further; answers where that meets the other side: the first such vertex, or all that shortest paths
/// pass.
fn advance(
    traversal: &mut Traversal<'_>,
    side: &mut Side,
    other: &Side,
    end: Node,
    walk: &Step,
    all: bool,
) -> Result<Vec<Node>, TraversalError> {
    side.depth += 1;
    let from = std::mem::take(&mut side.frontier);
    let mut meetings: Vec<Node> = Vec::new();
    for block in blocks(&from) {
        let adjacency = traversal.expand(block, &side.step, None)?;
        let pairs = adjacency.iter().flat_map(|some| some.targets.iter().map(move |target| (some.owner, *target)));
        for (owner, target) in pairs {
            match side.seen.get_mut(target) {
                // Each owner is in the frontier once and its edges come together, so that parallel ones follow each
                // other here.
                Some(seen) if all && seen.depth == side.depth && seen.before.last() != Some(&owner) => {
                    traversal.charge(size_of::<Node>())?;
                    seen.before.push(owner);
                    continue;
                }
                Some(_) => continue,
                None => {}
            }
            traversal.charge(size_of::<Seen>() + size_of::<Node>())?;
            side.seen.insert(target, Seen { depth: side.depth, before: smallvec![owner] });
            side.len += 1;
            side.frontier.push(target);
            if other.seen.contains(target) && (target == end || !passable(traversal, &[target], walk)?.is_empty()) {
                meetings.push(target);
                if !all {
                    return Ok(meetings);
                }
            }
        }
    }
    let depth_of = |node: &Node| other.seen.get(*node).map_or(u64::MAX, |seen| seen.depth);
    let nearest = meetings.iter().map(depth_of).min();
    meetings.retain(|node| Some(depth_of(node)) == nearest);
    Ok(meetings)
}

/// Of some vertices those the step walks from: that have fewer edges than it skips.
fn passable(traversal: &Traversal<'_>, nodes: &[Node], step: &Step) -> Result<Vec<Node>, TraversalError> {
    if step.skip_degree == 0 {
        return Ok(nodes.to_vec());
    }
    let degrees = traversal.degrees(nodes, step)?;
    let kept = nodes.iter().zip(degrees).filter(|(_, degree)| *degree < step.skip_degree);
    Ok(kept.map(|(node, _)| *node).collect())
}

fn paths(
    traversal: &Traversal<'_>,
    forward: &Side,
    backward: &Side,
    meetings: &[Node],
    all: bool,
) -> Result<Vec<Path>, TraversalError> {
    let mut paths = Vec::new();
    for meeting in meetings {
        let to_target = backward.ways(traversal, *meeting)?;
        for way in forward.ways(traversal, *meeting)? {
            for rest in &to_target {
                traversal.charge((way.len() + rest.len()) * size_of::<Node>())?;
                let nodes: Vec<Node> = way.iter().rev().chain(rest.iter().skip(1)).copied().collect();
                paths.push(Path { nodes });
                if !all {
                    return Ok(paths);
                }
            }
        }
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use graph_model::Direction;
    use petgraph::algo::all_simple_paths;
    use petgraph::graphmap::DiGraphMap;
    use proptest::prelude::*;

    use super::*;
    use crate::fixture::{TestGraph, edges, id, numbers};

    fn out() -> Step {
        Step { direction: Direction::Out, ..Step::default() }
    }

    fn find(graph: &TestGraph, step: &Step, depth: u64, ends: (i64, i64)) -> (Vec<i64>, BTreeSet<Vec<i64>>) {
        let mut traversal = graph.traversal();
        let (source, target) = (traversal.node(id(ends.0)).unwrap(), traversal.node(id(ends.1)).unwrap());
        let query = ShortestPath { step, depth, capacity: None };
        let one = shortest_path(&mut traversal, source, target, &query).unwrap().unwrap_or_default();
        let all = all_shortest_paths(&mut traversal, source, target, &query).unwrap();
        let ids = |path: &Path| numbers(&traversal.ids(&path.nodes));
        let distinct: BTreeSet<_> = all.iter().map(ids).collect();
        assert_eq!(all.len(), distinct.len(), "no path twice");
        (ids(&one), distinct)
    }

    #[test]
    fn two_ways_of_three_steps_and_one_of_four() {
        let graph = TestGraph::of([(1, 2), (2, 3), (3, 9), (1, 4), (4, 5), (5, 9), (1, 6), (6, 7), (7, 8), (8, 9)]);
        let (one, all) = find(&graph, &out(), 5, (1, 9));
        assert_eq!(all, BTreeSet::from([vec![1, 2, 3, 9], vec![1, 4, 5, 9]]));
        assert!(all.contains(&one));
        assert_eq!(find(&graph, &out(), 2, (1, 9)).0, [] as [i64; 0]);
        assert_eq!(find(&graph, &out(), 5, (9, 1)).0, [] as [i64; 0]);
        assert_eq!(find(&graph, &out().reversed(), 5, (9, 1)).1.len(), 2);
        assert_eq!(find(&graph, &out(), 5, (1, 1)).0, [1]);
    }

    #[test]
    fn vertices_of_high_degree_are_not_passed_but_may_be_ends() {
        let hub = (20..30).map(|leaf| (2, leaf));
        let graph = TestGraph::of([(1, 2), (2, 9), (1, 3), (3, 4), (4, 9)].into_iter().chain(hub));
        let skipping = Step { max_degree: Some(5), skip_degree: 5, ..out() };
        assert_eq!(find(&graph, &out(), 5, (1, 9)).0, [1, 2, 9]);
        assert_eq!(find(&graph, &skipping, 5, (1, 9)).0, [1, 3, 4, 9]);
        assert_eq!(find(&graph, &skipping, 5, (1, 2)).0, [1, 2]);
    }

    #[test]
    fn capacity_is_a_bound() {
        let graph = TestGraph::of((1..50).map(|at| (at, at + 1)));
        let mut traversal = graph.traversal();
        let (source, target) = (traversal.node(id(1)).unwrap(), traversal.node(id(50)).unwrap());
        let step = out();
        let query = ShortestPath { step: &step, depth: 100, capacity: Some(20) };
        let error = shortest_path(&mut traversal, source, target, &query).unwrap_err();
        assert_eq!(error, TraversalError::Capacity { capacity: 20, what: "things" });
    }

    proptest! {
        #[test]
        fn all_shortest_paths_are_the_shortest_simple_ones(edges in edges(), depth in 1u64..9, target in 2i64..10) {
            let graph = TestGraph::of(edges.iter().copied());
            let model: DiGraphMap<i64, ()> = DiGraphMap::from_edges(edges.iter().copied());
            let mut expected: Vec<Vec<i64>> = Vec::new();
            if model.contains_node(1) && model.contains_node(target) {
                let hops = usize::try_from(depth - 1).unwrap();
                let hasher = all_simple_paths::<Vec<i64>, _, std::hash::RandomState>(&model, 1, target, 0, Some(hops));
                expected = hasher.collect();
            }
            let shortest = expected.iter().map(Vec::len).min();
            expected.retain(|path| Some(path.len()) == shortest);
            let (one, all) = find(&graph, &out(), depth, (1, target));
            prop_assert_eq!(&all, &expected.into_iter().collect::<BTreeSet<_>>());
            let fits = if all.is_empty() { one.is_empty() } else { all.contains(&one) };
            prop_assert!(fits);
        }
    }
}
