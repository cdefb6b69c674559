//! Why an algorithm has no result.

use crate::run::Stop;

/// An algorithm that failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AnalyticsError {
    /// It was told to stop.
    #[error(transparent)]
    Stopped(#[from] Stop),
    /// A parameter that cannot be.
    #[error("{0}")]
    Parameter(String),
    /// There is no algorithm of this name.
    #[error("Not found algorithm: {0}")]
    NotFound(String),
    /// A vertex number that the graph does not have.
    #[error("vertex number {number} does not exist; the graph has {vertices} vertices")]
    NoVertex {
        /// The number.
        number: u64,
        /// How many vertices there are.
        vertices: u64,
    },
    /// A weight that the algorithm cannot work with.
    #[error("an edge has weight {weight}; {algorithm} needs weights that are numbers of 0 or more")]
    Weight {
        /// The weight.
        weight: f64,
        /// What was asked for.
        algorithm: &'static str,
    },
    /// It needs an order of the vertices, and the graph has a cycle.
    #[error("the graph has a cycle, through vertex number {vertex}; {algorithm} needs a graph without")]
    Cyclic {
        /// A vertex of a cycle.
        vertex: u32,
        /// What was asked for.
        algorithm: &'static str,
    },
    /// More vertices than can be numbered.
    #[error("the graph has more than {limit} vertices; project fewer labels")]
    TooManyVertices {
        /// The limit.
        limit: u64,
    },
    /// It would take more memory than is allowed.
    #[error(
        "{what} needs {needed} bytes of memory, and {allowed} are allowed; project fewer labels or raise {setting}"
    )]
    Memory {
        /// What was asked for.
        what: String,
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
        /// The name of the setting.
        setting: &'static str,
    },
}

impl AnalyticsError {
    /// A parameter that cannot be.
    pub fn parameter(text: impl Into<String>) -> Self {
        Self::Parameter(text.into())
    }
}
