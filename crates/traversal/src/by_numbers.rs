//! Walks by numbers against walks by ids: the same results in the same order, the same edges along them, and the same
//! counters.

use std::sync::Arc;

use graph_model::{Direction, LabelId, Properties, Value};
use proptest::prelude::*;

use crate::fixture::{NUMBER, TestGraph, edges, id, numbers};
use crate::{
    KNeighbour, KOut, LabelCondition, Path, SearchLimits, ShortestPath, Step, TemplateLimits, Traversal,
    TraversalError, Weight, WeightedPaths, all_shortest_paths, crosspoints, jaccard, jaccard_similars, k_neighbour,
    k_out, lightest_path, multi_node_shortest_paths, paths, rays, rings_reached, rings_through, same_neighbours,
    shortest_path, template_paths,
};

/// Steps with every kind of bound.
fn steps() -> impl Strategy<Value = Step> {
    let direction = prop_oneof![Just(Direction::Out), Just(Direction::In), Just(Direction::Both)];
    let labels = prop::sample::subsequence(vec![1u32, 2, 3], 0..3);
    let skip_degree = prop_oneof![3 => Just(0u64), 1 => 3u64..9];
    let avoided = prop_oneof![3 => Just(None), 1 => (1..10i64).prop_map(Some)];
    (direction, labels, prop::option::of(1u64..6), skip_degree, avoided).prop_map(
        |(direction, labels, max_degree, skip_degree, avoided)| Step {
            direction,
            edges: labels.into_iter().map(|label| LabelCondition { label: LabelId(label), condition: None }).collect(),
            vertices: avoided.into_iter().map(without).collect(),
            max_degree: max_degree.map(|most| if skip_degree > 0 { most.min(skip_degree) } else { most }),
            skip_degree,
            ..Step::default()
        },
    )
}

/// All vertices but one.
fn without(avoided: i64) -> LabelCondition {
    let is_other = move |properties: &Properties| properties.get(NUMBER) != Some(&Value::Long(avoided));
    LabelCondition { label: LabelId(1), condition: Some(Arc::new(is_other)) }
}

/// What one traverser answers, as text.
type Answer = Result<String, TraversalError>;

/// Paths, and the edges along them where they are recorded.
fn shown(traversal: &Traversal<'_>, paths: &[Path]) -> String {
    let edges = traversal.edges_between(paths.iter().flat_map(Path::pairs)).unwrap();
    let paths = paths.iter().map(|path| format!("{:?}", numbers(&traversal.ids(&path.nodes))));
    paths.chain(edges.iter().map(|edge| format!(" {edge:?}"))).collect()
}

