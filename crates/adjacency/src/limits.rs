//! Sizes and bounds, each with its reason.

/// Numbers that vertices of one table can have. The upper half of `u32` is left to those who mark numbers.
pub const NUMBERS_MAX: u32 = 1 << 31;

/// Neighbours in one list. A vertex with more is read as rows: its list would take too large a part of the memory.
pub const LIST_NUMBERS_MAX: usize = 1 << 20;

/// The part of the pool that one list may take.
pub const LIST_SHARE: usize = 8;

/// The part of the pool that the numbers of vertices may take; a table with more is given up.
pub const NUMBERS_SHARE: usize = 2;

/// The part of that which vertices may take that nobody walks to: the ends of new edges, where reading them costs a
/// round, and what is read ahead.
pub const NUMBERS_OF_ENDS_SHARE: usize = 2;

/// What a vertex takes of the memory for numbers, estimated: its place, its number by its id, and a text of common
/// length.
pub(crate) const MEMBER_BYTES: usize = 118;

/// Counters that registered writes are spread over. A list is not kept while a write of a vertex with the same counter
/// is under way.
pub(crate) const STRIPES: u16 = 1_024;

/// Lists that a table may evict, in sizes of the pool, until it is looked at whether it is of use.
pub(crate) const EVICTED_POOLS: u64 = 2;

/// How often the time without a table is doubled, from twice the requests of one that was of little use: walks that are
/// slowed down by a table that is too small are then 1 in 65.
pub(crate) const REST_DOUBLED_MAX: u32 = 6;

/// Locks that the numbers of vertices are spread over.
pub(crate) const SHARDS: usize = 64;

/// Numbers up to this many times the members of a set or map are kept in a dense array.
pub(crate) const DENSE_FACTOR: usize = 16;

/// Sets and maps with fewer members count as having so many: a small array is always dense.
pub(crate) const DENSE_MEMBERS_MIN: usize = 1_024;

/// Places of a table looked at for something to evict while its lock of eviction is held.
pub(crate) const SWEEP_PLACES: u32 = 4_096;

/// Vertices whose values of a property are kept and given up together.
pub(crate) const COLUMN_CELLS: usize = 1_024;

/// Vertices whose edges walks must have had read before those of others are read ahead: fewer are no sign of more.
pub(crate) const READ_AHEAD_AFTER: u64 = 64;

/// Vertices read ahead in one go, between two looks at whether to go on.
pub(crate) const READ_AHEAD_VERTICES: u32 = 64;

/// Edges of one vertex that are read ahead, and what walks must want of it at least: what HugeGraph's clients ask for
/// when they do not say (`max_degree`).
pub const READ_AHEAD_EDGES_MAX: u64 = 10_000;

/// Kinds of edges (a direction, some labels) that are read ahead at one table: for each, all vertices are gone through.
pub(crate) const READ_AHEAD_KINDS_MAX: usize = 16;

/// The part of the pool that may be in use for reading ahead to go on: the rest is for what walks ask for.
pub(crate) const READ_AHEAD_SHARE: usize = 2;
