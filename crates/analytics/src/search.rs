//! Breadth-first search: how many edges away each vertex is.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::csr::{Csr, balanced};
use crate::graph::Graph;
use crate::run::{Run, even};
use crate::{Result, Vertex, limits};

/// Not reached.
pub const UNREACHED: u32 = u32::MAX;

/// For each vertex the number of edges of a shortest way from the nearest source, [`UNREACHED`] where there is none
/// within `depth_max`. Direction-optimising: where the frontier has many edges, those not reached look for it instead.
///
/// # Errors
/// [`crate::AnalyticsError::NoVertex`], [`crate::AnalyticsError::Stopped`].
pub fn breadth_first(graph: &Graph, sources: &[Vertex], depth_max: u32, run: &Run<'_>) -> Result<Vec<u32>> {
    search(Sides { out: graph.out(), into: graph.incoming() }, sources, depth_max, run)
}

/// Edges by where they begin and by where they end, in whichever direction a search goes.
#[derive(Clone, Copy)]
struct Sides<'g> {
    out: &'g Csr,
    into: &'g Csr,
}

fn search(graph: Sides<'_>, sources: &[Vertex], depth_max: u32, run: &Run<'_>) -> Result<Vec<u32>> {
    graph.out.check_vertices(sources)?;
    let size = graph.out.vertices();
    let depths: Vec<AtomicU32> = std::iter::repeat_with(|| AtomicU32::new(UNREACHED)).take(size).collect();
    let mut frontier: Vec<Vertex> = sources.to_vec();
    frontier.sort_unstable();
    frontier.dedup();
    frontier.iter().for_each(|source| depths[*source as usize].store(0, Ordering::Relaxed));
    let ranges = balanced(graph.into);
    let mut depth = 0;
    let mut edges_left = graph.out.edges();
    while !frontier.is_empty() && depth < depth_max {
        let edges: usize = frontier.iter().map(|vertex| graph.out.degree(*vertex as usize)).sum();
        if edges > edges_left / limits::BOTTOM_UP_EDGES && size > 1 {
            // Bottom up, until the frontier is small again. A bit for each vertex of the frontier stays in the cache.
            let mut bits = vec![0_u64; size.div_ceil(64)];
            frontier.iter().for_each(|vertex| bits[*vertex as usize / 64] |= 1 << (*vertex % 64));
            let mut before = frontier.len();
            loop {
                depth += 1;
                let (next, found) = bottom_up(graph, &depths, &bits, &ranges, depth, run)?;
                bits = next;
                run.step("depth", u64::from(depth), 0)?;
                let is_shrinking = found < before;
                before = found;
                if found == 0 || depth >= depth_max || (is_shrinking && found < size / limits::TOP_DOWN_VERTICES) {
                    break;
                }
            }
            frontier = members(&bits);
            edges_left = edges_left.saturating_sub(edges);
            // The edges of those found from below are not counted: what is left is an upper bound.
            continue;
        }
        edges_left = edges_left.saturating_sub(edges);
        depth += 1;
        frontier = top_down(graph, &depths, &frontier, depth, run)?;
        run.step("depth", u64::from(depth), 0)?;
    }
    Ok(depths.into_iter().map(AtomicU32::into_inner).collect())
}

fn members(bits: &[u64]) -> Vec<Vertex> {
    let mut members = Vec::new();
    for (at, word) in bits.iter().enumerate() {
        let mut word = *word;
        while word != 0 {
            members.push(at as Vertex * 64 + word.trailing_zeros());
            word &= word - 1;
        }
    }
    members
}

/// Those not reached that an edge leads to from the frontier.
fn bottom_up(
    graph: Sides<'_>,
    depths: &[AtomicU32],
    frontier: &[u64],
    ranges: &[std::ops::Range<usize>],
    depth: u32,
    run: &Run<'_>,
) -> Result<(Vec<u64>, usize)> {
    let parts = run.map(ranges.to_vec(), |range| {
        let first = range.start / 64;
        let mut own = vec![0_u64; range.end.div_ceil(64) - first];
        let mut found = 0;
        for vertex in range {
            if depths[vertex].load(Ordering::Relaxed) != UNREACHED {
                continue;
            }
            let is_in = |source: &Vertex| frontier[*source as usize / 64] >> (*source % 64) & 1 != 0;
            if graph.into.targets(vertex).iter().any(is_in) {
                depths[vertex].store(depth, Ordering::Relaxed);
                own[vertex / 64 - first] |= 1 << (vertex % 64);
                found += 1;
            }
        }
        (first, own, found)
    })?;
    let mut bits = vec![0; frontier.len()];
    let mut count = 0;
    for (first, own, found) in parts {
        bits[first..].iter_mut().zip(own).for_each(|(bits, own)| *bits |= own);
        count += found;
    }
    Ok((bits, count))
}

