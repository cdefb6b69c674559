//! Every limit of this engine, with its reason. Those of batches, keys and values are in [`kv::limits`]; those of the
//! cluster are its own: TiKV takes keys of 8 KiB (`storage.max-key-size`) and values of 8 MiB
//! (`raftstore.raft-entry-max-size`) unless told otherwise.

use std::time::Duration;

/// Batches that may wait for one of [`crate::TikvOptions::in_flight_max`] slots; further ones are rejected. In a longer
/// queue they would only time out, and each holds its bytes.
pub const WAITING_BATCHES_MAX: usize = 4096;

/// Bytes of a batch for each slot it takes: what the client sends to a store in one request. A batch takes at most a
/// quarter of all slots.
pub(crate) const SLOT_BYTES: usize = 16 << 10;

/// Slots for reads, and for writes, in the priority lane, which only messages between servers use: a few threads, each
/// with one call at a time.
pub(crate) const PRIORITY_LANE_CALLS: usize = 8;

/// Rows of the first page of a scan: most partitions are smaller, and a row takes some hundred bytes.
pub(crate) const FIRST_PAGE_ROWS: u32 = 256;

/// Rows of a page at most: beyond, a page holds up a store longer than the round it saves.
pub(crate) const PAGE_ROWS_MAX: u32 = 4096;

/// Bytes a page should have. Its rows are limited by the average of the pages before.
pub(crate) const PAGE_BYTES: usize = 1 << 20;

/// Keys asked for in one request: a store reads them one after the other.
pub(crate) const MULTI_GET_KEYS_MAX: usize = 1024;

/// Requests of one call at the same time: many small ones in flight hide the network, more only queue up in the stores.
pub(crate) const REQUESTS_OF_A_CALL_MAX: usize = 64;

/// A transaction that was begun ahead is used up to this age: its locks live for seconds from its start, and what
/// others commit in the meantime makes it conflict.
pub(crate) const BEGUN_AGE_MAX: Duration = Duration::from_millis(200);

/// Transactions begun ahead at most: as many as batches usually run at one time.
pub(crate) const BEGUN_MAX: usize = 32;

/// Keys deleted in one transaction when a prefix is deleted: some hundred KiB.
pub(crate) const DELETE_KEYS_MAX: u32 = 2048;

/// Regions asked for at one time when a scan goes by regions.
pub(crate) const REGIONS_AT_ONCE: u32 = 256;

/// Largest answer of a store. A page of rows of [`kv::limits::VALUE_BYTES_MAX`] each is the largest there is, before
/// the average is known: this bounds what one answer may take of the memory.
pub(crate) const ANSWER_BYTES_MAX: usize = 512 << 20;

/// Pause before a failed call is tried again for the first time; each further one is twice as long.
pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(2);

/// Milliseconds from its start after which a transaction that has not written its first lock counts as abandoned: the
/// shortest lifetime the client gives locks. One still running then cannot commit any more, and is retried.
pub(crate) const LOCK_LIFE_MS: i64 = 3_000;

/// Longest such pause: short compared with the election of a new leader, which takes seconds.
pub(crate) const PAUSE_MAX: Duration = Duration::from_millis(200);

/// Times the client itself tries a request again after a region moved or a store went away. With the pauses between,
/// they take longer than any time limit, so that the limit decides; more than 60 and the client's doubling of the pause
/// would overflow to none.
pub(crate) const CLIENT_ATTEMPTS_MAX: u32 = 50;

/// About how many bytes a region has: TiKV splits at 96 MiB (256 MiB in newer versions), so most are between half of
/// that and all.
pub(crate) const REGION_BYTES: u64 = 72 << 20;

/// Stack of a thread of the client, in bytes.
pub(crate) const THREAD_STACK_BYTES: usize = 2 << 20;
