//! Walks of given steps, one after the other, from some vertices on.
//!
//! All layers are read first, each vertex of a layer once, with the edges between them as integers; what leads nowhere
//! is then left out, and paths are walked one at a time. So the number of paths costs time, never memory.
//!
//! Start reading at [`Layers::read`] and [`Layers::walk`].

use std::ops::ControlFlow;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rustc_hash::FxHashMap;

use crate::adjacency::Memory;
use crate::{Node, NodeSet, Step, Traversal, TraversalError, Weight, blocks, limits};

/// One step of such a walk.
#[derive(Clone, Debug)]
pub struct LayerStep {
    /// Which edges.
    pub step: Step,
    /// How edges are weighted, where they are.
    pub weight: Option<Weight>,
    /// At most this many edges of each vertex, drawn from all of them with [`limits::SAMPLE_SEED`]; `None`: all.
    pub sample: Option<usize>,
}

/// The edges of one step.
#[derive(Debug, Default)]
struct Layer {
    /// Where the edges of each vertex are in `edges`.
    spans: FxHashMap<Node, (usize, usize)>,
    edges: Vec<(Node, f64)>,
}

impl Layer {
    fn of(&self, node: Node) -> &[(Node, f64)] {
        self.spans.get(&node).and_then(|(start, end)| self.edges.get(*start..*end)).unwrap_or_default()
    }
}

/// The layers of a walk.
#[derive(Debug)]
pub(crate) struct Layers {
    layers: Vec<Layer>,
    /// The vertices at the end, in the order they were met.
    pub(crate) ends: Vec<Node>,
}

/// For each layer, the vertices that lead where a walk is to end. Their memory is given back when they are dropped.
#[derive(Debug)]
pub(crate) struct Leading<'t> {
    sets: Vec<NodeSet>,
    memory: &'t Memory,
    bytes: usize,
}

impl Drop for Leading<'_> {
    fn drop(&mut self) {
        self.memory.release(self.bytes);
    }
}

/// A path walked: its vertices and the weights of its edges.
pub(crate) struct Walked<'w> {
    pub(crate) nodes: &'w [Node],
    pub(crate) weights: &'w [f64],
}

