//! Every limit of this engine, with its reason.

use std::time::Duration;

/// Largest value, in bytes: a node rejects a mutation of more than half a segment of its commit log, which is 16 MiB by
/// default.
pub const VALUE_BYTES_MAX: usize = 15 << 20;

/// Largest run of writes to one partition that is sent as one mutation, in bytes; for the same reason.
pub const MUTATION_BYTES_MAX: usize = 15 << 20;

/// Writes of different groups to one partition are sent together up to this many bytes: larger mutations take a node's
/// memory at once and gain nothing.
pub const PARTITION_BATCH_BYTES: usize = 128 << 10;

/// Statements in one batch: the protocol counts them in 16 bits; far fewer keep one request from occupying a node for
/// long.
pub const BATCH_STATEMENTS_MAX: usize = 5_000;

/// Partitions in a batch without a log: nodes and driver log a warning above 10 of them
/// (`unlogged_batch_across_partitions_warn_threshold`), and 50 brought a quarter more rows a second.
pub const UNLOGGED_PARTITIONS_MAX: usize = 10;

/// Bytes that a node adds for each write to key and value when it compares a batch with its threshold: timestamps,
/// lengths, flags.
pub const WRITE_OVERHEAD_BYTES: usize = 64;

/// Bytes of batches that are submitted and not yet written, at most; more are refused as unavailable. A slow cluster
/// must not fill the memory of its client.
pub const PENDING_BYTES_MAX: usize = 256 << 20;

/// A longer answer time means that requests queue in the nodes: a tenth of the time after which a server that cannot
/// see the others' changes stops writing, so that messages between servers get through as well.
pub const SLOW_ANSWER: Duration = Duration::from_millis(500);

/// Concurrent requests of a queue even if the cluster is slow: fewer would not keep its nodes busy.
pub const SLOTS_MIN: usize = 4;

/// Concurrent requests in the priority lane, which only messages between servers use: a few threads, each with one
/// request at a time.
pub const PRIORITY_LANE_REQUESTS: usize = 8;

/// Requests one call has under way at once: enough to hide the network from a batch, too few for one call to starve the
/// others.
pub const REQUESTS_PER_CALL: usize = 128;

/// Rows asked for by name in one request: ScyllaDB's default limit.
pub const ROWS_PER_REQUEST: usize = 100;

/// Partitions asked for by name in one request: a request costs more than the rows it brings, so several share one; few
/// enough that the node that is asked has little to gather from others, and that a batch is spread over the nodes.
pub const PARTITIONS_PER_REQUEST: usize = 25;

/// Bytes a page of rows aims at. Rows are counted, not bytes, so the number of rows follows what the last page had.
pub const PAGE_BYTES: usize = 256 << 10;

/// Rows of the first page of a scan: most partitions have fewer.
pub const FIRST_PAGE_ROWS: usize = 100;

/// Rows of a page, at least and at most.
pub const PAGE_ROWS: std::ops::RangeInclusive<usize> = 8..=4_000;

/// Partitions whose first page is fetched before it is their turn, in a scan of many, where each has a request.
pub const PARTITIONS_AHEAD: usize = 64;

/// Requests of [`PARTITIONS_PER_REQUEST`] partitions that are sent before it is their turn, in a scan of many.
pub const REQUESTS_AHEAD: usize = 16;

/// Rows of a page of several partitions: as many in [`REQUESTS_AHEAD`] pages as in [`PARTITIONS_AHEAD`] of single
/// ones, so that large rows take no more memory.
pub const GROUP_ROWS: usize = FIRST_PAGE_ROWS * PARTITIONS_AHEAD / REQUESTS_AHEAD;

/// Bytes a range of tokens aims at, in a scan of a whole table: half a page, so that most ranges are one request.
pub const RANGE_BYTES: u64 = (PAGE_BYTES / 2) as u64;

/// A range of tokens is at most this many times as wide as the one before, or that part of it: what one held may not be
/// like what the next one holds.
pub const RANGE_CHANGE_MAX: u64 = 4;

/// Ranges of tokens that a scan of a whole table reads at once, at most. It begins with one and doubles, since many
/// scans end early.
pub const RANGES_AHEAD: usize = 8;

/// Bytes of pages that wait to be read in one scan; while there are more, no further range is begun. Rows larger than
/// expected must not multiply by [`RANGES_AHEAD`].
pub const SCAN_AHEAD_BYTES: usize = 4 << 20;

/// Parts of the ring whose partitions are listed at once, where many are to be deleted.
pub const RING_PARTS: u64 = 4;

/// Pause before a request is repeated, at first; it doubles up to [`RETRY_PAUSE_MAX`].
pub const RETRY_PAUSE: Duration = Duration::from_millis(20);

/// Longest pause before a request is repeated.
pub const RETRY_PAUSE_MAX: Duration = Duration::from_millis(640);

/// A request without an answer is sent to another node after this part of the request timeout.
pub const ATTEMPTS_PER_TIMEOUT: u32 = 4;

/// What did not work, a node or the cluster's log of batches, is tried again by one request after this time: it costs
/// that request a part of its timeout, and the others do without no longer than this once it works.
pub const TRIED_AGAIN_EVERY: Duration = Duration::from_secs(2);

/// A read without an answer is sent to a second node as well after this time: a node that pauses is not waited for.
pub const SPECULATIVE_READ_AFTER: Duration = Duration::from_millis(500);

/// A connection is asked for a sign of life after this time, and given up when none comes within the same time: a node
/// that neither answers nor closes its connections is left alone from then on.
pub const KEEPALIVE: Duration = Duration::from_secs(3);

/// Creating keyspace and tables may take this long at the first start; each change of the schema is agreed upon by all
/// nodes.
pub const SCHEMA_TIMEOUT: Duration = Duration::from_secs(120);

/// Any process applies an intent older than this many request timeouts: its writer has given up by then.
pub const INTENT_AGE_IN_TIMEOUTS: u32 = 3;

/// Interval at which unfinished intents are looked for.
pub const INTENT_SWEEP_INTERVAL: Duration = Duration::from_secs(30);

/// Bytes of one part of an intent: what a node takes in one mutation without effort.
pub const INTENT_PART_BYTES: usize = 1 << 20;

/// Seconds after which nodes may forget that an intent was deleted: how long they keep writes for a node that is down.
pub const INTENT_GC_GRACE_SECONDS: u32 = 3 * 3600;

/// A larger difference between the clocks of this machine and the cluster is logged as a warning: if two servers write
/// one key, the later clock wins.
pub const CLOCK_SKEW_WARNED: Duration = Duration::from_millis(500);

/// Threads of the runtime that speaks to the cluster: they move bytes, the work is done by the callers.
pub const RUNTIME_THREADS: usize = 2;

/// Bytes of buffers the driver keeps for a connection: what it reads into and what it writes from.
pub const CONNECTION_BUFFER_BYTES: usize = 2 * 8192;

/// Longest name of a keyspace; the store's own limit.
pub const KEYSPACE_NAME_MAX: usize = 48;

/// Interval at which nodes are counted while the cluster has too few: a round of gossip takes a second.
pub(crate) const NODES_LOOK_EVERY: Duration = Duration::from_millis(500);
