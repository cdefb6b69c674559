//! Paths and crosspoints along steps that the request lists one by one.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::layers::{LayerStep, Layers, Walked};
use crate::search::keep;
use crate::{Node, NodeSet, Path, Traversal, TraversalError, limits};

/// In which order paths are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortBy {
    /// As they are found.
    None,
    /// Lightest first.
    Increasing,
    /// Heaviest first.
    Decreasing,
}

/// A path and the weight of each of its edges.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomizedPath {
    /// The path.
    pub path: Path,
    /// The weights, in order.
    pub weights: Vec<f64>,
}

/// Paths from any of `sources` that take the given steps one after the other, no vertex twice; one for each choice of
/// edges. At most `limit`: the first in the order asked for.
pub fn customized_paths(
    traversal: &mut Traversal<'_>,
    sources: &[Node],
    steps: &[LayerStep],
    sort_by: SortBy,
    (capacity, limit): (Option<u64>, Option<u64>),
) -> Result<Vec<CustomizedPath>, TraversalError> {
    let layers = Layers::read(traversal, sources, steps, capacity, &mut 0)?;
    let within = layers.leading_to(traversal, |_| true)?;
    let mut best = Best { sort_by, limit, ranked: BinaryHeap::new(), found: 0 };
    for source in sources {
        let flow = layers.walk(traversal, *source, &within, &mut |walked| best.offer(traversal, &walked))?;
        if flow.is_break() {
            break;
        }
    }
    Ok(best.ranked.into_sorted_vec().into_iter().map(|ranked| ranked.path).collect())
}

/// The best paths so far.
struct Best {
    sort_by: SortBy,
    limit: Option<u64>,
    /// The worst on top.
    ranked: BinaryHeap<Ranked>,
    found: u64,
}

/// A path and its rank: first the total, signed so that less is better, then the order in which paths were found.
struct Ranked {
    total: f64,
    number: u64,
    path: CustomizedPath,
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.total.total_cmp(&other.total).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ranked {}

impl Best {
    fn is_full(&self) -> bool {
        self.limit.is_some_and(|limit| self.ranked.len() as u64 >= limit)
    }

