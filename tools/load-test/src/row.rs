//! One measurement: its number of users, its duration and its results.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::serialization::{Serializer as _, V2DeflateSerializer};

use crate::cancel::Cancel;
use crate::descriptors::allow_connections;
use crate::error::LoadTestError;
use crate::exchange::Sending;
use crate::limits::SERIES_BUCKETS_MAX;
use crate::machine::{ProcessProbe, own_cpu_s};
use crate::observer::{Observer, Phase, Progress, RowStart};
use crate::options::{DriverOptions, Load};
use crate::pace::Window;
use crate::recorder::{Interval, SampleLog, Times, latency};
use crate::result::{ErrorClass, RequestRow, Row, Second};
use crate::sample::RowSamples;
use crate::scenario::Plan;
use crate::users::{Shared, Worker};

/// Time between two looks at what the users did.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// What a row is made from; the same for all rows of a scenario.
pub(crate) struct RowMaker<'a> {
    pub(crate) scenario: &'a str,
    pub(crate) plan: &'a Arc<Plan>,
    pub(crate) sending: &'a Arc<Sending>,
    pub(crate) options: &'a DriverOptions,
    pub(crate) probe: Option<&'a ProcessProbe>,
    pub(crate) cancel: &'a Cancel,
}

/// A row and what a scenario's result sums up over rows.
pub(crate) struct Measured {
    pub(crate) row: Row,
    pub(crate) samples: RowSamples,
    pub(crate) body_bytes: u64,
    pub(crate) answer_bytes: u64,
}

impl RowMaker<'_> {
    /// Makes one row.
    pub(crate) async fn measure(&self, load: Load, observer: &mut dyn Observer) -> Result<Measured, LoadTestError> {
        let options = self.options;
        options.check(load)?;
        allow_connections(load.concurrency)?;
        let begin = Instant::now();
        let counted_from = begin + options.ramp_up + options.warm_up;
        let until = counted_from + options.duration;
        let window = Window { begin, counted_from, until, drain: options.request_timeout };
        let shared = Arc::new(Shared {
            plan: Arc::clone(self.plan),
            sending: Arc::clone(self.sending),
            window,
            load,
            stop: false.into(),
            no_local_port: false.into(),
            left: [options.requests_max, self.plan.requests_max].into_iter().flatten().min().unwrap_or(u64::MAX).into(),
            in_flight: 0.into(),
            epoch: (begin, SystemTime::now()),
        });
        observer.row_started(&RowStart {
            scenario: self.scenario.to_owned(),
            concurrency: load.concurrency,
            offered_per_s: options.offered_per_s(load),
            planned: until - begin,
        });
        let threads = options.client_threads.min(usize::try_from(load.concurrency).unwrap_or(usize::MAX)).max(1);
        let mut workers = Vec::with_capacity(threads);
        for index in 0..threads {
            workers.push(Worker::start(&shared, options, index, threads, self.cancel)?);
        }
        let mut collector = Collector::new(self, &shared);
        collector.run(&mut workers, observer).await;
        collector.finish(workers, load)
    }
}

/// Gathers what the workers count.
struct Collector<'a> {
    maker: &'a RowMaker<'a>,
    shared: &'a Shared,
    total: Interval,
    all: Times,
    bucket: Interval,
    bucket_s: u64,
    bucket_index: u64,
    series: Vec<Second>,
    ended_at: Instant,
    rss_peak: Option<u64>,
    server_cpu_from: Option<f64>,
    own_cpu_from: f64,
    has_begun: bool,
}

impl<'a> Collector<'a> {
    fn new(maker: &'a RowMaker<'a>, shared: &'a Shared) -> Self {
        let requests = maker.plan.requests.len();
        let bucket_s = maker.options.duration.as_secs().div_ceil(SERIES_BUCKETS_MAX).max(1);
        Self {
            maker,
            shared,
            total: Interval::new(requests),
            all: crate::recorder::times(),
            bucket: Interval::new(requests),
            bucket_s,
            bucket_index: 0,
            series: Vec::new(),
            ended_at: Instant::now(),
            rss_peak: None,
            server_cpu_from: None,
            own_cpu_from: own_cpu_s(),
            has_begun: false,
        }
    }

