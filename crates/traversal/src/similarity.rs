//! How alike vertices are by their neighbours: common ones, and measures made of them.

use rustc_hash::FxHashMap;

use crate::{Node, NodeSet, Step, Traversal, TraversalError, blocks};

/// The distinct neighbours of a vertex, in a fixed order.
pub(crate) fn neighbours(
    traversal: &mut Traversal<'_>,
    vertex: Node,
    step: &Step,
) -> Result<Vec<Node>, TraversalError> {
    let adjacency = traversal.expand(&[vertex], step, None)?;
    let mut seen = NodeSet::new();
    Ok(adjacency.targets().iter().copied().filter(|node| seen.insert(*node)).collect())
}

/// The vertices that are neighbours of all of `vertices`, `limit` at most.
pub fn same_neighbours(
    traversal: &mut Traversal<'_>,
    vertices: &[Node],
    step: &Step,
    limit: Option<u64>,
) -> Result<Vec<Node>, TraversalError> {
    let Some((first, others)) = vertices.split_first() else { return Ok(Vec::new()) };
    let mut common = neighbours(traversal, *first, step)?;
    for other in others {
        if common.is_empty() {
            break;
        }
        let of_other: NodeSet = neighbours(traversal, *other, step)?.into_iter().collect();
        common.retain(|node| of_other.contains(*node));
    }
    if let Some(limit) = limit {
        common.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    }
    Ok(common)
}

/// Jaccard's coefficient of two vertices: common neighbours over all neighbours; 0 where there are none.
pub fn jaccard(traversal: &mut Traversal<'_>, one: Node, other: Node, step: &Step) -> Result<f64, TraversalError> {
    let of_one: NodeSet = neighbours(traversal, one, step)?.into_iter().collect();
    let of_other = neighbours(traversal, other, step)?;
    let common = of_other.iter().filter(|node| of_one.contains(**node)).count();
    Ok(ratio(common, of_one.len() + of_other.len() - common))
}

/// Jaccard's coefficient of a vertex and each of its neighbours and their neighbours, largest first; of equal ones the
/// vertex met first comes first. Fails when more vertices than the capacity would be visited. `top`: how many are
/// wanted; `None`: all.
pub fn jaccard_similars(
    traversal: &mut Traversal<'_>,
    vertex: Node,
    step: &Step,
    top: Option<usize>,
    capacity: Option<u64>,
) -> Result<Vec<(Node, f64)>, TraversalError> {
    let of_vertex = neighbours(traversal, vertex, step)?;
    traversal.check_capacity(capacity, of_vertex.len() + 1)?;
    let mut candidates = Vec::new();
    let mut known: NodeSet = std::iter::once(vertex).collect();
    let near: NodeSet = of_vertex.iter().copied().collect();
    let mut scores: Vec<(Node, f64)> = Vec::new();
    let mut visited = of_vertex.len() + 1;
    score_all(traversal, &of_vertex, &near, step, &mut scores, |traversal, target| {
        if !near.contains(target) && known.insert(target) {
            candidates.push(target);
            visited += 1;
        }
        traversal.check_capacity(capacity, visited)
    })?;
    score_all(traversal, &candidates, &near, step, &mut scores, |_, _| Ok(()))?;
    scores.retain(|(node, _)| *node != vertex);
    scores.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    scores.truncate(top.unwrap_or(usize::MAX));
    Ok(scores)
}

/// Appends the coefficient of `near` and the neighbours of each of `vertices`; shows every neighbour to `met`.
fn score_all(
    traversal: &mut Traversal<'_>,
    vertices: &[Node],
    near: &NodeSet,
    step: &Step,
    scores: &mut Vec<(Node, f64)>,
    mut met: impl FnMut(&Traversal<'_>, Node) -> Result<(), TraversalError>,
) -> Result<(), TraversalError> {
    for block in blocks(vertices) {
        let adjacency = traversal.expand(block, step, None)?;
        let mut counted: FxHashMap<Node, usize> = FxHashMap::default();
        for (at, some) in adjacency.iter().enumerate() {
            let (mut all, mut common) = (0, 0);
            for target in some.targets {
                met(traversal, *target)?;
                // Of several edges to one neighbour the first counts; the map remembers for which owner a neighbour was
                // counted last.
                if counted.insert(*target, at) != Some(at) {
                    all += 1;
                    common += usize::from(near.contains(*target));
                }
            }
            scores.push((some.owner, ratio(common, near.len() + all - common)));
        }
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "numbers of neighbours are far below 2^53")]
fn ratio(common: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { common as f64 / all as f64 }
}

/// How much a common neighbour says about its two neighbours, by the number of its edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommonNeighbourWeight {
    /// 1 / ln(degree) (Adamic and Adar 2003). A neighbour of degree 1 says nothing: it would say infinitely much.
    AdamicAdar,
    /// 1 / degree (Zhou, Lue and Zhang 2009).
    ResourceAllocation,
}

