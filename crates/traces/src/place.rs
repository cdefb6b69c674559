//! Where in a trace the thread is at work, and spans below it.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use opentelemetry::trace::{Span as _, SpanBuilder, Status, TraceContextExt as _, Tracer as _};
use opentelemetry::{Context, ContextGuard, KeyValue};
use opentelemetry_sdk::trace::{SdkTracer, Span};
use sha2::{Digest as _, Sha256};

use crate::limits::{QUERY_BYTES_MAX, STORAGE_SPANS_MAX};

/// What all places of one request share.
pub(crate) struct Work {
    tracer: SdkTracer,
    has_query_text: bool,
    storage_calls: AtomicU64,
    storage_spans: AtomicUsize,
    storage_rows: AtomicU64,
}

impl Work {
    pub(crate) fn new(tracer: SdkTracer, has_query_text: bool) -> Self {
        Self {
            tracer,
            has_query_text,
            storage_calls: AtomicU64::new(0),
            storage_spans: AtomicUsize::new(0),
            storage_rows: AtomicU64::new(0),
        }
    }

    /// A span for a call of the storage engine, as long as the trace has not many.
    pub(crate) fn storage(&self, name: &'static str, parent: &Context) -> Option<Span> {
        self.storage_calls.fetch_add(1, Ordering::Relaxed);
        let before = self.storage_spans.fetch_add(1, Ordering::Relaxed);
        (before < STORAGE_SPANS_MAX).then(|| self.span(name, parent))
    }

    /// Notes rows that the storage engine has given.
    pub(crate) fn note_rows(&self, rows: u64) {
        self.storage_rows.fetch_add(rows, Ordering::Relaxed);
    }

    fn span(&self, name: &'static str, parent: &Context) -> Span {
        self.tracer.build_with_context(SpanBuilder::from_name(name), parent)
    }
}

/// A place in the trace of a request that is sampled.
#[derive(Clone)]
pub struct Place(Context);

/// The thread works at a place until this is dropped.
pub struct Entered(#[expect(dead_code, reason = "held for its drop")] ContextGuard);

/// A part of the work, timed until it is dropped.
pub struct Timed(Box<Span>);

impl Place {
    pub(crate) fn new(context: Context) -> Self {
        Self(context)
    }

    /// Works at this place on the thread at hand.
    #[must_use]
    pub fn enter(&self) -> Entered {
        Entered(self.0.clone().attach())
    }

    /// The place as a header `traceparent`: for the answer, and for what is asked of others.
    #[must_use]
    pub fn header(&self) -> String {
        let span = self.0.span();
        let of = span.span_context();
        format!("00-{}-{}-{:02x}", of.trace_id(), of.span_id(), of.trace_flags().to_u8())
    }

    /// Ends the span of the request with the status of its answer. What still works at this place, because nobody has
    /// told it to stop, adds nothing to it any more.
    pub fn end(&self, status: u16) {
        self.0.span().set_attribute(KeyValue::new("http.response.status_code", i64::from(status)));
        self.close(status >= 500);
    }

    /// Says which graph the request is about.
    pub fn of_graph(&self, graph: &str) {
        self.0.span().set_attribute(KeyValue::new("db.namespace", graph.to_owned()));
    }

    /// Ends the span of a query over another protocol than HTTP; `failure`: the code of the failure, where it has
    /// failed. What still works at this place adds nothing to it any more.
    pub fn end_query(&self, failure: Option<&str>) {
        if let Some(code) = failure {
            self.0.span().set_attribute(KeyValue::new("error.type", code.to_owned()));
        }
        self.close(failure.is_some());
    }

    fn close(&self, has_failed: bool) {
        let span = self.0.span();
        if let Some(work) = self.0.get::<Work>() {
            let count = |counter: &AtomicU64| i64::try_from(counter.load(Ordering::Relaxed)).unwrap_or(i64::MAX);
            span.set_attribute(KeyValue::new("rhizome.storage.calls", count(&work.storage_calls)));
            span.set_attribute(KeyValue::new("rhizome.storage.rows", count(&work.storage_rows)));
        }
        if has_failed {
            span.set_status(Status::error(""));
        }
        span.end();
    }
}

/// The place at which the thread works, to be handed to another; `None` where the request is not sampled.
#[must_use]
pub fn here() -> Option<Place> {
    Context::map_current(|context| context.get::<Work>().map(|_| Place(context.clone())))
}

/// The id of the trace at hand, 32 hexadecimal digits; `None` where the request is not sampled.
#[must_use]
pub fn trace_id() -> Option<String> {
    Context::map_current(|context| {
        context.get::<Work>()?;
        Some(context.span().span_context().trace_id().to_string())
    })
}

/// Times a part of the work from now until it is dropped, wherever that is; `None` where the request is not sampled.
#[must_use]
pub fn span(name: &'static str) -> Option<Timed> {
    Context::map_current(|context| Some(Timed(Box::new(context.get::<Work>()?.span(name, context)))))
}

/// The same for work on this thread whose own parts belong below it.
#[must_use]
pub fn enter(name: &'static str) -> Option<Entered> {
    let below = Context::map_current(|context| Some(context.with_span(context.get::<Work>()?.span(name, context))))?;
    Some(Entered(below.attach()))
}

/// Names the span at hand, and says more of it, by what `what` gives: a method, the template of an address (never one
/// with ids in it), and the graph. `what` is called only where the request is sampled.
pub fn describe<'t>(what: impl FnOnce() -> (&'t str, &'t str)) {
    Context::map_current(|context| {
        if context.get::<Work>().is_none() {
            return;
        }
        let (method, route) = what();
        let span = context.span();
        span.update_name(format!("{method} {route}"));
        span.set_attribute(KeyValue::new("http.route", route.to_owned()));
    });
}

/// Notes on the span at hand which query is at work: its text where the settings say so, since values may be in it,
/// else the SHA-256 of the text, by which the same query is found again.
pub fn note_query(text: &str) {
    Context::map_current(|context| {
        let Some(work) = context.get::<Work>() else { return };
        let noted = match work.has_query_text {
            true => KeyValue::new("db.query.text", cut(text).to_owned()),
            false => {
                let hash = Sha256::digest(text);
                let digits: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
                KeyValue::new("rhizome.query.sha256", digits)
            }
        };
        context.span().set_attribute(noted);
    });
}

/// The beginning of a text, as much of it as a span has room for.
fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(QUERY_BYTES_MAX)).unwrap_or(text)
}

/// Does the work at a place, on whichever thread it is polled. Without a place it is only polled.
pub async fn within<F: Future + ?Sized>(place: Option<&Place>, mut work: Pin<&mut F>) -> F::Output {
    poll_fn(|context| {
        let _entered = place.map(Place::enter);
        work.as_mut().poll(context)
    })
    .await
}

impl Timed {
    /// Notes a figure.
    pub fn note(&mut self, name: &'static str, value: u64) {
        self.0.set_attribute(KeyValue::new(name, i64::try_from(value).unwrap_or(i64::MAX)));
    }
}
