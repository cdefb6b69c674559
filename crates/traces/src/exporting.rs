//! The way of spans to the collector: a bounded queue, counted at both ends, and a thread that sends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use opentelemetry::Context;
use opentelemetry_otlp::{Protocol, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{BatchConfigBuilder, BatchSpanProcessor, Span, SpanData, SpanExporter, SpanProcessor};
use tokio::runtime::Handle;

use crate::client::Client;
use crate::error::TracesError;
use crate::limits::{SEND_INTERVAL, SEND_TIME_MAX, SPANS_AT_ONCE_MAX, WAITING_SPANS_MAX};

/// What has become of spans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpanCounts {
    /// The collector has them.
    pub sent: u64,
    /// The collector was not reached, or did not take them.
    pub failed: u64,
    /// As many waited already as may.
    pub dropped: u64,
    /// They wait, or are being sent.
    pub waiting: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Counts {
    sent: AtomicU64,
    failed: AtomicU64,
    dropped: AtomicU64,
    waiting: AtomicUsize,
    /// Whether the last message did not arrive: said once, not for each.
    is_down: AtomicBool,
}

impl Counts {
    pub(crate) fn read(&self) -> SpanCounts {
        SpanCounts {
            sent: self.sent.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
            dropped: self.dropped.load(Ordering::Relaxed),
            waiting: self.waiting.load(Ordering::Relaxed) as u64,
        }
    }
}

/// Takes ended spans and sends them to `endpoint`.
pub(crate) fn processor(
    endpoint: &str,
    runtime: Handle,
    counts: &Arc<Counts>,
) -> Result<impl SpanProcessor + use<>, TracesError> {
    let wrong = |reason: String| TracesError::Endpoint { endpoint: endpoint.to_owned(), reason };
    let is_url = reqwest::Url::parse(endpoint).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
    if !is_url {
        return Err(wrong(
            "expected the address of a collector (OTLP over HTTP), such as http://127.0.0.1:4318".into(),
        ));
    }
    let client = Client::new(runtime).map_err(|error| wrong(error.to_string()))?;
    let exporter = opentelemetry_otlp::SpanExporter::builder()
        .with_http()
        .with_http_client(client)
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(format!("{}/v1/traces", endpoint.trim_end_matches('/')))
        .with_timeout(SEND_TIME_MAX)
        .build()
        .map_err(|error| wrong(error.to_string()))?;
    let exporter = CountingExporter { inner: exporter, counts: Arc::clone(counts) };
    let config = BatchConfigBuilder::default()
        .with_max_queue_size(WAITING_SPANS_MAX)
        .with_max_export_batch_size(SPANS_AT_ONCE_MAX)
        .with_scheduled_delay(SEND_INTERVAL)
        .build();
    let inner = BatchSpanProcessor::builder(exporter).with_batch_config(config).build();
    Ok(BoundedProcessor { inner, counts: Arc::clone(counts) })
}

/// Lets in as many spans as may wait.
#[derive(Debug)]
struct BoundedProcessor {
    inner: BatchSpanProcessor,
    counts: Arc<Counts>,
}

impl SpanProcessor for BoundedProcessor {
    fn on_start(&self, span: &mut Span, context: &Context) {
        self.inner.on_start(span, context);
    }

    fn on_end(&self, span: SpanData) {
        let before = self.counts.waiting.fetch_add(1, Ordering::Relaxed);
        if before >= WAITING_SPANS_MAX {
            self.counts.waiting.fetch_sub(1, Ordering::Relaxed);
            self.counts.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        }
        self.inner.on_end(span);
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.inner.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.inner.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.inner.set_resource(resource);
    }
}

/// Counts what arrives and what does not.
#[derive(Debug)]
struct CountingExporter {
    inner: opentelemetry_otlp::SpanExporter,
    counts: Arc<Counts>,
}

impl SpanExporter for CountingExporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let count = batch.len();
        let outcome = self.inner.export(batch).await;
        self.counts.waiting.fetch_sub(count, Ordering::Relaxed);
        let arrived = if outcome.is_ok() { &self.counts.sent } else { &self.counts.failed };
        arrived.fetch_add(count as u64, Ordering::Relaxed);
        let was_down = self.counts.is_down.swap(outcome.is_err(), Ordering::Relaxed);
        match &outcome {
            Err(error) if !was_down => tracing::warn!(%error, "spans do not reach the collector (traces.endpoint)"),
            Ok(()) if was_down => tracing::info!("spans reach the collector again"),
            _ => {}
        }
        outcome
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.inner.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.inner.set_resource(resource);
    }
}
