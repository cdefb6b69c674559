//! Simulated time and the ids that carry it.

use crate::limits::{DAY_MS, HOUR_MS, SEQUENCE_BITS, START_MS, START_YEAR};

/// The simulated time: from 2010-01-01 for some years, in epoch milliseconds, UTC.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    /// First instant after the simulation.
    pub(crate) end_ms: u64,
}

impl Clock {
    /// A simulation of `years` years.
    pub(crate) fn new(years: u32) -> Clock {
        let days: u64 = (START_YEAR..START_YEAR + years).map(Clock::days_of_year).sum();
        Clock { end_ms: START_MS + days * DAY_MS }
    }

    /// Length of the simulation.
    pub(crate) fn span_ms(self) -> u64 {
        self.end_ms - START_MS
    }

    /// 365 or 366 (valid from 1901 to 2099).
    pub(crate) fn days_of_year(year: u32) -> u64 {
        if year.is_multiple_of(4) { 366 } else { 365 }
    }

    /// An id: the hour of creation, then a running number. So ids grow with creation time, to the hour.
    pub(crate) fn id(created_ms: u64, sequence: u64) -> u64 {
        (((created_ms.saturating_sub(START_MS)) / HOUR_MS) << SEQUENCE_BITS) | sequence
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::YEARS_MAX;

    #[test]
    fn three_years_end_with_2012() {
        assert_eq!(Clock::new(3).end_ms, 1_356_998_400_000);
    }

    #[test]
    fn ids_grow_with_time_and_fit_a_double() {
        let clock = Clock::new(YEARS_MAX);
        assert!(Clock::id(START_MS + HOUR_MS, 0) > Clock::id(START_MS, (1 << SEQUENCE_BITS) - 1));
        assert!(Clock::id(clock.end_ms, (1 << SEQUENCE_BITS) - 1) < 1 << 53);
    }
}
