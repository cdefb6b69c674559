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
