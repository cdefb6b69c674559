//! Limits of the executor, each with its reason.

/// Rows that an operator hands on at once: enough that reads are batched, few enough that they fit into caches.
pub const BATCH: usize = 256;

/// Rows that are read at first: a query that wants few should not read many.
pub const FIRST_BATCH: usize = 32;

/// Memory that one query may hold, in bytes, unless settings say otherwise.
pub const MEMORY_MAX: u64 = 1 << 30;

/// What a value counts as, in bytes, in what a query holds.
pub const VALUE_BYTES: u64 = 48;

/// Nodes whose neighbours a join reads together: enough that reads are batched.
pub const JOINED_OWNERS_MAX: usize = 1024;

/// Groups that a join counts at once before it hands them on.
pub const JOINED_GROUPS_MAX: usize = 1 << 16;

/// Values of a list that an index is asked for one by one; of more, all nodes of the label are read.
pub(crate) const LOOKED_UP_MAX: usize = 1_000;

/// Rows for which nodes are looked up together at first. Where that finds few nodes for each, four times as many rows
/// are taken next, up to [`BATCH`]; else rows are taken one by one, so that no more nodes are held than those of one.
pub(crate) const AHEAD_FIRST: usize = 8;

/// Nodes for each value that count as few.
pub(crate) const AHEAD_NODES_MAX: usize = 4;

/// Rows that a join gathers before it carries them on, where it forgets them.
pub const JOINED_ROWS_MAX: usize = 1 << 16;

/// Nodes whose labels a join has read one by one when it tries to list those with the labels.
pub const LABELLED_LISTED: [usize; 3] = [1 << 11, 1 << 14, 1 << 17];

/// How many times as many nodes as were looked at a join lists to know their labels.
pub const LABELLED_FACTOR: usize = 64;

/// Rows for which a pattern is tried together at first: whoever wants few should not wait for many.
pub(crate) const OPTIONAL_FIRST: usize = 4;

/// What operators of one step leave for those who carry it out again: more are at work at once only where they nest.
pub(crate) const LEFT_MAX: usize = 2;

/// Nodes that a join keeps to put them in several rows.
pub(crate) const NODE_PLACES: usize = 1 << 10;
