//! Counting the ends of walks without listing them.

use rustc_hash::FxHashMap;

use crate::{Node, NodeSet, Step, Traversal, TraversalError, blocks, limits};

/// How to count.
#[derive(Clone, Copy, Debug)]
pub struct CountRules {
    /// Whether vertices of all layers are counted, the source included, or those of the last only.
    pub contains_traversed: bool,
    /// How many vertices are walked from once only; each vertex beyond is walked from as often as it is come to.
    /// `None`: all are.
    pub dedup_size: Option<u64>,
}

/// How many vertices the steps lead to from `source`, one after the other. A vertex counts as often as edges lead to
/// it, but is walked from once only, in the first layer it is met in.
pub fn count(
    traversal: &mut Traversal<'_>,
    source: Node,
    steps: &[Step],
    rules: &CountRules,
) -> Result<u64, TraversalError> {
    let mut total = u64::from(rules.contains_traversed);
    let mut walked = NodeSet::new();
    // Each vertex of the layer, in the order it was met, with how often it is walked from.
    let mut layer: Vec<(Node, u64)> = vec![(source, 1)];
    for (at, step) in steps.iter().enumerate() {
        let is_last = at + 1 == steps.len();
        for (node, times) in &mut layer {
            *times = times_walked(*node, *times, &mut walked, rules.dedup_size);
        }
        layer.retain(|(_, times)| *times > 0);
        let owners: Vec<Node> = layer.iter().map(|(node, _)| *node).collect();
        let mut times = layer.iter().map(|(_, times)| *times);
        let mut next: Vec<(Node, u64)> = Vec::new();
        let mut places: FxHashMap<Node, usize> = FxHashMap::default();
        let mut reached = 0u64;
        for block in blocks(&owners) {
            let adjacency = traversal.expand(block, step, None)?;
            for (some, times) in adjacency.iter().zip(&mut times) {
                reached = reached.saturating_add(times.saturating_mul(some.targets.len() as u64));
                for target in some.targets.iter().filter(|_| !is_last) {
                    let place = *places.entry(*target).or_insert(next.len());
                    match next.get_mut(place) {
                        Some((_, count)) => *count = count.saturating_add(times),
                        None => {
                            traversal.charge(limits::COUNTED_VERTEX_BYTES)?;
                            next.push((*target, times));
                        }
                    }
                }
            }
        }
        if is_last || rules.contains_traversed {
            total = total.saturating_add(reached);
        }
        layer = next;
    }
    Ok(total)
}

/// How often a vertex that was reached this many times is walked from.
fn times_walked(node: Node, times: u64, walked: &mut NodeSet, dedup_size: Option<u64>) -> u64 {
    if walked.contains(node) {
        0
    } else if dedup_size.is_none_or(|size| (walked.len() as u64) < size) {
        walked.insert(node);
        1
    } else {
        times
    }
}

#[cfg(test)]
mod tests {
    use graph_model::Direction;

    use super::*;
    use crate::fixture::{TestGraph, id};

    fn counted(graph: &TestGraph, steps: &[Step], contains_traversed: bool, dedup_size: Option<u64>) -> u64 {
        let mut traversal = graph.traversal();
        let source = traversal.node(id(1)).unwrap();
        count(&mut traversal, source, steps, &CountRules { contains_traversed, dedup_size }).unwrap()
    }

    fn out() -> Step {
        Step { direction: Direction::Out, ..Step::default() }
    }

    /// 1 to two vertices, of which one has three successors and one has five, all with one of their own.
    fn tree() -> TestGraph {
        let mut edges = vec![(1, 10), (1, 20)];
        edges.extend((11..14).map(|leaf| (10, leaf)));
        edges.extend((21..26).map(|leaf| (20, leaf)));
        edges.extend((11..14).chain(21..26).map(|leaf| (leaf, leaf + 100)));
        TestGraph::of(edges)
    }

    #[test]
    fn the_last_layer_or_all() {
        let steps = vec![out(); 3];
        assert_eq!(counted(&tree(), &steps, false, None), 8);
        assert_eq!(counted(&tree(), &steps, true, None), 1 + 2 + 8 + 8);
        assert_eq!(counted(&tree(), &steps[..1], false, None), 2);
    }

    #[test]
    fn degrees_bound_each_step() {
        let bounded = |max_degree, skip_degree| Step { max_degree: Some(max_degree), skip_degree, ..out() };
        assert_eq!(counted(&tree(), &[out(), bounded(3, 5), out()], false, None), 3);
        assert_eq!(counted(&tree(), &[out(), bounded(2, 3), out()], false, None), 0);
        assert_eq!(counted(&tree(), &[out(), bounded(3, 4)], false, None), 3);
        assert_eq!(counted(&tree(), &[out(), bounded(2, 0)], false, None), 4);
    }

    #[test]
    fn a_vertex_is_walked_from_once_unless_there_is_no_room_to_remember() {
        // Two ways to 4, which has two successors.
        let graph = TestGraph::of([(1, 2), (1, 3), (2, 4), (3, 4), (4, 5), (4, 6)]);
        let steps = vec![out(); 3];
        assert_eq!(counted(&graph, &steps, false, None), 2);
        assert_eq!(counted(&graph, &steps, false, Some(0)), 4);
        assert_eq!(counted(&graph, &steps, false, Some(3)), 4);
        assert_eq!(counted(&graph, &steps, false, Some(4)), 2);
        assert_eq!(counted(&graph, &steps, true, None), 1 + 2 + 2 + 2);
    }
}
