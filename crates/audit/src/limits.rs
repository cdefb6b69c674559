//! Limits that are not settings, each with its reason.

use std::time::Duration;

/// Events that wait to be written. Each takes about half a KiB; at this many the file is far behind.
pub const EVENTS_WAITING_MAX: usize = 8_192;

/// Events that are written with one call of the system.
pub const EVENTS_AT_ONCE_MAX: usize = 256;

/// How long a request waits for its record to be written where that is required; after that it is refused.
pub const WRITE_TIME_MAX: Duration = Duration::from_secs(5);

/// Longest text in a record, in bytes; longer ones are cut off.
pub const TEXT_BYTES_MAX: usize = 512;

/// Longest text of a query in a record, in bytes.
pub const QUERY_BYTES_MAX: usize = 8_192;

/// Longest line, in bytes: every text of an event at its bound, each byte written as six.
pub const LINE_BYTES_MAX: usize = 128 * 1024;
