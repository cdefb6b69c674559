//! A graph as algorithms take it: its edges both ways, and its simpler views.

use std::sync::Arc;

use crate::csr::{Csr, Edge, csr_bytes};
use crate::run::Run;
use crate::{Result, Vertex};

/// Which edges of a graph count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// All edges, with their directions; parallel ones count each.
    Multi,
    /// Directions kept; of parallel edges one, the lightest; no loops.
    Simple,
    /// No directions; of parallel edges one, the lightest; no loops.
    Plain,
}

/// Edges by where they begin and by where they end.
#[derive(Clone, Debug)]
pub struct Graph {
    out: Arc<Csr>,
    into: Arc<Csr>,
}

impl Graph {
    /// Of rows by source.
    ///
    /// # Errors
    /// [`crate::AnalyticsError::Stopped`].
    pub fn new(out: Csr, run: &Run<'_>) -> Result<Self> {
        let into = Arc::new(out.transposed(run)?);
        Ok(Self { out: Arc::new(out), into })
    }

    /// Of edges in any order.
    ///
    /// # Errors
    /// As [`Csr::from_edges`].
    pub fn from_edges(vertices: usize, edges: &[Edge], weighted: bool, run: &Run<'_>) -> Result<Self> {
        Self::new(Csr::from_edges(vertices, edges, weighted)?, run)
    }

    /// Edges by their sources.
    #[must_use]
    pub fn out(&self) -> &Csr {
        &self.out
    }

    /// Edges by their targets.
    #[must_use]
    pub fn incoming(&self) -> &Csr {
        &self.into
    }

    /// How many vertices.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.out.vertices()
    }

    /// How many edges.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.out.edges()
    }

    /// The same with all directions reversed.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self { out: Arc::clone(&self.into), into: Arc::clone(&self.out) }
    }

    /// Simple, with directions.
    ///
    /// # Errors
    /// [`crate::AnalyticsError::Stopped`].
    pub fn simple(&self, run: &Run<'_>) -> Result<Self> {
        Ok(Self { out: Arc::new(self.out.simple(run)?), into: Arc::new(self.into.simple(run)?) })
    }

    /// Simple, without directions: each edge in the rows of both its ends.
    ///
    /// # Errors
    /// [`crate::AnalyticsError::Stopped`].
    pub fn plain(&self, run: &Run<'_>) -> Result<Csr> {
        self.out.plain(&self.into, run)
    }

    /// The simple view and the plain one, without weights.
    pub(crate) fn bare_views(&self, run: &Run<'_>) -> Result<(Self, Csr)> {
        let (out, into) = (self.out.simple_with(false, run)?, self.into.simple_with(false, run)?);
        Ok((Self { out: Arc::new(out), into: Arc::new(into) }, self.out.plain_with(false, &self.into, run)?))
    }

    /// Each edge in both directions, parallel ones and loops kept.
    ///
    /// # Errors
    /// [`crate::AnalyticsError::Stopped`].
    pub fn both(&self, run: &Run<'_>) -> Result<Self> {
        let both = self.out.rebuilt(run, self.out.is_weighted(), |vertex, list| {
            for csr in [&self.out, &self.into] {
                list.extend(csr.weighted(vertex).map(|(target, weight)| (target as Vertex, weight)));
            }
        })?;
        Ok(Self::without_directions(both))
    }

    /// Of rows that have each edge at both its ends.
    pub(crate) fn without_directions(both: Csr) -> Self {
        let out = Arc::new(both);
        Self { into: Arc::clone(&out), out }
    }

    /// Bytes in memory.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.out.bytes() + self.into.bytes()
    }

    /// Bytes that a graph takes, before it is made.
    #[must_use]
    pub fn estimate(vertices: u64, edges: u64, weighted: bool) -> u64 {
        2 * csr_bytes(vertices, edges, weighted)
    }
}

/// Bytes that a view takes besides the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ViewBytes {
    /// While it is made.
    pub(crate) making: u64,
    /// Once it is there.
    pub(crate) made: u64,
}

