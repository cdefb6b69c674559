//! Bounds, each with its reason.

/// Rows that are written at least, after a count was last asked for, before it is given up: about the lookups that take
/// as long as counting a million elements.
pub const UNASKED_ROWS_MIN: u64 = 100_000;

/// The part of the greatest count that may be written before all are given up. Looking up a row that is written takes
/// some four times as long as reading one of a scan, so keeping counts for nobody costs no more than one new scan.
pub const UNASKED_SHARE: u64 = 4;
