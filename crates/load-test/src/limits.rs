//! All limits of this crate, each with its reason.

/// Different error texts kept for each class of errors in a row: enough to see what happens, without a log of a failing
/// server in every result.
pub const ERROR_EXAMPLES_MAX: usize = 10;

/// Points of a latency distribution between a percentile and half the way to 100: enough for a smooth curve, few enough
/// for a page with many of them.
pub const DISTRIBUTION_POINTS_PER_HALF: u32 = 8;

/// Points of a line up to which each is drawn as a dot too: the rows of a stress search are measurements, while the seconds
/// of a time series would merge into a band.
pub const CHART_MARKERS_MAX: usize = 24;

/// Runs on one page: more colours than these cannot be told apart.
pub const CHART_SERIES_MAX: usize = 6;
