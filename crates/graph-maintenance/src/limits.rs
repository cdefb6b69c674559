//! Limits of maintenance, each with its reason.

/// Elements deleted in one batch when a label is removed.
pub const REMOVAL_ELEMENTS_PER_BATCH: usize = 10_000;

/// for some milliseconds.
pub const INDEX_ELEMENTS_PER_STEP: usize = 512;

/// Faults of indexes that a check describes; all of them are counted.
pub const INDEX_FAULTS_SHOWN_MAX: usize = 20;

/// Rows of the table `expiry` written in one batch when a store of an earlier version gets them.
pub const EXPIRIES_PER_BATCH: usize = 10_000;

/// under way together.
pub const EXPIRY_BATCH_ELEMENTS_MAX: usize = 10_000;

/// Size of the parts of a table that threads take at a time, in bytes: small enough that all end at about one time.
pub const ROW_PART_BYTES: u64 = 4 << 20;
