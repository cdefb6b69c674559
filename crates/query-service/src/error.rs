//! Why a query has no result.

use graph_access::AccessError;
use graph_model::ErrorKind;
use graph_store::StoreError;
use query_exec::{ExecError, ExecErrorKind};

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryErrorKind {
    /// The text or the bytecode is not Gremlin, or a construct is left out.
    Syntax,
    /// A step or a method that does not exist.
    UnknownMethod,
    /// A name stands for nothing: a traversal source, a graph, a variable.
    UnknownName,
    /// The data do not allow what the query asks for.
    Evaluation,
    /// `fail()`.
    Fail,
    /// Known, but not carried out here.
    Unsupported,
    /// The graph, the schema, the storage, a limit, the deadline.
    Access(ErrorKind),
}

/// A query that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct QueryError {
    /// What kind of failure it is.
    pub kind: QueryErrorKind,
    /// What is wrong and what to do, fit for the client.
    pub message: String,
}

impl QueryError {
    /// A failure of a kind.
    #[must_use]
    pub fn new(kind: QueryErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// The data do not allow what is asked for.
    pub(crate) fn evaluation(message: impl Into<String>) -> Self {
        Self::new(QueryErrorKind::Evaluation, message)
    }

    /// A failure of the graph or a limit.
    pub(crate) fn access(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::new(QueryErrorKind::Access(kind), message)
    }

    /// Whether the query was ended by its deadline.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        self.kind == QueryErrorKind::Access(ErrorKind::Timeout)
    }

    /// Whether the query was ended because nobody waits for it any more.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.kind == QueryErrorKind::Access(ErrorKind::Cancelled)
    }
}

impl From<gremlin::Error> for QueryError {
    fn from(error: gremlin::Error) -> Self {
        let kind = match &error.kind {
            gremlin::ErrorKind::UnknownStep { .. } | gremlin::ErrorKind::Method { .. } => QueryErrorKind::UnknownMethod,
            gremlin::ErrorKind::Unbound { .. } => QueryErrorKind::UnknownName,
            _ => QueryErrorKind::Syntax,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<gremlin::ErrorKind> for QueryError {
    fn from(kind: gremlin::ErrorKind) -> Self {
        gremlin::Error::from(kind).into()
    }
}

impl From<StoreError> for QueryError {
    fn from(error: StoreError) -> Self {
        Self::access(error.kind(), error.to_string())
    }
}

impl From<AccessError> for QueryError {
    fn from(error: AccessError) -> Self {
        Self::access(error.kind, error.message)
    }
}

impl From<ExecError> for QueryError {
    fn from(error: ExecError) -> Self {
        let kind = match error.kind {
            ExecErrorKind::Evaluation => QueryErrorKind::Evaluation,
            ExecErrorKind::Fail => QueryErrorKind::Fail,
            ExecErrorKind::Unsupported => QueryErrorKind::Unsupported,
            ExecErrorKind::Access(kind) => QueryErrorKind::Access(kind),
        };
        Self::new(kind, error.message)
    }
}
