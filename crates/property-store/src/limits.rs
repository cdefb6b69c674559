//! Every limit of the property store, with its reason.

/// Deepest nesting of arrays and objects in a record: reading one recurses once a level, and no sane record comes near.
pub const NESTING_MAX: usize = 64;

/// Locks that order read-modify-writes of the same record: enough that two different records seldom share one, few
/// enough that a large batch takes them all in microseconds.
pub(crate) const STRIPES: usize = 64;

/// Records fetched in one round while many are read: bounds what a round holds in memory.
pub(crate) const FETCH_RECORDS: usize = 4096;

/// Records that are worth a thread of their own in a batch get: reading them takes ten times as long as starting the
/// thread.
pub(crate) const FETCH_RECORDS_PER_THREAD_MIN: usize = 250;

/// Threads that one batch get uses at most, and never more than there are processors: more would take them from other
/// calls.
pub const FETCH_THREADS_MAX: usize = 4;

/// Records a batch reserves room for at most before it has seen them: an iterator's word about its length is not
/// trusted with more.
pub(crate) const BATCH_RESERVE_RECORDS: usize = 16 << 10;

/// Bytes that a batch reserves for a record: a key and a small record; larger ones make it grow.
pub(crate) const RECORD_BYTES_GUESS: usize = 96;

/// Memory of a bulk load where nothing else is asked for: a graph of a few million records is then sorted in a handful
/// of runs.
pub const BULK_MEMORY_BYTES: usize = 256 << 20;

/// Least memory of a bulk load: below it, runs would be too short to be read in useful pieces.
pub(crate) const BULK_MEMORY_BYTES_MIN: usize = 1 << 20;

/// Buffers of records that a bulk load has at once: nodes and edges that come in, one being sorted, one on its way.
pub(crate) const BULK_BUFFERS: usize = 4;

/// Bytes between two places of a run that are remembered: a merge of a range starts at most so far before it.
pub(crate) const BULK_MARK_BYTES: u64 = 64 << 10;

/// Bytes written to a run at once.
pub(crate) const BULK_FILE_BUFFER_BYTES: usize = 1 << 20;

/// Bytes of a run read at once: less costs more calls, more does not read faster.
pub(crate) const BULK_READ_BYTES_MIN: usize = 16 << 10;
pub(crate) const BULK_READ_BYTES_MAX: usize = 1 << 20;

/// Records merged between two words about progress.
pub(crate) const BULK_PROGRESS_RECORDS: u64 = 1 << 16;
