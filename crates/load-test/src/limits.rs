//! All limits of this crate, each with its reason.

/// Different error texts kept for each class of errors in a row: enough to see what happens, without a log of a failing
/// server in every result.
pub const ERROR_EXAMPLES_MAX: usize = 10;