    fn offer(&mut self, traversal: &Traversal<'_>, walked: &Walked<'_>) -> Result<ControlFlow<()>, TraversalError> {
        let sum: f64 = walked.weights.iter().sum();
        let total = match self.sort_by {
            SortBy::None => 0.0,
            SortBy::Increasing => sum,
            SortBy::Decreasing => -sum,
        };
        self.found += 1;
        if self.is_full() {
            if self.ranked.peek().is_none_or(|worst| total.total_cmp(&worst.total).is_ge()) {
                return Ok(ControlFlow::Continue(()));
            }
            if let Some(worst) = self.ranked.pop() {
                traversal.release(bytes(worst.path.path.nodes.len()));
            }
        }
        traversal.charge(bytes(walked.nodes.len()))?;
        let path = Path { nodes: walked.nodes.to_vec() };
        let path = CustomizedPath { path, weights: walked.weights.to_vec() };
        self.ranked.push(Ranked { total, number: self.found, path });
        let done = self.sort_by == SortBy::None && self.is_full();
        Ok(if done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}

fn bytes(vertices: usize) -> usize {
    limits::PATH_BYTES + vertices * (size_of::<Node>() + size_of::<f64>())
}

/// Vertices that walks from several others all end at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CustomizedCrosspoints {
    /// The vertices.
    pub crosspoints: Vec<Node>,
    /// If asked for: the paths that end there.
    pub paths: Vec<Path>,
}

/// Vertices at which paths from each of `sources` end, where a path takes the steps of one of `patterns` one after the
/// other and no vertex twice. At most `limit` of them, with all paths to them if `with_path`.
pub fn customized_crosspoints(
    traversal: &mut Traversal<'_>,
    sources: &[Node],
    patterns: &[Vec<LayerStep>],
    (capacity, limit): (Option<u64>, Option<u64>),
    with_path: bool,
) -> Result<CustomizedCrosspoints, TraversalError> {
    let (mut all, mut visited) = (Vec::with_capacity(patterns.len()), 0);
    for pattern in patterns {
        all.push(Layers::read(traversal, sources, pattern, capacity, &mut visited)?);
    }
    let mut crosspoints = candidates(traversal, &all, sources)?;
    for source in sources {
        if crosspoints.is_empty() {
            break;
        }
        let reached = reached_simply(traversal, &all, *source, &crosspoints)?;
        crosspoints.retain(|node| reached.contains(*node));
    }
    if let Some(limit) = limit {
        crosspoints.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    }
    let mut paths: IndexSet<Path, FxBuildHasher> = IndexSet::default();
    if with_path && !crosspoints.is_empty() {
        let wanted = set_of(&crosspoints);
        for layers in &all {
            let within = layers.leading_to(traversal, |end| wanted.contains(end))?;
            for source in sources {
                let _all = layers.walk(traversal, *source, &within, &mut |walked| {
                    let new = paths.insert(keep(traversal, walked.nodes)?);
                    if !new {
                        traversal.release(limits::PATH_BYTES + size_of_val(walked.nodes));
                    }
                    Ok(ControlFlow::Continue(()))
                })?;
            }
        }
    }
    Ok(CustomizedCrosspoints { crosspoints, paths: paths.into_iter().collect() })
}

fn set_of(nodes: &[Node]) -> NodeSet {
    let mut set = NodeSet::new();
    for node in nodes {
        set.insert(*node);
    }
    set
}

/// The ends that walks from every source reach, whether or not they pass a vertex twice.
fn candidates(traversal: &Traversal<'_>, all: &[Layers], sources: &[Node]) -> Result<Vec<Node>, TraversalError> {
    let mut met = NodeSet::new();
    let ends = all.iter().flat_map(|layers| &layers.ends).copied();
    let mut common: Vec<Node> = ends.filter(|end| met.insert(*end)).collect();
    for source in sources {
        if common.is_empty() {
            break;
        }
        let reached = all.iter().map(|layers| layers.reached_from(traversal, *source));
        let reached: Vec<NodeSet> = reached.collect::<Result<_, _>>()?;
        common.retain(|end| reached.iter().any(|reached| reached.contains(*end)));
    }
    Ok(common)
}

/// Those of `wanted` at which a path from `source` ends.
fn reached_simply(
    traversal: &Traversal<'_>,
    all: &[Layers],
    source: Node,
    wanted: &[Node],
) -> Result<NodeSet, TraversalError> {
    let wanted = set_of(wanted);
    let mut reached = NodeSet::new();
    for layers in all {
        let within = layers.leading_to(traversal, |end| wanted.contains(end))?;
        let flow = layers.walk(traversal, source, &within, &mut |walked| {
            if let Some(end) = walked.nodes.last() {
                reached.insert(*end);
            }
            Ok(if reached.len() == wanted.len() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        if flow.is_break() {
            break;
        }
    }
    Ok(reached)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;

    use graph_model::ErrorKind;

    use super::*;
    use crate::Step;
    use crate::fixture::{TestGraph, id};

    /// Walks of one step from the first vertices after vertex 1.
    fn walks(graph: &TestGraph, sources: i64) -> (Traversal<'_>, Vec<Node>, Vec<Layers>) {
        let mut traversal = graph.traversal();
        let sources: Vec<Node> = (2..2 + sources).map(|source| traversal.node(id(source)).unwrap()).collect();
        let step = LayerStep { step: Step::default(), weight: None, sample: None };
        let layers = Layers::read(&mut traversal, &sources, &[step], None, &mut 0).unwrap();
        (traversal, sources, vec![layers])
    }

    #[test]
    fn candidates_are_looked_for_only_as_long_as_somebody_waits() {
        let graph = TestGraph::of((2..102).map(|leaf| (1, leaf)));
        let (traversal, sources, layers) = walks(&graph, 100);
        assert_eq!(candidates(&traversal, &layers, &sources).unwrap().len(), 1);
        graph.checks_left.store(50, Relaxed);
        let error = candidates(&traversal, &layers, &sources).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
    }

    #[test]
    fn candidates_end_where_nothing_is_common() {
        let graph = TestGraph::of([(1, 2), (5, 3)].into_iter().chain((4..5).chain(6..104).map(|leaf| (1, leaf))));
        let (traversal, sources, layers) = walks(&graph, 100);
        // Vertices 2 and 3 have nothing in common: the other sources are not looked at, nor the caller for their sake.
        graph.checks_left.store(5, Relaxed);
        assert!(candidates(&traversal, &layers, &sources).unwrap().is_empty());
    }
}
