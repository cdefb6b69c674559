//! The numbers in the rules, each with its reason.

/// Lines of a Rust file. Above this, nobody reads it whole any more.
pub(crate) const FILE_LINES_MAX: usize = 800;

/// Lines from which a file is mentioned: worth a thought about splitting.
pub(crate) const FILE_LINES_NOTED: usize = 400;

/// Columns of a line of Rust. rustfmt stops at 120 but leaves long texts and comments alone.
pub(crate) const LINE_COLUMNS_MAX: usize = 140;

/// Bytes of any file. Larger ones stay in the history of every clone for ever.
pub(crate) const FILE_BYTES_MAX: u64 = 512 * 1024;
