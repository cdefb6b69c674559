//! All limits of this crate, each with its reason.

/// Bytes of a page that are aimed at: the number of elements asked for follows from the pages before. Large enough that
/// round trips do not dominate, small enough that a page for each worker is little memory.
pub const PAGE_BYTES_GOAL: usize = 8 * 1024 * 1024;

/// Elements asked for in the first page of a shard, before the size of elements is known.
pub const PAGE_ELEMENTS_FIRST: u32 = 5_000;

/// Fewest elements asked for in a page: a source that cannot answer these has a single element too large for it.
pub const PAGE_ELEMENTS_MIN: u32 = 10;

/// Most elements asked for in a page: what HugeGraph's own tools ask for.
pub const PAGE_ELEMENTS_MAX: u32 = 100_000;

/// Size of the shards that the source is asked for: a few thousand of them for a terabyte, and still enough of them for
/// all workers in a graph of a gigabyte.
pub const SHARD_BYTES: u64 = 64 * 1024 * 1024;

/// Elements in one request to a server: the most that HugeGraph accepts.
pub const BATCH_ELEMENTS: usize = 500;

/// Bytes of one request to a server, before compression.
pub const BATCH_BYTES: usize = 4 * 1024 * 1024;

/// Elements that are committed together in a store that takes no sorted rows.
pub const COMMIT_ELEMENTS: usize = 500;

/// How long one index label may take to be built by a server, in milliseconds: a day.
pub const INDEX_TIMEOUT_MS: u64 = 24 * 3_600_000;

/// Most warnings that are kept: beyond, they say the same again.
pub const WARNINGS_MAX: usize = 100;
