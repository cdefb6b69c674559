//! All limits of this crate, each with its reason.

/// Most bytes of one record. A longer one is rejected: it is almost always a quote that is never closed.
pub(crate) const RECORD_BYTES_MAX: usize = 4 << 20;

/// Most bytes of the records waiting in one batch, so that wide rows do not make requests a server refuses or memory
/// grow with the batch size alone.
pub(crate) const BATCH_BYTES_MAX: usize = 4 << 20;

/// Most bytes of a mapping or schema file: they are written by hand, more is a mix-up with a data file.
pub(crate) const DESCRIPTION_BYTES_MAX: u64 = 16 << 20;

/// Bytes read from a file at a time.
pub(crate) const READ_BUFFER_BYTES: usize = 256 << 10;

/// Files parsed at the same time: parsing is much faster than any server inserts, so few threads keep it busy.
pub(crate) const PARSE_THREADS_MAX: usize = 4;

/// Seconds between two lines of progress where there is no terminal to draw on.
pub(crate) const PLAIN_PROGRESS_SECONDS: u64 = 10;

/// How long the task that fills an index of the schema file may take, in milliseconds.
pub(crate) const INDEX_TASK_TIMEOUT_MS: u64 = 600_000;

/// Longest value shown in a reason, in characters: reasons are read by people.
pub(crate) const SHOWN_CHARS_MAX: usize = 80;

/// How alike (0 to 1) a known word must be to be suggested for an unknown one.
pub(crate) const SUGGESTION_LIKENESS_MIN: f64 = 0.75;

/// Default memory of an offline load for unsorted rows, in bytes: runs of this size keep even a billion rows below two
/// hundred runs, and together with the storage engine's own memory it fits on a small machine.
pub const SORT_MEMORY_BYTES: u64 = 1 << 30;

/// The least memory an offline load sorts with, in bytes: with less, runs are so small that merging them is slower than
/// anything else.
pub const SORT_MEMORY_BYTES_MIN: u64 = 1 << 20;

/// Most of that memory one thread takes, in bytes: positions in it have 32 bits.
pub(crate) const THREAD_MEMORY_BYTES_MAX: u64 = 3 << 30;

/// Bytes of a source file that one thread takes at a time: enough that threads rarely contend, and few enough that all
/// finish at about the same time.
pub(crate) const CHUNK_BYTES: u64 = 16 << 20;

/// Bytes of a source file read at a time by an offline load.
pub(crate) const BLOCK_BYTES: usize = 1 << 20;

/// Elements whose rows are collected before they go to be sorted: they stay within the processor's cache.
pub(crate) const ELEMENTS_PER_TURN: usize = 256;

/// Elements of another store that a thread takes between two reports: waking who hears them takes longer than some of
/// them do.
pub(crate) const ELEMENTS_PER_REPORT: u64 = 8_192;

/// Edges whose ends are looked up at one time.
pub(crate) const CHECKED_EDGES_PER_TURN: usize = 1_000;

/// Bytes of keys and values at which a batch of an offline load is written, however few elements it has: below what
/// `kv` refuses.
pub(crate) const OFFLINE_BATCH_BYTES_MAX: usize = 16 << 20;

/// Bytes read from a file of sorted rows at a time: enough for a disk to be quick, within what the memory for sorting
/// allows.
pub(crate) const MERGE_BUFFER_BYTES_MIN: usize = 16 << 10;
pub(crate) const MERGE_BUFFER_BYTES_MAX: usize = 1 << 20;

/// Files of sorted rows a phase may have: all of them are open while they are merged.
pub(crate) const RUNS_MAX: usize = 4_000;

/// Rows merged between two reports.
pub(crate) const MERGE_ROWS_PER_REPORT: u64 = 65_536;

/// Reports of threads that may wait to be recorded.
pub(crate) const REPORTS_WAITING_MAX: usize = 16;

/// Rejected rows that a thread of an offline load collects before they are written.
pub(crate) const REJECTED_PER_PORTION_MAX: usize = 10_000;