/// The sum of the weights of the common neighbours of two vertices, of the first `limit` at most. `degree` says which
/// edges make the degree of a common neighbour.
pub fn common_neighbour_score(
    traversal: &mut Traversal<'_>,
    ends: [Node; 2],
    step: &Step,
    degree: &Step,
    limit: Option<u64>,
    weight: CommonNeighbourWeight,
) -> Result<f64, TraversalError> {
    let common = same_neighbours(traversal, &ends, step, limit)?;
    let degrees = traversal.degrees(&common, degree)?;
    #[expect(clippy::cast_precision_loss, reason = "degrees are far below 2^53")]
    let weight_of = |degree: u64| match weight {
        CommonNeighbourWeight::AdamicAdar if degree > 1 => 1.0 / (degree as f64).ln(),
        CommonNeighbourWeight::ResourceAllocation if degree > 0 => 1.0 / degree as f64,
        _ => 0.0,
    };
    Ok(degrees.into_iter().map(weight_of).sum::<f64>() + 0.0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use graph_model::Direction;
    use proptest::prelude::*;

    use super::*;
    use crate::fixture::{TestGraph, edges, id, numbers};

    fn around(edges: &[(i64, i64)], vertex: i64) -> BTreeSet<i64> {
        let forward = edges.iter().filter(|edge| edge.0 == vertex).map(|edge| edge.1);
        forward.chain(edges.iter().filter(|edge| edge.1 == vertex).map(|edge| edge.0)).collect()
    }

    fn jaccard_of(edges: &[(i64, i64)], one: i64, other: i64) -> f64 {
        let (one, other) = (around(edges, one), around(edges, other));
        ratio(one.intersection(&other).count(), one.union(&other).count())
    }

    #[test]
    fn measures_of_a_small_graph() {
        let graph = TestGraph::of([(1, 3), (2, 3), (1, 4), (2, 4), (1, 5), (4, 6), (3, 3)]);
        let mut traversal = graph.traversal();
        let [one, two, six] = [1, 2, 6].map(|at| traversal.node(id(at)).unwrap());
        let (both, out) = (Step::default(), Step { direction: Direction::Out, ..Step::default() });
        let common = same_neighbours(&mut traversal, &[one, two], &both, None).unwrap();
        assert_eq!(numbers(&traversal.ids(&common)), [3, 4]);
        assert_eq!(same_neighbours(&mut traversal, &[one, two], &both, Some(1)).unwrap().len(), 1);
        let common = same_neighbours(&mut traversal, &[one, two, six], &both, None).unwrap();
        assert_eq!(numbers(&traversal.ids(&common)), [4]);
        assert_eq!(jaccard(&mut traversal, one, two, &both).unwrap(), 2.0 / 3.0);
        let mut score =
            |step, weight| common_neighbour_score(&mut traversal, [one, two], step, step, None, weight).unwrap();
        // Vertex 3 has two edges and a loop, which counts at both its ends; vertex 4 has three edges.
        assert_eq!(score(&both, CommonNeighbourWeight::ResourceAllocation), 1.0 / 4.0 + 1.0 / 3.0);
        assert_eq!(score(&both, CommonNeighbourWeight::AdamicAdar), 1.0 / 4f64.ln() + 1.0 / 3f64.ln());
        assert_eq!(score(&out, CommonNeighbourWeight::AdamicAdar), 0.0);
    }

    proptest! {
        #[test]
        fn jaccard_is_that_of_the_definition(edges in edges(), capacity in 1u64..12) {
            let graph = TestGraph::of(edges.iter().copied());
            let (mut traversal, step) = (graph.traversal(), Step::default());
            let [one, two] = [1, 2].map(|at| traversal.node(id(at)).unwrap());
            prop_assert_eq!(jaccard(&mut traversal, one, two, &step).unwrap(), jaccard_of(&edges, 1, 2));
            let near = around(&edges, 1);
            let mut candidates: BTreeSet<i64> = near.iter().flat_map(|vertex| around(&edges, *vertex)).collect();
            candidates.extend(&near);
            let visited = candidates.len() as u64 + u64::from(!candidates.contains(&1));
            candidates.remove(&1);
            let scores = jaccard_similars(&mut traversal, one, &step, None, None).unwrap();
            prop_assert!(scores.is_sorted_by(|a, b| a.1 >= b.1));
            prop_assert_eq!(scores.len(), candidates.len());
            for (node, score) in scores {
                let vertex = numbers(&traversal.ids([&node]))[0];
                prop_assert!(candidates.contains(&vertex));
                prop_assert_eq!(score, jaccard_of(&edges, 1, vertex));
            }
            let bounded = jaccard_similars(&mut traversal, one, &step, None, Some(capacity));
            if !near.contains(&1) {
                prop_assert_eq!(bounded.is_ok(), visited <= capacity);
            }
        }
    }
}
