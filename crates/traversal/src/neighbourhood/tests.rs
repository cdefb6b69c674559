//! Neighbourhoods of small graphs, and of random ones against the definition.

use std::collections::BTreeSet;

use graph_model::{Direction, VertexId};
use proptest::prelude::*;

use super::*;
use crate::Counters;
use crate::fixture::{TestGraph, edges, id, numbers};

fn out() -> Step {
    Step { direction: Direction::Out, ..Step::default() }
}

fn at(graph: &TestGraph, step: &Step, depth: u64, nearest: bool) -> Vec<i64> {
    let mut traversal = graph.traversal();
    let source = traversal.node(id(1)).unwrap();
    let query = KOut { nearest, with_paths: true, ..KOut::new(step, depth) };
    let reached = k_out(&mut traversal, source, &query).unwrap();
    let paths: Vec<Path> = reached.paths.unwrap().unfold(&traversal).unwrap();
    for (path, node) in paths.iter().zip(&reached.nodes) {
        assert_eq!(
            (path.nodes.len() as u64, path.nodes.first(), path.nodes.last()),
            (depth + 1, Some(&source), Some(node))
        );
    }
    assert_eq!(paths.len(), reached.nodes.len());
    numbers(&traversal.ids(&reached.nodes))
}

fn within(graph: &TestGraph, step: &Step, depth: u64, limit: Option<u64>) -> Vec<i64> {
    let mut traversal = graph.traversal();
    let source = traversal.node(id(1)).unwrap();
    let reached = k_neighbour(&mut traversal, source, &KNeighbour { step, depth, limit, with_paths: false }).unwrap();
    numbers(&traversal.ids(&reached.nodes))
}

#[test]
fn a_ring_of_four_with_a_tail() {
    let graph = TestGraph::of([(1, 2), (2, 3), (3, 4), (4, 1), (3, 5)]);
    assert_eq!(at(&graph, &out(), 2, true), [3]);
    assert_eq!(at(&graph, &out(), 3, true), [4, 5]);
    assert_eq!(at(&graph, &out(), 4, true), [] as [i64; 0]);
    assert_eq!(at(&graph, &Step::default(), 1, true), [2, 4]);
    assert_eq!(at(&graph, &Step::default(), 3, false), [4, 5, 2]);
    assert_eq!(within(&graph, &out(), 3, None), [2, 3, 4, 5]);
    assert_eq!(within(&graph, &out(), 3, Some(2)), [2, 3]);
    assert_eq!(within(&graph, &out().reversed(), 1, None), [4]);
}

#[test]
fn degrees_bound_what_is_followed() {
    let graph = TestGraph::of([(1, 2), (1, 3), (1, 4), (2, 5)]);
    let some = |max_degree, skip_degree| Step { max_degree, skip_degree, ..out() };
    assert_eq!(within(&graph, &some(Some(2), 0), 2, None), [2, 3, 5]);
    assert_eq!(within(&graph, &some(Some(2), 3), 2, None), [] as [i64; 0]);
    assert_eq!(within(&graph, &some(Some(2), 4), 2, None), [2, 3, 5]);
}

#[test]
fn capacity_and_memory_are_bounds() {
    let graph = TestGraph::of((2..100).map(|target| (1, target)));
    let step = out();
    let query = KOut { capacity: Some(50), ..KOut::new(&step, 1) };
    let mut traversal = graph.traversal();
    let source = traversal.node(id(1)).unwrap();
    let error = k_out(&mut traversal, source, &query).unwrap_err();
    assert_eq!(error, TraversalError::Capacity { capacity: 50, what: "things" });
    let full = KOut { fills_capacity: true, ..query };
    assert_eq!(k_out(&mut traversal, source, &full).unwrap().nodes.len(), 49);
    let two_layers = KOut { depth: 2, ..full };
    assert_eq!(k_out(&mut traversal, source, &two_layers).unwrap_err(), error);
    let enough = KOut { limit: Some(20), ..query };
    assert_eq!(k_out(&mut traversal, source, &enough).unwrap().nodes.len(), 20);
    let mut small = Traversal::new(&graph, "things", 1_000);
    let source = small.node(id(1)).unwrap();
    let unbounded = KOut { capacity: None, ..query };
    assert!(matches!(k_out(&mut small, source, &unbounded), Err(TraversalError::Memory { limit: 1_000, .. })));
}

#[test]
fn unfolded_paths_are_charged() {
    // A path of 200 steps and 200 leaves at its end: a tree of 400 steps, but 200 paths of 202 vertices.
    let graph = TestGraph::of((1..201).map(|at| (at, at + 1)).chain((1_000..1_200).map(|leaf| (201, leaf))));
    let step = out();
    let mut traversal = Traversal::new(&graph, "things", 150_000);
    let source = traversal.node(id(1)).unwrap();
    let query = KOut { with_paths: true, ..KOut::new(&step, 201) };
    let paths = k_out(&mut traversal, source, &query).unwrap().paths.unwrap();
    assert!(matches!(paths.unfold(&traversal), Err(TraversalError::Memory { limit: 150_000, .. })));
}

