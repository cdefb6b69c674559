//! Limits of the executor, each with its reason.

/// Traversers that an operator takes at once: enough that reads are batched, few enough that they fit into caches.
pub const BATCH: usize = 1024;

/// Traversers between two looks at the budget, which costs a look at the clock.
pub const ROWS_PER_CHECK: u64 = 256;

/// Rounds of a loop that nothing else ends. A query that goes round in a cycle without an end is stopped by its
/// deadline or by memory long before; this bounds counters.
pub const ROUNDS_MAX: u32 = 10_000_000;

/// Memory that one query may hold, in bytes, unless settings say otherwise.
pub const MEMORY_MAX: u64 = 1 << 30;

/// Vertices that an operator keeps as values because many edges lead to them: some megabytes.
pub const VALUES_KEPT_MAX: usize = 1 << 16;

/// What a traverser in a queue is taken to need, in bytes.
pub const TRAVERSER_BYTES: u64 = 128;
