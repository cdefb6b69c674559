//! The bounds of what is read for figures, each with its reason.

/// Nodes of a label that are counted, which takes less than a tenth of a second. How many a label with more has is what
/// the graph knows, or estimates from the sizes of its files; else it counts as having so many.
pub const COUNTED_MAX: u64 = 1 << 18;

/// The same where reading goes over a network.
pub const COUNTED_REMOTE_MAX: u64 = 1 << 12;

/// Nodes of a label of which degrees and values are looked at, at least where there are so many, and twice as many at
/// most: the mean of so many is right within a few tenths.
pub const SAMPLE: usize = 256;

/// The same where reading goes over a network.
pub const SAMPLE_REMOTE: usize = 16;

/// Neighbours that are read for one degree: a sample with more is cut short.
pub const NEIGHBOURS_MAX: usize = 1 << 20;

/// Stored labels over which relationships of all nodes are added up.
pub const LABELS_MAX: usize = 64;

/// How many times as long as it took to gather figures they are kept.
pub const KEPT_FACTOR: u32 = 200;

/// For how long figures are kept at least.
pub const KEPT_MIN: std::time::Duration = std::time::Duration::from_millis(100);
