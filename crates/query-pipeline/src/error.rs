//! Why a query failed.

use compact_str::CompactString;
use graph_access::AccessError;
use graph_model::ErrorKind;
use query_plan::PlanError;

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExecErrorKind {
    /// The query asks for something that its data do not allow: a wrong type, a missing value.
    Evaluation,
    /// `fail()`.
    Fail,
    /// Not carried out by this product.
    Unsupported,
    /// The time is up or the client went away, a limit is reached, the schema or the storage refuses.
    Access(ErrorKind),
}

/// A failure of a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExecError {
    /// What kind of failure it is.
    pub kind: ExecErrorKind,
    /// What is wrong, in words fit for the user.
    pub message: String,
    /// The step that failed.
    pub step: Option<CompactString>,
}

/// What executing gives.
pub type Result<T> = std::result::Result<T, ExecError>;

impl ExecError {
    /// A failure of an evaluation.
    #[must_use]
    pub fn evaluation(message: impl Into<String>) -> Self {
        Self { kind: ExecErrorKind::Evaluation, message: message.into(), step: None }
    }

    /// What is not carried out.
    #[must_use]
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self { kind: ExecErrorKind::Unsupported, message: message.into(), step: None }
    }
}

impl From<AccessError> for ExecError {
    fn from(error: AccessError) -> Self {
        Self { kind: ExecErrorKind::Access(error.kind), message: error.message, step: None }
    }
}

impl From<PlanError> for ExecError {
    fn from(error: PlanError) -> Self {
        Self::evaluation(error.message)
    }
}
