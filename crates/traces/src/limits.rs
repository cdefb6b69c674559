//! What bounds traces.

use std::time::Duration;

/// Spans that wait to be sent or are being sent. One more is dropped and counted
/// (`rhizome_traces_spans_dropped_total`). A span takes about half a kilobyte.
pub const WAITING_SPANS_MAX: usize = 8_192;

/// Spans of one message to the collector.
pub const SPANS_AT_ONCE_MAX: usize = 512;

/// How long spans wait for others to be sent with.
pub const SEND_INTERVAL: Duration = Duration::from_secs(1);

/// How long one message to the collector may take; its spans are given up then.
pub const SEND_TIME_MAX: Duration = Duration::from_secs(5);

/// Bytes of an answer of the collector that are read.
pub const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// Spans for calls of the storage engine in one trace. Further calls are counted in the span of the request
/// (`rhizome.storage.calls`).
pub const STORAGE_SPANS_MAX: usize = 32;

/// Bytes of a query's text in a span: collectors cut or refuse long attributes.
pub(crate) const QUERY_BYTES_MAX: usize = 4_096;
