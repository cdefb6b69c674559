//! Which requests are sampled, and the start and end of sending.

use std::sync::Arc;
use std::time::Duration;

use opentelemetry::propagation::{Extractor, TextMapPropagator as _};
use opentelemetry::trace::{SpanBuilder, SpanKind, TraceContextExt as _, Tracer as _, TracerProvider as _};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{Sampler, SdkTracer, SdkTracerProvider};
use tokio::runtime::Handle;

use crate::error::TracesError;
use crate::exporting::{self, Counts, SpanCounts};
use crate::place::{Place, Work};

/// How requests are traced.
#[derive(Clone, Debug)]
pub struct Options {
    /// Address of the collector without a path, such as `http://127.0.0.1:4318` (`traces.endpoint`).
    pub endpoint: String,
    /// The part of requests without a `traceparent` that is sampled, from 0 to 1 (`traces.sample_ratio`).
    pub sample_ratio: f64,
    /// Whether texts of queries are in spans; otherwise their hashes are (`traces.query_text`).
    pub has_query_text: bool,
    /// The version of this program.
    pub version: &'static str,
}

/// What a request says of the trace it belongs to: the headers `traceparent` and `tracestate`
/// (<https://www.w3.org/TR/trace-context/>).
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'h> {
    /// The header `traceparent`.
    pub parent: Option<&'h str>,
    /// The header `tracestate`.
    pub state: Option<&'h str>,
}

impl Extractor for Given<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        match key {
            "traceparent" => self.parent,
            "tracestate" => self.state,
            _ => None,
        }
    }

    fn keys(&self) -> Vec<&str> {
        vec!["traceparent", "tracestate"]
    }
}

/// The traces of a server; clones are the same. By default there are none.
#[derive(Clone, Default)]
pub struct Traces(Option<Arc<Running>>);

struct Running {
    tracer: SdkTracer,
    provider: SdkTracerProvider,
    propagator: TraceContextPropagator,
    ratio: f64,
    has_query_text: bool,
    counts: Arc<Counts>,
}

impl std::fmt::Debug for Traces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.is_on() { "Traces(on)" } else { "Traces(off)" })
    }
}

impl Traces {
    /// No traces.
    #[must_use]
    pub fn off() -> Self {
        Self::default()
    }

    /// Begins to send spans from a thread of its own; the collector need not be there. `runtime` carries the requests
    /// to it out.
    ///
    /// # Errors
    /// [`TracesError`], by the settings.
    pub fn start(options: &Options, runtime: Handle) -> Result<Self, TracesError> {
        let ratio = options.sample_ratio;
        if !(0.0..=1.0).contains(&ratio) {
            return Err(TracesError::Ratio { given: ratio });
        }
        let counts = Arc::new(Counts::default());
        let processor = exporting::processor(&options.endpoint, runtime, &counts)?;
        let resource = Resource::builder()
            .with_service_name("rhizome")
            .with_attribute(KeyValue::new("service.version", options.version))
            .build();
        let provider = SdkTracerProvider::builder()
            .with_span_processor(processor)
            // Who is sampled is decided before there is a span.
            .with_sampler(Sampler::AlwaysOn)
            .with_resource(resource)
            .build();
        let tracer = provider.tracer("rhizome");
        let propagator = TraceContextPropagator::new();
        let has_query_text = options.has_query_text;
        Ok(Self(Some(Arc::new(Running { tracer, provider, propagator, ratio, has_query_text, counts }))))
    }

    /// Whether any request may be sampled.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Begins the span of a request that is sampled: as its `traceparent` says, and where there is none (or none that
    /// is valid) the part `sample_ratio` of all. `method`: what the span is named until [`describe`](crate::describe)
    /// says more.
    #[must_use]
    pub fn request(&self, method: &str, given: Given<'_>) -> Option<Place> {
        self.begin(given, || (method.to_owned(), vec![KeyValue::new("http.request.method", method.to_owned())]))
    }

    /// Likewise for a query, or a transaction of several, over another protocol than HTTP: `bolt`, `gremlin`.
    /// `operation`: what the protocol calls it.
    #[must_use]
    pub fn query(&self, protocol: &'static str, operation: &'static str, given: Given<'_>) -> Option<Place> {
        self.begin(given, || {
            let attributes =
                vec![KeyValue::new("network.protocol.name", protocol), KeyValue::new("db.operation.name", operation)];
            (format!("{protocol} {operation}"), attributes)
        })
    }