impl View {
    /// Bytes that this view takes, where no edges are left out of it: at most.
    #[must_use]
    pub(crate) fn estimate(self, vertices: u64, edges: u64, weighted: bool) -> ViewBytes {
        match self {
            Self::Multi => ViewBytes { making: 0, made: 0 },
            // One side after the other, the parts of whose lists are put together in the end.
            Self::Simple => {
                let one = csr_bytes(vertices, edges, weighted);
                ViewBytes { making: 3 * one, made: 2 * one }
            }
            Self::Plain => {
                let one = csr_bytes(vertices, 2 * edges, weighted);
                ViewBytes { making: 2 * one, made: one }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn edges() -> impl Strategy<Value = Vec<Edge>> {
        let edge = (0..40_u32, 0..40_u32, 0..5_u32);
        prop::collection::vec(edge.prop_map(|(a, b, weight)| (a, b, f64::from(weight))), 0..200)
    }

    proptest! {
        #[test]
        fn views_have_the_edges_they_should(edges in edges()) {
            let run = Run::alone();
            let graph = Graph::from_edges(40, &edges, true, &run).unwrap();
            let sorted = |mut edges: Vec<Edge>| { edges.sort_by(|a, b| a.partial_cmp(b).unwrap()); edges };
            let reversed = edges.iter().map(|(a, b, weight)| (*b, *a, *weight)).collect();
            prop_assert_eq!(sorted(graph.out().iter().collect()), sorted(edges.clone()));
            prop_assert_eq!(sorted(graph.incoming().iter().collect()), sorted(reversed));
            let mut least = std::collections::BTreeMap::new();
            for (a, b, weight) in edges.iter().filter(|(a, b, _)| a != b) {
                let own = least.entry((*a, *b)).or_insert(*weight);
                *own = own.min(*weight);
            }
            let wanted: Vec<Edge> = least.iter().map(|((a, b), weight)| (*a, *b, *weight)).collect();
            prop_assert_eq!(graph.simple(&run).unwrap().out().iter().collect::<Vec<_>>(), wanted);
            let mut plain = std::collections::BTreeMap::new();
            for ((a, b), weight) in least {
                for pair in [(a, b), (b, a)] {
                    let own = plain.entry(pair).or_insert(weight);
                    *own = weight.min(*own);
                }
            }
            let wanted: Vec<Edge> = plain.iter().map(|((a, b), weight)| (*a, *b, *weight)).collect();
            prop_assert_eq!(graph.plain(&run).unwrap().iter().collect::<Vec<_>>(), wanted);
        }
    }

    proptest! {
        #[test]
        fn columns_in_parts_are_the_same_edges(edges in edges(), part in 1..50_usize, is_weighted in any::<bool>()) {
            let columns = |edges: &[Edge]| {
                let weights = edges.iter().filter(|_| is_weighted).map(|edge| edge.2).collect();
                (edges.iter().map(|edge| edge.0).collect(), edges.iter().map(|edge| edge.1).collect(), weights)
            };
            let wanted = Csr::from_edges(40, &edges, is_weighted).unwrap();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
            let alone = Run::alone();
            for run in [alone, alone.with_pool(&pool)] {
                let parts = edges.chunks(part).map(columns).collect();
                prop_assert_eq!(&Csr::from_columns(40, parts, is_weighted, &run).unwrap(), &wanted);
            }
        }
    }

    #[test]
    fn what_is_no_graph_is_refused() {
        assert!(Csr::from_edges(2, &[(0, 2, 1.0)], false).is_err());
        assert!(Csr::from_rows(&[1, 1], vec![0], None).is_err());
        assert!(Csr::from_rows(&[1, 1], vec![0, 2], None).is_err());
        let csr = Csr::from_rows(&[1, 1], vec![1, 0], None).unwrap();
        assert_eq!(csr.iter().collect::<Vec<_>>(), [(0, 1, 1.0), (1, 0, 1.0)]);
        assert!(csr.check_vertices(&[2]).is_err());
        let parts = vec![(vec![1, 0], vec![0, 1], vec![2.0, 3.0]), (vec![1], vec![1], vec![4.0])];
        let run = Run::alone();
        let csr = Csr::from_columns(2, parts, true, &run).unwrap();
        assert_eq!(csr.iter().collect::<Vec<_>>(), [(0, 1, 3.0), (1, 0, 2.0), (1, 1, 4.0)]);
        assert!(Csr::from_columns(2, vec![(vec![1], vec![2], vec![])], false, &run).is_err());
        assert!(Csr::from_columns(2, vec![(vec![1], vec![1], vec![])], true, &run).is_err());
    }
}
