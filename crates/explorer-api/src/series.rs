//! Figures of the last hour, so that a page that is opened shows what was before.

use std::collections::VecDeque;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use prometheus::proto::MetricFamily;
use serde_json::{Value, json};
use serving::{Metrics, resident_bytes};

use crate::limits::{SERIES_EVERY, SERIES_POINTS_MAX};

/// Figures between one moment and the one before it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    /// Seconds since 1970.
    at_s: f64,
    /// Requests a second.
    rate: f64,
    /// Upper bounds of the classes that the quantiles of their times fall into, in milliseconds; none without requests,
    /// and infinite beyond the last class.
    quantiles_ms: [Option<f64>; 3],
    memory_bytes: u64,
    in_flight: f64,
    /// Requests and connections refused because there was too much at once.
    refused: u64,
}

/// The quantiles that are kept.
const QUANTILES: [f64; 3] = [0.5, 0.95, 0.99];

/// What was counted up to a moment.
#[derive(Clone, Debug, Default, PartialEq)]
struct Reading {
    /// Cumulative counts by upper bound in seconds; the last bound is infinite.
    classes: Vec<(f64, u64)>,
    refused: u64,
    in_flight: f64,
}

/// The figures of the last hour.
#[derive(Default)]
pub(crate) struct Series(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    before: Option<(Instant, Reading)>,
    points: VecDeque<Point>,
}

impl Series {
    /// Notes what is counted now. It reads all counters, which takes about a millisecond.
    pub(crate) fn note(&self, metrics: &Metrics) {
        let reading = Reading::of(&metrics.registry.gather());
        let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        self.add(reading, Instant::now(), at, resident_bytes());
    }

    fn add(&self, reading: Reading, now: Instant, at_s: f64, memory_bytes: u64) {
        let mut kept = self.0.lock();
        if let Some((then, before)) = &kept.before {
            let seconds = now.saturating_duration_since(*then).as_secs_f64().max(0.001);
            let classes = reading.since(before);
            let total = classes.last().map_or(0, |(_, count)| *count);
            let point = Point {
                at_s,
                rate: total as f64 / seconds,
                quantiles_ms: QUANTILES.map(|q| quantile(&classes, q).map(|bound| bound * 1_000.0)),
                memory_bytes,
                in_flight: reading.in_flight,
                refused: reading.refused.saturating_sub(before.refused),
            };
            if kept.points.len() >= SERIES_POINTS_MAX {
                kept.points.pop_front();
            }
            kept.points.push_back(point);
        }
        kept.before = Some((now, reading));
    }

    /// The figures as columns, oldest first. A quantile beyond the last class is null.
    pub(crate) fn told(&self) -> Value {
        let kept = self.0.lock();
        let column = |figure: fn(&Point) -> Value| kept.points.iter().map(figure).collect::<Value>();
        json!({
            "every_s": SERIES_EVERY.as_secs(),
            "at_s": column(|point| json!(point.at_s)),
            "requests_per_s": column(|point| json!(point.rate)),
            "p50_ms": column(|point| json!(point.quantiles_ms[0])),
            "p95_ms": column(|point| json!(point.quantiles_ms[1])),
            "p99_ms": column(|point| json!(point.quantiles_ms[2])),
            "memory_bytes": column(|point| json!(point.memory_bytes)),
            "in_flight": column(|point| json!(point.in_flight)),
            "refused": column(|point| json!(point.refused)),
        })
    }
}

impl Reading {
    fn of(families: &[MetricFamily]) -> Self {
        let mut reading = Self::default();
        for family in families {
            match family.name() {
                "rhizome_http_request_seconds" => {
                    for metric in family.get_metric() {
                        let histogram = metric.get_histogram();
                        let classes =
                            histogram.get_bucket().iter().map(|one| (one.upper_bound(), one.cumulative_count()));
                        let classes = classes.filter(|(bound, _)| bound.is_finite());
                        reading.take(classes.chain([(f64::INFINITY, histogram.get_sample_count())]));
                    }
                }
                "rhizome_http_refused_total" => {
                    let counts = family.get_metric().iter().map(|metric| metric.get_counter().get_value());
                    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a counter of events")]
                    let refused = counts.sum::<f64>() as u64;
                    reading.refused = refused;
                }
                "rhizome_http_requests_in_flight" => {
                    reading.in_flight = family.get_metric().iter().map(|metric| metric.get_gauge().get_value()).sum();
                }
                _ => {}
            }
        }
        reading
    }

