//! Limits that are not settings, each with its reason. The settings are in [`crate::Options`].

use std::time::Duration;

/// Longest time a thread may be told to look for more before it sleeps: beyond it nothing is gained, and processors
/// never rest.
pub const BUSY_POLL_US_MAX: u64 = 10_000;

/// Time after which a look for arrivals must have been more than that: something else was ready on the thread, and was
/// done. An empty one takes 1 to 3 microseconds.
pub(crate) const BUSY_POLL_ROUND: Duration = Duration::from_micros(20);

/// Time without the processor that is late, after a thread that stays awake has given it away (`server.busy_poll_us`):
/// a client on the same machine, or another thread that answers small requests, is done with what has arrived in 1 to
/// 1.5 ms where there are 64 connections; a process that computes has it until the system's tick, mostly every 4 ms.
pub(crate) const BUSY_POLL_LATE: Duration = Duration::from_millis(2);

/// Time between two requests on a thread that has much to do. Where that much arrived while the processor was away,
/// clients had it.
pub(crate) const BUSY_POLL_ARRIVAL: Duration = Duration::from_micros(100);

/// The part of its time that a thread may lose by coming back late, as a divisor: now and then the host takes the
/// processor away.
pub(crate) const BUSY_POLL_LOST_SHARE: u32 = 4;

/// Time it may have lost beyond that.
pub(crate) const BUSY_POLL_LOST_MAX: Duration = Duration::from_millis(10);

/// Time of sleeping at once after work that takes long has come, and after the processor came back late too often; for
/// the latter it is doubled when that happens again soon.
pub(crate) const BUSY_POLL_REST_MIN: Duration = Duration::from_secs(1);

/// The longest such time.
pub(crate) const BUSY_POLL_REST_MAX: Duration = Duration::from_secs(30);

/// Most wake-ups passed over after a thread stayed awake for nothing.
pub(crate) const BUSY_POLL_SKIPS_MAX: u32 = 63;

/// Longest attempt at a read on the thread that serves its connection: what else has arrived there waits for it.
pub const ATTEMPT_US_MAX: u64 = 10_000;

/// Longest request that is tried there: reading it is work itself.
pub(crate) const ATTEMPT_BYTES_MAX: usize = 16 * 1024;

/// Shapes of requests told apart: a byte for each.
pub(crate) const ATTEMPT_SHAPES: usize = 4096;

/// Most requests that go to the pool after an attempt in vain. An attempt costs them at most its own time, so that
/// requests that are always long lose a hundredth of it each.
pub(crate) const ATTEMPTS_SKIPPED_MAX: u8 = 100;

/// How often their number doubles: then there are the most of them.
pub(crate) const ATTEMPTS_DOUBLED_MAX: u8 = 7;

/// Lowest CPU priority of a thread: the system's bound.
pub const NICENESS_MAX: u8 = 19;

/// Batches let in for each thread that serves connections: one at work and one that is ready when it is done.
pub(crate) const BATCH_SLOTS_PER_THREAD: usize = 2;

/// Users and graphs whose use is noted; beyond it those that have used nothing of late are forgotten.
pub(crate) const QUOTA_HOLDERS_MAX: usize = 16_384;

/// Time between two looks at the free space of a disk: a server writes some hundred MB in it at most, a small part of
/// what is kept free.
pub(crate) const DISK_LOOK_PAUSE: Duration = Duration::from_millis(500);
