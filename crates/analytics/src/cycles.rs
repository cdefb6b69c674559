//! Circles of edges, and orders of vertices where there are none.

use std::collections::BinaryHeap;

use crate::csr::Csr;
use crate::run::Run;
use crate::{AnalyticsError, Result, Vertex};

/// Which cycles are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CycleRules {
    /// Edges of a cycle at least.
    pub length_min: usize,
    /// Edges of a cycle at most.
    pub length_max: usize,
    /// Cycles at most.
    pub limit: usize,
    /// Whether a cycle and its reverse are one: for graphs without directions.
    pub is_plain: bool,
}

/// Cycles without repeated vertices, each once, from its least vertex on, in the order of their vertices; at most
/// `limit` of them. In a graph without directions that is the direction with the lesser second vertex. `out` is simple.
///
/// # Errors
/// [`AnalyticsError::Stopped`].
pub fn cycles(out: &Csr, rules: &CycleRules, run: &Run<'_>) -> Result<Vec<Vec<Vertex>>> {
    let mut cycles = Vec::new();
    let mut is_on = vec![false; out.vertices()];
    let mut way: Vec<(Vertex, usize)> = Vec::new();
    let mut steps = 0;
    for root in 0..out.vertices() {
        if cycles.len() >= rules.limit {
            break;
        }
        is_on[root] = true;
        way.push((root as Vertex, 0));
        while let Some((vertex, next)) = way.last_mut() {
            run.tick(&mut steps)?;
            let vertex = *vertex;
            let target = out.targets(vertex as usize).get(*next).copied();
            *next += 1;
            let Some(target) = target else {
                is_on[vertex as usize] = false;
                way.pop();
                continue;
            };
            if target as usize == root {
                let is_once = !rules.is_plain || (way.len() > 2 && way[1].0 < vertex);
                if way.len() >= rules.length_min && is_once {
                    cycles.push(way.iter().map(|(vertex, _)| *vertex).collect());
                    if cycles.len() >= rules.limit {
                        return Ok(cycles);
                    }
                }
            } else if target as usize > root && !is_on[target as usize] && way.len() < rules.length_max {
                is_on[target as usize] = true;
                way.push((target, 0));
            }
        }
        is_on[root] = false;
        if root % 1_024 == 0 {
            run.step("vertices", root as u64, out.vertices() as u64)?;
        }
    }
    Ok(cycles)
}

/// The vertices in an order in which each edge leads on; of those that could be next the least comes first (Kahn 1962).
///
/// # Errors
/// [`AnalyticsError::Cyclic`], [`AnalyticsError::Stopped`].
pub fn topological_order(out: &Csr, run: &Run<'_>) -> Result<Vec<Vertex>> {
    let size = out.vertices();
    let mut before = vec![0_u32; size];
    out.all_targets().iter().for_each(|target| before[*target as usize] += 1);
    let mut ready: BinaryHeap<std::cmp::Reverse<Vertex>> =
        (0..size as Vertex).filter(|vertex| before[*vertex as usize] == 0).map(std::cmp::Reverse).collect();
    let (mut order, mut steps) = (Vec::with_capacity(size), 0);
    while let Some(std::cmp::Reverse(vertex)) = ready.pop() {
        order.push(vertex);
        for target in out.targets(vertex as usize) {
            run.tick(&mut steps)?;
            let left = &mut before[*target as usize];
            *left -= 1;
            if *left == 0 {
                ready.push(std::cmp::Reverse(*target));
            }
        }
    }
    if order.len() == size {
        return Ok(order);
    }
    // Back from one that was not reached: each such vertex has one before it that was not, so a circle is met.
    let mut from = vec![Vertex::MAX; size];
    for (source, target, _) in out.iter().filter(|(source, _, _)| before[*source as usize] > 0) {
        from[target as usize] = source;
    }
    let mut vertex = before.iter().position(|left| *left > 0).unwrap_or_default();
    for _ in 0..size {
        vertex = from[vertex] as usize;
    }
    Err(AnalyticsError::Cyclic { vertex: vertex as Vertex, algorithm: "topological order" })
}

/// For each vertex the greatest sum of weights on a way that ends there, in a graph without cycles.
///
/// # Errors
/// [`AnalyticsError::Cyclic`], [`AnalyticsError::Stopped`].
pub fn longest_ways(out: &Csr, run: &Run<'_>) -> Result<Vec<f64>> {
    let mut longest = vec![0.0_f64; out.vertices()];
    for vertex in topological_order(out, run)? {
        let own = longest[vertex as usize];
        for (target, weight) in out.weighted(vertex as usize) {
            longest[target] = longest[target].max(own + weight);
        }
    }
    Ok(longest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    #[test]
    fn complete_graphs_have_their_known_cycles() {
        let run = Run::alone();
        let edges: Vec<_> = (0..5).flat_map(|a| (0..5).map(move |b| (a, b, 1.0))).collect();
        let graph = Graph::from_edges(5, &edges, false, &run).unwrap();
        let rules = CycleRules { length_min: 2, length_max: 5, limit: 1_000, is_plain: false };
        // Of 5 vertices: 10 pairs, 20 triangles with directions, 30 of length 4, 24 of length 5.
        assert_eq!(cycles(graph.simple(&run).unwrap().out(), &rules, &run).unwrap().len(), 84);
        let rules = CycleRules { length_min: 3, is_plain: true, ..rules };
        let plain = graph.plain(&run).unwrap();
        assert_eq!(cycles(&plain, &rules, &run).unwrap().len(), 37);
        let triangles = cycles(&plain, &CycleRules { length_max: 3, ..rules }, &run).unwrap();
        assert_eq!((triangles.len(), &*triangles[0]), (10, &[0, 1, 2][..]));
        assert_eq!(cycles(&plain, &CycleRules { limit: 4, ..rules }, &run).unwrap().len(), 4);
    }

    #[test]
    fn orders_lead_on_and_circles_are_named() {
        let run = Run::alone();
        let csr = Csr::from_edges(5, &[(4, 0, 2.0), (0, 1, 3.0), (4, 1, 1.0), (1, 2, 1.0)], true).unwrap();
        assert_eq!(topological_order(&csr, &run).unwrap(), [3, 4, 0, 1, 2]);
        assert_eq!(longest_ways(&csr, &run).unwrap(), [2.0, 5.0, 6.0, 0.0, 0.0]);
        let csr = Csr::from_edges(5, &[(0, 1, 1.0), (1, 2, 1.0), (2, 1, 1.0), (2, 3, 1.0)], false).unwrap();
        let Err(AnalyticsError::Cyclic { vertex, .. }) = topological_order(&csr, &run) else { panic!("no circle") };
        assert!([1, 2].contains(&vertex));
    }
}
