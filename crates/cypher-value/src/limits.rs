//! Limits of what a function may make or take.

/// The most values that `range` makes: 80 MB of a list of numbers at 24 bytes each would be beyond the memory of a
/// query anyway, and the executor accounts for what it keeps.
pub const RANGE_MAX: usize = 10_000_000;

/// The most bytes of a text that a function makes.
pub const TEXT_BYTES_MAX: usize = 64 << 20;

/// The most bytes that a regular expression takes once it is read.
pub const PATTERN_BYTES_MAX: usize = 1 << 20;
