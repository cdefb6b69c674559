//! What the server counts about itself. The handles of every endpoint are made at the start, so that counting a request
//! costs a few atomic additions and no look-up. Each protocol has [`Endpoints`] of its own in the one registry.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use prometheus::core::{Collector, Desc};
use prometheus::proto::MetricFamily;
use prometheus::{Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts, Registry};

/// Upper bounds of the latency classes in seconds: from a memory read to the default time limit.
const SECONDS: &[f64] = &[0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As asked for.
    Succeeded,
    /// Not, because of the request.
    ClientError,
    /// Not, because of the server.
    ServerError,
}

/// The counters of one method at one address.
pub struct EndpointMetrics {
    /// Its address.
    pub template: String,
    /// Its method.
    pub method: String,
    succeeded: IntCounter,
    refused: IntCounter,
    failed: IntCounter,
    seconds: Histogram,
    longest_us: AtomicU64,
    /// The last traced request of each class of latency; nothing before the first.
    exemplars: OnceLock<Box<Mutex<Exemplars>>>,
}

type Exemplars = [Option<Exemplar>; SECONDS.len() + 1];

/// A request that was traced, among those that a class of latency counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Exemplar {
    /// Its trace: 32 hexadecimal digits.
    pub trace_id: String,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// When it was answered.
    pub at: SystemTime,
}

impl EndpointMetrics {
    /// Counts an answer.
    pub fn observe(&self, outcome: Outcome, took: Duration) {
        match outcome {
            Outcome::Succeeded => self.succeeded.inc(),
            Outcome::ClientError => self.refused.inc(),
            Outcome::ServerError => self.failed.inc(),
        }
        self.seconds.observe(took.as_secs_f64());
        self.longest_us.fetch_max(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
        if let Some(trace_id) = traces::trace_id() {
            self.note_exemplar(Exemplar { trace_id, seconds: took.as_secs_f64(), at: SystemTime::now() });
        }
    }

    fn note_exemplar(&self, exemplar: Exemplar) {
        let exemplars = self.exemplars.get_or_init(|| Box::new(Mutex::new(std::array::from_fn(|_| None))));
        if let Some(place) = exemplars.lock().get_mut(class_of(exemplar.seconds)) {
            *place = Some(exemplar);
        }
    }

    /// The last traced request of the class of latency whose upper bound is `seconds`; `f64::INFINITY`: of the last
    /// class.
    pub fn exemplar(&self, seconds: f64) -> Option<Exemplar> {
        self.exemplars.get()?.lock().get(class_of(seconds))?.clone()
    }

    /// Answers below 400, and others.
    pub fn counts(&self) -> (u64, u64) {
        (self.succeeded.get(), self.refused.get() + self.failed.get())
    }

    /// Longest and mean time in milliseconds.
    pub fn times_ms(&self) -> (f64, f64) {
        let count = self.seconds.get_sample_count().max(1);
        let longest = self.longest_us.load(Ordering::Relaxed);
        (longest as f64 / 1_000.0, self.seconds.get_sample_sum() * 1_000.0 / count as f64)
    }
}

/// The class of latency in which a request counts first.
fn class_of(seconds: f64) -> usize {
    SECONDS.partition_point(|bound| *bound < seconds)
}

/// The counters of one protocol's endpoints.
pub struct Endpoints {
    /// In the order given to [`Metrics::endpoints`]; `None` for endpoints that are not counted by themselves.
    endpoints: Vec<Option<EndpointMetrics>>,
    /// Everything without a route or a handler.
    elsewhere: EndpointMetrics,
}

impl Endpoints {
    /// The counters of the endpoint at a position of the list given to [`Metrics::endpoints`]; of everything else
    /// without one.
    pub fn of(&self, at: Option<usize>) -> &EndpointMetrics {
        at.and_then(|at| self.endpoints.get(at)?.as_ref()).unwrap_or(&self.elsewhere)
    }

