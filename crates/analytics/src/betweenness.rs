//! How many shortest ways go through each vertex.

use crate::graph::Graph;
use crate::random::sample;
use crate::run::Run;
use crate::{Result, Vertex, limits};

/// Which shortest ways count, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BetweennessRules {
    /// Ways from so many vertices only, chosen by `seed`; values are scaled up to all. None: from all.
    pub samples: Option<usize>,
    /// Chooses the vertices.
    pub seed: u64,
    /// Ways of at most so many edges.
    pub depth_max: u32,
    /// The number of shortest ways through a vertex (stress); else the sum, over pairs, of their part of all shortest
    /// ways of the pair.
    pub stress: bool,
}

impl Default for BetweennessRules {
    fn default() -> Self {
        Self { samples: None, seed: 0, depth_max: u32::MAX, stress: false }
    }
}

/// What a search from one source leaves behind.
struct Search {
    depths: Vec<u32>,
    /// Shortest ways from the source.
    ways: Vec<f64>,
    /// What depends on each vertex.
    dependent: Vec<f64>,
    order: Vec<Vertex>,
}

impl Search {
    fn new(size: usize) -> Self {
        Self {
            depths: vec![u32::MAX; size],
            ways: vec![0.0; size],
            dependent: vec![0.0; size],
            order: Vec::with_capacity(size),
        }
    }

    /// Adds what ways from `source` give to `sums`.
    fn add(&mut self, graph: &Graph, source: Vertex, rules: &BetweennessRules, sums: &mut [f64]) {
        self.depths[source as usize] = 0;
        self.ways[source as usize] = 1.0;
        self.order.push(source);
        let mut next = 0;
        while let Some(vertex) = self.order.get(next).map(|vertex| *vertex as usize) {
            next += 1;
            let (depth, ways) = (self.depths[vertex], self.ways[vertex]);
            if depth >= rules.depth_max {
                continue;
            }
            for target in graph.out().targets(vertex) {
                let to = *target as usize;
                if self.depths[to] == u32::MAX {
                    self.depths[to] = depth + 1;
                    self.order.push(*target);
                }
                if self.depths[to] == depth + 1 {
                    self.ways[to] += ways;
                }
            }
        }
        // Back from the furthest: what depends on a vertex is shared by those before it.
        for vertex in self.order.iter().rev().map(|vertex| *vertex as usize) {
            let (depth, own) = (self.depths[vertex], self.ways[vertex]);
            let mut sum = 0.0;
            for target in graph.out().targets(vertex) {
                let to = *target as usize;
                // Compared without an overflow: what was not reached has the greatest depth.
                if self.depths[to].checked_sub(1) == Some(depth) && self.depths[to] != u32::MAX {
                    let after = 1.0 + self.dependent[to];
                    sum += if rules.stress { after } else { after / self.ways[to] };
                }
            }
            self.dependent[vertex] = if rules.stress { sum } else { own * sum };
            if vertex != source as usize {
                sums[vertex] += if rules.stress { own * sum } else { self.dependent[vertex] };
            }
        }
        for vertex in self.order.drain(..) {
            let at = vertex as usize;
            (self.depths[at], self.ways[at], self.dependent[at]) = (u32::MAX, 0.0, 0.0);
        }
    }
}

/// Betweenness, not normalised: every ordered pair of vertices counts, so in a graph without directions each pair
/// counts twice. `graph` is simple. (Brandes 2001; sampled: Brandes, Pich 2007.)
///
/// # Errors
/// [`crate::AnalyticsError::Stopped`].
#[expect(clippy::cast_precision_loss, reason = "a scale")]
pub fn betweenness(graph: &Graph, rules: &BetweennessRules, run: &Run<'_>) -> Result<Vec<f64>> {
    let size = graph.vertices();
    let sources = match rules.samples {
        Some(samples) => sample(size, samples, rules.seed),
        None => (0..size as Vertex).collect(),
    };
    let mut sums = vec![0.0; size];
    let groups: Vec<&[Vertex]> = sources.chunks(limits::SOURCES_PER_SUM).collect();
    let mut done = 0;
    for wave in groups.chunks(limits::SUMS_AT_A_TIME) {
        let parts = run.map(wave.to_vec(), |group| {
            let (mut search, mut own) = (Search::new(size), vec![0.0; size]);
            for source in group {
                if run.check().is_err() {
                    break;
                }
                search.add(graph, *source, rules, &mut own);
            }
            own
        })?;
        for part in parts {
            sums.iter_mut().zip(part).for_each(|(sum, own)| *sum += own);
        }
        done += wave.iter().map(|group| group.len() as u64).sum::<u64>();
        run.step("sources", done, sources.len() as u64)?;
    }
    if sources.len() < size && !sources.is_empty() {
        let scale = size as f64 / sources.len() as f64;
        sums.iter_mut().for_each(|sum| *sum *= scale);
    }
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All shortest ways between two vertices, by trying.
    fn ways(graph: &Graph, from: u32, to: u32) -> Vec<Vec<u32>> {
        let mut open = vec![vec![from]];
        for _ in 0..graph.vertices() {
            let done: Vec<_> = open.iter().filter(|way| way.last() == Some(&to)).cloned().collect();
            if !done.is_empty() {
                return done;
            }
            let on = |way: &Vec<u32>| {
                let targets = graph.out().targets(*way.last().unwrap() as usize).to_vec();
                let way = way.clone();
                targets.into_iter().filter(|it| !way.contains(it)).map(|it| [&*way, &[it]].concat()).collect::<Vec<_>>()
            };
            open = open.iter().flat_map(on).collect();
        }
        Vec::new()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn betweenness_counts_ways(pairs in prop::collection::vec((0..9_u32, 0..9_u32), 0..24)) {
            let run = Run::alone();
            let edges: Vec<_> = pairs.into_iter().map(|(a, b)| (a, b, 1.0)).collect();
            let graph = Graph::from_edges(9, &edges, false, &run).unwrap().simple(&run).unwrap();
            let (mut parts, mut counts) = (vec![0.0; 9], vec![0.0; 9]);
            for from in 0..9 {
                for to in (0..9).filter(|to| *to != from) {
                    let ways = ways(&graph, from, to);
                    for way in &ways {
                        for vertex in &way[1..way.len() - 1] {
                            parts[*vertex as usize] += 1.0 / ways.len() as f64;
                            counts[*vertex as usize] += 1.0;
                        }
                    }
                }
            }
            let found = betweenness(&graph, &BetweennessRules::default(), &run).unwrap();
            prop_assert!(found.iter().zip(&parts).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?} {parts:?}");
            let rules = BetweennessRules { stress: true, ..BetweennessRules::default() };
            prop_assert_eq!(betweenness(&graph, &rules, &run).unwrap(), counts);
        }
    }

    #[test]
    fn samples_are_scaled() {
        let run = Run::alone();
        let edges: Vec<_> = (0..20).flat_map(|at| [(at, (at + 1) % 20, 1.0), ((at + 1) % 20, at, 1.0)]).collect();
        let graph = Graph::from_edges(20, &edges, false, &run).unwrap();
        let all = betweenness(&graph, &BetweennessRules::default(), &run).unwrap();
        let rules = BetweennessRules { samples: Some(10), seed: 4, ..BetweennessRules::default() };
        let some = betweenness(&graph, &rules, &run).unwrap();
        assert!((all.iter().sum::<f64>() - some.iter().sum::<f64>()).abs() < 1e-9);
        let near = BetweennessRules { depth_max: 1, ..BetweennessRules::default() };
        assert_eq!(betweenness(&graph, &near, &run).unwrap(), [0.0; 20]);
    }
}
