//! What is wrong with stored bytes.

/// Bytes that no writer of this crate made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}: {problem} at byte {at}")]
pub struct CodecError {
    /// What was being read: `vertex value`, `edge key`.
    pub what: &'static str,
    /// What is wrong.
    pub problem: &'static str,
    /// Offset in the bytes, from 0.
    pub at: usize,
}
