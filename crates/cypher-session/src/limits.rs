//! Limits that are not settings, each with its reason.

/// Plans of queries that are kept: programs send the same few texts, with parameters.
pub(crate) const PLANS_MAX: usize = 1_000;

/// The longest text whose plan is kept: longer ones are made by programs, and do not come again.
pub(crate) const PLAN_TEXT_BYTES_MAX: usize = 16 * 1024;

/// Rows that are computed at once.
pub(crate) const ROWS_PER_BATCH: usize = 256;
