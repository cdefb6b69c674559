//! Breadth-first search: how many edges away each vertex is.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

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

/// A search under way.
struct Search<'g> {
    graph: Sides<'g>,
    depths: Vec<AtomicU32>,
    /// A bit for each vertex that is not reached and has edges that lead to it: these bits stay in the cache, where
    /// the depths do not.
    open: Vec<AtomicU64>,
    /// Words of bits, cut into parts of about the same work.
    words: Vec<Range<usize>>,
    /// Whether there is one thread, so that no other changes what it has looked at.
    is_alone: bool,
}

fn search(graph: Sides<'_>, sources: &[Vertex], depth_max: u32, run: &Run<'_>) -> Result<Vec<u32>> {
    graph.out.check_vertices(sources)?;
    run.inside(|| {
        let search = Search::new(graph, run)?;
        search.go(sources, depth_max, run)?;
        Ok(search.depths.into_iter().map(AtomicU32::into_inner).collect())
    })
}

impl<'g> Search<'g> {
    fn new(graph: Sides<'g>, run: &Run<'_>) -> Result<Self> {
        let size = graph.out.vertices();
        let depths = std::iter::repeat_with(|| AtomicU32::new(UNREACHED)).take(size).collect();
        let mut open: Vec<AtomicU64> = std::iter::repeat_with(AtomicU64::default).take(size.div_ceil(64)).collect();
        let words = words(graph.into);
        run.fill(&words, &mut open, |range, own| {
            for (at, own) in range.zip(own) {
                let members = at * 64..size.min(at * 64 + 64);
                let bit = |vertex: usize| u64::from(graph.into.degree(vertex) > 0) << (vertex % 64);
                *own.get_mut() = members.fold(0, |bits, vertex| bits | bit(vertex));
            }
        })?;
        Ok(Self { graph, depths, open, words, is_alone: run.threads() == 1 })
    }

    fn go(&self, sources: &[Vertex], depth_max: u32, run: &Run<'_>) -> Result<()> {
        let size = self.depths.len();
        let mut frontier: Vec<Vertex> = sources.to_vec();
        frontier.sort_unstable();
        frontier.dedup();
        for source in &frontier {
            self.depths[*source as usize].store(0, Ordering::Relaxed);
            self.claim(*source);
        }
        let degree = |vertex: &Vertex| self.graph.out.degree(*vertex as usize);
        let mut edges: usize = frontier.iter().map(degree).sum();
        let mut edges_left = self.graph.out.edges();
        let (mut bits, mut next) = (Vec::new(), Vec::new());
        let mut depth = 0;
        while !frontier.is_empty() && depth < depth_max {
            if edges <= edges_left / limits::BOTTOM_UP_EDGES {
                edges_left -= edges;
                depth += 1;
                (frontier, edges) = self.top_down(&frontier, depth, run)?;
                run.step("depth", u64::from(depth), 0)?;
                continue;
            }
            // Bottom up, until the frontier is small again.
            bits.clear();
            bits.resize(size.div_ceil(64), 0_u64);
            next.resize(bits.len(), 0);
            frontier.iter().for_each(|vertex| bits[*vertex as usize / 64] |= 1 << (*vertex % 64));
            let mut before = frontier.len();
            loop {
                depth += 1;
                let found = self.bottom_up(&bits, &mut next, depth, run)?;
                std::mem::swap(&mut bits, &mut next);
                run.step("depth", u64::from(depth), 0)?;
                let is_shrinking = found < before;
                before = found;
                if found == 0 || depth >= depth_max || (is_shrinking && found < size / limits::TOP_DOWN_VERTICES) {
                    break;
                }
            }
            frontier = members(&bits);
            // How many edges those have is not counted: at least one step goes on from them.
            edges = 0;
        }
        Ok(())
    }

    /// Whether a vertex was not reached before; it is now.
    fn claim(&self, vertex: Vertex) -> bool {
        let (word, bit) = (&self.open[vertex as usize / 64], 1 << (vertex % 64));
        let bits = word.load(Ordering::Relaxed);
        if bits & bit == 0 {
            return false;
        }
        if self.is_alone {
            word.store(bits & !bit, Ordering::Relaxed);
            return true;
        }
        word.fetch_and(!bit, Ordering::Relaxed) & bit != 0
    }

    /// Those not reached that edges of the frontier lead to, and how many edges they have.
    fn top_down(&self, frontier: &[Vertex], depth: u32, run: &Run<'_>) -> Result<(Vec<Vertex>, usize)> {
        let mut parts = run.map(even(frontier.len(), limits::PART_WORK / 64), |range| {
            let (mut found, mut edges) = (Vec::new(), 0);
            for vertex in &frontier[range] {
                for target in self.graph.out.targets(*vertex as usize) {
                    if self.claim(*target) {
                        self.depths[*target as usize].store(depth, Ordering::Relaxed);
                        edges += self.graph.out.degree(*target as usize);
                        found.push(*target);
                    }
                }
            }
            (found, edges)
        })?;
        if parts.len() == 1 {
            return Ok(parts.pop().unwrap_or_default());
        }
        let edges = parts.iter().map(|part| part.1).sum();
        let mut all = Vec::with_capacity(parts.iter().map(|part| part.0.len()).sum());
        parts.iter().for_each(|part| all.extend_from_slice(&part.0));
        Ok((all, edges))
    }

    /// Finds those not reached that an edge leads to from the frontier: `next` becomes their bits. How many they are.
    fn bottom_up(&self, frontier: &[u64], next: &mut [u64], depth: u32, run: &Run<'_>) -> Result<usize> {
        let is_in = |source: &Vertex| frontier[*source as usize / 64] >> (*source % 64) & 1 != 0;
        let counts = run.fill(&self.words, next, |range, next| {
            let mut count = 0;
            for (at, next) in range.zip(next) {
                let open = self.open[at].load(Ordering::Relaxed);
                let (mut left, mut found) = (open, 0);
                while left != 0 {
                    let vertex = at * 64 + left.trailing_zeros() as usize;
                    if self.graph.into.targets(vertex).iter().any(is_in) {
                        found |= left & left.wrapping_neg();
                        self.depths[vertex].store(depth, Ordering::Relaxed);
                    }
                    left &= left - 1;
                }
                self.open[at].store(open & !found, Ordering::Relaxed);
                count += found.count_ones() as usize;
                *next = found;
            }
            count
        })?;
        Ok(counts.into_iter().sum())
    }
}

/// The words that have a bit for each vertex, in parts with about as many edges each.
fn words(csr: &Csr) -> Vec<Range<usize>> {
    let mut start = 0;
    let ends = balanced(csr).into_iter().map(|range| range.end.div_ceil(64));
    ends.filter_map(|end| {
        let words = start..end;
        start = end;
        (!words.is_empty()).then_some(words)
    })
    .collect()
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
