//! How near each vertex is to all others: searches from 64 vertices at a time, a bit for each (Then et al., The More
//! the Merrier: Efficient Multi-Source Graph Traversal, 2014).

use crate::csr::Csr;
use crate::run::Run;
use crate::{Result, Vertex, limits};

/// What the distances from a vertex add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Nearness {
    /// Vertices reached, itself not counted.
    pub reached: u64,
    /// The sum of the distances to them.
    pub distance: u64,
    /// The sum of 1 / distance to them.
    pub harmonic: f64,
    /// The distance of the furthest.
    pub eccentricity: u32,
}

impl Nearness {
    /// Vertices reached over the sum of distances; with `improved` times the part of the vertices that was reached
    /// (Wasserman, Faust 1994), so that a small component does not make its vertices near.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub fn closeness(&self, vertices: usize, improved: bool) -> f64 {
        if self.distance == 0 {
            return 0.0;
        }
        let near = self.reached as f64 / self.distance as f64;
        if improved { near * self.reached as f64 / (vertices.max(2) - 1) as f64 } else { near }
    }
}

/// For each of `sources` what the distances along the edges of `out` add up to, over at most `depth_max` edges.
///
/// # Errors
/// [`crate::AnalyticsError::NoVertex`], [`crate::AnalyticsError::Stopped`].
pub fn nearness(out: &Csr, sources: &[Vertex], depth_max: u32, run: &Run<'_>) -> Result<Vec<Nearness>> {
    out.check_vertices(sources)?;
    let groups: Vec<&[Vertex]> = sources.chunks(limits::SOURCES_PER_WORD).collect();
    let mut found = Vec::with_capacity(sources.len());
    for wave in groups.chunks(run.threads() * 2) {
        for part in run.map(wave.to_vec(), |group| of_group(out, group, depth_max, run))? {
            found.extend(part?);
        }
        run.step("sources", found.len() as u64, sources.len() as u64)?;
    }
    Ok(found)
}

fn of_group(out: &Csr, group: &[Vertex], depth_max: u32, run: &Run<'_>) -> Result<Vec<Nearness>> {
    let size = out.vertices();
    let (mut seen, mut frontier, mut next) = (vec![0_u64; size], vec![0_u64; size], vec![0_u64; size]);
    let mut found = vec![Nearness::default(); group.len()];
    for (bit, source) in group.iter().enumerate() {
        seen[*source as usize] |= 1 << bit;
        frontier[*source as usize] |= 1 << bit;
    }
    for depth in 1..=depth_max {
        run.check()?;
        for (vertex, own) in frontier.iter().copied().enumerate() {
            if own != 0 {
                out.targets(vertex).iter().for_each(|target| next[*target as usize] |= own);
            }
        }
        let mut counts = [0_u64; limits::SOURCES_PER_WORD];
        let mut any = 0;
        for vertex in 0..size {
            let fresh = next[vertex] & !seen[vertex];
            frontier[vertex] = fresh;
            next[vertex] = 0;
            seen[vertex] |= fresh;
            any |= fresh;
            let mut bits = fresh;
            while bits != 0 {
                counts[bits.trailing_zeros() as usize] += 1;
                bits &= bits - 1;
            }
        }
        if any == 0 {
            break;
        }
        for (own, count) in found.iter_mut().zip(counts).filter(|(_, count)| *count > 0) {
            own.reached += count;
            own.distance += count * u64::from(depth);
            #[expect(clippy::cast_precision_loss, reason = "a share")]
            let near = count as f64 / f64::from(depth);
            own.harmonic += near;
            own.eccentricity = depth;
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::Graph;
    use crate::search::{UNREACHED, breadth_first};

    proptest! {
        #[test]
        fn sums_are_those_of_single_searches(pairs in prop::collection::vec((0..90_u32, 0..90_u32), 0..300)) {
            let run = Run::alone();
            let edges: Vec<_> = pairs.into_iter().map(|(a, b)| (a, b, 1.0)).collect();
            let graph = Graph::from_edges(90, &edges, false, &run).unwrap();
            let sources: Vec<u32> = (0..90).collect();
            for (source, found) in nearness(graph.out(), &sources, u32::MAX, &run).unwrap().into_iter().enumerate() {
                let depths = breadth_first(&graph, &[source as u32], u32::MAX, &run).unwrap();
                let far: Vec<u32> = depths.into_iter().filter(|depth| ![0, UNREACHED].contains(depth)).collect();
                prop_assert_eq!(found.reached, far.len() as u64);
                prop_assert_eq!(found.distance, far.iter().map(|depth| u64::from(*depth)).sum::<u64>());
                prop_assert_eq!(found.eccentricity, far.iter().copied().max().unwrap_or_default());
                let harmonic: f64 = far.iter().map(|depth| 1.0 / f64::from(*depth)).sum();
                prop_assert!((found.harmonic - harmonic).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn a_way_has_its_known_closeness() {
        let near = Nearness { reached: 2, distance: 3, harmonic: 1.5, eccentricity: 2 };
        assert_eq!(near.closeness(3, false), 2.0 / 3.0);
        assert_eq!(near.closeness(5, true), 2.0 / 3.0 / 2.0);
        assert_eq!(Nearness::default().closeness(5, true), 0.0);
    }
}