    /// Adds the classes of an endpoint; all have the same bounds.
    fn take(&mut self, classes: impl Iterator<Item = (f64, u64)>) {
        for (at, (bound, count)) in classes.enumerate() {
            match self.classes.get_mut(at) {
                Some((_, sum)) => *sum += count,
                None => self.classes.push((bound, count)),
            }
        }
    }

    fn since(&self, before: &Self) -> Vec<(f64, u64)> {
        let earlier = |at: usize| before.classes.get(at).map_or(0, |(_, count)| *count);
        self.classes
            .iter()
            .enumerate()
            .map(|(at, (bound, count))| (*bound, count.saturating_sub(earlier(at))))
            .collect()
    }
}

/// The upper bound of the class that a quantile falls into.
fn quantile(classes: &[(f64, u64)], q: f64) -> Option<f64> {
    let total = classes.last().map_or(0, |(_, count)| *count);
    let found = classes.iter().find(|(_, count)| *count as f64 >= q * total as f64);
    found.filter(|_| total > 0).map(|(bound, _)| *bound)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serving::Outcome;

    use super::*;

    fn reading(counts: [u64; 3]) -> Reading {
        let classes = [0.001, 0.01, f64::INFINITY].into_iter().zip(counts).collect();
        Reading { classes, refused: counts[0], in_flight: 2.0 }
    }

    #[test]
    fn a_moment_tells_what_came_since_the_one_before() {
        let (series, start) = (Series::default(), Instant::now());
        series.add(reading([10, 10, 10]), start, 100.0, 5);
        assert_eq!(series.told()["at_s"], json!([]), "one moment is no difference");
        series.add(reading([108, 110, 111]), start + Duration::from_secs(5), 105.0, 6);
        series.add(reading([108, 110, 111]), start + Duration::from_secs(10), 110.0, 7);
        let told = series.told();
        assert_eq!(told["requests_per_s"], json!([101.0 / 5.0, 0.0]));
        assert_eq!((&told["p50_ms"], &told["p95_ms"]), (&json!([1.0, null]), &json!([1.0, null])));
        assert_eq!(told["p99_ms"], json!([10.0, null]), "99 of 101 took longer than a millisecond at most");
        assert_eq!((&told["memory_bytes"], &told["refused"]), (&json!([6, 7]), &json!([98, 0])));
    }

    #[test]
    fn an_hour_is_kept() {
        let (series, start) = (Series::default(), Instant::now());
        for at in 0..u32::try_from(SERIES_POINTS_MAX).unwrap() + 10 {
            series.add(reading([0, 0, u64::from(at)]), start + SERIES_EVERY * at, f64::from(at), 0);
        }
        let told = series.told();
        let at = told["at_s"].as_array().unwrap();
        assert_eq!((at.len(), &at[0]), (SERIES_POINTS_MAX, &json!(10.0)));
    }

    #[test]
    fn endpoints_are_counted_together() {
        let metrics = Metrics::new();
        let endpoints = metrics.endpoints([Some(("/a", "GET")), Some(("/b", "GET"))].into_iter());
        let before = Reading::of(&metrics.registry.gather());
        for at in [0, 1, 1] {
            endpoints.of(Some(at)).observe(Outcome::Succeeded, Duration::from_millis(4));
        }
        metrics.refused_queries.inc();
        let now = Reading::of(&metrics.registry.gather());
        let classes = now.since(&before);
        assert_eq!(classes.last(), Some(&(f64::INFINITY, 3)));
        assert_eq!((quantile(&classes, 0.5), now.refused), (Some(0.005), 1));
    }
}
