//! Shortest ways by weight: from one vertex, between two, between all, and the next best ones.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::csr::Csr;
use crate::run::{Run, even};
use crate::{AnalyticsError, Result, Vertex};

/// Vertices of a bucket that one thread relaxes at a time.
const PART: usize = 512;

/// For each vertex the least sum of weights on a way from `source`; infinity where there is none. Delta-stepping
/// (Meyer, Sanders 2003): vertices are settled in buckets of width `delta`. 0: chosen by the weights.
///
/// # Errors
/// [`AnalyticsError::NoVertex`], [`AnalyticsError::Weight`], [`AnalyticsError::Parameter`],
/// [`AnalyticsError::Stopped`].
pub fn distances(out: &Csr, source: Vertex, delta: f64, run: &Run<'_>) -> Result<Vec<f64>> {
    out.check_vertices([&source])?;
    out.check_weights("sssp")?;
    let delta = width(out, delta)?;
    // Distances of 0 or more have the order of their bits.
    let infinite = f64::INFINITY.to_bits();
    let found: Vec<AtomicU64> = std::iter::repeat_with(|| AtomicU64::new(infinite)).take(out.vertices()).collect();
    let at = |vertex: Vertex| f64::from_bits(found[vertex as usize].load(Ordering::Relaxed));
    let bucket = |distance: f64| (distance / delta) as u64;
    found[source as usize].store(0, Ordering::Relaxed);
    let mut buckets: BTreeMap<u64, Vec<Vertex>> = BTreeMap::from([(0, vec![source])]);
    let mut settled = 0;
    while let Some((number, open)) = buckets.pop_first() {
        let parts = run.map(even(open.len(), PART), |range| {
            let mut later: Vec<(u64, Vertex)> = Vec::new();
            // What falls into this bucket again goes on here, up to a bound, so that threads share the work.
            let mut here: Vec<Vertex> = open[range].to_vec();
            let mut at_once = 0;
            while let Some(vertex) = here.pop() {
                let own = at(vertex);
                if bucket(own) < number {
                    continue;
                }
                for (target, weight) in out.weighted(vertex as usize) {
                    let far = own + weight;
                    if far.to_bits() < found[target].fetch_min(far.to_bits(), Ordering::Relaxed) {
                        let to = bucket(far);
                        if to == number && at_once < 2 * PART {
                            here.push(target as Vertex);
                            at_once += 1;
                        } else {
                            later.push((to, target as Vertex));
                        }
                    }
                }
            }
            later
        })?;
        for (to, vertex) in parts.into_iter().flatten() {
            buckets.entry(to).or_default().push(vertex);
        }
        settled += open.len() as u64;
        run.step("vertices", settled, 0)?;
    }
    Ok(found.into_iter().map(|distance| f64::from_bits(distance.into_inner())).collect())
}

/// The width of buckets.
#[expect(clippy::cast_precision_loss, reason = "a guess")]
fn width(out: &Csr, delta: f64) -> Result<f64> {
    if delta > 0.0 && delta.is_finite() {
        return Ok(delta);
    }
    if delta != 0.0 {
        return Err(AnalyticsError::parameter("delta must be a number above 0, or 0 for one by the weights"));
    }
    // The greatest weight over the average number of edges, the choice the paper argues for random weights.
    let greatest =
        (0..out.vertices()).flat_map(|vertex| out.weights(vertex).unwrap_or(&[1.0])).fold(0.0, |a: f64, b| a.max(*b));
    let degree = out.edges() as f64 / out.vertices().max(1) as f64;
    let width = greatest / degree.max(1.0);
    Ok(if width > 0.0 { width } else { 1.0 })
}

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
/// [`AnalyticsError::NoVertex`], [`AnalyticsError::Weight`], [`AnalyticsError::Stopped`].
pub fn shortest_way(out: &Csr, source: Vertex, target: Vertex, run: &Run<'_>) -> Result<Option<Way>> {
    out.check_vertices([&source, &target])?;
    out.check_weights("shortest path")?;
    lightest(out, (source, target), |_, _| true, run)
}

/// The `count` lightest ways without a circle from a vertex to another, lightest first (Yen 1971). `out` is simple.
///
/// # Errors
/// [`AnalyticsError::NoVertex`], [`AnalyticsError::Weight`], [`AnalyticsError::Stopped`].
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
/// As [`distances`]; what `row` fails with.
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
