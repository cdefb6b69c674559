//! Trusses: edges by how many triangles hold them together, in a plain graph.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::csr::Csr;
use crate::run::Run;
use crate::{Result, Vertex};

/// An edge of a plain graph with its truss number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TrussEdge {
    /// The end with the lesser number.
    pub source: Vertex,
    /// The other end.
    pub target: Vertex,
    /// The greatest k such that the edge is in a part where every edge is in k - 2 triangles of that part.
    pub truss: u32,
}

/// The truss number of each edge, in the order of their ends (Cohen 2008; peeled as by Wang, Cheng 2012).
///
/// # Errors
/// [`crate::AnalyticsError::Stopped`].
pub fn trusses(plain: &Csr, run: &Run<'_>) -> Result<Vec<TrussEdge>> {
    // The number of an edge is its place in the row of its lesser end; each row's places point there.
    let edges = plain.edges();
    let place = |from: Vertex, to: Vertex| {
        let row = plain.targets(from as usize);
        row.binary_search(&to).ok().map(|at| plain.first_edge(from as usize) + at)
    };
    let number = |a: Vertex, b: Vertex| place(a.min(b), a.max(b));
    let mut support = vec![0_u32; edges];
    let mut ends = Vec::with_capacity(edges / 2);
    let mut steps = 0;
    for source in 0..plain.vertices() {
        for target in plain.targets(source).iter().filter(|target| **target as usize > source) {
            run.tick(&mut steps)?;
            let at = place(source as Vertex, *target).unwrap_or_default();
            support[at] = common(plain, source as Vertex, *target).count() as u32;
            ends.push((at, source as Vertex, *target));
        }
    }
    let mut heap: BinaryHeap<Reverse<(u32, usize, Vertex, Vertex)>> =
        ends.iter().map(|(at, source, target)| Reverse((support[*at], *at, *source, *target))).collect();
    let mut is_left = vec![true; edges];
    let mut level = 0;
    let mut trusses = vec![0; edges];
    while let Some(Reverse((triangles, at, source, target))) = heap.pop() {
        run.tick(&mut steps)?;
        if !is_left[at] || triangles != support[at] {
            continue;
        }
        level = level.max(triangles);
        trusses[at] = level + 2;
        is_left[at] = false;
        for third in common(plain, source, target) {
            run.tick(&mut steps)?;
            let (Some(one), Some(other)) = (number(source, third), number(target, third)) else { continue };
            if !is_left[one] || !is_left[other] {
                continue;
            }
            for (side, from) in [(one, source), (other, target)] {
                if support[side] > level {
                    support[side] -= 1;
                    heap.push(Reverse((support[side], side, from.min(third), from.max(third))));
                }
            }
        }
    }
    Ok(ends.into_iter().map(|(at, source, target)| TrussEdge { source, target, truss: trusses[at] }).collect())
}

/// The neighbours that two vertices share, ascending: those of the shorter list are looked up in the longer one, each
/// near the place of the last.
pub(crate) fn common(plain: &Csr, a: Vertex, b: Vertex) -> impl Iterator<Item = Vertex> {
    let (mut few, mut many) = (plain.targets(a as usize), plain.targets(b as usize));
    if few.len() > many.len() {
        std::mem::swap(&mut few, &mut many);
    }
    few.iter().copied().filter(move |vertex| {
        // Gallops: the place is near the last one.
        let mut step = 1;
        while step < many.len() && many[step - 1] < *vertex {
            step *= 2;
        }
        let end = step.min(many.len());
        match many[..end].binary_search(vertex) {
            Ok(at) => {
                many = &many[at + 1..];
                true
            }
            Err(at) => {
                many = &many[at..];
                false
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::Graph;

    proptest! {
        #[test]
        fn trusses_are_what_is_left_of_weak_edges(pairs in prop::collection::vec((0..14_u32, 0..14_u32), 0..120)) {
            let run = Run::alone();
            let edges: Vec<_> = pairs.into_iter().map(|(a, b)| (a, b, 1.0)).collect();
            let plain = Graph::from_edges(14, &edges, false, &run).unwrap().plain(&run).unwrap();
            for found in trusses(&plain, &run).unwrap() {
                let left = |k: u32| {
                    let mut left: Vec<(u32, u32)> = plain.iter().map(|(a, b, _)| (a, b)).collect();
                    loop {
                        let near = |a: u32, b: u32| left.contains(&(a, b));
                        let triangles = |(a, b): &(u32, u32)| (0..14).filter(|c| near(*a, *c) && near(*b, *c)).count();
                        let kept: Vec<_> = left.iter().copied().filter(|it| triangles(it) + 2 >= k as usize).collect();
                        if kept.len() == left.len() {
                            return left;
                        }
                        left = kept;
                    }
                };
                prop_assert!(left(found.truss).contains(&(found.source, found.target)));
                prop_assert!(!left(found.truss + 1).contains(&(found.source, found.target)));
            }
        }
    }
}
