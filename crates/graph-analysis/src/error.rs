//! Why an analysis has no result.

use analytics::{AnalyticsError, Stop};
use graph_access::AccessError;
use graph_model::ErrorKind;
use graph_store::StoreError;

/// An analysis that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// The algorithm.
    #[error(transparent)]
    Algorithm(#[from] AnalyticsError),
    /// The graph.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Who asks may not do it.
    #[error(transparent)]
    Denied(#[from] AccessError),
    /// A parameter that cannot be.
    #[error("{0}")]
    Parameter(String),
    /// HugeGraph's computer has no algorithm of this name.
    #[error("Not found computer: {0}")]
    NoComputer(String),
    /// What HugeGraph has under this name and this server has not.
    #[error("{name} is not offered: {instead}")]
    NotOffered {
        /// The name.
        name: String,
        /// What to do instead.
        instead: &'static str,
    },
}

impl AnalysisError {
    /// A parameter that cannot be.
    pub fn parameter(text: impl Into<String>) -> Self {
        Self::Parameter(text.into())
    }

    /// What it means to the caller.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Store(error) => error.kind(),
            Self::Denied(error) => error.kind,
            Self::Parameter(_) => ErrorKind::BadInput,
            Self::NoComputer(_) => ErrorKind::NotFound,
            Self::NotOffered { .. } => ErrorKind::NotSupported,
            Self::Algorithm(error) => match error {
                AnalyticsError::NotFound(_) => ErrorKind::NotFound,
                AnalyticsError::Stopped(Stop::Cancelled) => ErrorKind::Cancelled,
                AnalyticsError::Stopped(Stop::Timeout { .. }) => ErrorKind::Timeout,
                AnalyticsError::Memory { .. } | AnalyticsError::TooManyVertices { .. } => ErrorKind::LimitExceeded,
                _ => ErrorKind::BadInput,
            },
        }
    }
}

impl From<AnalysisError> for StoreError {
    fn from(error: AnalysisError) -> Self {
        match error {
            AnalysisError::Store(error) => error,
            AnalysisError::Algorithm(AnalyticsError::Stopped(Stop::Cancelled)) => Self::Cancelled,
            other => Self::JobFailed { kind: other.kind(), message: other.to_string() },
        }
    }
}

impl From<kv::KvError> for AnalysisError {
    fn from(error: kv::KvError) -> Self {
        Self::Store(error.into())
    }
}
