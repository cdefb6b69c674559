//! Counting what users did, in bounded memory.
//!
//! Each thread of the tool has a [`Shard`]. Its users write into the shard's current interval; about once a second the
//! collector takes the interval away and adds it to the row's totals. So a request costs one histogram entry under a
//! lock that nobody else wants, and memory does not depend on how long a row takes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hdrhistogram::Histogram;
use parking_lot::Mutex;

use crate::exchange::{Failure, FailureText, Outcome};
use crate::judge::shown;
use crate::limits::{ERROR_EXAMPLES_MAX, ERROR_TEXTS_LOOKED_AT, LATENCY_DIGITS, LATENCY_MAX};
use crate::result::{ErrorClass, ErrorCount, Latency};
use crate::sample::{RowSamples, Sample};

/// Times in microseconds.
pub(crate) type Times = Histogram<u64>;

/// An empty histogram of this crate's range and precision.
pub(crate) fn times() -> Times {
    let mut histogram = Histogram::new_with_max(micros(LATENCY_MAX), LATENCY_DIGITS)
        .unwrap_or_else(|_| unreachable!("the range and the digits are constants that make a histogram"));
    histogram.auto(false);
    histogram
}

/// Whole microseconds, at most what fits.
pub(crate) fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// Figures of a histogram.
pub(crate) fn latency(times: &Times) -> Latency {
    if times.is_empty() {
        return Latency::default();
    }
    Latency {
        mean_us: times.mean(),
        min_us: times.min(),
        max_us: times.max(),
        p50_us: times.value_at_quantile(0.5),
        p90_us: times.value_at_quantile(0.9),
        p95_us: times.value_at_quantile(0.95),
        p99_us: times.value_at_quantile(0.99),
        p999_us: times.value_at_quantile(0.999),
    }
}

/// What ended in some span of time.
pub(crate) struct Interval {
    /// By request of the scenario.
    pub(crate) requests: Vec<RequestCounts>,
    pub(crate) errors: Errors,
    pub(crate) received: u64,
    pub(crate) sent: u64,
    pub(crate) body_bytes: u64,
    pub(crate) answer_bytes: u64,
    /// Elements of requests that went well.
    pub(crate) elements: u64,
}

/// Counts of one request of a scenario.
pub(crate) struct RequestCounts {
    pub(crate) times: Times,
    pub(crate) errors: u64,
}

impl Interval {
    pub(crate) fn new(requests: usize) -> Self {
        let requests = (0..requests).map(|_| RequestCounts { times: times(), errors: 0 }).collect();
        Self { requests, errors: Errors::default(), received: 0, sent: 0, body_bytes: 0, answer_bytes: 0, elements: 0 }
    }

    /// Adds another one's counts and empties it.
    pub(crate) fn take(&mut self, other: &mut Self) {
        for (mine, theirs) in self.requests.iter_mut().zip(&mut other.requests) {
            // Both have the same range, so that adding cannot fail.
            let _ = mine.times.add(&theirs.times);
            mine.errors += theirs.errors;
            theirs.times.reset();
            theirs.errors = 0;
        }
        self.errors.take(&mut other.errors);
        for (mine, theirs) in [
            (&mut self.received, &mut other.received),
            (&mut self.sent, &mut other.sent),
            (&mut self.body_bytes, &mut other.body_bytes),
            (&mut self.answer_bytes, &mut other.answer_bytes),
            (&mut self.elements, &mut other.elements),
        ] {
            *mine += std::mem::take(theirs);
        }
    }

    /// Times of all requests together.
    pub(crate) fn all_times(&self) -> Times {
        let mut all = times();
        for request in &self.requests {
            let _ = all.add(&request.times);
        }
        all
    }

    /// Requests that ended, well or not.
    pub(crate) fn ended(&self) -> u64 {
        self.requests.iter().map(|request| request.times.len()).sum()
    }
}

/// Errors by class.
#[derive(Default)]
pub(crate) struct Errors {
    classes: BTreeMap<ErrorClass, ClassErrors>,
}

#[derive(Default)]
struct ClassErrors {
    count: u64,
    /// Over the whole row: counts are taken away, this is not.
    looked_at: u64,
    examples: Vec<String>,
}