    /// The counters of all endpoints.
    pub fn all(&self) -> impl Iterator<Item = &EndpointMetrics> {
        self.endpoints.iter().flatten().chain([&self.elsewhere])
    }
}

/// All counters.
pub struct Metrics {
    /// All of them, to be read.
    pub registry: Registry,
    answers: IntCounterVec,
    seconds: HistogramVec,
    /// Requests being worked on.
    pub requests_in_flight: IntGauge,
    /// Bytes of request bodies held.
    pub bytes_in_flight: IntGauge,
    /// Open connections.
    pub connections: IntGauge,
    /// Requests beyond the bound.
    pub refused_requests: IntCounter,
    /// Requests whose bodies had no room.
    pub refused_bytes: IntCounter,
    /// Connections beyond the bound.
    pub refused_connections: IntCounter,
    /// Reads beyond the queue.
    pub refused_queries: IntCounter,
    /// Writes beyond the queue.
    pub refused_writes: IntCounter,
    /// Reads that wait for a thread.
    pub queries_waiting: IntGauge,
    /// Writes that wait for a thread.
    pub writes_waiting: IntGauge,
    /// Requests stopped at the time limit.
    pub timeouts: IntCounter,
    /// Requests that took longer than the log of slow requests allows.
    pub slow_requests: IntCounter,
    /// Requests that panicked.
    pub panics: IntCounter,
    /// Bytes of request bodies after decompression.
    pub bytes_received: IntCounter,
    /// Bytes of answer bodies.
    pub bytes_sent: IntCounter,
}

impl Metrics {
    /// Counters that are all zero.
    #[expect(clippy::new_without_default, reason = "made once for each server, not by chance")]
    pub fn new() -> Self {
        let registry = Registry::new();
        let made = Made { registry: &registry };
        let answers = made.counters(
            "rhizome_http_requests_total",
            "Answers, by address and class of status",
            &["path", "method", "class"],
        );
        let seconds = made.histograms(
            "rhizome_http_request_seconds",
            "Time from the head of a request to its answer",
            &["path", "method"],
        );
        let refused = made.counters(
            "rhizome_http_refused_total",
            "Requests and connections refused because there is too much at once",
            &["reason"],
        );
        Self {
            answers,
            seconds,
            requests_in_flight: made.gauge("rhizome_http_requests_in_flight", "Requests being worked on"),
            bytes_in_flight: made.gauge("rhizome_http_body_bytes_in_flight", "Bytes of request bodies held"),
            connections: made.gauge("rhizome_http_connections", "Open connections"),
            refused_requests: refused.with_label_values(&["requests"]),
            refused_bytes: refused.with_label_values(&["bytes"]),
            refused_connections: refused.with_label_values(&["connections"]),
            refused_queries: refused.with_label_values(&["queries"]),
            refused_writes: refused.with_label_values(&["writes"]),
            queries_waiting: made.gauge("rhizome_http_queries_waiting", "Reads that wait for a thread for long ones"),
            writes_waiting: made.gauge("rhizome_http_writes_waiting", "Writes that wait for a thread"),
            timeouts: made.counter("rhizome_http_timeouts_total", "Requests stopped at the time limit"),
            slow_requests: made
                .counter("rhizome_http_slow_requests_total", "Requests that took log.slow_request_ms or longer"),
            panics: made
                .counter("rhizome_http_panics_total", "Requests that failed because of a defect of this program"),
            bytes_received: made
                .counter("rhizome_http_received_bytes_total", "Bytes of request bodies after decompression"),
            bytes_sent: made.counter("rhizome_http_sent_bytes_total", "Bytes of answer bodies"),
            registry,
        }
    }

    /// Shows a figure that somebody else knows: `look` gives it whenever metrics are read.
    pub fn gauge_of(&self, name: &str, help: &str, look: impl Fn() -> i64 + Send + Sync + 'static) {
        let registered =
            IntGauge::new(name, help).and_then(|gauge| self.registry.register(Box::new(Looked { gauge, look })));
        if let Err(error) = registered {
            tracing::error!(%error, name, "a metric is left out");
        }
    }

    /// Counters of `endpoints`, each an address and a method; `None` keeps a position free.
    pub fn endpoints<'a>(&self, endpoints: impl Iterator<Item = Option<(&'a str, &'a str)>>) -> Endpoints {
        let endpoint = |template: &str, method: &str| EndpointMetrics {
            succeeded: self.answers.with_label_values(&[template, method, "ok"]),
            refused: self.answers.with_label_values(&[template, method, "client_error"]),
            failed: self.answers.with_label_values(&[template, method, "server_error"]),
            seconds: self.seconds.with_label_values(&[template, method]),
            longest_us: AtomicU64::new(0),
            exemplars: OnceLock::new(),
            method: method.to_owned(),
            template: template.to_owned(),
        };
        let endpoints = endpoints.map(|at| at.map(|(path, method)| endpoint(path, method))).collect();
        Endpoints { endpoints, elsewhere: endpoint("other", "any") }
    }
}

