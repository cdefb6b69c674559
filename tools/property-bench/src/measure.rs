//! Times of calls, and what they say.

use std::time::{Duration, Instant};

use load_test::Cancel;

use crate::BenchError;
use crate::limits::ROW_TIME_MAX;
use crate::result::Times;

/// Times of calls, in nanoseconds. At most as many as were asked for.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    nanoseconds: Vec<u64>,
}

impl Sample {
    /// Calls `call` up to `calls` times, for [`ROW_TIME_MAX`] at most, and takes the time of each.
    pub(crate) fn take(
        calls: usize,
        cancel: &Cancel,
        mut call: impl FnMut(usize) -> Result<(), BenchError>,
    ) -> Result<Self, BenchError> {
        let mut nanoseconds = Vec::with_capacity(calls);
        let start = Instant::now();
        for at in 0..calls {
            let before = Instant::now();
            call(at)?;
            nanoseconds.push(u64::try_from(before.elapsed().as_nanos()).unwrap_or(u64::MAX));
            if cancel.is_cancelled() {
                return Err(BenchError::Interrupted);
            }
            if start.elapsed() > ROW_TIME_MAX {
                break;
            }
        }
        Ok(Self { nanoseconds })
    }

    pub(crate) fn calls(&self) -> u64 {
        self.nanoseconds.len() as u64
    }

    /// The figures per record, given the number of records per call.
    pub(crate) fn times(mut self, records_per_call: u64) -> Times {
        self.nanoseconds.sort_unstable();
        let of_one = |nanoseconds: u64| us(nanoseconds) / real(records_per_call.max(1));
        let at = |percent: usize| {
            let last = self.nanoseconds.len().saturating_sub(1);
            let place = (self.nanoseconds.len() * percent).div_ceil(100).saturating_sub(1).min(last);
            of_one(self.nanoseconds.get(place).copied().unwrap_or_default())
        };
        let sum: u64 = self.nanoseconds.iter().sum();
        Times { mean_us: of_one(sum) / real(self.calls().max(1)), p50_us: at(50), p99_us: at(99), max_us: at(100) }
    }
}

#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
pub(crate) fn real(number: u64) -> f64 {
    number as f64
}

fn us(nanoseconds: u64) -> f64 {
    Duration::from_nanos(nanoseconds).as_secs_f64() * 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_sorted_times() {
        let sample = Sample { nanoseconds: (1..=200).rev().map(|n| n * 1000).collect() };
        let times = sample.times(1);
        assert_eq!((times.p50_us, times.p99_us, times.max_us), (100.0, 198.0, 200.0));
        assert!((times.mean_us - 100.5).abs() < 1e-9);
        let times = Sample { nanoseconds: vec![5_000_000] }.times(1000);
        assert_eq!((times.p50_us, times.p99_us, times.mean_us), (5.0, 5.0, 5.0));
        assert_eq!(Sample::default().times(1), Times::default());
    }

    #[test]
    fn a_cancelled_measurement_ends() {
        let cancel = Cancel::default();
        let outcome = Sample::take(1000, &cancel, |at| {
            if at == 3 {
                cancel.cancel();
            }
            Ok(())
        });
        assert!(matches!(outcome, Err(BenchError::Interrupted)));
    }
}
