//! Limits of what a query keeps, each with its reason.

/// Rows between two looks at the budget, which costs a look at the clock.
pub const ROWS_PER_CHECK: u64 = 256;

/// Elements that are kept while a query reads the same ones again.
pub const CACHED_MAX: usize = 65_536;
