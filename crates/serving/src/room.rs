//! Everything that requests of all protocols share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use traces::Traces;

use crate::admission::Admission;
use crate::attempts::Attempts;
use crate::limits::BATCH_SLOTS_PER_THREAD;
use crate::metrics::Metrics;
use crate::pool::{Pool, readers};
use crate::queue::{Queue, Slots, Waits};
use crate::watch::Watch;

/// How much is served at one time.
#[derive(Clone, Debug)]
pub struct Options {
    /// Requests being worked on at one time (`server.requests_in_flight_max`).
    pub requests_in_flight_max: usize,
    /// Bytes of request bodies held at one time (`server.bytes_in_flight_max`).
    pub bytes_in_flight_max: usize,
    /// Threads for reads that can take long, and as many for such writes.
    pub threads: usize,
    /// Reads that wait for such a thread (`server.waiting_queries_max`).
    pub waiting_queries_max: usize,
    /// Writes that wait for a thread, batches and others apart (`server.waiting_writes_max`).
    pub waiting_writes_max: usize,
    /// CPU priority of the threads of long reads: 0 normal, 19 lowest (`server.query_niceness`).
    pub query_niceness: u8,
    /// How long a read is tried on the thread that serves its connection; zero: not at all (`server.attempt_us`).
    pub attempt: Duration,
    /// Threads that serve connections.
    pub workers: usize,
    /// Whether storage is over a network: then slots are divided among graphs, and no thread has a low priority, since
    /// threads that wait for a network take nothing from others.
    pub remote: bool,
    /// What requests are watched by, once it is known who asks.
    pub watch: Watch,
    /// Which requests are traced.
    pub traces: Traces,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            requests_in_flight_max: 16_000,
            bytes_in_flight_max: 256 * 1024 * 1024,
            threads: 8,
            waiting_queries_max: 256,
            waiting_writes_max: 128,
            query_niceness: 10,
            attempt: Duration::from_micros(500),
            workers: 0,
            remote: false,
            watch: Watch::default(),
            traces: Traces::off(),
        }
    }
}

/// Threads, queues, bounds and counters of one server.
pub struct Serving {
    /// What it was made with.
    pub options: Options,
    /// Bounds requests and their bytes.
    pub admission: Arc<Admission>,
    /// Reads that can take long; where storage is over a network, all that touch it.
    pub queries: Pool,
    /// Writes that can take long or wait for others; where storage is over a network, all of them.
    pub writes: Pool,
    /// Threads that share the reading of one of those reads; `None` where they could not be made.
    pub readers: Option<rayon::ThreadPool>,
    /// Which reads are tried without a thread of [`Self::queries`].
    pub attempts: Attempts,
    /// Batches that are written by the threads that serve connections.
    pub batches: Queue,
    /// Quotas, the disk and records, for requests whose sender is known.
    pub watch: Watch,
    /// What is counted.
    pub metrics: Metrics,
    /// When this was made.
    pub started: Instant,
    shutting_down: Arc<AtomicBool>,
}

impl Serving {
    /// Makes the threads, queues and counters.
    pub fn new(options: Options) -> Self {
        let metrics = Metrics::new();
        let queue = |what, slots, (setting, waiting_max), refused| {
            Queue::new(what, Slots { slots, divided: options.remote }, Waits { setting, waiting_max, refused })
        };
        let queries_max = ("server.waiting_queries_max", options.waiting_queries_max);
        let writes_max = ("server.waiting_writes_max", options.waiting_writes_max);
        let queries = queue("queries", options.threads, queries_max, metrics.refused_queries.clone());
        let writes = queue("writes", options.threads, writes_max, metrics.refused_writes.clone());
        // No more than its threads can be at work on them; a few more are ready when a thread is.
        let slots = options.workers.max(1).saturating_mul(BATCH_SLOTS_PER_THREAD);
        let batches = queue("batches", slots, writes_max, metrics.refused_writes.clone());
        let niceness = if options.remote { 0 } else { options.query_niceness };
        Self {
            admission: Admission::new(options.requests_in_flight_max, options.bytes_in_flight_max),
            queries: Pool::new(queries, options.threads, niceness),
            writes: Pool::new(writes, options.threads, 0),
            attempts: Attempts::new(options.attempt),
            readers: readers(options.query_niceness),
            batches,
            watch: options.watch.clone(),
            metrics,
            started: Instant::now(),
            shutting_down: Arc::default(),
            options,
        }
    }

    /// Tells work without a time limit to stop.
    pub fn shut_down(&self) {
        self.shutting_down.store(true, Ordering::Relaxed);
    }

    /// Whether [`Serving::shut_down`] was called.
    pub fn is_shutting_down(&self) -> bool {
        self.shutting_down.load(Ordering::Relaxed)
    }

    /// Set from [`Serving::shut_down`] on: the cancellation flag of work without a time limit.
    pub fn shutting_down(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.shutting_down)
    }

    /// Brings the gauges of what is held and what waits up to date.
    pub fn refresh_gauges(&self) {
        let gauge = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        self.metrics.requests_in_flight.set(gauge(self.admission.requests()));
        self.metrics.bytes_in_flight.set(gauge(self.admission.bytes()));
        self.metrics.queries_waiting.set(gauge(self.queries.waiting()));
        self.metrics.writes_waiting.set(gauge(self.writes.waiting() + self.batches.waiting()));
    }
}
