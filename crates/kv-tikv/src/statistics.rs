//! Figures for metrics.

use std::sync::atomic::{AtomicU64, Ordering};

use kv::Statistic;

use crate::limits::THREAD_STACK_BYTES;
use crate::options::TikvOptions;

/// A number that threads count up and down.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    pub(crate) fn remove(&self, count: u64) {
        self.0.fetch_sub(count, Ordering::Relaxed);
    }

    pub(crate) fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What an engine counts.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub(crate) reads: Counter,
    pub(crate) writes: Counter,
    pub(crate) begun_ahead: Counter,
    pub(crate) retries: Counter,
    pub(crate) conflicts: Counter,
    pub(crate) unknown_outcomes: Counter,
    pub(crate) failures: Counter,
    /// Batches that wait or are being written, and their bytes.
    pub(crate) batches: Counter,
    pub(crate) batch_bytes: Counter,
}

impl Figures {
    pub(crate) fn statistics(&self, reads_free: usize, options: &TikvOptions) -> Vec<Statistic> {
        let reading = options.in_flight_max.saturating_sub(reads_free);
        vec![
            figure(
                "reads_total",
                "Reads (gets, multi-gets, pages of scans) since the engine was opened",
                self.reads.now(),
            ),
            figure(
                "transactions_total",
                "Batches and swaps written or tried since the engine was opened",
                self.writes.now(),
            ),
            figure(
                "begun_ahead_total",
                "Large batches whose transaction had been begun, so that they did not wait for a timestamp",
                self.begun_ahead.now(),
            ),
            figure("retries_total", "Attempts after the first one, of reads and writes", self.retries.now()),
            figure(
                "conflicts_total",
                "Attempts to write that met somebody else's write of the same keys",
                self.conflicts.now(),
            ),
            figure("failures_total", "Reads and writes that were given up", self.failures.now()),
            figure(
                "unknown_outcomes_total",
                "Writes that were given up and may have been written",
                self.unknown_outcomes.now(),
            ),
            figure("batches_in_flight", "Batches that wait or are being written", self.batches.now()),
            figure("reads_in_flight", "Reads being made", u64::try_from(reading).unwrap_or(u64::MAX)),
        ]
    }

    pub(crate) fn memory(&self, options: &TikvOptions) -> Vec<Statistic> {
        let stacks = options.threads.saturating_mul(THREAD_STACK_BYTES);
        vec![
            figure("batches_in_flight", "Batches that wait or are being written", self.batch_bytes.now()),
            figure("client_stacks", "Stacks of the client's threads", u64::try_from(stacks).unwrap_or(u64::MAX)),
        ]
    }
}

fn figure(name: &'static str, help: &'static str, value: u64) -> Statistic {
    #[expect(clippy::cast_precision_loss, reason = "a figure for people: exact up to 2^53")]
    let value = value as f64;
    Statistic { name, help, value }
}
