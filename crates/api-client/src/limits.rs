//! All limits of this crate, each with its reason.

/// Elements asked for per page when a label is counted: large enough that the round trip does not dominate, small
/// enough that a page of wide elements stays in the tens of megabytes.
pub const COUNT_PAGE_ELEMENTS: u32 = 10_000;

/// Longest `Retry-After` that is obeyed, in milliseconds. A server that asks for more is asked again after this time,
/// so that a bad header cannot stop a load for hours.
pub const RETRY_AFTER_MAX_MS: u64 = 60_000;

/// Most bytes of a reply that is not in the server's error form (a proxy's HTML page, say) kept in an error text.
pub const ERROR_TEXT_BYTES_MAX: usize = 500;

/// First pause between two looks at a running task, in milliseconds; doubles up to [`TASK_POLL_MAX_MS`].
pub(crate) const TASK_POLL_MIN_MS: u64 = 20;

/// Longest pause between two looks at a running task: official clients look once a second.
pub(crate) const TASK_POLL_MAX_MS: u64 = 1_000;
