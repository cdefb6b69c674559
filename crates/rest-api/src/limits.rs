//! Limits that are not settings, each with its reason. The settings are [`crate::Limits`].

/// Ids in one `?ids=` request: they are fetched in one round.
pub const IDS_MAX: usize = 10_000;

/// Largest body of a write that is done on the thread that serves the connection: a batch of 500 elements is smaller,
/// and is decoded, checked and stored in a few milliseconds. Larger ones would hold up the other connections of that
/// thread.
pub const QUICK_WRITE_BYTES_MAX: usize = 256 * 1024;

/// Body of a write above which it waits in the queue of batches ([`serving::Options::waiting_writes_max`]): a smaller
/// one is done before a permit could be given.
pub const SMALL_WRITE_BYTES_MAX: usize = 16 * 1024;

/// Vertices that paths are looked for between, at each end: the work grows with their product. HugeGraph's bound.
pub(crate) const TRAVERSER_ENDS_MAX: usize = 10;

/// Steps that a traverser is given one by one: each has its own conditions, and longer walks than this are written as a
/// repeated step.
pub(crate) const TRAVERSER_STEPS_MAX: usize = 500;

/// Patterns of steps that `customizedcrosspoints` is given: all their layers are held at once.
pub(crate) const PATH_PATTERNS_MAX: usize = 100;

/// Vertices whose common neighbours are looked for: each is read by itself.
pub(crate) const COMPARED_VERTICES_MAX: usize = 10_000;

/// Smallest size of a shard that may be asked for: HugeGraph's. Smaller ones would be more requests than records.
pub const SPLIT_BYTES_MIN: u64 = 1 << 20;

/// Elements of one page of a scan where the request does not say: HugeGraph's default. The size of an answer is bounded
/// besides.
pub const SCAN_PAGE_LIMIT_DEFAULT: u64 = 100_000;
