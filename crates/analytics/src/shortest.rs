//! Shortest ways by weight: between two vertices, between all, and the next best ones. From one vertex to all:
//! [`crate::stepping`].

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use crate::csr::Csr;
use crate::run::Run;
use crate::{Result, Vertex};

/// A way and the sum of its weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    /// From the source to the target.
    pub vertices: Vec<Vertex>,
    /// The sum of the weights.
    pub weight: f64,
}

/// Distances of 0 or more in the order of numbers.
#[derive(Clone, Copy, PartialEq)]
struct Far(f64);

impl Eq for Far {}

impl PartialOrd for Far {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Far {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The lightest way between two vertices, by Dijkstra's algorithm; of equally light ones that which the lesser vertex
/// numbers lead to. `allowed`: which edges may be used.
fn lightest(
    out: &Csr,
    (source, target): (Vertex, Vertex),
    allowed: impl Fn(Vertex, Vertex) -> bool,
    run: &Run<'_>,
) -> Result<Option<Way>> {
    let mut found: rustc_hash::FxHashMap<Vertex, (f64, Vertex)> = rustc_hash::FxHashMap::default();
    found.insert(source, (0.0, source));
    let mut heap = BinaryHeap::from([Reverse((Far(0.0), source))]);
    let mut steps = 0;
    while let Some(Reverse((Far(own), vertex))) = heap.pop() {
        if found.get(&vertex).is_some_and(|(known, _)| *known < own) {
            continue;
        }
        if vertex == target {
            let mut vertices = vec![target];
            let mut last = target;
            while let Some((_, before)) = found.get(&last).filter(|_| last != source) {
                last = *before;
                vertices.push(last);
            }
            vertices.reverse();
            return Ok(Some(Way { vertices, weight: own }));
        }
        for (next, weight) in out.weighted(vertex as usize) {
            run.tick(&mut steps)?;
            let next = next as Vertex;
            let far = own + weight;
            if allowed(vertex, next) && found.get(&next).is_none_or(|(known, _)| far < *known) {
                found.insert(next, (far, vertex));
                heap.push(Reverse((Far(far), next)));
            }
        }
    }
    Ok(None)
}

/// The lightest way from a vertex to another, if there is one.
///
/// # Errors
/// [`NoVertex`](crate::AnalyticsError::NoVertex), [`Weight`](crate::AnalyticsError::Weight),
/// [`Stopped`](crate::AnalyticsError::Stopped).
pub fn shortest_way(out: &Csr, source: Vertex, target: Vertex, run: &Run<'_>) -> Result<Option<Way>> {
    out.check_vertices([&source, &target])?;
    out.check_weights("shortest path")?;
    lightest(out, (source, target), |_, _| true, run)
}

/// The `count` lightest ways without a circle from a vertex to another, lightest first (Yen 1971). `out` is simple.
///
/// # Errors
/// [`NoVertex`](crate::AnalyticsError::NoVertex), [`Weight`](crate::AnalyticsError::Weight),
/// [`Stopped`](crate::AnalyticsError::Stopped).
pub fn shortest_ways(out: &Csr, source: Vertex, target: Vertex, count: usize, run: &Run<'_>) -> Result<Vec<Way>> {
    let Some(first) = shortest_way(out, source, target, run)? else { return Ok(Vec::new()) };
    let mut ways = vec![first];
    let mut candidates: BTreeSet<(Far, Vec<Vertex>)> = BTreeSet::new();
    while ways.len() < count {
        let Some(last) = ways.last().cloned() else { break };
        let mut so_far = 0.0;
        for at in 0..last.vertices.len().saturating_sub(1) {
            let (root, spur) = (&last.vertices[..at], last.vertices[at]);
            // Ways known that begin like this one may not go on as they do, and what lies before is not entered again.
            let begins = |way: &&Way| way.vertices.len() > at + 1 && way.vertices[..=at] == last.vertices[..=at];
            let taken: Vec<Vertex> = ways.iter().filter(begins).map(|way| way.vertices[at + 1]).collect();
            let allowed = |from: Vertex, to: Vertex| !(root.contains(&to) || from == spur && taken.contains(&to));
            if let Some(rest) = lightest(out, (spur, target), allowed, run)? {
                let vertices = [root, &rest.vertices].concat();
                candidates.insert((Far(so_far + rest.weight), vertices));
            }
            let next = last.vertices[at + 1] as usize;
            let step = out.weighted(spur as usize).filter(|(to, _)| *to == next).map(|(_, weight)| weight);
            so_far += step.fold(f64::INFINITY, f64::min);
        }
        let Some((Far(weight), vertices)) = candidates.pop_first() else { break };
        ways.push(Way { vertices, weight });
        run.step("paths", ways.len() as u64, count as u64)?;
    }
    Ok(ways)
}

/// The distances from every vertex to every other, row by row in the order of `sources`: `row` gets each source with
/// its distances. So many rows are in memory as there are threads.
///
/// # Errors
/// As [`crate::stepping::distances`]; what `row` fails with.
pub fn all_pairs(
    out: &Csr,
    sources: &[Vertex],
    run: &Run<'_>,
    mut row: impl FnMut(Vertex, &[f64]) -> Result<()>,
) -> Result<()> {
    out.check_vertices(sources)?;
    out.check_weights("all shortest paths")?;
    let mut done = 0;
    for wave in sources.chunks(run.threads()) {
        let rows = run.map(wave.to_vec(), |source| (source, from_one(out, source, run)))?;
        for (source, distances) in rows {
            row(source, &distances?)?;
        }
        done += wave.len() as u64;
        run.step("sources", done, sources.len() as u64)?;
    }
    Ok(())
}

/// Dijkstra's algorithm from one vertex, on one thread.
fn from_one(out: &Csr, source: Vertex, run: &Run<'_>) -> Result<Vec<f64>> {
    let mut found = vec![f64::INFINITY; out.vertices()];
    found[source as usize] = 0.0;
    let mut heap = BinaryHeap::from([Reverse((Far(0.0), source))]);
    let mut steps = 0;
    while let Some(Reverse((Far(own), vertex))) = heap.pop() {
        if own > found[vertex as usize] {
            continue;
        }
        for (target, weight) in out.weighted(vertex as usize) {
            run.tick(&mut steps)?;
            let far = own + weight;
            if far < found[target] {
                found[target] = far;
                heap.push(Reverse((Far(far), target as Vertex)));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::stepping::distances;

    /// All ways without a circle, lightest first.
    fn ways(out: &Csr, source: u32, target: u32) -> Vec<f64> {
        let (mut open, mut weights) = (vec![(vec![source], 0.0)], Vec::new());
        while let Some((way, weight)) = open.pop() {
            let last = *way.last().unwrap();
            if last == target {
                weights.push(weight);
                continue;
            }
            for (next, more) in out.weighted(last as usize).filter(|(next, _)| !way.contains(&(*next as u32))) {
                open.push(([&*way, &[next as u32]].concat(), weight + more));
            }
        }
        weights.sort_by(f64::total_cmp);
        weights
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn distances_and_ways_are_the_least(
            edges in prop::collection::vec((0..8_u32, 0..8_u32, 0..9_u32), 0..26),
            delta in prop::sample::select(vec![0.0, 0.5, 3.0, 100.0]),
        ) {
            let run = Run::alone();
            let edges: Vec<_> = edges.into_iter().map(|(a, b, weight)| (a, b, f64::from(weight))).collect();
            let out = Csr::from_edges(8, &edges, true).unwrap().simple(&run).unwrap();
            let found = distances(&out, 0, delta, &run).unwrap();
            all_pairs(&out, &[0], &run, |_, row| {
                assert_eq!(row, found);
                Ok(())
            })
            .unwrap();
            for target in 1..8 {
                let ways = ways(&out, 0, target);
                prop_assert_eq!(found[target as usize], ways.first().copied().unwrap_or(f64::INFINITY));
                let best = shortest_ways(&out, 0, target, 5, &run).unwrap();
                let weights: Vec<f64> = best.iter().map(|way| way.weight).collect();
                prop_assert_eq!(&weights, &ways[..ways.len().min(5)]);
                for way in &best {
                    let on = |from: u32, to: u32| out.weighted(from as usize).find(|it| it.0 == to as usize).unwrap().1;
                    let step = |two: &[u32]| on(two[0], two[1]);
                    prop_assert_eq!(way.vertices.windows(2).map(step).sum::<f64>(), way.weight);
                }
            }
        }
    }

    #[test]
    fn negative_weights_are_refused() {
        let out = Csr::from_edges(2, &[(0, 1, -1.0)], true).unwrap();
        assert!(distances(&out, 0, 0.0, &Run::alone()).is_err());
        assert!(shortest_way(&out, 0, 1, &Run::alone()).is_err());
        assert!(distances(&out, 2, 0.0, &Run::alone()).is_err());
    }
}