#[test]
fn ids_of_paths_are_charged() {
    let graph = TestGraph::of([(1, 2)]);
    let mut traversal = Traversal::new(&graph, "things", 10_000);
    let node = traversal.node(id(1)).unwrap();
    assert_eq!(traversal.ids_of_path(&[node, node]).unwrap(), [id(1), id(1)]);
    assert!(matches!(traversal.ids_of_path(&[node; 1_000]), Err(TraversalError::Memory { .. })));
    let long = VertexId::String("x".repeat(5_000).into());
    let mut traversal = Traversal::new(&graph, "things", 12_000);
    let long = traversal.node(long).unwrap();
    assert!(matches!(traversal.ids_of_path(&[long; 2]), Err(TraversalError::Memory { .. })));
}

#[test]
fn it_stops_when_the_caller_is_gone() {
    let graph = TestGraph::of((1..100).map(|at| (at, at + 1)));
    graph.checks_left.store(10, std::sync::atomic::Ordering::Relaxed);
    let mut traversal = graph.traversal();
    let source = traversal.node(id(1)).unwrap();
    let step = out();
    let query = KNeighbour { step: &step, depth: 5_000, limit: None, with_paths: false };
    let error = k_neighbour(&mut traversal, source, &query).unwrap_err();
    assert_eq!(error.kind(), graph_model::ErrorKind::Cancelled);
}

/// Layers by definition: walks of each length that do not come back to vertex 1.
fn layers(edges: &[(i64, i64)], depth: u64, both: bool) -> Vec<BTreeSet<i64>> {
    let mut layers = vec![BTreeSet::from([1])];
    for _ in 0..depth {
        let last = layers.last().unwrap();
        let forward = edges.iter().filter(|edge| last.contains(&edge.0)).map(|edge| edge.1);
        let backward = edges.iter().filter(|edge| both && last.contains(&edge.1)).map(|edge| edge.0);
        layers.push(forward.chain(backward).filter(|node| *node != 1).collect());
    }
    layers
}

proptest! {
    #[test]
    fn layers_are_those_of_the_definition(edges in edges(), depth in 1u64..5, both in any::<bool>()) {
        let graph = TestGraph::of(edges.iter().copied());
        let step = if both { Step::default() } else { out() };
        let layers = layers(&edges, depth, both);
        let set = |found: Vec<i64>| found.into_iter().collect::<BTreeSet<i64>>();
        let (last, nearer) = layers.split_last().unwrap();
        prop_assert_eq!(set(at(&graph, &step, depth, false)), last.clone());
        let seen: BTreeSet<i64> = nearer.iter().flatten().copied().collect();
        prop_assert_eq!(set(at(&graph, &step, depth, true)), last.difference(&seen).copied().collect());
        let all: BTreeSet<i64> = layers[1..].iter().flatten().copied().collect();
        prop_assert_eq!(set(within(&graph, &step, depth, None)), all);
    }

    #[test]
    fn without_a_set_of_visited_vertices_the_same_is_found(
        edges in edges(), depth in 0u64..5, both in any::<bool>(), by_numbers in any::<bool>(),
        max_degree in prop::option::of(1u64..5), skip_degree in prop_oneof![Just(0u64), 5u64..8],
        bounds in (prop::option::of(1u64..12), prop::option::of(1u64..10)), fills_capacity in any::<bool>(),
    ) {
        let graph = TestGraph::of(edges).by_numbers(by_numbers);
        let step = Step { max_degree, skip_degree, ..if both { Step::default() } else { out() } };
        let (capacity, limit) = bounds;
        // A vertex that no edge leads to is met first: then not all that is met is reached.
        let run = |is_first: bool| {
            let found = |walk: &dyn Fn(&mut Traversal<'_>, Node) -> Result<Reached, TraversalError>| {
                let mut traversal = graph.traversal();
                let others = u64::from(!is_first);
                if !is_first {
                    traversal.node(id(99)).unwrap();
                }
                let source = traversal.node(id(1)).unwrap();
                let reached = walk(&mut traversal, source)?;
                let Counters { edge_iterations, vertex_iterations } = traversal.counters();
                Ok::<_, TraversalError>((traversal.ids(&reached.nodes), edge_iterations, vertex_iterations - others))
            };
            let k_out = found(&|traversal, source| {
                k_out(traversal, source, &KOut { capacity, limit, fills_capacity, ..KOut::new(&step, depth) })
            });
            let query = KNeighbour { step: &step, depth, limit, with_paths: false };
            (k_out, found(&|traversal, source| k_neighbour(traversal, source, &query)))
        };
        prop_assert_eq!(run(true), run(false));
    }
}
