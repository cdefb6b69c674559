//! Limits of this crate, each with its reason.

/// Rows that a thread takes at once while others wait for theirs: enough that taking them is rare.
pub(crate) const ROWS_PER_TURN: usize = 4_096;

/// Bytes of rows at which a thread takes no more at once.
pub(crate) const BYTES_PER_TURN: usize = 1 << 20;

/// Bytes of a key that an error shows: more than any but the longest ids have.
pub(crate) const KEY_BYTES_SHOWN: usize = 128;

/// Properties that a row of the system may have: it has ten at most.
pub(crate) const SYSTEM_PROPERTIES_MAX: usize = 64;

/// Items of a list that memory is reserved for before they are read: a damaged count must not exhaust it.
pub(crate) const ITEMS_RESERVED_MAX: usize = 1_024;
