//! Figures of the engine for metrics.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Instant;

use kv::Statistic;

use crate::client::Client;
use crate::limits::CONNECTION_BUFFER_BYTES;

/// What the engine counts itself.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    requests: AtomicU64,
    retries: AtomicU64,
    attempts_failed: AtomicU64,
    requests_failed: AtomicU64,
    in_flight: AtomicU64,
    micros: AtomicU64,
    pub(crate) single_writes: AtomicU64,
    pub(crate) partition_batches: AtomicU64,
    pub(crate) logged_batches: AtomicU64,
    pub(crate) intents_written: AtomicU64,
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

#[expect(clippy::cast_precision_loss, reason = "metrics are floating point; no counter gets near 2^53")]
fn figure(name: &'static str, help: &'static str, value: u64) -> Statistic {
    Statistic { name, help, value: value as f64 }
}

/// All figures now.
pub(crate) fn statistics(client: &Client) -> Vec<Statistic> {
    let of = &client.figures;
    let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let state = client.session.get_cluster_state();
    let nodes = state.get_nodes_info();
    let up = nodes.iter().filter(|node| node.is_connected()).count() as u64;
    vec![
        figure("requests_total", "Requests sent to the cluster, repetitions included", load(&of.requests)),
        figure("request_microseconds_total", "Time requests took, all together", load(&of.micros)),
        figure("requests_in_flight", "Requests without an answer yet", load(&of.in_flight)),
        figure(
            "batch_requests_in_flight_limit",
            "Parts of batches that may be under way at once, as the cluster's answers allow",
            client.batches.limit() as u64,
        ),
        figure(
            "other_requests_in_flight_limit",
            "Other requests that may be under way at once, as the cluster's answers allow",
            client.others.limit() as u64,
        ),
        figure("retries_total", "Requests sent again after a failure", load(&of.retries)),
        figure("attempts_failed_total", "Requests that failed, whether or not sent again", load(&of.attempts_failed)),
        figure("requests_failed_total", "Requests given up", load(&of.requests_failed)),
        figure("single_writes_total", "Writes sent alone", load(&of.single_writes)),
        figure("partition_batches_total", "Batches of writes to one partition", load(&of.partition_batches)),
        figure(
            "logged_batches_total",
            "Batches over partitions, kept by the cluster's batch log",
            load(&of.logged_batches),
        ),
        figure(
            "intents_written_total",
            "Groups too large for a batch, kept as intents first",
            load(&of.intents_written),
        ),
        figure(
            "intents_repaired_total",
            "Intents of interrupted writes that were finished",
            load(&of.intents_repaired),
        ),
        figure("nodes_known", "Nodes of the cluster", nodes.len() as u64),
        figure("nodes_connected", "Nodes of the cluster that have a working connection", up),
        figure(
            "clock_skew_microseconds",
            "Difference between this machine's clock and the cluster's at the start",
            of.clock_skew_micros.load(Ordering::Relaxed).unsigned_abs(),
        ),
    ]
}

/// Where memory goes.
pub(crate) fn memory(client: &Client) -> Vec<Statistic> {
    let nodes = client.session.get_cluster_state().get_nodes_info().len();
    let buffers = nodes.saturating_mul(client.options.connections_per_node).saturating_mul(CONNECTION_BUFFER_BYTES);
    vec![
        figure(
            "pending_batches_bytes",
            "Keys and values of batches that are not yet written",
            client.figures.pending_bytes.load(Ordering::Relaxed),
        ),
        figure("pages_bytes", "Rows read ahead by scans", client.figures.page_bytes.load(Ordering::Relaxed)),
        figure("connection_buffers_bytes", "Buffers of connections, as estimated", buffers as u64),
    ]
}
