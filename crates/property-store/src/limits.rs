//! Every limit of the property store, with its reason.

/// Deepest nesting of arrays and objects in a record: reading one recurses once a level, and no sane record comes near.
pub const NESTING_MAX: usize = 64;

/// Locks that order read-modify-writes of the same record: enough that two different records seldom share one, few enough that a large
/// batch takes them all in microseconds.
pub(crate) const STRIPES: usize = 64;

/// Records fetched in one round while many are read: bounds what a round holds in memory.
pub(crate) const FETCH_RECORDS: usize = 4096;
