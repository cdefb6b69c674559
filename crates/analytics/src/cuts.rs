//! What holds a plain graph together: vertices and edges without which a component falls apart.

use crate::csr::Csr;
use crate::run::Run;
use crate::{Result, Vertex};

/// What a graph falls apart without.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cuts {
    /// Vertices, ascending.
    pub articulation_points: Vec<Vertex>,
    /// Edges, the lesser end first, ascending.
    pub bridges: Vec<(Vertex, Vertex)>,
}

/// Articulation points and bridges (Hopcroft, Tarjan 1973), without recursion.
///
/// # Errors
/// [`crate::AnalyticsError::Stopped`].
pub fn cuts(plain: &Csr, run: &Run<'_>) -> Result<Cuts> {
    let size = plain.vertices();
    let (mut found, mut low) = (vec![u32::MAX; size], vec![0; size]);
    let mut is_cut = vec![false; size];
    let mut cuts = Cuts::default();
    // The way to the vertex at hand, and the next edge of each vertex on it.
    let (mut way, mut next) = (Vec::<Vertex>::with_capacity(size), vec![0_u32; size]);
    let (mut count, mut steps) = (0, 0);
    for root in 0..size {
        if found[root] != u32::MAX {
            continue;
        }
        let mut children = 0;
        (found[root], low[root]) = (count, count);
        count += 1;
        way.push(root as Vertex);
        while let Some(vertex) = way.last().copied() {
            run.tick(&mut steps)?;
            let at = next[vertex as usize];
            let above = way.len().checked_sub(2).map(|at| way[at]);
            if let Some(target) = plain.targets(vertex as usize).get(at as usize).copied() {
                next[vertex as usize] += 1;
                let to = target as usize;
                if found[to] == u32::MAX {
                    (found[to], low[to]) = (count, count);
                    count += 1;
                    way.push(target);
                } else if Some(target) != above {
                    low[vertex as usize] = low[vertex as usize].min(found[to]);
                }
                continue;
            }
            way.pop();
            let Some(above) = above else { continue };
            let (up, down) = (above as usize, vertex as usize);
            low[up] = low[up].min(low[down]);
            if low[down] > found[up] {
                cuts.bridges.push((above.min(vertex), above.max(vertex)));
            }
            if up == root {
                children += 1;
            } else if low[down] >= found[up] {
                is_cut[up] = true;
            }
        }
        is_cut[root] = children > 1;
    }
    cuts.articulation_points = (0..size as Vertex).filter(|vertex| is_cut[*vertex as usize]).collect();
    cuts.bridges.sort_unstable();
    Ok(cuts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::components;
    use crate::graph::Graph;

    proptest! {
        #[test]
        fn cuts_are_what_leaves_more_components(pairs in prop::collection::vec((0..16_u32, 0..16_u32), 0..30)) {
            let run = Run::alone();
            let edges: Vec<_> = pairs.into_iter().map(|(a, b)| (a, b, 1.0)).collect();
            let plain = Graph::from_edges(16, &edges, false, &run).unwrap().plain(&run).unwrap();
            let parts = |keep: &dyn Fn(u32, u32) -> bool| {
                let left: Vec<_> = plain.iter().filter(|(a, b, _)| keep(*a, *b)).collect();
                components::sizes(&components::weak(&Graph::from_edges(16, &left, false, &run).unwrap(), &run).unwrap())
                    .len()
            };
            let all = parts(&|_, _| true);
            let found = cuts(&plain, &run).unwrap();
            let is_cut = |vertex: u32| {
                // Alone it is a component of its own.
                parts(&|a, b| a != vertex && b != vertex) > all + 1
                    && plain.degree(vertex as usize) > 0
            };
            prop_assert_eq!(found.articulation_points, (0..16).filter(|it| is_cut(*it)).collect::<Vec<_>>());
            let is_bridge = |a: u32, b: u32| parts(&|c, d| (c, d) != (a, b) && (d, c) != (a, b)) > all;
            let bridges: Vec<_> =
                plain.iter().filter(|(a, b, _)| a < b && is_bridge(*a, *b)).map(|(a, b, _)| (a, b)).collect();
            prop_assert_eq!(found.bridges, bridges);
        }
    }
}
