//! The path algorithms against plain enumeration on small random graphs.

use std::collections::{BTreeMap, BTreeSet};

use graph_model::Direction;
use proptest::prelude::*;

use crate::fixture::{TestGraph, id, numbers};
use crate::{
    LayerStep, Node, Path, SearchLimits, SortBy, Step, TemplateLimits, Traversal, Weight, crosspoints,
    customized_crosspoints, customized_paths, multi_node_shortest_paths, nearest_paths, paths, rays, rings_reached,
    rings_through, template_paths,
};

type Edges = Vec<(i64, i64)>;
type Walks = BTreeSet<Vec<i64>>;

const VERTICES: i64 = 6;

fn edges() -> impl Strategy<Value = Edges> {
    prop::collection::vec((0..VERTICES, 0..VERTICES), 1..14)
}

fn direction() -> impl Strategy<Value = Direction> {
    prop_oneof![Just(Direction::Out), Just(Direction::In), Just(Direction::Both)]
}

fn step(direction: Direction) -> Step {
    Step { direction, ..Step::default() }
}

fn unbounded(depth: u32) -> SearchLimits {
    SearchLimits { depth, capacity: None, limit: None }
}

/// Where one step leads, each vertex once.
fn neighbours(edges: &Edges, vertex: i64, direction: Direction) -> BTreeSet<i64> {
    let out = edges.iter().filter(|edge| edge.0 == vertex && direction != Direction::In).map(|edge| edge.1);
    let inward = edges.iter().filter(|edge| edge.1 == vertex && direction != Direction::Out).map(|edge| edge.0);
    out.chain(inward).collect()
}

/// All walks of exactly the given steps.
fn walks(edges: &Edges, from: i64, steps: &[Direction]) -> Walks {
    let mut walks: Walks = [vec![from]].into();
    for direction in steps {
        let longer = |walk: &Vec<i64>| {
            let walk = walk.clone();
            let next = neighbours(edges, *walk.last().unwrap(), *direction);
            next.into_iter().map(move |to| walk.iter().copied().chain([to]).collect())
        };
        walks = walks.iter().flat_map(longer).collect();
    }
    walks
}

/// A weight, all of which are small whole numbers.
fn whole(weight: f64) -> i64 {
    (0..100).find(|number| f64::from(*number) == weight).map_or(-1, i64::from)
}

fn is_simple(walk: &[i64]) -> bool {
    walk.iter().collect::<BTreeSet<_>>().len() == walk.len()
}

/// The pieces of a search in a test graph.
struct Searched<'g> {
    traversal: Traversal<'g>,
}

impl<'g> Searched<'g> {
    fn of(graph: &'g TestGraph) -> Self {
        Self { traversal: graph.traversal() }
    }

    fn nodes(&mut self, vertices: &[i64]) -> Vec<Node> {
        vertices.iter().map(|vertex| self.traversal.node(id(*vertex)).unwrap()).collect()
    }

    fn shown(&self, path: &Path) -> Vec<i64> {
        numbers(&self.traversal.ids(&path.nodes))
    }

    /// As a set; that none comes twice and shorter ones come first is part of what is promised.
    fn set(&self, paths: &[Path]) -> Walks {
        let set: Walks = paths.iter().map(|path| self.shown(path)).collect();
        assert_eq!(set.len(), paths.len(), "a path came twice");
        set
    }
}

fn assert_shorter_first(paths: &[Path]) {
    assert!(paths.is_sorted_by_key(|path| path.nodes.len()), "{paths:?}");
}

