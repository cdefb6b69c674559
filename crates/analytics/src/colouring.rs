//! Colours such that no neighbours have the same, and sets of vertices without neighbours among them.

use crate::csr::{Csr, balanced};
use crate::random::mix;
use crate::run::Run;
use crate::{Result, Vertex};

/// A colour for each vertex, from 0: greedily, last peeled first, which needs at most one colour more than the greatest
/// core number (smallest-last order; Matula, Beck 1983).
///
/// # Errors
/// [`crate::AnalyticsError::Stopped`].
pub fn colours(plain: &Csr, run: &Run<'_>) -> Result<Vec<u32>> {
    let (_, order) = crate::cores::peel(plain, run)?;
    let mut colours = vec![u32::MAX; plain.vertices()];
    // Who has used a colour last: a neighbour of the vertex at hand, or none.
    let mut used: Vec<Vertex> = Vec::new();
    let mut steps = 0;
    for vertex in order.into_iter().rev() {
        run.tick(&mut steps)?;
        for other in plain.targets(vertex as usize) {
            let colour = colours[*other as usize];
            if colour != u32::MAX {
                used[colour as usize] = vertex;
            }
        }
        let free = used.iter().position(|user| *user != vertex).unwrap_or(used.len());
        if free == used.len() {
            used.push(Vertex::MAX);
        }
        colours[vertex as usize] = free as u32;
    }
    Ok(colours)
}

const OPEN: u8 = 0;
const IN: u8 = 1;
const OUT: u8 = 2;

/// Which vertices are in a set that has no neighbours of each other and to which none can be added: in each round those
/// that come first among their neighbours in an order by `seed` (Luby 1986; with one order for all rounds, Blelloch,
/// Fineman, Shun 2012).
///
/// # Errors
/// [`crate::AnalyticsError::Stopped`].
pub fn independent_set(plain: &Csr, seed: u64, run: &Run<'_>) -> Result<Vec<bool>> {
    let size = plain.vertices();
    let rank = |vertex: usize| (mix(seed, vertex as u64), vertex);
    let (mut states, mut next) = (vec![OPEN; size], vec![OPEN; size]);
    let ranges = balanced(plain);
    let mut rounds = 0;
    loop {
        let open = run.fill(&ranges, &mut next, |range, own| {
            let mut open = 0_u64;
            for (vertex, own) in range.zip(own) {
                *own = states[vertex];
                if *own != OPEN {
                    continue;
                }
                let others = || plain.targets(vertex).iter().map(|other| *other as usize);
                if others().any(|other| states[other] == IN) {
                    *own = OUT;
                } else if others().all(|other| states[other] == OUT || rank(other) > rank(vertex)) {
                    *own = IN;
                } else {
                    open += 1;
                }
            }
            open
        })?;
        std::mem::swap(&mut states, &mut next);
        rounds += 1;
        run.step("rounds", rounds, 0)?;
        if open.iter().sum::<u64>() == 0 {
            return Ok(states.into_iter().map(|state| state == IN).collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cores;
    use crate::graph::Graph;

    proptest! {
        #[test]
        fn colours_and_sets_keep_their_promises(pairs in prop::collection::vec((0..40_u32, 0..40_u32), 0..300)) {
            let run = Run::alone();
            let edges: Vec<_> = pairs.into_iter().map(|(a, b)| (a, b, 1.0)).collect();
            let plain = Graph::from_edges(40, &edges, false, &run).unwrap().plain(&run).unwrap();
            let found = colours(&plain, &run).unwrap();
            let greatest = cores::cores(&plain, &run).unwrap().into_iter().max().unwrap();
            prop_assert!(found.iter().all(|colour| *colour <= greatest));
            prop_assert!(plain.iter().all(|(a, b, _)| found[a as usize] != found[b as usize]));
            let set = independent_set(&plain, 3, &run).unwrap();
            prop_assert!(plain.iter().all(|(a, b, _)| !(set[a as usize] && set[b as usize])));
            for vertex in 0..40 {
                prop_assert!(set[vertex] || plain.targets(vertex).iter().any(|other| set[*other as usize]));
            }
        }
    }
}
