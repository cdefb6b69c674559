//! Graphs like social networks, for measurements: Kronecker graphs as Graph500 has them.

use crate::csr::Edge;
use crate::random::{Random, mix};
use crate::run::{Run, even};
use crate::{AnalyticsError, Result, Vertex};

/// Edges for each vertex, as in Graph500.
pub const EDGES_PER_VERTEX: usize = 16;

/// The edges of a Kronecker graph with 2^`scale` vertices (Leskovec et al. 2010; probabilities of Graph500: 0.57, 0.19,
/// 0.19, 0.05), with mixed up numbers and weights from 1 to 255. The same for a seed on all machines.
///
/// # Errors
/// [`AnalyticsError::Parameter`] for a scale above 30, [`AnalyticsError::Stopped`].
pub fn edges(scale: u32, seed: u64, run: &Run<'_>) -> Result<Vec<Edge>> {
    if scale > 30 {
        return Err(AnalyticsError::parameter("scale must be at most 30"));
    }
    let size = 1_usize << scale;
    let mut numbers: Vec<Vertex> = (0..size as Vertex).collect();
    Random::new(seed, 1).shuffle(&mut numbers);
    let parts = run.map(even(size * EDGES_PER_VERTEX, 1 << 16), |range| {
        let one = |at: usize| {
            let mut random = Random::new(mix(seed, 2), at as u64);
            let (mut source, mut target) = (0_usize, 0_usize);
            for _ in 0..scale {
                let part = random.unit();
                let (down, right) = if part < 0.57 {
                    (0, 0)
                } else if part < 0.76 {
                    (0, 1)
                } else if part < 0.95 {
                    (1, 0)
                } else {
                    (1, 1)
                };
                source = source << 1 | down;
                target = target << 1 | right;
            }
            let weight = 1 + random.below(255);
            (numbers[source], numbers[target], f64::from(weight as u32))
        };
        range.map(one).collect::<Vec<_>>()
    })?;
    Ok(parts.concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    #[test]
    fn a_few_vertices_have_many_edges() {
        let run = Run::alone();
        let edges = edges(10, 1, &run).unwrap();
        assert_eq!(edges.len(), 16_384);
        let graph = Graph::from_edges(1_024, &edges, true, &run).unwrap();
        let mut degrees: Vec<_> = (0..1_024).map(|vertex| graph.out().degree(vertex)).collect();
        degrees.sort_unstable();
        assert!(degrees[1_023] > 300 && degrees[512] < 12, "{} {}", degrees[1_023], degrees[512]);
        assert!(super::edges(31, 1, &run).is_err());
    }
}
