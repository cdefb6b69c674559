//! Whether the cluster's log of batches works.
//!
//! A node that takes a logged batch first writes it to the logs of two other nodes and waits for both. When a node
//! dies, the others choose it for that until they have found it dead, which takes them some 20 s; every batch it is
//! chosen for fails meanwhile, though a majority of the replicas is there. So a group whose batch gets no answer
//! becomes an intent, which needs nothing but that majority. When the intent got through at once, the log is what
//! failed: other groups become intents, too, and one batch after each [`BATCH_LOG_TRIED_EVERY`] tries the log again (a
//! circuit breaker).
//!
//! [`BATCH_LOG_TRIED_EVERY`]: crate::limits::BATCH_LOG_TRIED_EVERY

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The state of the log, as far as batches have shown.
pub(crate) struct BatchLog {
    began: Instant,
    tried_every: Duration,
    /// When the log is to be tried again, in microseconds since `began`; [`WORKS`] while it works.
    try_again: AtomicU64,
}

const WORKS: u64 = 0;

impl BatchLog {
    pub(crate) fn new(tried_every: Duration) -> Self {
        Self { began: Instant::now(), tried_every, try_again: AtomicU64::new(WORKS) }
    }

    /// Whether a group may be sent as a logged batch. While the log does not work, one caller is told so at a time.
    pub(crate) fn may_try(&self) -> bool {
        let at = self.try_again.load(Ordering::Relaxed);
        at == WORKS || (at <= self.micros() && self.claim(at))
    }

    fn claim(&self, at: u64) -> bool {
        self.try_again.compare_exchange(at, self.next(), Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// A logged batch was answered; whether the log did not work until now.
    pub(crate) fn works(&self) -> bool {
        self.try_again.load(Ordering::Relaxed) != WORKS && self.try_again.swap(WORKS, Ordering::Relaxed) != WORKS
    }

    /// A logged batch was not answered, and what does without the log was; whether the log worked until now.
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

    #[test]
    fn a_log_that_fails_is_left_alone_until_one_batch_tries_it_again() {
        let log = BatchLog::new(Duration::from_secs(3600));
        assert!(log.may_try());
        assert!(!log.works(), "it has always worked");
        assert!(log.fails(), "it worked until now");
        assert!(!log.fails(), "it is known to fail");
        assert!(!log.may_try());
        assert!(log.works(), "it did not until now");
        assert!(log.may_try());
    }

    #[test]
    fn one_batch_at_a_time_tries_a_failing_log() {
        let long = Duration::from_secs(60);
        let mut log = BatchLog::new(long);
        log.fails();
        log.began -= 2 * long;
        assert!(log.may_try());
        assert!(!log.may_try(), "another batch is trying");
    }
}
