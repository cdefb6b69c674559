//! What the engine counts itself; `statistics.rs` reports it.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Instant;

/// What the engine counts itself.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub(crate) requests: AtomicU64,
    pub(crate) retries: AtomicU64,
    pub(crate) attempts_failed: AtomicU64,
    pub(crate) requests_failed: AtomicU64,
    pub(crate) in_flight: AtomicU64,
    pub(crate) micros: AtomicU64,
    pub(crate) single_writes: AtomicU64,
    pub(crate) partition_batches: AtomicU64,
    pub(crate) unlogged_batches: AtomicU64,
    pub(crate) logged_batches: AtomicU64,
    pub(crate) intents_written: AtomicU64,
    pub(crate) logged_as_intents: AtomicU64,
    pub(crate) intents_repaired: AtomicU64,
    pub(crate) pending_bytes: AtomicU64,
    pub(crate) page_bytes: AtomicU64,
    pub(crate) clock_skew_micros: AtomicI64,
}

/// A request under way; counted until it is dropped, also when nobody waits for it any more.
pub(crate) struct UnderWay<'a> {
    figures: &'a Figures,
    started: Instant,
}

impl Figures {
    pub(crate) fn begin(&self) -> UnderWay<'_> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        UnderWay { figures: self, started: Instant::now() }
    }

    pub(crate) fn retried(&self) {
        self.retries.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn failed(&self) {
        self.requests_failed.fetch_add(1, Ordering::Relaxed);
    }
}

impl UnderWay<'_> {
    pub(crate) fn end(self, succeeded: bool) {
        if !succeeded {
            self.figures.attempts_failed.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        let micros = u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.figures.micros.fetch_add(micros, Ordering::Relaxed);
        self.figures.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}
