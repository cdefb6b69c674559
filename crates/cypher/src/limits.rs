//! Limits of the language, each with its reason.

/// Bytes of a query: texts of this size are generated scripts, and data belongs into parameters.
pub const TEXT_BYTES_MAX: usize = 4 << 20;

/// Expressions, patterns and subqueries inside each other: what is nested deeper would need more stack than a thread
/// has.
pub const NESTING_MAX: usize = 128;

/// Height of the tree of an expression, chains such as `1 + 1 + ..` included: it is walked by recursion.
pub const HEIGHT_MAX: u32 = 400;

/// Clauses of one query, those of its subqueries included: each is a level of the plan, which is walked by recursion,
/// and a thread of 2 MiB has stack for 1,500 of the largest.
pub const CLAUSES_MAX: usize = 1_000;

/// Relationships of one pattern, for the same reason.
pub const STEPS_MAX: usize = 1_000;
