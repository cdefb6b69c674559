//! Limits that are not settings, each with its reason.

use std::time::Duration;

/// Time for a handshake, from the first byte of the connection: a client on the other side of the world needs less than
/// a second.
pub const HANDSHAKE_TIME_MAX: Duration = Duration::from_secs(10);

/// How often the files are looked at. New ones are read when they have stayed as they are from one look to the next, so
/// that a pair that is being written is read whole.
pub const RELOAD_INTERVAL: Duration = Duration::from_secs(2);

/// Largest file of certificates or keys: the list of all public CAs has 220 KB.
pub const FILE_BYTES_MAX: u64 = 4 << 20;

/// Time before its end from which on a certificate is warned about.
pub const EXPIRY_WARNING_TIME: Duration = Duration::from_secs(14 * 24 * 3_600);

/// What a client that sends plain text may still send while it reads that this is wrong. Closing at once would make the
/// system discard the answer.
pub(crate) const PLAIN_TEXT_BYTES_MAX: usize = 64 * 1024;

/// Time for that.
pub(crate) const PLAIN_TEXT_TIME_MAX: Duration = Duration::from_secs(1);