impl Errors {
    pub(crate) fn note(&mut self, failure: &Failure) {
        let class = self.classes.entry(failure.class).or_default();
        class.count += 1;
        if class.examples.len() < ERROR_EXAMPLES_MAX && class.looked_at < ERROR_TEXTS_LOOKED_AT {
            class.looked_at += 1;
            let text = match &failure.text {
                FailureText::Plain(text) => text.clone(),
                FailureText::Status(status, body) => format!("status {status}: {}", shown(body)),
            };
            class.add_example(text);
        }
    }

    pub(crate) fn add(&mut self, class: ErrorClass, count: u64, example: &str) {
        if count > 0 {
            let class = self.classes.entry(class).or_default();
            class.count += count;
            class.add_example(example.to_owned());
        }
    }

    pub(crate) fn total(&self) -> u64 {
        self.classes.values().map(|class| class.count).sum()
    }

    /// Takes the counts; the other keeps its examples, so that they are not made again.
    fn take(&mut self, other: &mut Self) {
        for (name, theirs) in &mut other.classes {
            let mine = self.classes.entry(*name).or_default();
            mine.count += std::mem::take(&mut theirs.count);
            for example in &theirs.examples {
                if mine.examples.len() < ERROR_EXAMPLES_MAX && !mine.examples.contains(example) {
                    mine.examples.push(example.clone());
                }
            }
        }
    }

    pub(crate) fn into_counts(self) -> Vec<ErrorCount> {
        let counts = self.classes.into_iter().filter(|(_, class)| class.count > 0);
        counts.map(|(class, errors)| ErrorCount { class, count: errors.count, examples: errors.examples }).collect()
    }
}

impl ClassErrors {
    fn add_example(&mut self, text: String) {
        if self.examples.len() < ERROR_EXAMPLES_MAX && !self.examples.contains(&text) {
            self.examples.push(text);
        }
    }
}

/// A thinned list of samples: when it is full, every second one goes, and from then on only half as many are taken.
pub(crate) struct SampleLog {
    samples: Vec<Sample>,
    most: usize,
    stride: u64,
    seen: u64,
}

impl SampleLog {
    pub(crate) fn new(most: usize) -> Self {
        Self { samples: Vec::new(), most, stride: 1, seen: 0 }
    }

    /// Whether the next sample is to be kept; counts it.
    fn is_next(&mut self) -> bool {
        let is_next = self.most > 0 && self.seen.is_multiple_of(self.stride);
        self.seen += 1;
        is_next
    }

    fn keep(&mut self, sample: Sample) {
        if self.samples.len() >= self.most {
            self.halve();
            // The sample at hand stands at a number that may be left out now.
            if !(self.seen - 1).is_multiple_of(self.stride) {
                return;
            }
        }
        self.samples.push(sample);
    }

    fn halve(&mut self) {
        let mut index = 0_u64;
        self.samples.retain(|_| {
            index += 1;
            index % 2 == 1
        });
        self.stride *= 2;
    }

    /// Joins the logs of all threads into one with a common stride.
    pub(crate) fn join(mut logs: Vec<Self>) -> RowSamples {
        let stride = logs.iter().map(|log| log.stride).max().unwrap_or(1);
        let mut samples = Vec::new();
        for log in &mut logs {
            while log.stride < stride {
                log.halve();
            }
            samples.append(&mut log.samples);
        }
        samples.sort_by_key(|sample| sample.started_at_ms);
        RowSamples { samples, stride }
    }
}

/// What one thread of the tool counts.
pub(crate) struct Shard {
    current: Mutex<Current>,
}

struct Current {
    interval: Interval,
    log: SampleLog,
}

/// A request that ended, and whose it was.
pub(crate) struct Ended<'a> {
    pub(crate) request: usize,
    pub(crate) label: &'a Arc<str>,
    pub(crate) started_at_ms: u64,
    pub(crate) elapsed: Duration,
    pub(crate) elements: u32,
    pub(crate) body_bytes: usize,
    pub(crate) user: u32,
    pub(crate) users: u32,
}

