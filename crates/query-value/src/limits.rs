//! Limits of values, each with its reason.

/// How deep a value may be nested: comparing, hashing, writing and dropping it recurse, and 256 levels fit on any
/// stack. Text and messages are read to 96 levels; only a query that folds in a loop gets deeper.
pub const NESTING_MAX: usize = 256;

/// Digits of a number of any length, and of its scale's value: arithmetic takes quadratic time, and aligning two
/// numbers takes memory for the difference of their scales.
pub const NUMBER_DIGITS_MAX: usize = 4096;

/// Bytes of a compiled regular expression. Matching takes time in proportion to it.
pub const REGEX_BYTES_MAX: usize = 1024 * 1024;

/// Levels of brackets and functions in a formula: reading and computing it recurse.
pub const FORMULA_DEPTH_MAX: usize = 64;

/// Numbers, names and brackets in a formula: a sum of many terms is computed and dropped as deep as it is long.
pub const FORMULA_TERMS_MAX: usize = 1024;
