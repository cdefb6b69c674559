//! Trusses: edges by how many triangles hold them together, in a plain graph.

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

/// Edges in the order of their triangles, which changes while edges are taken away: those with equally many are next to
/// each other, and one that loses a triangle changes places with the first of them (Batagelj, Zaversnik 2003).
struct Peeling {
    /// Triangles of each edge; once it is taken away, those it had then.
    support: Vec<u32>,
    order: Vec<usize>,
    /// Where each edge is in the order.
    places: Vec<usize>,
    /// Where in the order the edges with so many triangles begin.
    starts: Vec<usize>,
}

impl Peeling {
    fn new(support: Vec<u32>) -> Self {
        let greatest = support.iter().copied().max().unwrap_or_default() as usize;
        let mut starts = vec![0; greatest + 2];
        support.iter().for_each(|triangles| starts[*triangles as usize + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let (mut next, mut order, mut places) = (starts.clone(), vec![0; support.len()], vec![0; support.len()]);
        for (edge, triangles) in support.iter().enumerate() {
            let place = &mut next[*triangles as usize];
            (order[*place], places[edge]) = (edge, *place);
            *place += 1;
        }
        Self { support, order, places, starts }
    }

    /// Takes a triangle from an edge.
    fn lower(&mut self, edge: usize) {
        let triangles = self.support[edge] as usize;
        let (place, first) = (self.places[edge], self.starts[triangles]);
        let other = self.order[first];
        (self.order[first], self.order[place]) = (edge, other);
        (self.places[edge], self.places[other]) = (first, place);
        self.starts[triangles] += 1;
        self.support[edge] -= 1;
    }
}

/// The truss number of each edge, in the order of their ends (Cohen 2008; peeled as by Wang, Cheng 2012).
///
/// # Errors
/// [`crate::AnalyticsError::Stopped`].
pub fn trusses(plain: &Csr, run: &Run<'_>) -> Result<Vec<TrussEdge>> {
    let mut steps = 0;
    // Edges are numbered in the order of their ends; each place in the row of the lesser end knows its number.
    let mut numbers = vec![usize::MAX; plain.edges()];
    let mut ends: Vec<(Vertex, Vertex)> = Vec::with_capacity(plain.edges() / 2);
    let mut support: Vec<u32> = Vec::with_capacity(plain.edges() / 2);
    for source in 0..plain.vertices() {
        for (at, target) in plain.targets(source).iter().enumerate().filter(|(_, target)| **target as usize > source) {
            run.tick(&mut steps)?;
            numbers[plain.first_edge(source) + at] = ends.len();
            ends.push((source as Vertex, *target));
            support.push(common(plain, source as Vertex, *target).count() as u32);
        }
    }
    let number = |a: Vertex, b: Vertex| {
        let at = plain.targets(a.min(b) as usize).binary_search(&a.max(b)).ok()?;
        numbers.get(plain.first_edge(a.min(b) as usize) + at).copied()
    };
    let mut peeling = Peeling::new(support);
    for taken in 0..ends.len() {
        let edge = peeling.order[taken];
        let (source, target) = ends[edge];
        let level = peeling.support[edge];
        for third in common(plain, source, target) {
            run.tick(&mut steps)?;
            let (Some(one), Some(other)) = (number(source, third), number(target, third)) else { continue };
            if peeling.places[one] < taken || peeling.places[other] < taken {
                continue;
            }
            for side in [one, other] {
                if peeling.support[side] > level {
                    peeling.lower(side);
                }
            }
        }
    }
    drop(numbers);
    let Peeling { support, .. } = peeling;
    let edge = |((source, target), triangles)| TrussEdge { source, target, truss: triangles + 2 };
    Ok(ends.into_iter().zip(support).map(edge).collect())
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