/// Given to [`Layers::walk`] for each path.
pub(crate) type Visitor<'v> = &'v mut dyn FnMut(Walked<'_>) -> Result<ControlFlow<()>, TraversalError>;

impl Layers {
    /// Reads the edges of all steps. `visited` counts the vertices of all layers against `capacity`.
    pub(crate) fn read(
        traversal: &mut Traversal<'_>,
        sources: &[Node],
        steps: &[LayerStep],
        capacity: Option<u64>,
        visited: &mut usize,
    ) -> Result<Self, TraversalError> {
        let mut frontier = sources.to_vec();
        let mut layers = Vec::with_capacity(steps.len());
        for step in steps {
            let mut layer = Layer::default();
            let (mut next, mut met) = (Vec::new(), NodeSet::new());
            for block in blocks(&frontier) {
                let adjacency = traversal.expand(block, &step.step, step.weight.as_ref())?;
                for some in adjacency.iter() {
                    let start = layer.edges.len();
                    let weights = some.weights.iter().copied().chain(std::iter::repeat(0.0));
                    layer.edges.extend(some.targets.iter().copied().zip(weights));
                    if let Some(most) = step.sample {
                        draw(&mut layer.edges, start, most, some.owner);
                    }
                    let added = layer.edges.get(start..).unwrap_or_default();
                    next.extend(added.iter().map(|(node, _)| *node).filter(|node| met.insert(*node)));
                    layer.spans.insert(some.owner, (start, layer.edges.len()));
                    traversal.charge(added.len() * limits::LAYER_EDGE_BYTES + limits::LAYER_VERTEX_BYTES)?;
                }
                traversal.check_capacity(capacity, *visited + next.len())?;
            }
            *visited += next.len();
            layers.push(layer);
            frontier = next;
        }
        Ok(Self { layers, ends: frontier })
    }

    /// For each layer, the vertices from which an end for which `is_wanted` holds can be reached; ends last.
    pub(crate) fn leading_to<'t>(
        &self,
        traversal: &'t Traversal<'_>,
        is_wanted: impl Fn(Node) -> bool,
    ) -> Result<Leading<'t>, TraversalError> {
        let set_bytes = usize::try_from(traversal.counters().vertex_iterations / 8).unwrap_or(usize::MAX);
        let bytes = set_bytes.saturating_mul(self.layers.len() + 1);
        let mut alive = NodeSet::new();
        traversal.charge(bytes)?;
        let mut leading_to =
            Leading { sets: Vec::with_capacity(self.layers.len() + 1), memory: &traversal.memory, bytes };
        for end in self.ends.iter().filter(|end| is_wanted(**end)) {
            alive.insert(*end);
        }
        let all = &mut leading_to.sets;
        all.push(alive);
        for layer in self.layers.iter().rev() {
            let mut leading = NodeSet::new();
            if let Some(next) = all.last() {
                let leads_on = |node: Node| layer.of(node).iter().any(|(to, _)| next.contains(*to));
                for node in layer.spans.keys().copied().filter(|node| leads_on(*node)) {
                    leading.insert(node);
                }
            }
            all.push(leading);
            traversal.check()?;
        }
        all.reverse();
        Ok(leading_to)
    }

    /// The ends that walks from a vertex reach, whether or not they pass a vertex twice.
    pub(crate) fn reached_from(&self, traversal: &Traversal<'_>, source: Node) -> Result<NodeSet, TraversalError> {
        let mut reached = NodeSet::new();
        reached.insert(source);
        let mut frontier = vec![source];
        for layer in &self.layers {
            traversal.check()?;
            reached = NodeSet::new();
            let targets = frontier.iter().flat_map(|node| layer.of(*node)).map(|(to, _)| *to);
            frontier = targets.filter(|to| reached.insert(*to)).collect();
        }
        Ok(reached)
    }

    /// Gives `visit` every walk from `source` that passes no vertex twice, within the given sets, until it breaks off.
    pub(crate) fn walk(
        &self,
        traversal: &Traversal<'_>,
        source: Node,
        within: &Leading<'_>,
        visit: Visitor<'_>,
    ) -> Result<ControlFlow<()>, TraversalError> {
        if within.sets.first().is_none_or(|first| !first.contains(source)) {
            return Ok(ControlFlow::Continue(()));
        }
        let (mut nodes, mut weights, mut next) = (vec![source], Vec::new(), vec![0usize]);
        let mut steps = 0u32;
        while let (Some(last), Some(at)) = (nodes.last().copied(), next.last_mut()) {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(limits::STEPS_PER_CHECK) {
                traversal.check()?;
            }
            let position = nodes.len() - 1;
            let edge = self.layers.get(position).and_then(|layer| layer.of(last).get(*at)).copied();
            *at += 1;
            let Some((to, weight)) = edge else {
                nodes.pop();
                weights.pop();
                next.pop();
                continue;
            };
            if nodes.contains(&to) || within.sets.get(position + 1).is_none_or(|within| !within.contains(to)) {
                continue;
            }
            nodes.push(to);
            weights.push(weight);
            if nodes.len() <= self.layers.len() {
                next.push(0);
                continue;
            }
            let flow = visit(Walked { nodes: &nodes, weights: &weights })?;
            nodes.pop();
            weights.pop();
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Leaves `most` of the edges from `start` on, each set of that size equally likely, in the order they had. The draw
/// depends on the seed and the vertex's number in the traversal only, so that the same request to the same graph is
/// answered alike.
fn draw(edges: &mut Vec<(Node, f64)>, start: usize, most: usize, owner: Node) {
    let count = edges.len() - start;
    if count <= most {
        return;
    }
    let mut rng = ChaCha8Rng::seed_from_u64(limits::SAMPLE_SEED ^ u64::from(owner.0));
    let (mut left, mut wanted) = (count as u64, most as u64);
    let mut at = 0;
    edges.retain(|_| {
        at += 1;
        if at <= start {
            return true;
        }
        // Selection sampling (Knuth, volume 2, 3.4.2, algorithm S): an edge is taken with probability wanted / left.
        let taken = rng.next_u64() % left < wanted;
        left -= 1;
        wanted -= u64::from(taken);
        taken
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{TestGraph, id};

    #[test]
    fn samples_have_the_size_asked_for_and_stay_the_same() {
        let all: Vec<(Node, f64)> = (0..100).map(|number| (Node(number), 0.0)).collect();
        let drawn = |owner| {
            let mut edges = all.clone();
            draw(&mut edges, 10, 7, Node(owner));
            edges
        };
        for owner in 0..50 {
            let edges = drawn(owner);
            assert_eq!(edges.len(), 17);
            assert_eq!(edges[..10], all[..10]);
            assert!(edges.is_sorted_by_key(|edge| edge.0));
            assert_eq!(edges, drawn(owner));
        }
        assert_ne!(drawn(1), drawn(2));
        let mut few = all[..5].to_vec();
        draw(&mut few, 0, 5, Node(0));
        assert_eq!(few.len(), 5);
    }

    #[test]
    fn walks_pass_no_vertex_twice_and_skip_what_leads_nowhere() {
        let graph = TestGraph::of([(1, 2), (1, 3), (2, 1), (2, 4), (3, 5), (4, 6)]);
        let mut traversal = graph.traversal();
        let source = traversal.node(id(1)).unwrap();
        let out = Step { direction: graph_model::Direction::Out, ..Step::default() };
        let steps = vec![LayerStep { step: out, weight: None, sample: None }; 3];
        let mut visited = 0;
        let layers = Layers::read(&mut traversal, &[source], &steps, None, &mut visited).unwrap();
        // 2 3, then 1 4 5, then 2 3 6.
        assert_eq!(visited, 8);
        let three = traversal.node(id(3)).unwrap();
        let alive = layers.leading_to(&traversal, |_| true).unwrap();
        assert!(!alive.sets[1].contains(three), "5 has no edges");
        let mut found = Vec::new();
        let flow = layers.walk(&traversal, source, &alive, &mut |walked| {
            found.push(crate::fixture::numbers(&traversal.ids(walked.nodes)));
            Ok(ControlFlow::Continue(()))
        });
        assert!(flow.unwrap().is_continue());
        assert_eq!(found, [[1, 2, 4, 6]]);
    }

    #[test]
    fn sets_of_what_leads_somewhere_give_their_memory_back() {
        let graph = TestGraph::of((2..1_000).map(|at| (1, at)));
        let mut traversal = Traversal::new(&graph, "things", 400_000);
        let source = traversal.node(id(1)).unwrap();
        let step = LayerStep { step: Step::default(), weight: None, sample: None };
        let layers = Layers::read(&mut traversal, &[source], &[step], None, &mut 0).unwrap();
        // 250 bytes each time: 400 kB are used up after 1600 times if they are kept.
        for _ in 0..5_000 {
            layers.leading_to(&traversal, |_| true).unwrap();
        }
    }
}
