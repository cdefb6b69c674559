//! The numbers in the rules, each with its reason.

/// Lines of a Rust file. Above this, nobody reads it whole any more.
pub(crate) const FILE_LINES_MAX: usize = 800;

/// Lines from which a file is mentioned: worth a thought about splitting.
pub(crate) const FILE_LINES_NOTED: usize = 400;

/// Columns of a line of Rust or Markdown: two files fit next to each other on a screen. rustfmt stops there too, but
/// leaves long texts and comments alone.
pub(crate) const LINE_COLUMNS_MAX: usize = 120;

/// Lines of source of a crate of the product. A larger one answers more than one question.
pub(crate) const CRATE_LINES_MAX: usize = 7_000;

/// Circles of imports in the whole tree.
pub(crate) const CIRCLES_MAX: usize = 4;

/// Files in one of them: three can still be read together.
pub(crate) const CIRCLE_FILES_MAX: usize = 3;

/// Bytes of any file. Larger ones stay in the history of every clone for ever.
pub(crate) const FILE_BYTES_MAX: u64 = 512 * 1024;