impl Shard {
    pub(crate) fn new(requests: usize, samples_max: usize) -> Self {
        let current = Current { interval: Interval::new(requests), log: SampleLog::new(samples_max) };
        Self { current: Mutex::new(current) }
    }

    /// Counts a request.
    pub(crate) fn record(&self, ended: &Ended<'_>, outcome: &Outcome) {
        let elapsed_us = micros(ended.elapsed);
        let mut current = self.current.lock();
        let Current { interval, log } = &mut *current;
        if let Some(request) = interval.requests.get_mut(ended.request) {
            request.times.saturating_record(elapsed_us);
            request.errors += u64::from(outcome.failure.is_some());
        }
        interval.received += outcome.received;
        interval.sent += outcome.sent;
        interval.body_bytes += ended.body_bytes as u64;
        interval.answer_bytes += outcome.answer_bytes;
        match &outcome.failure {
            None => interval.elements += u64::from(ended.elements),
            Some(failure) => interval.errors.note(failure),
        }
        if log.is_next() {
            log.keep(Sample {
                started_at_ms: ended.started_at_ms,
                elapsed_us,
                first_byte_us: micros(outcome.first_byte),
                connect_us: micros(outcome.connect),
                label: Arc::clone(ended.label),
                status: outcome.status,
                error: outcome.failure.as_ref().map(|failure| failure.class),
                bytes: outcome.received,
                sent_bytes: outcome.sent,
                user: ended.user,
                users: ended.users,
            });
        }
    }

    /// Moves what was counted since the last call to `into`.
    pub(crate) fn take(&self, into: &mut Interval) {
        into.take(&mut self.current.lock().interval);
    }

    /// The samples, at the end.
    pub(crate) fn take_log(&self) -> SampleLog {
        std::mem::replace(&mut self.current.lock().log, SampleLog::new(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(label: &Arc<str>, index: u64) -> Ended<'_> {
        Ended {
            request: 0,
            label,
            started_at_ms: index,
            elapsed: Duration::from_micros(index),
            elements: 2,
            body_bytes: 10,
            user: 0,
            users: 1,
        }
    }

    #[test]
    fn counts_are_moved_once_and_figures_are_right() {
        let shard = Shard::new(1, 10);
        let label: Arc<str> = "x".into();
        for index in 1..=1000 {
            let failure = index % 100 == 0;
            let failure = failure.then(|| Failure::new(ErrorClass::Timeout, format!("late {index}")));
            shard.record(&ended(&label, index), &Outcome { failure, received: 7, ..Outcome::default() });
        }
        let mut total = Interval::new(1);
        shard.take(&mut total);
        shard.take(&mut total);
        assert_eq!((total.ended(), total.elements, total.received), (1000, 1980, 7000));
        let figures = latency(&total.all_times());
        assert!((figures.mean_us - 500.5).abs() < 1.0);
        assert_eq!((figures.min_us, figures.max_us, figures.p50_us, figures.p90_us), (1, 1000, 500, 900));
        let errors = total.errors.into_counts();
        assert_eq!((errors.len(), errors[0].count, errors[0].examples.len()), (1, 10, 10));
    }

    #[test]
    fn samples_are_bounded_and_evenly_thinned() {
        for count in [1_u64, 9, 10, 11, 1_000, 12_345] {
            let shard = Shard::new(1, 10);
            let label: Arc<str> = "x".into();
            for index in 0..count {
                shard.record(&ended(&label, index), &Outcome::default());
            }
            let joined = SampleLog::join(vec![shard.take_log()]);
            assert!(joined.samples.len() <= 10);
            let expected: Vec<u64> = (0..count).step_by(usize::try_from(joined.stride).unwrap()).collect();
            let kept: Vec<u64> = joined.samples.iter().map(|sample| sample.started_at_ms).collect();
            assert_eq!(kept, expected, "of {count}");
        }
    }

    #[test]
    fn times_beyond_the_range_count_as_its_end() {
        let mut histogram = times();
        histogram.saturating_record(u64::MAX);
        assert!(latency(&histogram).max_us >= micros(LATENCY_MAX));
    }
}
