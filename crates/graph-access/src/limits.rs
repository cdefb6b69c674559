//! The bounds of this layer.

/// Rows in a batch unless the reader asks for fewer: enough that a call through the port costs little for each row, few
/// enough that a batch of edges takes some hundred kilobytes.
pub const ROWS_PER_BATCH: usize = 1024;
