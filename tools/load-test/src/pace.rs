//! When the next request of a user starts: the three drivers.
//!
//! Paced and closed users look at their own last request only. The open driver has one list of starts for all users of
//! a thread; it is computed, not stored: the n-th start is a function of n.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::time::sleep_until;

use crate::limits::TIMER_GRACE;

/// When users send.
#[derive(Clone)]
pub(crate) enum Pace {
    /// One request per interval; a late user does not catch up.
    Paced(Duration),
    /// Back to back.
    Closed,
    /// At a constant rate.
    Open(Arc<Mutex<Arrivals>>),
}

/// The start of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    /// Where its time counts from; `None` means from when it is sent.
    pub(crate) intended: Option<Instant>,
}

impl Pace {
    /// Waits for the next start of a user; `None` at the end of the row. `next` is the user's own memory: at first when
    /// it is to begin.
    pub(crate) async fn next_start(&self, next: &mut Instant, until: Instant) -> Option<Start> {
        match self {
            Self::Closed => {
                let mut now = Instant::now();
                if *next > now {
                    sleep_until((*next).min(until).into()).await;
                    now = Instant::now();
                }
                (now < until).then_some(Start { intended: None })
            }
            Self::Paced(interval) => {
                let now = Instant::now();
                if (*next).max(now) >= until {
                    return None;
                }
                if *next > now {
                    sleep_until((*next).into()).await;
                    *next += *interval;
                } else {
                    *next = now + *interval;
                }
                Some(Start { intended: None })
            }
            Self::Open(arrivals) => {
                let start = arrivals.lock().take(Instant::now())?;
                if start > Instant::now() {
                    sleep_until(start.into()).await;
                    let is_on_time = start.elapsed() <= TIMER_GRACE;
                    return Some(Start { intended: (!is_on_time).then_some(start) });
                }
                Some(Start { intended: Some(start) })
            }
        }
    }
}

/// The starts of the open driver: first with a rising rate (ramp-up), then with a constant one.
#[derive(Debug)]
pub(crate) struct Arrivals {
    begin: Instant,
    ramp_up_s: f64,
    rate_per_s: f64,
    /// Starts from here on count.
    counted_from: Instant,
    /// No starts from here on.
    until: Instant,
    /// Starts that wait for a free user give up then.
    give_up: Instant,
    /// Starts that may wait for a free user.
    queue_max: u64,
    next: u64,
    dropped: u64,
}

impl Arrivals {
    pub(crate) fn new(window: &Window, ramp_up: Duration, rate_per_s: f64, queue_max: u64) -> Self {
        Self {
            begin: window.begin,
            ramp_up_s: ramp_up.as_secs_f64(),
            rate_per_s,
            counted_from: window.counted_from,
            until: window.until,
            give_up: window.until + window.drain,
            queue_max,
            next: 0,
            dropped: 0,
        }
    }

    /// The next start, which may have passed; `None` after the last one.
    pub(crate) fn take(&mut self, now: Instant) -> Option<Instant> {
        let due = self.due(now.min(self.until));
        let oldest = due.saturating_sub(self.queue_max);
        if now >= self.give_up {
            self.drop_until(self.due(self.until));
        } else if oldest > self.next {
            self.drop_until(oldest);
        }
        let start = self.start(self.next);
        if start >= self.until {
            return None;
        }
        self.next += 1;
        Some(start)
    }

    /// Starts in the counted part that were given up.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Gives up what is left, because nobody will take it any more: what has been due until `now`.
    pub(crate) fn close(&mut self, now: Instant) {
        let due = self.due(now.min(self.until));
        self.drop_until(due);
    }

    fn drop_until(&mut self, end: u64) {
        let first_counted = self.due(self.counted_from);
        self.dropped += end.saturating_sub(self.next.max(first_counted));
        self.next = self.next.max(end);
    }

