//! Timestamps of writes: microseconds since 1970, never the same twice.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Gives the time of day in microseconds, or one more than what it gave last, whichever is greater: among the writes of
/// one process the later one wins, even when the clock stands still or is set back.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    last: AtomicI64,
}

impl Clock {
    pub(crate) fn next(&self) -> i64 {
        let now = now_micros();
        let after = |last: i64| now.max(last.saturating_add(1));
        match self.last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(after(last))) {
            Ok(last) | Err(last) => after(last),
        }
    }

    /// The last moment given, or followed.
    pub(crate) fn last(&self) -> i64 {
        self.last.load(Ordering::Relaxed)
    }

    /// Gives only later moments than this from now on.
    pub(crate) fn follow(&self, moment: i64) {
        self.last.fetch_max(moment, Ordering::Relaxed);
    }
}

/// The time of day in microseconds since 1970.
pub(crate) fn now_micros() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_rise_whatever_the_clock_does() {
        let clock = Clock { last: AtomicI64::new(now_micros() + 1_000_000_000) };
        let ahead = clock.next();
        assert!((0..1000).map(|_| clock.next()).is_sorted_by(|a, b| a < b));
        assert!(clock.next() > ahead);
        let other = Clock::default();
        other.follow(clock.last());
        assert!(other.next() > clock.last(), "a clock that is behind goes on after the one it follows");
        other.follow(0);
        assert!(other.next() > clock.last());
        let fresh = Clock::default();
        assert!((fresh.next() - now_micros()).abs() < 60_000_000);
    }
}
