//! A circuit breaker: what has failed is left alone, until one request after some time finds it working again.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Whether something works, as far as requests have shown.
#[derive(Debug)]
pub(crate) struct Breaker {
    began: Instant,
    tried_every: Duration,
    /// When it is to be tried again, in microseconds since `began`; [`WORKS`] while it works.
    try_again: AtomicU64,
}

const WORKS: u64 = 0;

impl Breaker {
    pub(crate) fn new(tried_every: Duration) -> Self {
        Self { began: Instant::now(), tried_every, try_again: AtomicU64::new(WORKS) }
    }

    /// Whether a request may use it. While it does not work, one caller at a time is told so.
    pub(crate) fn may_try(&self) -> bool {
        let at = self.try_again.load(Ordering::Relaxed);
        at == WORKS || (at <= self.micros() && self.claim(at))
    }

    fn claim(&self, at: u64) -> bool {
        self.try_again.compare_exchange(at, self.next(), Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    pub(crate) fn is_open(&self) -> bool {
        self.try_again.load(Ordering::Relaxed) != WORKS
    }

    /// It has worked; whether it did not until now.
    pub(crate) fn works(&self) -> bool {
        self.is_open() && self.try_again.swap(WORKS, Ordering::Relaxed) != WORKS
    }

    /// It has failed; whether it worked until now.
    pub(crate) fn fails(&self) -> bool {
        self.try_again.swap(self.next(), Ordering::Relaxed) == WORKS
    }

    fn next(&self) -> u64 {
        self.micros().saturating_add(micros(self.tried_every)).max(WORKS + 1)
    }

    fn micros(&self) -> u64 {
        micros(self.began.elapsed())
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn what_fails_is_left_alone_until_it_works() {
        let breaker = Breaker::new(LONG);
        assert!(breaker.may_try());
        assert!(!breaker.works(), "it has always worked");
        assert!(breaker.fails(), "it worked until now");
        assert!(!breaker.fails(), "it is known to fail");
        assert!(!breaker.may_try());
        assert!(breaker.works(), "it did not until now");
        assert!(breaker.may_try());
    }

    #[test]
    fn one_request_at_a_time_tries_what_fails() {
        let mut breaker = Breaker::new(LONG);
        breaker.fails();
        breaker.began -= 2 * LONG;
        assert!(breaker.may_try());
        assert!(!breaker.may_try(), "another request is trying");
    }
}
