//! Communities by what most neighbours say.

use rustc_hash::FxHashMap;

use crate::csr::balanced;
use crate::graph::Graph;
use crate::random::mix;
use crate::run::Run;
use crate::{AnalyticsError, Result, Vertex};

/// Labels of vertices, and how they were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    /// The label of each vertex.
    pub labels: Vec<Vertex>,
    /// Rounds done.
    pub iterations: u64,
    /// How many labels changed in the last round.
    pub changed: u64,
}

/// Label propagation of LDBC Graphalytics (CDLP): in each round every vertex takes the most frequent of the labels its
/// neighbours had before the round, the least of equally frequent ones. Neighbours by edges in both directions count
/// twice. It ends after `rounds`, or when nothing changes. `graph` is simple; `first`: the first labels, which decide
/// what "least" means; none: the vertex numbers.
///
/// # Errors
/// [`AnalyticsError::Parameter`] where `first` has not one label for each vertex, [`AnalyticsError::Stopped`].
pub fn synchronous(graph: &Graph, first: Option<Vec<Vertex>>, rounds: u64, run: &Run<'_>) -> Result<Labels> {
    let mut labels = first_labels(graph, first)?;
    let mut next = labels.clone();
    let ranges = balanced(graph.out());
    let mut found = (0, 0);
    for round in 1..=rounds {
        let changes = run.fill(&ranges, &mut next, |range, own| {
            let mut seen = Vec::new();
            let mut counts = FxHashMap::default();
            let mut changed = 0;
            for (vertex, own) in range.zip(own) {
                *own = most_frequent(graph, &labels, vertex, &mut seen, &mut counts).unwrap_or(labels[vertex]);
                changed += u64::from(*own != labels[vertex]);
            }
            changed
        })?;
        found = (round, changes.iter().sum());
        std::mem::swap(&mut labels, &mut next);
        run.step("rounds", round, rounds)?;
        if found.1 == 0 {
            break;
        }
    }
    Ok(Labels { labels, iterations: found.0, changed: found.1 })
}

fn first_labels(graph: &Graph, first: Option<Vec<Vertex>>) -> Result<Vec<Vertex>> {
    match first {
        Some(first) if first.len() == graph.vertices() => Ok(first),
        Some(_) => Err(AnalyticsError::parameter("there must be one first label for each vertex")),
        None => Ok((0..graph.vertices() as Vertex).collect()),
    }
}

/// Lists of labels up to this length are sorted; longer ones are counted in a map.
const SORTED_MAX: usize = 512;

/// The most frequent label of a vertex's neighbours, the least of equally frequent ones.
fn most_frequent(
    graph: &Graph,
    labels: &[Vertex],
    vertex: usize,
    seen: &mut Vec<Vertex>,
    counts: &mut FxHashMap<Vertex, u32>,
) -> Option<Vertex> {
    let sides = [graph.out().targets(vertex), graph.incoming().targets(vertex)];
    let around = sides.into_iter().flatten().map(|other| labels[*other as usize]);
    if sides.iter().map(|side| side.len()).sum::<usize>() > SORTED_MAX {
        counts.clear();
        around.for_each(|label| *counts.entry(label).or_default() += 1);
        return counts.iter().max_by_key(|(label, count)| (**count, std::cmp::Reverse(**label))).map(|it| *it.0);
    }
    seen.clear();
    seen.extend(around);
    seen.sort_unstable();
    let mut best: Option<(usize, Vertex)> = None;
    for run in seen.chunk_by(|a, b| a == b) {
        if best.is_none_or(|(count, _)| run.len() > count) {
            best = run.first().map(|label| (run.len(), *label));
        }
    }
    best.map(|(_, label)| label)
}

/// Label propagation one vertex after the other, as HugeGraph's `lpa` does it: each takes the most frequent label of
/// its neighbours at once, of equally frequent ones its own, else one by `seed` (there it is by chance). It ends after
/// `rounds`, or when at most the part `precision` of the labels changes.
///
/// # Errors
/// [`AnalyticsError::Stopped`].
#[expect(clippy::cast_precision_loss, reason = "a share")]
pub fn in_turn(graph: &Graph, rounds: u64, precision: f64, seed: u64, run: &Run<'_>) -> Result<Labels> {
    let size = graph.vertices();
    let mut labels: Vec<Vertex> = (0..size as Vertex).collect();
    let (mut counts, mut found, mut steps) = (FxHashMap::<Vertex, u32>::default(), (0, 0), 0);
    for round in 1..=rounds {
        let mut changed = 0;
        for vertex in 0..size {
            run.tick(&mut steps)?;
            counts.clear();
            for other in graph.out().targets(vertex).iter().chain(graph.incoming().targets(vertex)) {
                *counts.entry(labels[*other as usize]).or_default() += 1;
            }
            let own = labels[vertex];
            let turn = mix(seed, round << 32 | vertex as u64);
            let rank = |label: Vertex| (label == own, mix(turn, u64::from(label)));
            let best = counts.iter().max_by_key(|(label, count)| (**count, rank(**label))).map(|it| *it.0);
            if let Some(best) = best.filter(|best| *best != own) {
                labels[vertex] = best;
                changed += 1;
            }
        }
        found = (round, changed);
        run.step("rounds", round, rounds)?;
        if changed as f64 <= precision * size as f64 {
            break;
        }
    }
    Ok(Labels { labels, iterations: found.0, changed: found.1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two cliques of four with one edge between them.
    fn cliques() -> Graph {
        let mut edges = vec![(3, 4, 1.0)];
        for first in [0, 4] {
            for a in first..first + 4 {
                edges.extend((a + 1..first + 4).map(|b| (a, b, 1.0)));
            }
        }
        Graph::from_edges(8, &edges, false, &Run::alone()).unwrap()
    }

    #[test]
    fn cliques_become_communities() {
        let run = Run::alone();
        let found = synchronous(&cliques(), None, 10, &run).unwrap();
        assert_eq!(found.labels, [0, 0, 0, 0, 4, 4, 4, 4]);
        assert_eq!(found.changed, 0);
        let found = in_turn(&cliques(), 20, 0.0, 1, &run).unwrap();
        assert!(found.labels[..4].iter().all(|label| *label == found.labels[0]));
        assert!(found.labels[4..].iter().all(|label| *label == found.labels[4]));
        assert!(synchronous(&cliques(), Some(vec![0]), 1, &run).is_err());
    }

    #[test]
    fn counting_agrees_with_sorting() {
        let edges: Vec<_> = (0..2_000).map(|at| (0, 1 + at, 1.0)).collect();
        let graph = Graph::from_edges(2_001, &edges, false, &Run::alone()).unwrap();
        let first = (0..2_001).map(|vertex| if vertex == 0 { 9 } else { vertex % 3 }).collect();
        let found = synchronous(&graph, Some(first), 1, &Run::alone()).unwrap();
        // 667 vertices have label 1, 667 label 2, 666 label 0.
        assert_eq!((found.labels[0], found.labels[7]), (1, 9));
    }
}