proptest! {
    #[test]
    fn paths_are_all_simple_walks(
        edges in edges(), direction in direction(), depth in 1u32..6,
        sources in prop::collection::btree_set(0..VERTICES, 1..3),
        targets in prop::collection::btree_set(0..VERTICES, 1..3),
    ) {
        let graph = TestGraph::of(edges.clone());
        let mut searched = Searched::of(&graph);
        let (sources, targets): (Vec<i64>, Vec<i64>) = (sources.into_iter().collect(), targets.into_iter().collect());
        let ends = (searched.nodes(&sources), searched.nodes(&targets));
        let found = paths(&mut searched.traversal, (&ends.0, &ends.1), &step(direction), &unbounded(depth)).unwrap();
        assert_shorter_first(&found);
        let mut expected = Walks::new();
        for length in 1..=depth as usize {
            let steps = vec![direction; length];
            let all = sources.iter().flat_map(|source| walks(&edges, *source, &steps));
            expected.extend(all.filter(|walk| is_simple(walk) && targets.contains(walk.last().unwrap())));
        }
        prop_assert_eq!(searched.set(&found), expected.clone());
        for limit in [1, 3] {
            let limits = SearchLimits { limit: Some(limit), ..unbounded(depth) };
            let mut searched = Searched::of(&graph);
            let ends = (searched.nodes(&sources), searched.nodes(&targets));
            let few = paths(&mut searched.traversal, (&ends.0, &ends.1), &step(direction), &limits).unwrap();
            prop_assert_eq!(few.len() as u64, limit.min(expected.len() as u64));
            prop_assert!(searched.set(&few).is_subset(&expected));
        }
    }

    #[test]
    fn crosspoints_meet_halfway(
        edges in edges(), direction in direction(), depth in 1u32..6, source in 0..VERTICES, target in 0..VERTICES,
    ) {
        let graph = TestGraph::of(edges.clone());
        let mut searched = Searched::of(&graph);
        let ends = searched.nodes(&[source, target]);
        let found =
            crosspoints(&mut searched.traversal, ends[0], ends[1], &step(direction), &unbounded(depth)).unwrap();
        let found: BTreeSet<(i64, Vec<i64>)> = found
            .iter()
            .map(|(crossing, path)| (numbers(&searched.traversal.ids([crossing]))[0], searched.shown(path)))
            .collect();
        let mut expected = BTreeSet::new();
        for length in 1..=depth as usize {
            let (first, second) = (vec![direction; length.div_ceil(2)], vec![direction; length / 2]);
            for ahead in walks(&edges, source, &first) {
                for home in walks(&edges, target, &second) {
                    if ahead.last() == home.last() {
                        let whole: Vec<i64> = ahead.iter().copied().chain(home.iter().rev().skip(1).copied()).collect();
                        if is_simple(&whole) {
                            expected.insert((*ahead.last().unwrap(), whole));
                        }
                    }
                }
            }
        }
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn template_paths_fit_their_template(
        edges in edges(), template in prop::collection::vec((direction(), 1u32..4), 1..4), with_ring: bool,
        source in 0..VERTICES, target in 0..VERTICES,
    ) {
        // Walks with rings become very many.
        prop_assume!(!with_ring || template.iter().map(|(_, times)| times).sum::<u32>() <= 5);
        let graph = TestGraph::of(edges.clone());
        let mut searched = Searched::of(&graph);
        let ends = searched.nodes(&[source, target]);
        let steps: Vec<(Step, u32)> = template.iter().map(|(direction, times)| (step(*direction), *times)).collect();
        let limits = TemplateLimits { capacity: None, limit: None };
        let found =
            template_paths(&mut searched.traversal, (&ends[..1], &ends[1..]), &steps, with_ring, &limits).unwrap();
        assert_shorter_first(&found);
        let mut words: Vec<Vec<Direction>> = vec![Vec::new()];
        for (direction, times) in &template {
            let longer = |word: &Vec<Direction>| {
                let word = word.clone();
                (1..=*times as usize).map(move |times| [word.clone(), vec![*direction; times]].concat())
            };
            words = words.iter().flat_map(longer).collect();
        }
        let all: Walks = words.iter().flat_map(|word| walks(&edges, source, word)).collect();
        let fits = |walk: &Vec<i64>| *walk.last().unwrap() == target && (with_ring || is_simple(walk));
        let expected: Walks = all.into_iter().filter(fits).collect();
        prop_assert_eq!(searched.set(&found), expected);
    }

    #[test]
    fn rings_are_closed_walks_in_one_direction(
        edges in edges(), direction in direction(), depth in 1u32..6, source in 0..VERTICES) {
        let graph = TestGraph::of(edges.clone());
        let mut searched = Searched::of(&graph);
        let node = searched.nodes(&[source])[0];
        let found = rings_through(&mut searched.traversal, node, &step(direction), &unbounded(depth)).unwrap();
        assert_shorter_first(&found);
        let mut expected = Walks::new();
        for length in 1..=depth as usize {
            for walk in walks(&edges, source, &vec![direction; length]) {
                if walk[length] != source || !is_simple(&walk[1..]) {
                    continue;
                }
                let is_there_and_back = length == 2 && direction == Direction::Both;
                let edges_both_ways = edges.contains(&(source, walk[1])) && edges.contains(&(walk[1], source));
                let back: Vec<i64> = walk.iter().rev().copied().collect();
                let can_turn = back.windows(2).all(|pair| neighbours(&edges, pair[0], direction).contains(&pair[1]));
                if (!is_there_and_back || edges_both_ways) && (walk[1] >= walk[length - 1] || !can_turn) {
                    expected.insert(walk);
                }
            }
        }
        prop_assert_eq!(searched.set(&found), expected.clone());
        // Of the rings reached, those through the source are the same.
        let mut searched = Searched::of(&graph);
        let node = searched.nodes(&[source])[0];
        let reached = rings_reached(&mut searched.traversal, node, &step(direction), &unbounded(depth)).unwrap();
        let (through, elsewhere): (Walks, Walks) =
            searched.set(&reached).into_iter().partition(|ring| *ring.last().unwrap() == source);
        prop_assert_eq!(through, expected);
        for ring in elsewhere {
            let (last, before) = ring.split_last().unwrap();
            prop_assert!(is_simple(before) && before.contains(last));
        }
    }

    #[test]
    fn rings_reached_end_on_the_way(
        edges in edges(), direction in direction(), depth in 1u32..5, source in 0..VERTICES) {
        let graph = TestGraph::of(edges.clone());
        let mut searched = Searched::of(&graph);
        let node = searched.nodes(&[source])[0];
        let found = rings_reached(&mut searched.traversal, node, &step(direction), &unbounded(depth)).unwrap();
        let elsewhere = |ring: &Vec<i64>| *ring.last().unwrap() != source;
        let found: Walks = searched.set(&found).into_iter().filter(elsewhere).collect();
        let mut expected = Walks::new();
        for length in 1..=depth as usize {
            for walk in walks(&edges, source, &vec![direction; length]).into_iter().filter(elsewhere) {
                let (last, before) = walk.split_last().unwrap();
                let goes_back = before.len() >= 2 && before[before.len() - 2] == *last;
                let from = *before.last().unwrap();
                let both = direction != Direction::Both
                    || (edges.contains(&(from, *last)) && edges.contains(&(*last, from)));
                if is_simple(before) && before.contains(last) && (!goes_back || both) {
                    expected.insert(walk);
                }
            }
        }
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn rays_end_where_no_edge_leads_on(
        edges in edges(), direction in direction(), depth in 1u32..6, source in 0..VERTICES) {
        let graph = TestGraph::of(edges.clone());
        let mut searched = Searched::of(&graph);
        let node = searched.nodes(&[source])[0];
        let found = rays(&mut searched.traversal, node, &step(direction), &unbounded(depth)).unwrap();
        let mut expected = Walks::new();
        for length in 0..=depth as usize {
            for walk in walks(&edges, source, &vec![direction; length]).into_iter().filter(|walk| is_simple(walk)) {
                let next = neighbours(&edges, walk[length], direction);
                let back: BTreeSet<i64> =
                    if direction == Direction::Both && length > 0 { [walk[length - 1]].into() } else { [].into() };
                if length == depth as usize || next.is_subset(&back) {
                    expected.insert(walk);
                }
            }
        }
        prop_assert_eq!(searched.set(&found), expected);
    }

    #[test]
    fn customized_paths_take_each_step_once(
        edges in edges(), directions in prop::collection::vec(direction(), 1..4), source in 0..VERTICES,
        limit in prop::option::of(1u64..4),
    ) {
        // An edge's weight is its position, so that parallel edges differ.
        let weighted: Vec<(i64, i64, f64)> =
            edges.iter().zip(1..).map(|(edge, at)| (edge.0, edge.1, f64::from(at))).collect();
        let graph = TestGraph::weighted(weighted.iter().map(|(from, to, weight)| (*from, *to, Some(*weight))));
        let weight = Weight { key: Some(crate::fixture::WEIGHT), default: 0.0 };
        let layer = |direction: &Direction| LayerStep { step: step(*direction), weight: Some(weight), sample: None };
        let steps: Vec<LayerStep> = directions.iter().map(layer).collect();
        let mut expected: Vec<(Vec<i64>, Vec<i64>)> = vec![(vec![source], Vec::new())];
        for direction in &directions {
            let mut longer = Vec::new();
            for (walk, weights) in &expected {
                let from = *walk.last().unwrap();
                for (source, target, weight) in &weighted {
                    let out = (*source == from && *direction != Direction::In).then_some(*target);
                    let inward = (*target == from && *direction != Direction::Out).then_some(*source);
                    for to in out.into_iter().chain(inward).filter(|to| !walk.contains(to)) {
                        longer.push((
                            [walk.clone(), vec![to]].concat(), [weights.clone(), vec![whole(*weight)]].concat()));
                    }
                }
            }
            expected = longer;
        }
        for sort_by in [SortBy::None, SortBy::Increasing, SortBy::Decreasing] {
            let mut searched = Searched::of(&graph);
            let nodes = searched.nodes(&[source]);
            let found = customized_paths(&mut searched.traversal, &nodes, &steps, sort_by, (None, limit)).unwrap();
            let sum = |weights: &[i64]| weights.iter().sum::<i64>();
            let mut found: Vec<(Vec<i64>, Vec<i64>)> = found
                .iter()
                .map(|found| (searched.shown(&found.path), found.weights.iter().copied().map(whole).collect()))
                .collect();
            let sums: Vec<i64> = found.iter().map(|(_, weights)| sum(weights)).collect();
            let mut all_sums: Vec<i64> = expected.iter().map(|(_, weights)| sum(weights)).collect();
            all_sums.sort_unstable();
            if sort_by == SortBy::Decreasing {
                all_sums.reverse();
            }
            let count = usize::try_from(limit.unwrap_or(u64::MAX)).unwrap_or(usize::MAX).min(expected.len());
            prop_assert_eq!(found.len(), count);
            if sort_by != SortBy::None {
                prop_assert_eq!(&sums[..], &all_sums[..count]);
            }
            prop_assert!(found.iter().all(|path| expected.contains(path)));
            if limit.is_none() {
                found.sort();
                expected.sort();
                prop_assert_eq!(&found, &expected);
            }
        }
    }

    #[test]
    fn customized_crosspoints_are_reached_by_all(
        edges in edges(), patterns in prop::collection::vec(prop::collection::vec(direction(), 1..4), 1..3),
        sources in prop::collection::btree_set(0..VERTICES, 1..4),
    ) {
        let graph = TestGraph::of(edges.clone());
        let mut searched = Searched::of(&graph);
        let sources: Vec<i64> = sources.into_iter().collect();
        let nodes = searched.nodes(&sources);
        let layer = |direction: &Direction| LayerStep { step: step(*direction), weight: None, sample: None };
        let layers: Vec<Vec<LayerStep>> = patterns.iter().map(|pattern| pattern.iter().map(layer).collect()).collect();
        let found = customized_crosspoints(&mut searched.traversal, &nodes, &layers, (None, None), true).unwrap();
        let mut by_source: BTreeMap<i64, Walks> = BTreeMap::new();
        for source in &sources {
            let all =
                patterns.iter().flat_map(|pattern| walks(&edges, *source, pattern)).filter(|walk| is_simple(walk));
            by_source.insert(*source, all.collect());
        }
        let ends = |walks: &Walks| walks.iter().map(|walk| *walk.last().unwrap()).collect::<BTreeSet<i64>>();
        let common = by_source.values().map(ends).reduce(|a, b| &a & &b).unwrap();
        let crosspoints: BTreeSet<i64> = numbers(&searched.traversal.ids(&found.crosspoints)).into_iter().collect();
        prop_assert_eq!(&crosspoints, &common);
        let leading: Walks =
            by_source.into_values().flatten().filter(|walk| common.contains(walk.last().unwrap())).collect();
        prop_assert_eq!(searched.set(&found.paths), leading);
    }

    #[test]
    fn shortest_paths_between_many_are_shortest(
        edges in edges(), direction in direction(), depth in 1u32..6,
        vertices in prop::collection::btree_set(0..VERTICES, 2..5),
    ) {
        let graph = TestGraph::of(edges.clone());
        let mut searched = Searched::of(&graph);
        let vertices: Vec<i64> = vertices.into_iter().collect();
        let nodes = searched.nodes(&vertices);
        let found =
            multi_node_shortest_paths(&mut searched.traversal, &nodes, &step(direction), &unbounded(depth)).unwrap();
        let nearest =
            nearest_paths(&mut searched.traversal, (&nodes[..1], &nodes[1..]), &step(direction), &unbounded(depth))
                .unwrap();
        assert_shorter_first(&nearest);
        let hops = |from: i64, to: i64| {
            (1..=depth as usize).find(|length| {
                walks(&edges, from, &vec![direction; *length]).iter().any(|walk| walk[*length] == to)
            })
        };
        let mut expected = Vec::new();
        for (at, from) in vertices.iter().enumerate() {
            expected.extend(vertices[at + 1..].iter().filter_map(|to| Some((*from, *to, hops(*from, *to)?))));
        }
        let ends = |path: &Path| {
            let walk = searched.shown(path);
            assert!(walk.windows(2).all(|pair| neighbours(&edges, pair[0], direction).contains(&pair[1])), "{walk:?}");
            (walk[0], *walk.last().unwrap(), walk.len() - 1)
        };
        prop_assert_eq!(found.iter().map(ends).collect::<Vec<_>>(), expected.clone());
        let mut first: BTreeMap<(i64, i64), usize> = BTreeMap::new();
        let mut halfway = BTreeSet::new();
        for (path, (from, to, length)) in nearest.iter().zip(nearest.iter().map(ends)) {
            first.entry((from, to)).or_insert(length);
            prop_assert!(halfway.insert((from, to, path.nodes[length.div_ceil(2)], length)),
            "two paths over one vertex");
        }
        let shortest =
            expected.iter().filter(|(from, ..)| *from == vertices[0]).map(|(from, to, length)| ((*from, *to), *length));
        prop_assert_eq!(first, shortest.collect::<BTreeMap<_, _>>());
    }
}

#[test]
fn capacity_and_going_away_end_a_search() {
    let graph = TestGraph::of((0..6).flat_map(|from| (0..6).map(move |to| (from, to))));
    let limits = |capacity| SearchLimits { capacity: Some(capacity), ..unbounded(5) };
    let mut searched = Searched::of(&graph);
    let ends = searched.nodes(&[0, 5]);
    let found = paths(&mut searched.traversal, (&ends[..1], &ends[1..]), &step(Direction::Out), &limits(5));
    assert!(matches!(found, Err(crate::TraversalError::Capacity { capacity: 5, .. })), "{found:?}");
    let mut searched = Searched::of(&graph);
    let ends = searched.nodes(&[0]);
    let found = rays(&mut searched.traversal, ends[0], &step(Direction::Out), &limits(3));
    assert!(matches!(found, Err(crate::TraversalError::Capacity { capacity: 3, .. })), "{found:?}");
    graph.checks_left.store(4, std::sync::atomic::Ordering::Relaxed);
    let mut searched = Searched::of(&graph);
    let ends = searched.nodes(&[0, 5]);
    let found = paths(&mut searched.traversal, (&ends[..1], &ends[1..]), &step(Direction::Out), &unbounded(5));
    assert!(matches!(found, Err(crate::TraversalError::Read { .. })), "{found:?}");
}

#[test]
fn memory_bounds_the_answer() {
    // A chain of diamonds: 2^16 paths of 32 hops.
    let diamonds = (0..16).flat_map(|at| {
        let from = at * 3;
        [(from, from + 1), (from, from + 2), (from + 1, from + 3), (from + 2, from + 3)]
    });
    let graph = TestGraph::of(diamonds);
    let run = |limit: Option<u64>, bytes: usize| {
        let mut traversal = Traversal::new(&graph, "paths", bytes);
        let ends = [traversal.node(id(0)).unwrap(), traversal.node(id(48)).unwrap()];
        let limits = SearchLimits { limit, ..unbounded(32) };
        paths(&mut traversal, (&ends[..1], &ends[1..]), &step(Direction::Out), &limits).map(|paths| paths.len())
    };
    assert_eq!(run(None, 64 << 20).unwrap(), 1 << 16);
    assert!(matches!(run(None, 1 << 20), Err(crate::TraversalError::Memory { .. })));
    assert_eq!(run(Some(1_000), 1 << 20).unwrap(), 1_000);
}