    /// Begins the span of a request, where it is sampled: its name and attributes.
    fn begin(&self, given: Given<'_>, what: impl FnOnce() -> (String, Vec<KeyValue>)) -> Option<Place> {
        let running = self.0.as_deref()?;
        let parent = match given.parent {
            Some(_) => running.propagator.extract_with_context(&Context::new(), &given),
            None => Context::new(),
        };
        let of_parent = parent.span().span_context().clone();
        let is_sampled = match of_parent.is_valid() {
            true => of_parent.is_sampled(),
            false => running.ratio >= 1.0 || rand::random::<f64>() < running.ratio,
        };
        if !is_sampled {
            return None;
        }
        let (name, attributes) = what();
        let builder = SpanBuilder::from_name(name).with_kind(SpanKind::Server).with_attributes(attributes);
        let span = running.tracer.build_with_context(builder, &parent);
        let work = Work::new(running.tracer.clone(), running.has_query_text);
        Some(Place::new(Context::new().with_span(span).with_value(work)))
    }

    /// What has become of the spans so far; `None` where there are no traces.
    #[must_use]
    pub fn counts(&self) -> Option<SpanCounts> {
        self.0.as_deref().map(|running| running.counts.read())
    }

    /// Sends what waits, as far as it can be sent within `wait`, and ends. Blocks as long.
    pub fn stop(&self, wait: Duration) {
        let Some(running) = self.0.as_deref() else { return };
        if let Err(error) = running.provider.shutdown_with_timeout(wait) {
            tracing::warn!(%error, "the last spans could not be sent");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nobody listens there, and nothing has to.
    fn traces(ratio: f64) -> (tokio::runtime::Runtime, Result<Traces, TracesError>) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let options = Options {
            endpoint: "http://127.0.0.1:1".to_owned(),
            sample_ratio: ratio,
            has_query_text: false,
            version: "0",
        };
        let traces = Traces::start(&options, runtime.handle().clone());
        (runtime, traces)
    }

    #[test]
    fn the_parent_decides_and_without_one_the_ratio() {
        let (id, parent) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
        let header = |flags: &str| format!("00-{id}-{parent}-{flags}");
        for (ratio, alone) in [(0.0, false), (1.0, true)] {
            let (_runtime, traces) = traces(ratio);
            let traces = traces.unwrap();
            let sampled = |parent: Option<&str>| traces.request("GET", Given { parent, state: Some("a=b") });
            let place = sampled(Some(&header("01"))).unwrap();
            let out = place.header();
            assert!(out.starts_with(&format!("00-{id}-")) && out.ends_with("-01"), "{out}");
            assert!(!out.contains(parent), "a span of its own: {out}");
            assert!(sampled(Some(&header("00"))).is_none());
            let query = |flags| traces.query("bolt", "RUN", Given { parent: Some(&header(flags)), state: None });
            assert!(query("01").unwrap().header().starts_with(&format!("00-{id}-")));
            assert!(query("00").is_none());
            assert_eq!(sampled(None).is_some(), alone);
            // What is not valid counts as not given.
            for invalid in ["", "00-0-0-01", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "née"] {
                assert_eq!(sampled(Some(invalid)).is_some(), alone, "{invalid}");
            }
        }
    }

    #[test]
    fn a_part_of_requests_is_sampled() {
        let (_runtime, traces) = traces(0.5);
        let traces = traces.unwrap();
        let sampled = (0..1_000).filter(|_| traces.request("GET", Given::default()).is_some()).count();
        // Half of 1,000 with a standard deviation of 16.
        assert!((350..650).contains(&sampled), "{sampled}");
    }

    #[test]
    fn settings_that_make_no_sense_are_refused() {
        for ratio in [-0.1, 1.1, f64::NAN] {
            let error = traces(ratio).1.unwrap_err().to_string();
            assert!(error.contains("traces.sample_ratio"), "{error}");
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        for endpoint in ["127.0.0.1:4318", "ftp://a", "http://", "http://a b"] {
            let options =
                Options { endpoint: endpoint.to_owned(), sample_ratio: 1.0, has_query_text: false, version: "0" };
            let error = Traces::start(&options, runtime.handle().clone()).unwrap_err().to_string();
            assert!(error.contains("traces.endpoint") && error.contains(endpoint), "{error}");
        }
    }
}
