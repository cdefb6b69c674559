//! Limits of repositories, each with its reason.

use std::time::Duration;

/// Bytes of a chunk, at most; only the last one of a file is smaller. Large enough that an object store's price for
/// each request hardly counts, small enough that some of them fit into memory at once.
pub const CHUNK_BYTES: u64 = 8 << 20;

/// Bytes of a file that one system call reads or writes. A kernel that does not preempt itself keeps the processor for
/// as long as one takes: a whole chunk is 2 ms, in which a request waits.
pub(crate) const SYSTEM_CALL_BYTES: usize = 64 << 10;

/// Bytes of a manifest: about a million chunks, 8 TiB. A longer one is refused before it is read.
pub const MANIFEST_BYTES_MAX: u64 = 128 << 20;

/// Bytes of a segment of a log before it is compressed. A batch of a client is in one record, and this is larger than
/// any that a server takes.
pub const LOG_SEGMENT_BYTES_MAX: u64 = 512 << 20;

/// Bytes of a segment in the repository: what does not compress becomes a little longer.
pub(crate) const LOG_SEGMENT_STORED_MAX: u64 = LOG_SEGMENT_BYTES_MAX + (4 << 20);

/// How hard segments are compressed (zstd's levels): quickly, since it happens while requests are served.
pub(crate) const LOG_COMPRESSION: i32 = 1;

/// How long what no backup needs of a log is kept: it may belong to a backup that is just being made.
pub(crate) const LOG_GRACE: Duration = Duration::from_secs(24 * 3600);

/// Bytes of `repository.json`, of a lock, and of a file with a key.
pub const SMALL_BYTES_MAX: u64 = 64 << 10;

/// Bytes of a key file, at least: as many as the key it stands for.
pub const KEY_FILE_BYTES_MIN: usize = 32;

/// Characters of a passphrase, at least. Argon2id makes each guess slow, which does not help where there are few.
pub const PASSPHRASE_CHARS_MIN: usize = 12;

/// Threads that read, encrypt and write chunks. Each holds two chunks at most.
pub(crate) const WORKERS_MAX: usize = 4;

/// How often a lock is written again while its holder works.
pub(crate) const LOCK_REFRESH: Duration = Duration::from_secs(60);

/// Time after its last successful refresh for which a holder trusts its lock. Less than [`LOCK_STALE`] by so much that
/// a request under way is over before somebody else takes over.
pub(crate) const LOCK_TRUSTED: Duration = Duration::from_secs(5 * 60);

/// Age of a lock, by the clock of the place it is in, after which its holder counts as gone.
pub(crate) const LOCK_STALE: Duration = Duration::from_secs(15 * 60);

/// How long a backup waits for a removal of old ones to end, before it gives up.
pub(crate) const LOCK_WAIT: Duration = Duration::from_secs(30);

/// How often it looks.
pub(crate) const LOCK_POLL: Duration = Duration::from_millis(200);

/// How long it is remembered that somebody must not commit any more: nobody stands still for longer.
pub(crate) const FENCE_KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// How often a request is sent that failed for a reason that may pass; the client of an object store repeats what it
/// can by itself.
pub(crate) const ATTEMPTS_MAX: u32 = 6;

/// Pause before the second attempt; it doubles with each.
pub(crate) const ATTEMPT_PAUSE: Duration = Duration::from_millis(50);

/// How often the client of a bucket sends a request again by itself: what the provider says may pass.
pub(crate) const BUCKET_ATTEMPTS_MAX: usize = 4;

/// Time after which it does not, since its first attempt.
pub(crate) const BUCKET_ATTEMPTS_TIME_MAX: Duration = Duration::from_secs(60);

/// How long a connection to a bucket may take; `AWS_CONNECT_TIMEOUT` and the like say otherwise.
pub(crate) const BUCKET_CONNECT_TIME_MAX: Duration = Duration::from_secs(10);

/// How long a request to a bucket may take: a chunk at 70 kB/s. Less than [`LOCK_TRUSTED`]; `AWS_TIMEOUT` and the like
/// say otherwise.
pub(crate) const BUCKET_REQUEST_TIME_MAX: Duration = Duration::from_secs(120);

/// Problems that a verification names; more are counted.
pub(crate) const PROBLEMS_NAMED_MAX: usize = 100;

/// Memory, rounds and lanes of Argon2id for new repositories (RFC 9106, the choice for limited memory).
pub(crate) const ARGON2_MEMORY_KIB: u32 = 64 << 10;
pub(crate) const ARGON2_ROUNDS: u32 = 3;
pub(crate) const ARGON2_LANES: u32 = 1;
/// The most that is believed of what a repository says of them, so that one made by somebody else cannot take all
/// memory.
pub(crate) const ARGON2_MEMORY_KIB_MAX: u32 = 1 << 20;
pub(crate) const ARGON2_ROUNDS_MAX: u32 = 16;
pub(crate) const ARGON2_LANES_MAX: u32 = 16;
