//! Limits of values, each with its reason.

/// How deep a value may be nested: comparing, hashing, writing and dropping it recurse, and 256 levels fit on any
/// stack. Text and messages are read to 96 levels; only a query that folds in a loop gets deeper.
pub const NESTING_MAX: usize = 256;
