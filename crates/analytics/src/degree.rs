//! How many edges each vertex has.

use crate::graph::Graph;
use crate::run::{Run, even};
use crate::{Result, limits};

/// Which edges of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Those that begin there.
    Out,
    /// Those that end there.
    In,
    /// All; a loop counts twice.
    Both,
}

/// The number of edges of each vertex.
///
/// # Errors
/// [`crate::AnalyticsError::Stopped`].
pub fn degrees(graph: &Graph, direction: Direction, run: &Run<'_>) -> Result<Vec<u64>> {
    let mut degrees = vec![0; graph.vertices()];
    run.fill(&even(graph.vertices(), limits::PART_WORK), &mut degrees, |range, own| {
        for (vertex, own) in range.zip(own) {
            let (out, into) = (graph.out().degree(vertex) as u64, graph.incoming().degree(vertex) as u64);
            *own = match direction {
                Direction::Out => out,
                Direction::In => into,
                Direction::Both => out + into,
            };
        }
    })?;
    Ok(degrees)
}

/// The sum of the weights of each vertex's edges.
///
/// # Errors
/// [`crate::AnalyticsError::Stopped`].
pub fn strengths(graph: &Graph, direction: Direction, run: &Run<'_>) -> Result<Vec<f64>> {
    let mut strengths = vec![0.0; graph.vertices()];
    run.fill(&even(graph.vertices(), limits::PART_WORK), &mut strengths, |range, own| {
        for (vertex, own) in range.zip(own) {
            let out = || graph.out().weighted(vertex).map(|(_, weight)| weight).sum::<f64>();
            let into = || graph.incoming().weighted(vertex).map(|(_, weight)| weight).sum::<f64>();
            *own = match direction {
                Direction::Out => out(),
                Direction::In => into(),
                Direction::Both => out() + into(),
            };
        }
    })?;
    Ok(strengths)
}
