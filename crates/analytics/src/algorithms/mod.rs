//! Algorithms by name, with parameters and typed columns: what protocols and query languages call.
//!
//! Start reading at [`run`].

mod algorithm;
mod central;
mod community;
mod paths;
mod similar;

pub use algorithm::{Algorithm, DIRECTION, Estimate, Kind, Parameter, Size};

use crate::graph::Graph;
use crate::run::Run;
use crate::table::{Params, Table};
use crate::{AnalyticsError, Result};

/// All algorithms, by family.
pub fn all() -> impl Iterator<Item = &'static Algorithm> {
    [central::ALGORITHMS, community::ALGORITHMS, paths::ALGORITHMS, similar::ALGORITHMS].into_iter().flatten()
}

/// The algorithm of a name.
///
/// # Errors
/// [`AnalyticsError::NotFound`].
pub fn find(name: &str) -> Result<&'static Algorithm> {
    all().find(|algorithm| algorithm.name == name).ok_or_else(|| AnalyticsError::NotFound(name.to_owned()))
}

/// Runs the algorithm of a name over a graph.
///
/// # Errors
/// [`AnalyticsError`].
pub fn run(name: &str, graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    find(name)?.run(graph, params, run)
}
