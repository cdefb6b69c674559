//! Why a graph could not be read or written, as those above the port see it.

use graph_model::ErrorKind;

/// A read or a write that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct AccessError {
    /// What the failure means to the client.
    pub kind: ErrorKind,
    /// What happened, and what to do about it.
    pub message: String,
}

impl AccessError {
    /// A failure of a kind, with its text.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}