    async fn run(&mut self, workers: &mut [Worker], observer: &mut dyn Observer) {
        let window = self.shared.window;
        let mut last_look = Instant::now();
        let mut last_count = 0;
        loop {
            let mut ended = false;
            let next = self.next_look(Instant::now());
            tokio::select! {
                () = async { for worker in workers.iter_mut() { worker.ended().await; } } => ended = true,
                () = tokio::time::sleep_until(next.into()) => {}
            }
            let now = Instant::now();
            if !self.has_begun && now >= window.counted_from {
                self.begin_counting();
            }
            for worker in &*workers {
                worker.shard.take(&mut self.bucket);
            }
            self.ended_at = now;
            self.look_at_server();
            let samples = self.total.ended() + self.bucket.ended();
            let since_s = (now - last_look).as_secs_f64().max(1e-3);
            let lately = self.bucket.all_times();
            observer.progress(&Progress {
                phase: if now < window.counted_from {
                    Phase::WarmUp
                } else if now < window.until {
                    Phase::Measuring
                } else {
                    Phase::Draining
                },
                elapsed: now - window.begin,
                rate_per_s: as_f64(samples - last_count) / since_s,
                mean_us: lately.mean(),
                p99_us: lately.value_at_quantile(0.99),
                samples,
                errors: self.total.errors.total() + self.bucket.errors.total(),
            });
            (last_look, last_count) = (now, samples);
            let index = now.saturating_duration_since(window.counted_from).as_secs() / self.bucket_s;
            if index > self.bucket_index || ended {
                self.close_bucket(index);
            }
            if ended {
                return;
            }
        }
    }

    /// The next look: after a short time, but exactly where the counted part begins and where buckets end.
    fn next_look(&self, now: Instant) -> Instant {
        let counted_from = self.shared.window.counted_from;
        let edge = if now < counted_from {
            counted_from
        } else {
            counted_from + Duration::from_secs((self.bucket_index + 1) * self.bucket_s)
        };
        (now + LOOK_EVERY).min(edge.max(now))
    }

    fn begin_counting(&mut self) {
        self.has_begun = true;
        self.own_cpu_from = own_cpu_s();
        self.server_cpu_from = self.maker.probe.and_then(ProcessProbe::cpu_s);
    }

    fn look_at_server(&mut self) {
        if let Some(rss) = self.maker.probe.and_then(ProcessProbe::rss_bytes) {
            self.rss_peak = Some(self.rss_peak.unwrap_or_default().max(rss));
        }
    }

    fn close_bucket(&mut self, next_index: u64) {
        let times = self.bucket.all_times();
        if times.is_empty() {
            self.add_stalls(next_index);
        } else {
            self.add_stalls(self.bucket_index);
            // A row that drains for long gets no more buckets: the last one takes the rest.
            let is_full = self.series.len() as u64 >= SERIES_BUCKETS_MAX;
            let second = Second {
                second: u32::try_from(self.bucket_index * self.bucket_s).unwrap_or(u32::MAX),
                completed: times.len(),
                errors: self.bucket.errors.total(),
                mean_us: times.mean(),
                p99_us: times.value_at_quantile(0.99),
                max_us: times.max(),
            };
            match self.series.last_mut() {
                Some(last) if is_full => join(last, &second),
                _ => self.series.push(second),
            }
        }
        // Both have the same range, so that adding cannot fail.
        let _ = self.all.add(&times);
        self.total.take(&mut self.bucket);
        self.bucket_index = next_index;
    }

    /// Buckets in which nothing ended, up to one of this number: a server that stalls must show in the series.
    fn add_stalls(&mut self, end: u64) {
        let longest = SERIES_BUCKETS_MAX - 1;
        for index in self.series.len() as u64..end.min(longest) {
            let second = u32::try_from(index * self.bucket_s).unwrap_or(u32::MAX);
            self.series.push(Second { second, ..Second::default() });
        }
    }