/// A figure that is looked at when it is asked for.
struct Looked<F> {
    gauge: IntGauge,
    look: F,
}

impl<F: Fn() -> i64 + Send + Sync> Collector for Looked<F> {
    fn desc(&self) -> Vec<&Desc> {
        self.gauge.desc()
    }

    fn collect(&self) -> Vec<MetricFamily> {
        self.gauge.set((self.look)());
        self.gauge.collect()
    }
}

/// Makes metrics in a registry. That a name is wrong or used twice shows in a test, so a failure here only leaves a
/// metric out.
struct Made<'r> {
    registry: &'r Registry,
}

impl Made<'_> {
    fn registered<M: Collector + Clone + 'static>(&self, metric: M) -> M {
        if let Err(error) = self.registry.register(Box::new(metric.clone())) {
            tracing::error!(%error, "a metric is left out");
        }
        metric
    }

    #[expect(clippy::expect_used, reason = "names are constants, and a test makes all of them")]
    fn counters(&self, name: &str, help: &str, labels: &[&str]) -> IntCounterVec {
        self.registered(IntCounterVec::new(Opts::new(name, help), labels).expect("a valid metric"))
    }

    #[expect(clippy::expect_used, reason = "names are constants, and a test makes all of them")]
    fn histograms(&self, name: &str, help: &str, labels: &[&str]) -> HistogramVec {
        let options = HistogramOpts::new(name, help).buckets(SECONDS.to_vec());
        self.registered(HistogramVec::new(options, labels).expect("a valid metric"))
    }

    #[expect(clippy::expect_used, reason = "names are constants, and a test makes all of them")]
    fn counter(&self, name: &str, help: &str) -> IntCounter {
        self.registered(IntCounter::new(name, help).expect("a valid metric"))
    }

    #[expect(clippy::expect_used, reason = "names are constants, and a test makes all of them")]
    fn gauge(&self, name: &str, help: &str) -> IntGauge {
        self.registered(IntGauge::new(name, help).expect("a valid metric"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_counted_by_class() {
        let metrics = Metrics::new();
        let endpoints = metrics.endpoints([None, Some(("{G}/graph/vertices", "POST"))].into_iter());
        let endpoint = endpoints.of(Some(1));
        endpoint.observe(Outcome::Succeeded, Duration::from_millis(4));
        endpoint.observe(Outcome::ClientError, Duration::from_millis(2));
        endpoint.observe(Outcome::ServerError, Duration::from_millis(3));
        assert_eq!(endpoint.counts(), (1, 2));
        let (longest, mean) = endpoint.times_ms();
        assert!((longest - 4.0).abs() < 1e-6 && (mean - 3.0).abs() < 1e-6);
        assert_eq!(endpoints.of(None).template, "other");
        assert_eq!(endpoint.exemplar(0.005), None);
        let exemplar = |seconds| Exemplar { trace_id: "4b".to_owned(), seconds, at: SystemTime::UNIX_EPOCH };
        for seconds in [0.004, 0.005, 31.0] {
            endpoint.note_exemplar(exemplar(seconds));
        }
        assert_eq!(endpoint.exemplar(0.005), Some(exemplar(0.005)), "the bound belongs to its class");
        assert_eq!(endpoint.exemplar(f64::INFINITY), Some(exemplar(31.0)));
        assert_eq!((endpoint.exemplar(0.0025), endpoint.exemplar(0.01)), (None, None));
        let looks = std::sync::Arc::new(AtomicU64::new(0));
        let seen = std::sync::Arc::clone(&looks);
        metrics.gauge_of("rhizome_looked", "How often it was asked for", move || {
            i64::try_from(seen.fetch_add(1, Ordering::Relaxed)).unwrap()
        });
        let names: Vec<String> = metrics.registry.gather().iter().map(|family| family.name().to_owned()).collect();
        assert_eq!((names.len(), looks.load(Ordering::Relaxed)), (14, 1), "{names:?}");
    }
}
