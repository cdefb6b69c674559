//! Limits that are not settings, each with its reason. The settings are [`crate::Limits`].

use std::time::Duration;

/// Answers smaller than this are not compressed: the gain would be less than a packet, the cost the same.
pub const GZIP_ANSWER_BYTES_MIN: usize = 1_024;

/// Bytes of a refused request's body that are read and thrown away before its answer: closing a connection with unread bytes
/// makes the system discard the answer too. Beyond it the connection is closed all the same.
pub const DISCARD_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Time for throwing a refused body away: a slow sender does not get to hold a connection.
pub const DISCARD_TIME_MAX: Duration = Duration::from_secs(5);

/// Connections beyond the limit that are told so at one time; further ones wait in the system's queue until one of these is done.
pub const REFUSED_CONNECTIONS_MAX: usize = 64;

/// Time a connection beyond the limit has for sending the request that is refused.
pub const REFUSED_CONNECTION_TIME_MAX: Duration = Duration::from_secs(5);

/// Time without progress after which an answer is given up: a client that does not read must not hold its memory.
pub const WRITE_STALL_TIME_MAX: Duration = Duration::from_secs(30);

/// Congestion control of connections to this machine's own address (RFC 5681). It keeps no model of the way's rate and delay, which there
/// have no meaning.
#[cfg(target_os = "linux")]
pub const CONGESTION_CONTROL_LOOPBACK: &str = "reno";

/// Bytes of an answer that are written before other connections of the same thread have their turn: a list of some megabytes would
/// otherwise hold up everything small behind it for as many milliseconds.
pub const WRITE_BYTES_AT_ONCE_MAX: usize = 64 * 1024;

/// The longest answer that is copied, head and body, into one piece to be sent.
pub(crate) const WRITE_BYTES_COPIED_MAX: usize = 2 * 1024;

/// Pause after a failed accept: the usual reason is that file descriptors have run out, and trying again at once would spin.
pub const ACCEPT_RETRY_PAUSE: Duration = Duration::from_millis(100);

/// Segments of an address: the longest known one has seven.
pub const SEGMENTS_MAX: usize = 12;

/// Ids in one `?ids=` request: they are fetched in one round.
pub const IDS_MAX: usize = 10_000;

/// Bytes a request body is taken to need when the client does not say; corrected as it arrives.
pub const BODY_BYTES_GUESS: usize = 8 * 1024;

/// Largest body of a write that is done on the thread that serves the connection: a batch of 500 elements is smaller, and is decoded,
/// checked and stored in a few milliseconds. Larger ones would hold up the other connections of that thread.
pub const QUICK_WRITE_BYTES_MAX: usize = 256 * 1024;

/// Body of a write above which it waits for its turn ([`crate::Limits::waiting_writes_max`]): a smaller one is done before a turn could be
/// given.
pub const SMALL_WRITE_BYTES_MAX: usize = 16 * 1024;

/// Vertices that paths are looked for between, at each end: the work grows with their product. HugeGraph's bound.
pub(crate) const TRAVERSER_ENDS_MAX: usize = 10;

/// Steps that a traverser is given one by one: each has its own conditions, and longer walks than this are written as a repeated step.
pub(crate) const TRAVERSER_STEPS_MAX: usize = 500;

/// Patterns of steps that `customizedcrosspoints` is given: all their layers are held at once.
pub(crate) const PATH_PATTERNS_MAX: usize = 100;

/// Vertices whose common neighbours are looked for: each is read by itself.
pub(crate) const COMPARED_VERTICES_MAX: usize = 10_000;

/// Smallest size of a shard that may be asked for: HugeGraph's. Smaller ones would be more requests than records.
pub const SPLIT_BYTES_MIN: u64 = 1 << 20;

/// Elements of one page of a scan where the request does not say: HugeGraph's default. The size of an answer is bounded besides.
pub const SCAN_PAGE_LIMIT_DEFAULT: u64 = 100_000;
