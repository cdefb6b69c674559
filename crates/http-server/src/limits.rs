//! Limits that are not settings, each with its reason. The settings are in [`crate::Options`].

use std::time::Duration;

/// Answers smaller than this are not compressed: the gain would be less than a packet, the cost the same.
pub const GZIP_ANSWER_BYTES_MIN: usize = 1_024;

/// Bytes of a refused request's body that are read and thrown away before its answer, so that its connection can be
/// used again. One that is or may be longer is answered at once, and the connection ends.
pub const DISCARD_BYTES_MAX: usize = 1024 * 1024;

/// Bytes that are read and thrown away after the answer to a refused request has ended a connection: closing it with
/// unread bytes makes the system discard the answer too.
pub const LINGER_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Time for that.
pub const LINGER_TIME_MAX: Duration = Duration::from_secs(5);

/// Bytes that are thrown away at once.
pub(crate) const LINGER_BUFFER_BYTES: usize = 16 * 1024;

/// Time for throwing a refused body away: a slow sender does not get to hold a connection.
pub const DISCARD_TIME_MAX: Duration = Duration::from_secs(5);

/// Connections beyond the limit that are refused at one time; further ones wait in the system's queue until one of
/// these is done.
pub const REFUSED_CONNECTIONS_MAX: usize = 64;

/// Time a connection beyond the limit has for sending the request that is refused.
pub const REFUSED_CONNECTION_TIME_MAX: Duration = Duration::from_secs(5);

/// Time without progress after which an answer is given up: a client that does not read must not hold its memory.
pub const WRITE_STALL_TIME_MAX: Duration = Duration::from_secs(30);

/// Congestion control of connections to this machine's own address (RFC 5681). It keeps no model of the way's rate and
/// delay, which there have no meaning.
#[cfg(target_os = "linux")]
pub const CONGESTION_CONTROL_LOOPBACK: &str = "reno";

/// Bytes of an answer that are written before other connections of the same thread have their turn: a list of some
/// megabytes would otherwise hold up everything small behind it for as many milliseconds.
pub const WRITE_BYTES_AT_ONCE_MAX: usize = 64 * 1024;

/// The longest answer that is copied, head and body, into one piece to be sent.
pub(crate) const WRITE_BYTES_COPIED_MAX: usize = 2 * 1024;

/// Pause after a failed accept: the usual reason is that file descriptors have run out, and trying again at once would
/// spin.
pub const ACCEPT_RETRY_PAUSE: Duration = Duration::from_millis(100);

/// Segments of an address: the longest known one has seven.
pub const SEGMENTS_MAX: usize = 12;

/// Bytes a request body is taken to need when the client does not say; corrected as it arrives.
pub const BODY_BYTES_GUESS: usize = 8 * 1024;

/// Addresses of `X-Forwarded-For` that are looked at: nobody has so many proxies one behind the other.
pub const FORWARDED_MAX: usize = 32;