/// Those not reached that edges of the frontier lead to.
fn top_down(
    graph: Sides<'_>,
    depths: &[AtomicU32],
    frontier: &[Vertex],
    depth: u32,
    run: &Run<'_>,
) -> Result<Vec<Vertex>> {
    let parts = run.map(even(frontier.len(), limits::PART_WORK / 64), |range| {
        let mut found = Vec::new();
        for vertex in &frontier[range] {
            for target in graph.out.targets(*vertex as usize) {
                let own = &depths[*target as usize];
                if own.load(Ordering::Relaxed) == UNREACHED
                    && own.compare_exchange(UNREACHED, depth, Ordering::Relaxed, Ordering::Relaxed).is_ok()
                {
                    found.push(*target);
                }
            }
        }
        found
    })?;
    Ok(parts.concat())
}

/// Which vertices can be reached from one: `into` is `out`, transposed.
pub(crate) fn reached(out: &Csr, into: &Csr, source: Vertex, run: &Run<'_>) -> Result<Vec<bool>> {
    let depths = search(Sides { out, into }, &[source], u32::MAX, run)?;
    Ok(depths.into_iter().map(|depth| depth != UNREACHED).collect())
}

/// For each vertex the least of the vertices before it on shortest ways, by the depths of
/// [`breadth_first`]; `Vertex::MAX` for sources and what was not reached.
///
/// # Errors
/// [`crate::AnalyticsError::Stopped`].
pub fn parents(graph: &Graph, depths: &[u32], run: &Run<'_>) -> Result<Vec<Vertex>> {
    let mut parents = vec![Vertex::MAX; graph.vertices()];
    run.fill(&balanced(graph.incoming()), &mut parents, |range, own| {
        for (vertex, own) in range.zip(own) {
            let depth = depths[vertex];
            if depth != UNREACHED && depth > 0 {
                let before =
                    graph.incoming().targets(vertex).iter().filter(|source| depths[**source as usize] == depth - 1);
                *own = before.copied().min().unwrap_or(Vertex::MAX);
            }
        }
    })?;
    Ok(parents)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn depths_are_those_of_a_plain_search(
            pairs in prop::collection::vec((0..60_u32, 0..60_u32), 0..240),
            sources in prop::collection::vec(0..60_u32, 1..4),
            depth_max in prop::sample::select(vec![0, 1, 2, 3, u32::MAX]),
        ) {
            let run = Run::alone();
            let edges: Vec<_> = pairs.iter().map(|(a, b)| (*a, *b, 1.0)).collect();
            let graph = Graph::from_edges(60, &edges, false, &run).unwrap();
            let mut wanted = vec![UNREACHED; 60];
            sources.iter().for_each(|source| wanted[*source as usize] = 0);
            for depth in 0..60.min(depth_max) {
                for (a, b) in &pairs {
                    if wanted[*a as usize] == depth && wanted[*b as usize] == UNREACHED {
                        wanted[*b as usize] = depth + 1;
                    }
                }
            }
            let found = breadth_first(&graph, &sources, depth_max, &run).unwrap();
            prop_assert_eq!(&found, &wanted);
            for (vertex, parent) in parents(&graph, &found, &run).unwrap().into_iter().enumerate() {
                let is_found = parent != Vertex::MAX;
                prop_assert_eq!(is_found, wanted[vertex] != UNREACHED && wanted[vertex] > 0);
                if is_found {
                    prop_assert_eq!(wanted[parent as usize] + 1, wanted[vertex]);
                    prop_assert!(pairs.contains(&(parent, vertex as u32)));
                }
            }
        }
    }
}
