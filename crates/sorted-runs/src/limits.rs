//! Limits of this crate, each with its reason.

/// Bytes written to a file of sorted rows at a time.
pub(crate) const RUN_BUFFER_BYTES: usize = 1 << 20;