    fn finish(mut self, workers: Vec<Worker>, load: Load) -> Result<Measured, LoadTestError> {
        let (maker, shared) = (self.maker, self.shared);
        let was_stopped = shared.stop.load(Ordering::Relaxed);
        let mut dropped = 0;
        let mut logs = Vec::with_capacity(workers.len());
        for worker in workers {
            if let Some(arrivals) = &worker.arrivals {
                let mut arrivals = arrivals.lock();
                // What an interruption left unsent was given up by a person, not by the driver.
                if !was_stopped {
                    arrivals.close(self.ended_at);
                }
                dropped += arrivals.dropped();
            }
            logs.push(worker.shard.take_log());
            worker.join()?;
        }
        if shared.no_local_port.load(Ordering::Relaxed) {
            return Err(LoadTestError::LocalPorts { users: load.concurrency });
        }
        let example =
            format!("never sent: more than {} requests waited for a free connection", maker.options.queue_max);
        self.total.errors.add(ErrorClass::Overflow, dropped, &example);
        let samples = self.total.ended() + dropped;
        let errors = self.total.errors.total();
        // Paced users are done when no start is left; the interval of the last one belongs to the row all the same.
        let had_enough = shared.left.load(Ordering::Relaxed) == 0;
        let end = if was_stopped || had_enough { self.ended_at } else { self.ended_at.max(shared.window.until) };
        let duration_s = end.saturating_duration_since(shared.window.counted_from).as_secs_f64();
        let per_s = |count: f64| if duration_s > 0.0 { count / duration_s } else { 0.0 };
        let server_cpu = maker.probe.and_then(ProcessProbe::cpu_s).zip(self.server_cpu_from);
        let row = Row {
            driver: maker.options.kind,
            concurrency: load.concurrency,
            offered_per_s: maker.options.offered_per_s(load),
            duration_s,
            samples,
            cut_short: was_stopped,
            unfinished: shared.in_flight.load(Ordering::Relaxed),
            latency: latency(&self.all),
            error_percent: if samples > 0 { 100.0 * as_f64(errors) / as_f64(samples) } else { 0.0 },
            throughput_per_s: per_s(as_f64(samples - dropped)),
            kb_per_s: per_s(as_f64(self.total.received) / 1024.0),
            sent_kb_per_s: per_s(as_f64(self.total.sent) / 1024.0),
            elements_per_s: per_s(as_f64(self.total.elements)),
            server_cpu_s: server_cpu.map(|(to, from)| to - from),
            server_rss_peak_bytes: self.rss_peak,
            client_cpu_s: own_cpu_s() - self.own_cpu_from,
            series: std::mem::take(&mut self.series),
            series_bucket_s: u32::try_from(self.bucket_s).unwrap_or(u32::MAX),
            histogram: encode(&self.all),
            requests: self.request_rows(per_s),
            errors: std::mem::take(&mut self.total.errors).into_counts(),
        };
        let (body_bytes, answer_bytes) = (self.total.body_bytes, self.total.answer_bytes);
        Ok(Measured { row, samples: SampleLog::join(logs), body_bytes, answer_bytes })
    }

    fn request_rows(&self, per_s: impl Fn(f64) -> f64) -> Vec<RequestRow> {
        if self.total.requests.len() < 2 {
            return Vec::new();
        }
        let both = self.maker.plan.requests.iter().zip(&self.total.requests);
        both.map(|(request, counts)| RequestRow {
            label: request.label.to_string(),
            samples: counts.times.len(),
            latency: latency(&counts.times),
            errors: counts.errors,
            throughput_per_s: per_s(as_f64(counts.times.len())),
        })
        .collect()
    }
}

fn join(last: &mut Second, more: &Second) {
    let completed = last.completed + more.completed;
    last.mean_us =
        (last.mean_us * as_f64(last.completed) + more.mean_us * as_f64(more.completed)) / as_f64(completed.max(1));
    last.completed = completed;
    last.errors += more.errors;
    last.p99_us = last.p99_us.max(more.p99_us);
    last.max_us = last.max_us.max(more.max_us);
}

fn encode(times: &Times) -> String {
    let mut bytes = Vec::new();
    match V2DeflateSerializer::new().serialize(times, &mut bytes) {
        Ok(_) => STANDARD.encode(bytes),
        // Writing to a Vec cannot fail; a result without its histogram is still a result.
        Err(_) => String::new(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of one row are below 2^53")]
fn as_f64(count: u64) -> f64 {
    count as f64
}
