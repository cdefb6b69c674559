//! Weakly and strongly connected components. The label of a component is its least vertex number.

use std::sync::atomic::{AtomicU32, Ordering};

use rustc_hash::FxHashMap;

use crate::csr::{Csr, balanced};
use crate::graph::Graph;
use crate::random::Random;
use crate::run::{Run, even};
use crate::search::reached;
use crate::{Result, Vertex, limits};

/// Neighbours of each vertex that are looked at before the largest component is guessed.
const SAMPLED_NEIGHBOURS: usize = 2;

/// Vertices looked at to guess the largest component.
const SAMPLED_VERTICES: usize = 1_024;

/// Joins the components of two vertices: the greater root goes under the lesser, so that a root is the least vertex.
fn link(parents: &[AtomicU32], a: Vertex, b: Vertex) {
    let parent = |vertex: Vertex| parents[vertex as usize].load(Ordering::Relaxed);
    let (mut one, mut other) = (parent(a), parent(b));
    while one != other {
        let (high, low) = (one.max(other), one.min(other));
        let above = parent(high);
        if above == low
            || (above == high
                && parents[high as usize].compare_exchange(high, low, Ordering::Relaxed, Ordering::Relaxed).is_ok())
        {
            return;
        }
        one = parent(parent(high));
        other = parent(low);
    }
}

fn compress(parents: &[AtomicU32], run: &Run<'_>) -> Result<()> {
    run.map(even(parents.len(), limits::PART_WORK), |range| {
        for own in &parents[range] {
            let mut parent = own.load(Ordering::Relaxed);
            loop {
                let above = parents[parent as usize].load(Ordering::Relaxed);
                if above == parent {
                    break;
                }
                parent = above;
            }
            own.store(parent, Ordering::Relaxed);
        }
    })?;
    Ok(())
}

/// Weakly connected components: for each vertex the least number in its component. Afforest (Sutton, Ben-Nun, Barak
/// 2018): after two neighbours of each vertex, edges within the largest component are not looked at any more.
///
/// # Errors
/// [`crate::AnalyticsError::Stopped`].
pub fn weak(graph: &Graph, run: &Run<'_>) -> Result<Vec<Vertex>> {
    let size = graph.vertices();
    let parents: Vec<AtomicU32> = (0..size as Vertex).map(AtomicU32::new).collect();
    let ranges = balanced(graph.out());
    for round in 0..SAMPLED_NEIGHBOURS {
        run.map(ranges.clone(), |range| {
            for vertex in range {
                if let Some(target) = graph.out().targets(vertex).get(round) {
                    link(&parents, vertex as Vertex, *target);
                }
            }
        })?;
        compress(&parents, run)?;
        run.step("neighbours", round as u64 + 1, SAMPLED_NEIGHBOURS as u64 + 1)?;
    }
    let largest = most_frequent(&parents);
    run.map(ranges, |range| {
        for vertex in range {
            if parents[vertex].load(Ordering::Relaxed) == largest {
                continue;
            }
            // Those of the largest component look away, so edges from there are found from this side.
            let rest = graph.out().targets(vertex).iter().skip(SAMPLED_NEIGHBOURS);
            for other in rest.chain(graph.incoming().targets(vertex)) {
                link(&parents, vertex as Vertex, *other);
            }
        }
    })?;
    compress(&parents, run)?;
    Ok(parents.into_iter().map(AtomicU32::into_inner).collect())
}

fn most_frequent(parents: &[AtomicU32]) -> Vertex {
    let mut random = Random::new(0, 1);
    let mut counts: FxHashMap<Vertex, u32> = FxHashMap::default();
    if !parents.is_empty() {
        for _ in 0..SAMPLED_VERTICES {
            *counts.entry(parents[random.below(parents.len())].load(Ordering::Relaxed)).or_default() += 1;
        }
    }
    counts.into_iter().max_by_key(|(root, count)| (*count, std::cmp::Reverse(*root))).map_or(Vertex::MAX, |it| it.0)
}

/// Strongly connected components: for each vertex the least number in its component. The largest is usually that of
/// the vertex with most edges: it is what can be reached from there both ways (Fleischer, Hendrickson, Pinar 2000). The
/// rest by Tarjan's algorithm (1972), without recursion.
///
/// # Errors
/// [`crate::AnalyticsError::Stopped`].
pub fn strong(graph: &Graph, run: &Run<'_>) -> Result<Vec<Vertex>> {
    let size = graph.vertices();
    let mut labels = vec![Vertex::MAX; size];
    let edges = |vertex: &usize| graph.out().degree(*vertex).min(graph.incoming().degree(*vertex));
    let Some(pivot) = (0..size).rev().max_by_key(edges) else { return Ok(labels) };
    let forward = reached(graph.out(), graph.incoming(), pivot as Vertex, run)?;
    let backward = reached(graph.incoming(), graph.out(), pivot as Vertex, run)?;
    let is_giant = |vertex: usize| forward[vertex] && backward[vertex];
    let least = (0..size).find(|vertex| is_giant(*vertex)).unwrap_or(pivot) as Vertex;
    (0..size).filter(|vertex| is_giant(*vertex)).for_each(|vertex| labels[vertex] = least);
    tarjan(graph.out(), &mut labels, run)?;
    Ok(labels)
}

