//! Passing rank on from layer to layer around a vertex.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Adjacency, Node, Step, Traversal, TraversalError, blocks, limits};

/// One layer.
#[derive(Clone, Debug)]
pub struct RankStep {
    /// Which edges lead to it.
    pub step: Step,
    /// At most this many of its vertices are given.
    pub top: usize,
}

/// The ranks of the vertices of each layer, highest first; layer 0 is the source with rank 1.
///
/// A vertex hands on `alpha` times its rank in equal parts along its edges: to the next layer, and to vertices of its
/// own or of earlier layers, each of which counts once. A vertex of its own layer adds what it gets before it hands on;
/// one of an earlier layer keeps it. Edges back to the source do not count. A vertex that can be reached in several
/// ways weighs its edges to the next layer as many times, as HugeGraph does; those ways count against `capacity`.
pub fn neighbor_rank(
    traversal: &mut Traversal<'_>,
    source: Node,
    steps: &[RankStep],
    alpha: f64,
    capacity: Option<u64>,
) -> Result<Vec<Vec<(Node, f64)>>, TraversalError> {
    let mut layers = vec![Layer::default()];
    layers.iter_mut().for_each(|layer| layer.add(source, 1.0, 1));
    let mut ways = 0u64;
    for step in steps {
        let frontier = layers.last().map(|layer| layer.order.clone()).unwrap_or_default();
        let mut edges = Vec::new();
        for block in blocks(&frontier) {
            let adjacency = traversal.expand(block, &step.step, None)?;
            traversal.charge(size_of_val(adjacency.targets()) + block.len() * limits::RANKED_VERTEX_BYTES)?;
            edges.push(adjacency);
        }
        let sorted: Vec<Passing> =
            edges.iter().flat_map(Adjacency::iter).map(|some| sort_out(&layers, source, some)).collect();
        for passing in &sorted {
            ways = ways.saturating_add((passing.onward.len() as u64).saturating_mul(passing.ways));
        }
        if let Some(capacity) = capacity.filter(|capacity| ways > *capacity) {
            return Err(traversal.exceeded(capacity));
        }
        let next = pass_on(&mut layers, &sorted, alpha);
        layers.push(next);
        traversal.check()?;
    }
    let tops = std::iter::once(1).chain(steps.iter().map(|step| step.top));
    Ok(layers.into_iter().zip(tops).map(|(layer, top)| layer.ranked(top)).collect())
}

/// The vertices of a layer.
#[derive(Default)]
struct Layer {
    /// In the order they were met.
    order: Vec<Node>,
    /// The rank of each, and in how many ways it is reached.
    members: FxHashMap<Node, (f64, u64)>,
}

impl Layer {
    fn add(&mut self, node: Node, rank: f64, ways: u64) {
        match self.members.get_mut(&node) {
            Some((sum, count)) => {
                *sum += rank;
                *count = count.saturating_add(ways);
            }
            None => {
                self.order.push(node);
                self.members.insert(node, (rank, ways));
            }
        }
    }

    fn raise(&mut self, node: Node, rank: f64) {
        if let Some((sum, _)) = self.members.get_mut(&node) {
            *sum += rank;
        }
    }

    fn rank(&self, node: Node) -> f64 {
        self.members.get(&node).map_or(0.0, |(rank, _)| *rank)
    }

    fn ranked(&self, top: usize) -> Vec<(Node, f64)> {
        let mut ranked: Vec<(Node, f64)> = self.order.iter().map(|node| (*node, self.rank(*node))).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        ranked.truncate(top);
        ranked
    }
}

/// Where the edges of a vertex lead.
struct Passing {
    from: Node,
    ways: u64,
    same_layer: Vec<Node>,
    /// With the number of the layer.
    earlier: Vec<(usize, Node)>,
    onward: Vec<Node>,
}

impl Passing {
    /// Into how many parts the rank is cut.
    fn parts(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "beyond 2^53 ways the nearest number will do")]
        let onward = self.onward.len() as f64 * self.ways as f64;
        #[expect(clippy::cast_precision_loss, reason = "a vertex has far fewer than 2^53 edges")]
        let back = (self.same_layer.len() + self.earlier.len()) as f64;
        onward + back
    }
}

fn sort_out(layers: &[Layer], source: Node, some: crate::Neighbours<'_>) -> Passing {
    let last = layers.len() - 1;
    let is_in = |layer: &Layer, node: Node| layer.members.contains_key(&node);
    let ways = layers.last().and_then(|layer| layer.members.get(&some.owner)).map_or(1, |(_, ways)| *ways);
    let mut passing =
        Passing { from: some.owner, ways, same_layer: Vec::new(), earlier: Vec::new(), onward: Vec::new() };
    let mut back: FxHashSet<Node> = FxHashSet::default();
    for target in some.targets {
        if layers.last().is_some_and(|layer| is_in(layer, *target)) {
            if back.insert(*target) {
                passing.same_layer.push(*target);
            }
        } else if let Some(layer) =
            (1..last).rev().find(|at| layers.get(*at).is_some_and(|layer| is_in(layer, *target)))
        {
            if back.insert(*target) {
                passing.earlier.push((layer, *target));
            }
        } else if *target != source {
            passing.onward.push(*target);
        }
    }
    passing
}

