//! Cores: how deep each vertex lies within dense parts of a plain graph.

use crate::csr::Csr;
use crate::run::Run;
use crate::{Result, Vertex};

/// The core number of each vertex: the greatest k such that it has k neighbours in a part where all have. Peels the
/// vertices in the order of their degrees (Batagelj, Zaversnik 2003).
///
/// # Errors
/// [`crate::AnalyticsError::Stopped`].
pub fn cores(plain: &Csr, run: &Run<'_>) -> Result<Vec<u32>> {
    Ok(peel(plain, run)?.0)
}

/// Core numbers, and the vertices in the order in which they were peeled.
pub(crate) fn peel(plain: &Csr, run: &Run<'_>) -> Result<(Vec<u32>, Vec<Vertex>)> {
    let size = plain.vertices();
    let mut degrees: Vec<u32> = (0..size).map(|vertex| plain.degree(vertex) as u32).collect();
    let greatest = degrees.iter().copied().max().unwrap_or_default() as usize;
    // Where the vertices of each degree begin in `order`.
    let mut starts = vec![0; greatest + 2];
    degrees.iter().for_each(|degree| starts[*degree as usize + 1] += 1);
    (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
    let (mut order, mut places) = (vec![0; size], vec![0; size]);
    let mut next = starts.clone();
    for vertex in 0..size {
        let place = &mut next[degrees[vertex] as usize];
        (order[*place], places[vertex]) = (vertex as Vertex, *place);
        *place += 1;
    }
    let mut steps = 0;
    for at in 0..size {
        let vertex = order[at] as usize;
        for target in plain.targets(vertex) {
            run.tick(&mut steps)?;
            let other = *target as usize;
            let degree = degrees[other];
            if degree <= degrees[vertex] {
                continue;
            }
            // To the front of its degree, which then begins one later.
            let front = starts[degree as usize].max(at + 1);
            let (place, first) = (places[other], order[front]);
            order.swap(place, front);
            (places[other], places[first as usize]) = (front, place);
            starts[degree as usize] = front + 1;
            degrees[other] -= 1;
        }
    }
    Ok((degrees, order))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::Graph;

    proptest! {
        #[test]
        fn cores_are_what_is_left_of_peeling(pairs in prop::collection::vec((0..30_u32, 0..30_u32), 0..200)) {
            let run = Run::alone();
            let edges: Vec<_> = pairs.into_iter().map(|(a, b)| (a, b, 1.0)).collect();
            let plain = Graph::from_edges(30, &edges, false, &run).unwrap().plain(&run).unwrap();
            let mut wanted = vec![0; 30];
            for k in 1..30 {
                let mut is_in = [true; 30];
                loop {
                    let weak = |vertex: &usize| {
                        let own = plain.targets(*vertex).iter().filter(|other| is_in[**other as usize]).count();
                        is_in[*vertex] && own < k
                    };
                    let Some(vertex) = (0..30).find(weak) else { break };
                    is_in[vertex] = false;
                }
                (0..30).filter(|vertex| is_in[*vertex]).for_each(|vertex| wanted[vertex] = k as u32);
            }
            prop_assert_eq!(cores(&plain, &run).unwrap(), wanted);
        }
    }
}