/// Labels the components of those without a label. What it needs is taken at once: 4 bytes a vertex and vector, however
/// deep the graph is.
fn tarjan(out: &Csr, labels: &mut [Vertex], run: &Run<'_>) -> Result<()> {
    let size = labels.len();
    let (mut found, mut low) = (vec![Vertex::MAX; size], vec![0; size]);
    // Vertices whose component is not known, the way to the vertex at hand, and the next edge of each vertex on it.
    let (mut open, mut way) = (Vec::<Vertex>::with_capacity(size), Vec::<Vertex>::with_capacity(size));
    let mut next = vec![0_u32; size];
    let (mut count, mut steps) = (0, 0);
    for root in 0..size {
        if labels[root] != Vertex::MAX || found[root] != Vertex::MAX {
            continue;
        }
        way.push(root as Vertex);
        while let Some(vertex) = way.last().map(|vertex| *vertex as usize) {
            run.tick(&mut steps)?;
            let at = next[vertex];
            if at == 0 && found[vertex] == Vertex::MAX {
                (found[vertex], low[vertex]) = (count, count);
                count += 1;
                open.push(vertex as Vertex);
            }
            if let Some(target) = out.targets(vertex).get(at as usize).copied() {
                next[vertex] += 1;
                let to = target as usize;
                if labels[to] != Vertex::MAX {
                    continue;
                }
                if found[to] == Vertex::MAX {
                    way.push(target);
                } else {
                    low[vertex] = low[vertex].min(found[to]);
                }
                continue;
            }
            way.pop();
            if let Some(above) = way.last() {
                low[*above as usize] = low[*above as usize].min(low[vertex]);
            }
            if low[vertex] == found[vertex] {
                let start = open.iter().rposition(|own| *own as usize == vertex).unwrap_or_default();
                let least = open[start..].iter().copied().min().unwrap_or_default();
                open.drain(start..).for_each(|own| labels[own as usize] = least);
            }
        }
    }
    Ok(())
}

/// The sizes of components or communities, greatest first. Labels are numbers of vertices.
#[must_use]
pub fn sizes(labels: &[Vertex]) -> Vec<u64> {
    let greatest = labels.iter().copied().max().map_or(0, |label| label as usize + 1);
    let mut sizes = vec![0_u64; greatest];
    labels.iter().for_each(|label| sizes[*label as usize] += 1);
    sizes.retain(|size| *size > 0);
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reachability by trying everything.
    fn reaches(size: usize, edges: &[(u32, u32, f64)]) -> Vec<Vec<bool>> {
        let mut reach = vec![vec![false; size]; size];
        (0..size).for_each(|vertex| reach[vertex][vertex] = true);
        edges.iter().for_each(|(a, b, _)| reach[*a as usize][*b as usize] = true);
        for middle in 0..size {
            for from in 0..size {
                for to in 0..size {
                    reach[from][to] |= reach[from][middle] && reach[middle][to];
                }
            }
        }
        reach
    }

    proptest! {
        #[test]
        fn components_are_what_is_reached(pairs in prop::collection::vec((0..25_u32, 0..25_u32), 0..40)) {
            let run = Run::alone();
            let edges: Vec<_> = pairs.into_iter().map(|(a, b)| (a, b, 1.0)).collect();
            let graph = Graph::from_edges(25, &edges, false, &run).unwrap();
            let reach = reaches(25, &edges);
            let mutual = |vertex: usize| (0..25).find(|other| reach[vertex][*other] && reach[*other][vertex]);
            let wanted: Vec<u32> = (0..25).map(|vertex| mutual(vertex).unwrap() as u32).collect();
            prop_assert_eq!(strong(&graph, &run).unwrap(), wanted);
            let both: Vec<_> = edges.iter().flat_map(|(a, b, _)| [(*a, *b, 1.0), (*b, *a, 1.0)]).collect();
            let reach = reaches(25, &both);
            let wanted: Vec<u32> =
                (0..25).map(|vertex| reach[vertex].iter().position(|own| *own).unwrap() as u32).collect();
            prop_assert_eq!(weak(&graph, &run).unwrap(), wanted);
        }
    }

    #[test]
    fn a_long_way_needs_no_stack() {
        let run = Run::alone();
        let edges: Vec<_> = (0..200_000).map(|at| (at, at + 1, 1.0)).collect();
        let graph = Graph::from_edges(200_001, &edges, false, &run).unwrap();
        assert_eq!(sizes(&strong(&graph, &run).unwrap()).len(), 200_001);
        assert_eq!(sizes(&weak(&graph, &run).unwrap()), [200_001]);
    }
}
