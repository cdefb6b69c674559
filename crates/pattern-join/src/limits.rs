//! Limits of joins, each with its reason.

/// Nodes whose neighbours are read together: enough that reads are batched.
pub const OWNERS_MAX: usize = 1024;

/// The same at first: whoever wants few ways should not read many neighbours.
pub const OWNERS_FIRST: usize = 32;

/// Neighbours that are meant to be looked at together: beyond it fewer nodes are taken, so that what is held stays
/// small.
pub const NEIGHBOURS_MAX: usize = 1 << 17;

/// Numbers up to which neighbours are marked in an array, which takes 8 bytes for each; beyond in a table.
pub const MARKED_MAX: usize = 1 << 22;

/// Ways that are gathered before they are carried on: the more there are, the more of them are the same.
pub const POOLED_MAX: usize = 1 << 20;

/// The part of the memory that is left that ways which are gathered may take.
pub const POOL_SHARE: u64 = 8;

/// Ways after which it is looked at whether it pays to gather them.
pub const POOL_PROBE: usize = 1 << 14;

/// How many of these must agree with another one. Of `n` ways that are drawn from `d`, `n * n / 2 / d` do: with fewer
/// there are more different ones than are gathered.
pub const POOL_REPEATS_MIN: usize = POOL_PROBE / 2 * POOL_PROBE / POOLED_MAX;

/// The part of the ways that were offered until a pool was full that must agree with another one.
pub const POOL_REPEATS_SHARE: usize = 8;

/// Places of the array of marks that each mark pays for: an array up to the largest number is cleared once, which costs
/// no more than so many marks.
pub(crate) const PLACES_PER_MARK: usize = 16;
