//! Triangles of a plain graph, and how clustered the neighbours of each vertex are.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::csr::{Csr, balanced};
use crate::graph::Graph;
use crate::run::{Run, even};
use crate::{Result, Vertex, limits};

/// A plain graph whose edges lead from the end with fewer neighbours to that with more only, under new numbers: by
/// degree, ties by number. No vertex has more than the root of twice the number of edges.
pub(crate) struct Oriented {
    pub(crate) rows: Csr,
    /// The vertex of each new number.
    pub(crate) order: Vec<Vertex>,
}

pub(crate) fn oriented(plain: &Csr, run: &Run<'_>) -> Result<Oriented> {
    let size = plain.vertices();
    let mut order: Vec<Vertex> = (0..size as Vertex).collect();
    run.sort(&mut order, |a, b| (plain.degree(*a as usize), a).cmp(&(plain.degree(*b as usize), b)))?;
    let mut ranks = vec![0; size];
    order.iter().enumerate().for_each(|(rank, vertex)| ranks[*vertex as usize] = rank as Vertex);
    let parts = run.map(even(size, limits::PART_WORK / 16), |range| {
        let (mut degrees, mut targets) = (Vec::with_capacity(range.len()), Vec::new());
        for rank in range {
            let start = targets.len();
            let others = plain.targets(order[rank] as usize).iter().map(|other| ranks[*other as usize]);
            targets.extend(others.filter(|other| *other as usize > rank));
            targets[start..].sort_unstable();
            degrees.push((targets.len() - start) as u32);
        }
        (degrees, targets)
    })?;
    let (mut degrees, mut targets) = (Vec::with_capacity(size), Vec::with_capacity(plain.edges() / 2));
    for (own_degrees, own_targets) in parts {
        degrees.extend(own_degrees);
        targets.extend(own_targets);
    }
    Ok(Oriented { rows: Csr::from_rows(&degrees, targets, None)?, order })
}

/// Calls `found` for the edges of each vertex and what its neighbours have in common with it: `(vertex, neighbour,
/// bits of the neighbours of vertex)`.
fn by_marks<R: Send>(
    rows: &Csr,
    run: &Run<'_>,
    visit: impl Fn(usize, usize, &[u64], &mut R) + Sync,
    start: impl Fn() -> R + Sync,
) -> Result<Vec<R>> {
    run.map(balanced(rows), |range| {
        let mut sum = start();
        let mut marks = vec![0_u64; rows.vertices().div_ceil(64)];
        for vertex in range {
            let own = rows.targets(vertex);
            if own.len() < 2 {
                continue;
            }
            own.iter().for_each(|other| marks[*other as usize / 64] |= 1 << (*other % 64));
            own.iter().for_each(|other| visit(vertex, *other as usize, &marks, &mut sum));
            own.iter().for_each(|other| marks[*other as usize / 64] = 0);
        }
        sum
    })
}

#[inline]
fn is_marked(marks: &[u64], vertex: Vertex) -> u64 {
    marks[vertex as usize / 64] >> (vertex % 64) & 1
}

/// How many triangles there are. Each is found once, at its vertex of least degree (Chiba, Nishizeki 1985).
///
/// # Errors
/// [`crate::AnalyticsError::Stopped`].
pub fn count(plain: &Csr, run: &Run<'_>) -> Result<u64> {
    let rows = oriented(plain, run)?.rows;
    let visit = |_, other: usize, marks: &[u64], sum: &mut u64| {
        *sum += rows.targets(other).iter().map(|third| is_marked(marks, *third)).sum::<u64>();
    };
    Ok(by_marks(&rows, run, visit, || 0)?.into_iter().sum())
}

/// How many triangles each vertex is in.
///
/// # Errors
/// [`crate::AnalyticsError::Stopped`].
pub fn of_vertices(plain: &Csr, run: &Run<'_>) -> Result<Vec<u64>> {
    let Oriented { rows, order } = oriented(plain, run)?;
    let counts: Vec<AtomicU64> = std::iter::repeat_with(AtomicU64::default).take(order.len()).collect();
    let visit = |vertex: usize, other: usize, marks: &[u64], (): &mut ()| {
        let mut common = 0;
        for third in rows.targets(other) {
            if is_marked(marks, *third) == 1 {
                common += 1;
                counts[*third as usize].fetch_add(1, Ordering::Relaxed);
            }
        }
        if common > 0 {
            counts[vertex].fetch_add(common, Ordering::Relaxed);
            counts[other].fetch_add(common, Ordering::Relaxed);
        }
    };
    by_marks(&rows, run, visit, || ())?;
    let mut found = vec![0; order.len()];
    order.iter().zip(counts).for_each(|(vertex, count)| found[*vertex as usize] = count.into_inner());
    Ok(found)
}

/// Pairs of neighbours of each vertex that are neighbours, of all pairs of neighbours: from 0 to 1 (Watts, Strogatz
/// 1998). `triangles`: of [`of_vertices`].
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a share")]
pub fn clustering(plain: &Csr, triangles: &[u64]) -> Vec<f64> {
    let share = |(vertex, triangles): (usize, &u64)| {
        let degree = plain.degree(vertex) as f64;
        if degree < 2.0 { 0.0 } else { *triangles as f64 * 2.0 / (degree * (degree - 1.0)) }
    };
    triangles.iter().enumerate().map(share).collect()
}

/// Paths of two edges: pairs of neighbours, over all vertices.
#[must_use]
pub fn wedges(plain: &Csr) -> u64 {
    (0..plain.vertices()).map(|vertex| plain.degree(vertex) as u64).map(|it| it * it.saturating_sub(1) / 2).sum()
}

