//! What is wrong with bytes or with a value.

/// Bytes that are no tagged value, or a value that has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a tagged value: {0}")]
pub struct TaggedError(pub(crate) &'static str);
