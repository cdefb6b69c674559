//! The lightest edges that connect what can be connected.

use crate::csr::{Csr, Edge};
use crate::run::Run;
use crate::{Result, Vertex};

/// A spanning forest of least weight of a plain graph, lightest edge first, ties by the ends (Kruskal 1956). The lesser
/// end comes first.
///
/// # Errors
/// [`crate::AnalyticsError::Stopped`].
pub fn spanning_forest(plain: &Csr, run: &Run<'_>) -> Result<Vec<Edge>> {
    let mut edges: Vec<Edge> = Vec::with_capacity(plain.edges() / 2);
    edges.extend(plain.iter().filter(|(a, b, _)| a < b));
    run.sort(&mut edges, |a, b| a.2.total_cmp(&b.2).then_with(|| (a.0, a.1).cmp(&(b.0, b.1))))?;
    let mut forest = Vec::with_capacity(plain.vertices());
    let mut steps = 0;
    let mut sets = Sets((0..plain.vertices() as Vertex).collect());
    for edge in edges {
        run.tick(&mut steps)?;
        if sets.join(edge.0, edge.1) {
            forest.push(edge);
        }
    }
    Ok(forest)
}

/// Disjoint sets of vertices.
struct Sets(Vec<Vertex>);

impl Sets {
    fn root(&mut self, mut vertex: Vertex) -> Vertex {
        while self.0[vertex as usize] != vertex {
            let above = self.0[self.0[vertex as usize] as usize];
            self.0[vertex as usize] = above;
            vertex = above;
        }
        vertex
    }

    /// Whether they were apart.
    fn join(&mut self, a: Vertex, b: Vertex) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
        a != b
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::components;
    use crate::graph::Graph;

    proptest! {
        #[test]
        fn no_edge_left_out_is_lighter(edges in prop::collection::vec((0..15_u32, 0..15_u32, 0..20_u32), 0..60)) {
            let run = Run::alone();
            let edges: Vec<_> = edges.into_iter().map(|(a, b, weight)| (a, b, f64::from(weight))).collect();
            let graph = Graph::from_edges(15, &edges, true, &run).unwrap();
            let plain = graph.plain(&run).unwrap();
            let forest = spanning_forest(&plain, &run).unwrap();
            let parts = components::sizes(&components::weak(&graph, &run).unwrap()).len();
            prop_assert_eq!(forest.len(), 15 - parts);
            // The cycle property: the forest's edges of less than an edge's weight do not connect its ends, or more.
            for (a, b, weight) in plain.iter() {
                let lighter: Vec<_> = forest.iter().copied().filter(|edge| edge.2 <= weight).collect();
                let lighter = Graph::from_edges(15, &lighter, true, &run).unwrap();
                let labels = components::weak(&lighter, &run).unwrap();
                prop_assert_eq!(labels[a as usize], labels[b as usize]);
            }
        }
    }
}
