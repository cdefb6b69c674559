//! Limits of the executor, each with its reason.

/// Rows that an operator hands on at once: enough that reads are batched, few enough that they fit into caches.
pub const BATCH: usize = 256;

/// Rows that are read at first: a query that wants few should not read many.
pub const FIRST_BATCH: usize = 32;

/// Rows between two looks at the budget, which costs a look at the clock.
pub const ROWS_PER_CHECK: u64 = 256;

/// Memory that one query may hold, in bytes, unless settings say otherwise.
pub const MEMORY_MAX: u64 = 1 << 30;

/// Elements that are kept while a query reads the same ones again.
pub const CACHED_MAX: usize = 65_536;

/// What a value counts as, in bytes, in what a query holds.
pub const VALUE_BYTES: u64 = 48;
