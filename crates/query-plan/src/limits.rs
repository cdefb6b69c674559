//! Limits of plans, each with its reason.

/// Operators of a plan, nested ones included. Executors keep a queue for each, and recurse into nested pipelines.
pub const OPERATORS_MAX: usize = 10_000;
