//! Why a traversal was not finished.

use graph_access::AccessError;
use graph_model::ErrorKind;

/// A traversal that failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TraversalError {
    /// A vertex to begin or end at is not there.
    #[error("the {role} vertex with id {id} does not exist")]
    VertexNotFound {
        /// `source`, `target`, ...
        role: &'static str,
        /// The id as a literal.
        id: String,
    },
    /// More vertices were visited than the request allows.
    #[error(
        "Exceed capacity '{capacity}' while finding {what}; raise 'capacity', or lower 'max_depth' or 'max_degree'"
    )]
    Capacity {
        /// The parameter's value.
        capacity: u64,
        /// What was looked for.
        what: &'static str,
    },
    /// The traversal's memory is used up.
    #[error(
        "finding {what} needs more than {limit} bytes of memory (server.traversal_memory_bytes_max); \
         lower 'max_depth', 'max_degree' or 'limit'"
    )]
    Memory {
        /// What was looked for.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// More vertices than a traversal can number.
    #[error("finding {what} met more than {limit} vertices; lower 'max_depth' or 'max_degree'")]
    TooManyVertices {
        /// What was looked for.
        what: &'static str,
        /// The limit.
        limit: u32,
    },
    /// A weight that shortest paths cannot be found with.
    #[error("the edge between {source_id} and {target_id} has weight {weight}; weights must be numbers of 0 or more")]
    Weight {
        /// An end, as a literal.
        source_id: String,
        /// The other end.
        target_id: String,
        /// The weight.
        weight: f64,
    },
    /// A parameter that cannot be.
    #[error("{0}")]
    Parameter(String),
    /// Reading the graph failed, took too long, or nobody waits for the answer any more.
    #[error(transparent)]
    Read(#[from] AccessError),
}

impl TraversalError {
    /// The kind of the error: what it means to the caller.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::VertexNotFound { .. } | Self::Weight { .. } | Self::Parameter(_) => ErrorKind::BadInput,
            Self::Capacity { .. } | Self::Memory { .. } | Self::TooManyVertices { .. } => ErrorKind::LimitExceeded,
            Self::Read(error) => error.kind,
        }
    }
}
