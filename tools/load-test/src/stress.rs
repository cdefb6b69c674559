//! The search for the peak: the last load before errors, or before a latency bound.
//!
//! It knows nothing of HTTP: it asks for a row at a load and looks at the figures, so it is tested with computed rows.

use crate::error::LoadTestError;
use crate::figures;
use crate::limits::STRESS_ROWS_MAX;
use crate::result::{Row, SearchBounds};

/// How the load is raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raise {
    /// By the same amount each time.
    Step(u32),
    /// Doubled until it is too much, then halved between the last good and the first bad one, down to this difference.
    Bisect(u32),
}

/// A quantile of the latency that a bound is put on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum LatencyFigure {
    Mean,
    P50,
    P90,
    P95,
    P99,
    P999,
}

impl LatencyFigure {
    fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::P50 => "p50",
            Self::P90 => "p90",
            Self::P95 => "p95",
            Self::P99 => "p99",
            Self::P999 => "p99.9",
        }
    }
}

/// When a load is too much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StressOptions {
    /// The first load: users, or requests a second of the open driver.
    pub from: u32,
    /// The last load.
    pub to: u32,
    /// How it is raised between them.
    pub raise: Raise,
    /// Errors in a hundred samples that are still good.
    pub error_percent_max: f64,
    /// A latency that is still good, in microseconds.
    pub latency_max: Option<(LatencyFigure, u64)>,
}

impl StressOptions {
    /// Checks the options.
    pub(crate) fn check(&self) -> Result<(), LoadTestError> {
        let wrong = |option, reason: &str| Err(LoadTestError::Option { option, reason: reason.to_owned() });
        match self.raise {
            Raise::Step(0) => return wrong("step", "the load must be raised by at least 1"),
            Raise::Bisect(0) => return wrong("bisect", "the difference to stop at must be at least 1"),
            _ => {}
        }
        if self.from == 0 || self.from > self.to {
            return wrong("from", &format!("{}: it must be 1 to {}, the last load", self.from, self.to));
        }
        Ok(())
    }

    /// The bounds as results keep them.
    pub(crate) fn bounds(&self) -> SearchBounds {
        #[expect(clippy::cast_precision_loss, reason = "a bound is below 2^53 microseconds")]
        let latency_max =
            self.latency_max.map(|(figure, us)| format!("{} of {} ms", figure.name(), figures::ms(us as f64)));
        SearchBounds { error_percent_max: self.error_percent_max, latency_max, to: self.to }
    }

    /// Whether a row is still good; one that was cut short shows nothing.
    #[must_use]
    pub fn is_good(&self, row: &Row) -> bool {
        let latency = &row.latency;
        let is_fast = self.latency_max.is_none_or(|(figure, most_us)| {
            #[expect(clippy::cast_precision_loss, reason = "a bound is below 2^53 microseconds")]
            let most = most_us as f64;
            match figure {
                LatencyFigure::Mean => latency.mean_us <= most,
                LatencyFigure::P50 => latency.p50_us <= most_us,
                LatencyFigure::P90 => latency.p90_us <= most_us,
                LatencyFigure::P95 => latency.p95_us <= most_us,
                LatencyFigure::P99 => latency.p99_us <= most_us,
                LatencyFigure::P999 => latency.p999_us <= most_us,
            }
        });
        row.samples > 0 && !row.cut_short && is_fast && row.error_percent <= self.error_percent_max
    }
}

/// Decides which load comes next. Give it each row with [`Search::judge`].
#[derive(Debug)]
pub(crate) struct Search {
    options: StressOptions,
    next: Option<u32>,
    best: Option<u32>,
    worst: Option<u32>,
    rows: usize,
}

impl Search {
    pub(crate) fn new(options: StressOptions) -> Self {
        Self { options, next: Some(options.from), best: None, worst: None, rows: 0 }
    }

    /// The next load to measure; `None` if the peak is known.
    pub(crate) fn next(&self) -> Option<u32> {
        self.next.filter(|_| self.rows < STRESS_ROWS_MAX)
    }

    /// Takes note whether a load was good.
    pub(crate) fn judge(&mut self, load: u32, is_good: bool) {
        self.rows += 1;
        if is_good {
            self.best = Some(self.best.unwrap_or_default().max(load));
        } else {
            self.worst = Some(self.worst.unwrap_or(u32::MAX).min(load));
        }
        self.next = match (self.options.raise, self.best, self.worst) {
            (Raise::Step(step), Some(best), None) => self.above(best, best.saturating_add(step)),
            (Raise::Bisect(_), Some(best), None) => self.above(best, best.saturating_mul(2)),
            (Raise::Bisect(resolution), best, Some(worst)) => {
                let best = best.unwrap_or_default();
                let middle = best + (worst - best) / 2;
                (worst - best > resolution && middle > best).then_some(middle)
            }
            (Raise::Step(_), _, Some(_)) | (_, None, None) => None,
        };
    }

    fn above(&self, best: u32, wanted: u32) -> Option<u32> {
        let next = wanted.min(self.options.to);
        (next > best).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::result::Latency;

    fn options(raise: Raise) -> StressOptions {
        StressOptions { from: 10, to: 1000, raise, error_percent_max: 0.0, latency_max: None }
    }

    /// All loads that a search measures if everything above `limit` fails, and the best one.
    fn search(options: StressOptions, limit: u32) -> (Vec<u32>, Option<u32>) {
        let mut search = Search::new(options);
        let mut loads = Vec::new();
        while let Some(load) = search.next() {
            loads.push(load);
            search.judge(load, load <= limit);
        }
        (loads, search.best)
    }

    #[test]
    fn steps_end_at_the_first_bad_row() {
        assert_eq!(search(options(Raise::Step(20)), 55), (vec![10, 30, 50, 70], Some(50)));
        assert_eq!(search(options(Raise::Step(20)), 5), (vec![10], None));
        assert_eq!(search(options(Raise::Step(700)), 5000), (vec![10, 710, 1000], Some(1000)));
    }

    #[test]
    fn the_number_of_rows_is_bounded() {
        let endless = StressOptions { to: u32::MAX, ..options(Raise::Step(1)) };
        assert_eq!(search(endless, u32::MAX).0.len(), STRESS_ROWS_MAX);
    }

    #[test]
    fn a_row_is_judged_by_errors_and_latency() {
        let latency = Latency { p99_us: 500, mean_us: 90.5, ..Latency::default() };
        let row = Row { samples: 100, latency, error_percent: 0.5, ..Row::default() };
        let with = |error_percent_max, latency_max| {
            StressOptions { error_percent_max, latency_max, ..options(Raise::Step(1)) }.is_good(&row)
        };
        assert!(!with(0.0, None));
        assert!(with(0.5, None));
        assert!(with(1.0, Some((LatencyFigure::P99, 500))));
        assert!(!with(1.0, Some((LatencyFigure::P99, 499))));
        assert!(!with(1.0, Some((LatencyFigure::Mean, 90))));
        assert!(!options(Raise::Step(1)).is_good(&Row::default()));
    }

    proptest! {
        #[test]
        fn bisection_finds_the_limit_within_its_resolution(limit in 1_u32..2000, resolution in 1_u32..50) {
            let (loads, best) = search(options(Raise::Bisect(resolution)), limit);
            prop_assert!(loads.len() < 30);
            let reachable = limit.min(1000);
            match best {
                Some(best) => {
                    let is_near = reachable - best.min(reachable) < resolution || best == 1000;
                    prop_assert!(best <= reachable && is_near, "{best} of {reachable}");
                }
                None => prop_assert!(limit <= resolution),
            }
        }
    }
}