    /// Number of starts before a moment.
    fn due(&self, at: Instant) -> u64 {
        let elapsed_s = at.saturating_duration_since(self.begin).as_secs_f64();
        let in_ramp_s = elapsed_s.min(self.ramp_up_s);
        let ramped =
            if self.ramp_up_s > 0.0 { self.rate_per_s * in_ramp_s * in_ramp_s / (2.0 * self.ramp_up_s) } else { 0.0 };
        let starts = ramped + self.rate_per_s * (elapsed_s - in_ramp_s);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative; casts of floats saturate"
        )]
        let due = starts.ceil() as u64;
        due
    }

    /// The moment of the start of a number; the inverse of `due`.
    fn start(&self, number: u64) -> Instant {
        #[expect(clippy::cast_precision_loss, reason = "a row has less than 2^53 requests")]
        let number = number as f64;
        let ramped = self.rate_per_s * self.ramp_up_s / 2.0;
        let seconds = if number < ramped {
            (2.0 * self.ramp_up_s * number / self.rate_per_s).sqrt()
        } else {
            self.ramp_up_s + (number - ramped) / self.rate_per_s
        };
        self.begin + Duration::try_from_secs_f64(seconds).unwrap_or(Duration::from_hours(24 * 365))
    }
}

/// The parts of a row in time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// The first users start.
    pub(crate) begin: Instant,
    /// Requests that start from here on count.
    pub(crate) counted_from: Instant,
    /// No request starts from here on.
    pub(crate) until: Instant,
    /// Time that those waiting for a free user have after that.
    pub(crate) drain: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    fn window(begin: Instant) -> Window {
        Window { begin, counted_from: begin + 2 * S, until: begin + 10 * S, drain: 5 * S }
    }

    #[test]
    fn starts_come_at_the_rate_and_end() {
        let begin = Instant::now();
        let mut arrivals = Arrivals::new(&window(begin), Duration::ZERO, 100.0, 1_000_000);
        let starts: Vec<_> = std::iter::from_fn(|| arrivals.take(begin)).collect();
        assert_eq!(starts.len(), 1000);
        assert_eq!(starts[0], begin);
        assert!(starts.windows(2).all(|pair| {
            let gap = pair[1] - pair[0];
            gap > Duration::from_micros(9_999) && gap < Duration::from_micros(10_001)
        }));
        assert_eq!(arrivals.dropped(), 0);
    }

    #[test]
    fn a_ramp_makes_half_as_many() {
        let begin = Instant::now();
        let mut arrivals = Arrivals::new(&window(begin), 4 * S, 100.0, 1_000_000);
        let starts: Vec<_> = std::iter::from_fn(|| arrivals.take(begin)).collect();
        assert_eq!(starts.iter().filter(|start| **start < begin + 4 * S).count(), 200);
        assert_eq!(starts.len(), 800);
        for (number, start) in starts.iter().enumerate() {
            let due = arrivals.due(*start + Duration::from_nanos(10));
            assert!(due == number as u64 + 1 || due == number as u64, "{number}: {due}");
        }
    }

    #[test]
    fn what_waits_too_long_is_dropped_and_counted() {
        let begin = Instant::now();
        let mut arrivals = Arrivals::new(&window(begin), Duration::ZERO, 100.0, 50);
        // Nobody was free for 5 seconds: 500 starts, of which 50 may wait; 200 were before the counted part.
        let start = arrivals.take(begin + 5 * S).unwrap();
        assert!(start >= begin + Duration::from_millis(4_499) && start <= begin + Duration::from_millis(4_501));
        assert_eq!(arrivals.dropped(), 450 - 200);
        // After the end, what waits is still sent, until the drain is over.
        assert!(arrivals.take(begin + 11 * S).is_some());
        assert_eq!(arrivals.take(begin + 16 * S), None);
        assert_eq!(arrivals.dropped() + 2, 1000 - 200);
    }

    #[tokio::test]
    async fn who_is_late_does_not_catch_up() {
        let begin = Instant::now();
        let pace = Pace::Paced(S);
        let mut next = begin - 10 * S;
        assert!(pace.next_start(&mut next, begin + 60 * S).await.is_some());
        // The next start is one interval from now, not one of the ten missed ones.
        assert!(next >= begin + S);
        assert_eq!(pace.next_start(&mut next, begin).await, None);
    }
}