/// The answers of every traverser that only needs the ends of edges, and what it looked at. Twice: the second time some
/// neighbours are in memory; and with the edges.
fn answers(graph: &TestGraph, step: &Step, depth: u64, bounds: (Option<u64>, Option<u64>)) -> Vec<(Answer, String)> {
    let (capacity, limit) = bounds;
    let hops = u32::try_from(depth).unwrap();
    let search = SearchLimits { depth: hops, capacity, limit };
    let mut all = Vec::new();
    let mut run = |work: &dyn Fn(&mut Traversal<'_>) -> Answer| {
        for recording in [false, false, true] {
            let mut traversal = graph.traversal().recording_edges(recording);
            let answer = work(&mut traversal);
            let counters = if answer.is_ok() { format!("{:?}", traversal.counters()) } else { String::new() };
            all.push((answer, counters));
        }
    };
    for (nearest, fills_capacity, with_paths) in [(true, false, false), (false, false, true), (true, true, true)] {
        run(&|traversal| {
            let source = traversal.node(id(1))?;
            let query = KOut { nearest, fills_capacity, with_paths, capacity, limit, ..KOut::new(step, depth) };
            let found = k_out(traversal, source, &query)?;
            let paths = found.paths.as_ref().map(|paths| paths.unfold(traversal)).transpose()?.unwrap_or_default();
            Ok(format!("{:?}{}", numbers(&traversal.ids(&found.nodes)), shown(traversal, &paths)))
        });
    }
    run(&|traversal| {
        let source = traversal.node(id(1))?;
        let found = k_neighbour(traversal, source, &KNeighbour { step, depth, limit, with_paths: false })?;
        Ok(format!("{:?}", numbers(&traversal.ids(&found.nodes))))
    });
    run(&|traversal| {
        let (source, target) = (traversal.node(id(1))?, traversal.node(id(9))?);
        let query = ShortestPath { step, depth, capacity };
        let found: Vec<Path> = shortest_path(traversal, source, target, &query)?.into_iter().collect();
        Ok(shown(traversal, &found))
    });
    run(&|traversal| {
        let (source, target) = (traversal.node(id(1))?, traversal.node(id(9))?);
        let query = ShortestPath { step, depth, capacity };
        let found = all_shortest_paths(traversal, source, target, &query)?;
        Ok(shown(traversal, &found))
    });
    run(&|traversal| {
        let source = traversal.node(id(1))?;
        let found = rings_through(traversal, source, step, &search)?;
        Ok(shown(traversal, &found))
    });
    run(&|traversal| {
        let source = traversal.node(id(1))?;
        let (rings, rays) = (rings_reached(traversal, source, step, &search)?, rays(traversal, source, step, &search)?);
        Ok(shown(traversal, &rings) + &shown(traversal, &rays))
    });
    run(&|traversal| {
        let (source, target) = (traversal.node(id(1))?, traversal.node(id(9))?);
        let found = paths(traversal, (&[source], &[target]), step, &search)?;
        Ok(shown(traversal, &found))
    });
    run(&|traversal| {
        let (source, target) = (traversal.node(id(1))?, traversal.node(id(9))?);
        let crossing = crosspoints(traversal, source, target, step, &search)?;
        let back = Step { direction: Direction::In, edges: Vec::new(), ..step.clone() };
        let bounds = TemplateLimits { capacity, limit };
        let steps = [(step.clone(), hops), (back, 1)];
        let fitting = template_paths(traversal, (&[source], &[target]), &steps, true, &bounds)?;
        let crossing: Vec<Path> = crossing.into_iter().map(|(_, path)| path).collect();
        Ok(shown(traversal, &crossing) + &shown(traversal, &fitting))
    });
    run(&|traversal| {
        let ends = [traversal.node(id(1))?, traversal.node(id(5))?, traversal.node(id(9))?];
        let found = multi_node_shortest_paths(traversal, &ends, step, &search)?;
        Ok(shown(traversal, &found))
    });
    run(&|traversal| {
        let ends = [traversal.node(id(1))?, traversal.node(id(2))?];
        let same = same_neighbours(traversal, &ends, step, limit)?;
        let similarity = jaccard(traversal, ends[0], ends[1], step)?;
        let similar = jaccard_similars(traversal, ends[0], step, Some(4), capacity)?;
        let similar: Vec<(i64, f64)> =
            similar.into_iter().map(|(node, score)| (numbers(&traversal.ids([&node]))[0], score)).collect();
        Ok(format!("{:?} {similarity} {similar:?}", numbers(&traversal.ids(&same))))
    });
    run(&|traversal| {
        let (source, target) = (traversal.node(id(1))?, traversal.node(id(9))?);
        let weight = Weight { key: None, default: 2.0 };
        let found = lightest_path(traversal, source, target, &WeightedPaths { step, weight, capacity })?;
        Ok(format!("{:?}", found.map(|found| numbers(&traversal.ids(&found.path.nodes)))))
    });
    all
}

proptest! {
    #[test]
    fn walks_by_numbers_answer_as_walks_by_ids(
        edges in edges(), step in steps(), depth in 1u64..5, labels in 1u32..4,
        capacity in prop::option::of(2u64..40), limit in prop::option::of(1u64..8),
    ) {
        let graph = || {
            let mut graph = TestGraph::of(edges.iter().copied());
            for (at, edge) in (0..).zip(&mut graph.edges) {
                edge.label = 1 + at % labels;
            }
            graph.edges.sort_by_key(|edge| (edge.label, edge.source, edge.target));
            graph
        };
        let by_ids = answers(&graph().by_numbers(false), &step, depth, (capacity, limit));
        let by_numbers = answers(&graph().by_numbers(true), &step, depth, (capacity, limit));
        prop_assert_eq!(by_numbers, by_ids);
    }
}