/// Hands rank on, and returns the next layer.
fn pass_on(layers: &mut [Layer], sorted: &[Passing], alpha: f64) -> Layer {
    let last = layers.len() - 1;
    let mut raises: FxHashMap<Node, f64> = FxHashMap::default();
    for passing in sorted.iter().filter(|passing| passing.parts() > 0.0) {
        let part = layers.last().map_or(0.0, |layer| layer.rank(passing.from)) * alpha / passing.parts();
        for node in &passing.same_layer {
            *raises.entry(*node).or_default() += part;
        }
        for (layer, node) in &passing.earlier {
            if let Some(layer) = layers.get_mut(*layer) {
                layer.raise(*node, part);
            }
        }
    }
    let mut next = Layer::default();
    let Some(layer) = layers.get_mut(last) else { return next };
    for (node, rank) in raises {
        layer.raise(node, rank);
    }
    for passing in sorted.iter().filter(|passing| !passing.onward.is_empty()) {
        #[expect(clippy::cast_precision_loss, reason = "beyond 2^53 ways the nearest number will do")]
        let part = layer.rank(passing.from) * alpha / passing.parts() * passing.ways as f64;
        for node in &passing.onward {
            next.add(*node, part, passing.ways);
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use graph_model::Direction;

    use super::*;
    use crate::fixture::{TestGraph, id, numbers};

    /// HugeGraph's example: 0 follows 1, 2, 3 and is followed by 4; 1 follows 2; they like 5 to 10, directed by 11, 2,
    /// 12, 13.
    fn films() -> TestGraph {
        let follows = [(0, 1), (0, 2), (0, 3), (4, 0), (1, 2)];
        let likes = [(1, 5), (1, 6), (2, 7), (2, 8), (3, 9), (3, 10)];
        TestGraph::of(follows.into_iter().chain(likes).chain([(5, 11), (6, 2), (6, 12), (7, 13)]))
    }

    fn ranked(graph: &TestGraph, steps: &[(Direction, usize)], capacity: Option<u64>) -> Vec<Vec<(i64, f64)>> {
        let mut traversal = graph.traversal();
        let source = traversal.node(id(0)).unwrap();
        let step = |(direction, top): &(Direction, usize)| RankStep {
            step: Step { direction: *direction, ..Step::default() },
            top: *top,
        };
        let steps: Vec<RankStep> = steps.iter().map(step).collect();
        let layers = neighbor_rank(&mut traversal, source, &steps, 0.9, capacity).unwrap();
        let shown = |(node, rank): &(Node, f64)| (numbers(&traversal.ids([node]))[0], (rank * 1e9).round() / 1e9);
        layers.iter().map(|layer| layer.iter().map(shown).collect()).collect()
    }

    #[test]
    fn as_hugegraph_ranks_its_example() {
        use Direction::{Both, In, Out};
        let found = ranked(&films(), &[(Both, 10), (In, 10), (Out, 10)], None);
        assert_eq!(found[0], [(0, 1.0)]);
        assert_eq!(found[1], [(1, 0.32625), (2, 0.2705625), (3, 0.225), (4, 0.225)]);
        assert_eq!(found[2..], [vec![(6, 0.10125)], vec![(12, 0.0455625)]]);
        let found = ranked(&films(), &[(Out, 2), (Out, 3), (Out, 2)], None);
        assert_eq!(found[1], [(2, 0.4305), (1, 0.3)]);
        assert_eq!(found[2], [(7, 0.1755), (8, 0.1755), (9, 0.135)]);
        assert_eq!(found[3], [(13, 0.15795), (11, 0.081)]);
    }

    #[test]
    fn ways_to_the_next_layer_are_weighed_and_counted() {
        use Direction::Out;
        // Two ways to 3, which leads on to 4 and back to 1.
        let graph = TestGraph::of([(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (3, 1)]);
        let found = ranked(&graph, &[(Out, 9), (Out, 9), (Out, 9)], Some(6));
        // 3 has 0.81, cut into one part for 1 and two for 4.
        assert_eq!(found[3], [(4, 0.486)]);
        assert_eq!(found[1], [(1, 0.693), (2, 0.45)]);
        let mut traversal = graph.traversal();
        let source = traversal.node(id(0)).unwrap();
        let steps = vec![RankStep { step: Step { direction: Out, ..Step::default() }, top: 9 }; 3];
        let error = neighbor_rank(&mut traversal, source, &steps, 0.9, Some(5)).unwrap_err();
        assert!(matches!(error, TraversalError::Capacity { capacity: 5, .. }), "{error}");
    }
}
