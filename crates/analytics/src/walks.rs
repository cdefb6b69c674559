//! Random walks, and embeddings of vertices.

use crate::csr::Csr;
use crate::graph::Graph;
use crate::random::{Random, mix};
use crate::run::{Run, even};
use crate::{AnalyticsError, Result, Vertex};

/// How walks go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WalkRules {
    /// Vertices of a walk at most.
    pub length: usize,
    /// Walks from each vertex.
    pub per_vertex: usize,
    /// 1 / how likely a step goes back (node2vec's p).
    pub return_factor: f64,
    /// 1 / how likely a step leaves the neighbours of the vertex before (node2vec's q).
    pub inout_factor: f64,
    /// Decides all steps.
    pub seed: u64,
}

impl Default for WalkRules {
    fn default() -> Self {
        Self { length: 10, per_vertex: 1, return_factor: 1.0, inout_factor: 1.0, seed: 0 }
    }
}

/// Walks from each of `sources`, by the weights of the edges; they end early where there are none. With factors other
/// than 1 they are those of node2vec (Grover, Leskovec 2016), chosen by rejection. Targets of `out` must ascend.
///
/// # Errors
/// [`AnalyticsError::Parameter`], [`AnalyticsError::NoVertex`], [`AnalyticsError::Weight`],
/// [`AnalyticsError::Stopped`].
pub fn walks(out: &Csr, sources: &[Vertex], rules: &WalkRules, run: &Run<'_>) -> Result<Vec<Vec<Vertex>>> {
    let is_factor = |factor: f64| factor > 0.0 && factor.is_finite();
    if !is_factor(rules.return_factor) || !is_factor(rules.inout_factor) || rules.length == 0 {
        return Err(AnalyticsError::parameter("length, return_factor and inout_factor must be above 0"));
    }
    out.check_vertices(sources)?;
    out.check_weights("random walk")?;
    let mut walks = Vec::with_capacity(sources.len().saturating_mul(rules.per_vertex));
    let ranges = even(sources.len(), 1_024);
    for wave in ranges.chunks(64) {
        let parts = run.map(wave.to_vec(), |range| {
            let pairs = sources[range].iter().flat_map(|source| (0..rules.per_vertex).map(move |turn| (*source, turn)));
            pairs.map(|(source, turn)| walk(out, source, turn as u64, rules)).collect::<Vec<_>>()
        })?;
        walks.extend(parts.into_iter().flatten());
        run.step("walks", walks.len() as u64, (sources.len() * rules.per_vertex) as u64)?;
    }
    Ok(walks)
}

fn walk(out: &Csr, source: Vertex, turn: u64, rules: &WalkRules) -> Vec<Vertex> {
    let mut random = Random::new(mix(rules.seed, turn), u64::from(source));
    let mut walk = vec![source];
    let (back, away) = (1.0 / rules.return_factor, 1.0 / rules.inout_factor);
    let greatest = back.max(away).max(1.0);
    while walk.len() < rules.length {
        let at = walk[walk.len() - 1] as usize;
        let before = walk.len().checked_sub(2).map(|place| walk[place]);
        let next = loop {
            let Some(next) = step(out, at, &mut random) else { return walk };
            let Some(before) = before else { break next };
            let wanted = if next == before {
                back
            } else if out.targets(before as usize).binary_search(&next).is_ok() {
                1.0
            } else {
                away
            };
            if wanted >= greatest || random.unit() * greatest < wanted {
                break next;
            }
        };
        walk.push(next);
    }
    walk
}

/// The target of an edge of a vertex, chosen by weight.
fn step(out: &Csr, vertex: usize, random: &mut Random) -> Option<Vertex> {
    let targets = out.targets(vertex);
    let Some(weights) = out.weights(vertex) else {
        return if targets.is_empty() { None } else { targets.get(random.below(targets.len())).copied() };
    };
    let mut left = random.unit() * weights.iter().sum::<f64>();
    let mut last = None;
    for (target, weight) in targets.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
        last = Some(*target);
        left -= weight;
        if left < 0.0 {
            break;
        }
    }
    last
}

/// How embeddings are made.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddingRules {
    /// Numbers for each vertex.
    pub dimensions: usize,
    /// How much each iteration counts: that of neighbours, of their neighbours, and so on.
    pub weights: Vec<f64>,
    /// How much vertices with many edges count: degree to this power; below 0 less.
    pub normalisation: f64,
    /// Decides the projection.
    pub seed: u64,
}

impl Default for EmbeddingRules {
    fn default() -> Self {
        Self { dimensions: 128, weights: vec![0.0, 1.0, 1.0], normalisation: 0.0, seed: 0 }
    }
}

