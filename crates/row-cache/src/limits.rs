//! Every limit of this crate, with its reason.

/// Bytes and rows of a set of rows read lately. Elements of graphs have some 100 bytes with their keys: a set is full
/// of them before its room is, and the rows of a set are few enough to look through.
pub(crate) const ROW_SET_BYTES: usize = 2 << 10;
pub(crate) const ROW_SET_ROWS: usize = 16;

/// The longest row (with its key) that is kept: half a set, so that no row is alone.
pub(crate) const CACHED_ROW_BYTES_MAX: usize = ROW_SET_BYTES / 2;
