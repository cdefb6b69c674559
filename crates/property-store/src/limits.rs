//! Every limit of the property store, with its reason.

/// Deepest nesting of arrays and objects in a record: reading one recurses once a level, and no sane record comes near.
pub const NESTING_MAX: usize = 64;

/// Locks that order read-modify-writes of the same record: enough that two different records seldom share one, few enough that a large
/// batch takes them all in microseconds.
pub(crate) const STRIPES: usize = 64;

/// Records fetched in one round while many are read: bounds what a round holds in memory.
pub(crate) const FETCH_RECORDS: usize = 4096;

/// Records a batch reserves room for at most before it has seen them: an iterator's word about its length is not trusted with more.
pub(crate) const BATCH_RESERVE_RECORDS: usize = 16 << 10;

/// Bytes that a batch reserves for a record: a key and a small record; larger ones make it grow.
pub(crate) const RECORD_BYTES_GUESS: usize = 96;