/// FastRP: random projections of the neighbourhoods of each vertex, row by row (Chen, Sultan, Tian, Chen, Skiena 2019).
/// `graph`: both directions count where it is plain.
///
/// # Errors
/// [`AnalyticsError::Parameter`], [`AnalyticsError::Stopped`].
#[expect(clippy::cast_precision_loss, reason = "projections are approximate")]
pub fn fast_rp(graph: &Graph, rules: &EmbeddingRules, run: &Run<'_>) -> Result<Vec<f32>> {
    let (size, width) = (graph.vertices(), rules.dimensions);
    if width == 0 || !rules.normalisation.is_finite() || rules.weights.iter().any(|weight| !weight.is_finite()) {
        return Err(AnalyticsError::parameter("dimensions must be above 0, and weights and normalisation numbers"));
    }
    let rows = even(size, 256);
    let places: Vec<_> = rows.iter().map(|range| range.start * width..range.end * width).collect();
    // Very sparse random projections (Li, Hastie, Church 2006): three of s numbers are not 0.
    let sparsity = 3.0_f64;
    let mut current = vec![0.0_f32; size * width];
    run.fill(&places, &mut current, |place, own| {
        for (row, own) in own.chunks_exact_mut(width).enumerate() {
            let vertex = place.start / width + row;
            let mut random = Random::new(rules.seed, vertex as u64);
            let degree = (graph.out().degree(vertex).max(1)) as f64;
            let scale = (degree.powf(rules.normalisation) * sparsity.sqrt() / (width as f64).sqrt()) as f32;
            for own in own {
                *own = match random.unit() {
                    part if part < 0.5 / sparsity => scale,
                    part if part < 1.0 / sparsity => -scale,
                    _ => 0.0,
                };
            }
        }
    })?;
    let mut sum = vec![0.0_f32; size * width];
    let mut next = vec![0.0_f32; size * width];
    for (iteration, weight) in rules.weights.iter().enumerate() {
        run.fill(&places, &mut next, |place, own| {
            for (row, own) in own.chunks_exact_mut(width).enumerate() {
                let vertex = place.start / width + row;
                own.fill(0.0);
                for (target, weight) in graph.out().weighted(vertex) {
                    let from = &current[target * width..(target + 1) * width];
                    own.iter_mut().zip(from).for_each(|(own, from)| *own += from * weight as f32);
                }
                let length = own.iter().map(|it| it * it).sum::<f32>().sqrt();
                if length > 0.0 {
                    own.iter_mut().for_each(|own| *own /= length);
                }
            }
        })?;
        std::mem::swap(&mut current, &mut next);
        run.fill(&places, &mut sum, |place, own| {
            own.iter_mut().zip(&current[place]).for_each(|(own, from)| *own += from * *weight as f32);
        })?;
        run.step("iterations", iteration as u64 + 1, rules.weights.len() as u64)?;
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_follow_edges_and_end_where_there_are_none() {
        let run = Run::alone();
        let out = Csr::from_edges(4, &[(0, 1, 1.0), (1, 2, 1.0), (1, 0, 1.0), (2, 1, 1.0)], false).unwrap();
        let out = out.simple(&run).unwrap();
        let rules = WalkRules { length: 20, per_vertex: 50, ..WalkRules::default() };
        let found = walks(&out, &[0, 3], &rules, &run).unwrap();
        assert_eq!(found.len(), 100);
        assert!(found[..50].iter().all(|walk| walk.len() == 20 && walk[0] == 0));
        assert!(found[50..].iter().all(|walk| *walk == [3]));
        let steps =
            |walks: &[Vec<u32>]| walks.iter().flat_map(|it| it.windows(3).map(<[u32]>::to_vec)).collect::<Vec<_>>();
        for step in steps(&found[..50]) {
            assert!(out.targets(step[0] as usize).contains(&step[1]));
        }
        // A walk that does not like to go back, goes through.
        let through = WalkRules { return_factor: 100.0, ..rules };
        let back = |walks: &[Vec<u32>]| {
            let steps: Vec<_> = steps(walks).into_iter().filter(|step| step[1] == 1).collect();
            steps.iter().filter(|step| step[0] == step[2]).count() as f64 / steps.len() as f64
        };
        assert!(back(&walks(&out, &[0], &through, &run).unwrap()) < 0.05);
        assert!((back(&found[..50]) - 0.5).abs() < 0.1);
    }

    #[test]
    fn weights_decide_steps() {
        let out = Csr::from_edges(3, &[(0, 1, 3.0), (0, 2, 1.0)], true).unwrap();
        let rules = WalkRules { length: 2, per_vertex: 4_000, ..WalkRules::default() };
        let found = walks(&out, &[0], &rules, &Run::alone()).unwrap();
        let first = found.iter().filter(|walk| walk[1] == 1).count() as f64 / 4_000.0;
        assert!((first - 0.75).abs() < 0.03, "{first}");
    }

    #[test]
    fn embeddings_of_one_community_are_near() {
        let run = Run::alone();
        let mut edges = vec![(3, 4, 1.0)];
        for first in [0, 4] {
            edges.extend((first..first + 4).flat_map(|a| (a + 1..first + 4).map(move |b| (a, b, 1.0))));
        }
        let plain = Graph::from_edges(8, &edges, false, &run).unwrap().both(&run).unwrap();
        let found = fast_rp(&plain, &EmbeddingRules { dimensions: 64, ..EmbeddingRules::default() }, &run).unwrap();
        let near = crate::neighbours::nearest(&found, 64, 2, -1.0, &run).unwrap();
        assert!(near.iter().all(|pair| (pair.vertex < 4) == (pair.other < 4)), "{near:?}");
    }
}
