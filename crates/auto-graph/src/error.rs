//! What cannot be stored in an auto graph, or read from it.

use graph_access::AccessError;
use graph_model::ErrorKind;
use tagged_value::TaggedError;

/// Why an element of an auto graph could not be written or read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AutoError {
    /// A value of a kind that no property holds.
    #[error(
        "{got} cannot be the value of a property; numbers, texts, bytes, UUIDs, times, and lists, sets and maps can"
    )]
    NotStorable {
        /// What it is, in words.
        got: &'static str,
    },
    /// A value that is too large or nested too deeply.
    #[error("the value of a property cannot be stored: {0}")]
    Value(TaggedError),
    /// A value that cannot be the id of an element of its kind.
    #[error("{what} id cannot be {got}")]
    Id {
        /// `a vertex`, `an edge` or `a property`.
        what: &'static str,
        /// What was given.
        got: String,
    },
    /// Stored bytes that are no values.
    #[error("stored data is damaged ({0}); restore from a backup")]
    Damaged(TaggedError),
    /// The graph refused.
    #[error(transparent)]
    Access(#[from] AccessError),
}

impl AutoError {
    /// What the failure means to the client.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NotStorable { .. } | Self::Value(_) | Self::Id { .. } => ErrorKind::BadInput,
            Self::Damaged(_) => ErrorKind::Corrupt,
            Self::Access(error) => error.kind,
        }
    }
}

impl From<TaggedError> for AutoError {
    fn from(error: TaggedError) -> Self {
        Self::Value(error)
    }
}

impl From<AutoError> for AccessError {
    fn from(error: AutoError) -> Self {
        match error {
            AutoError::Access(error) => error,
            other => Self::new(other.kind(), other.to_string()),
        }
    }
}