/// Three times the triangles, of the paths of two edges.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a share")]
pub fn transitivity(triangles: u64, wedges: u64) -> f64 {
    if wedges == 0 { 0.0 } else { 3.0 * triangles as f64 / wedges as f64 }
}

/// The local clustering coefficient of LDBC Graphalytics: edges, by direction, between the neighbours of a vertex in
/// either direction, of all there could be. `simple` and `plain` are views of one graph.
///
/// # Errors
/// [`crate::AnalyticsError::Stopped`].
#[expect(clippy::cast_precision_loss, reason = "a share")]
pub fn directed_clustering(simple: &Graph, plain: &Csr, run: &Run<'_>) -> Result<Vec<f64>> {
    // An edge with its reverse counts twice: a triangle of the plain graph gives each corner 1 or 2 for the edge
    // opposite to it.
    let Oriented { rows, order } = oriented(plain, run)?;
    let has = |from: usize, to: Vertex| {
        u64::from(simple.out().targets(order[from] as usize).binary_search(&order[to as usize]).is_ok())
    };
    // How often each edge of `rows` counts.
    let mut times = vec![0_u8; rows.edges()];
    let ranges = balanced(&rows);
    let edges: Vec<_> = ranges.iter().map(|it| rows.first_edge(it.start)..rows.first_edge(it.end)).collect();
    let starts: Vec<_> = ranges.into_iter().zip(edges.clone()).collect();
    let by_first: rustc_hash::FxHashMap<usize, std::ops::Range<usize>> =
        starts.into_iter().map(|(vertices, edges)| (edges.start, vertices)).collect();
    let filled: Vec<_> = edges.into_iter().filter(|range| !range.is_empty()).collect();
    run.fill(&filled, &mut times, |range, own| {
        let Some(vertices) = by_first.get(&range.start) else { return };
        let pairs = vertices.clone().flat_map(|from| rows.targets(from).iter().map(move |to| (from, *to)));
        for (own, (from, to)) in own.iter_mut().zip(pairs) {
            *own = (has(from, to) + has(to as usize, from as Vertex)) as u8;
        }
    })?;
    let counts: Vec<AtomicU64> = std::iter::repeat_with(AtomicU64::default).take(order.len()).collect();
    let time = |vertex: usize, at: usize| u64::from(times[rows.first_edge(vertex) + at]);
    let visit = |vertex: usize, other: usize, marks: &[u64], (): &mut ()| {
        let own = rows.targets(vertex);
        let between = own.binary_search(&(other as Vertex)).map_or(0, |at| time(vertex, at));
        for (at, third) in rows.targets(other).iter().enumerate() {
            if is_marked(marks, *third) == 1 {
                let far = own.binary_search(third).map_or(0, |at| time(vertex, at));
                counts[vertex].fetch_add(time(other, at), Ordering::Relaxed);
                counts[other].fetch_add(far, Ordering::Relaxed);
                counts[*third as usize].fetch_add(between, Ordering::Relaxed);
            }
        }
    };
    by_marks(&rows, run, visit, || ())?;
    let mut found = vec![0.0; order.len()];
    for (vertex, count) in order.iter().zip(counts) {
        let degree = plain.degree(*vertex as usize) as f64;
        if degree > 1.0 {
            found[*vertex as usize] = count.into_inner() as f64 / (degree * (degree - 1.0));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn triangles_are_those_of_all_triples(pairs in prop::collection::vec((0..25_u32, 0..25_u32), 0..150)) {
            let run = Run::alone();
            let edges: Vec<_> = pairs.into_iter().map(|(a, b)| (a, b, 1.0)).collect();
            let graph = Graph::from_edges(25, &edges, false, &run).unwrap();
            let plain = graph.plain(&run).unwrap();
            let near = |a: u32, b: u32| plain.targets(a as usize).contains(&b);
            let mut wanted = vec![0; 25];
            for a in 0..25 {
                for b in a + 1..25 {
                    for c in b + 1..25 {
                        if near(a, b) && near(b, c) && near(a, c) {
                            [a, b, c].iter().for_each(|corner| wanted[*corner as usize] += 1);
                        }
                    }
                }
            }
            prop_assert_eq!(count(&plain, &run).unwrap(), wanted.iter().sum::<u64>() / 3);
            prop_assert_eq!(&of_vertices(&plain, &run).unwrap(), &wanted);
            let simple = graph.simple(&run).unwrap();
            let directed = directed_clustering(&simple, &plain, &run).unwrap();
            for (vertex, found) in directed.iter().enumerate() {
                let own = plain.targets(vertex);
                let inside = own.iter().flat_map(|a| simple.out().targets(*a as usize)).filter(|b| own.contains(b));
                let all = own.len() * own.len().saturating_sub(1);
                let share = if all == 0 { 0.0 } else { inside.count() as f64 / all as f64 };
                prop_assert_eq!(*found, share);
            }
        }
    }

    #[test]
    fn a_triangle_with_a_tail_is_known() {
        let run = Run::alone();
        let edges = [(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0), (2, 3, 1.0)];
        let plain = Graph::from_edges(4, &edges, false, &run).unwrap().plain(&run).unwrap();
        let triangles = of_vertices(&plain, &run).unwrap();
        assert_eq!(triangles, [1, 1, 1, 0]);
        assert_eq!(clustering(&plain, &triangles), [1.0, 1.0, 1.0 / 3.0, 0.0]);
        assert_eq!((wedges(&plain), transitivity(1, wedges(&plain))), (5, 0.6));
    }
}
