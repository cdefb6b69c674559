//! Figures of the engine for metrics.

use std::sync::atomic::{AtomicU64, Ordering};

use kv::Statistic;

use crate::client::Client;
use crate::limits::CONNECTION_BUFFER_BYTES;

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
            "unlogged_batches_total",
            "Batches of writes to partitions that do not depend on each other",
            load(&of.unlogged_batches),
        ),
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
            "logged_as_intents_total",
            "Groups kept as intents because the cluster's batch log did not answer",
            load(&of.logged_as_intents),
        ),
        figure(
            "intents_repaired_total",
            "Intents of interrupted writes that were finished",
            load(&of.intents_repaired),
        ),
        figure("nodes_known", "Nodes of the cluster", nodes.len() as u64),
        figure("nodes_connected", "Nodes of the cluster that have a working connection", up),
        figure("nodes_avoided", "Nodes asked last because they brought no answers", client.policy.avoided()),
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
