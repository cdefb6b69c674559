//! Limits of what a function may make or take.

/// How many lists and maps a value may be inside of: functions recurse into values, and the stack of a thread ends.
pub const NESTING_MAX: usize = 128;

/// The most items that a value may have, with those of the lists and maps in it: 240 MB of numbers in one list. What is
/// shared counts each time, as the functions that look at it take as long.
pub const ITEMS_MAX: usize = 10_000_000;

/// The most values that `range` makes: a list as large as one may be.
pub const RANGE_MAX: usize = ITEMS_MAX;

/// The most bytes of a text that a function makes.
pub const TEXT_BYTES_MAX: usize = 64 << 20;

/// The most bytes that a regular expression takes once it is read.
pub const PATTERN_BYTES_MAX: usize = 1 << 20;
