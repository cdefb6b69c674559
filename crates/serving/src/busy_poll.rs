//! Staying awake for a moment: a thread that has served looks for the next bytes before it lets the system put it to
//! sleep.
//!
//! Putting a thread to sleep and waking it costs about as much as answering a small request, and where nothing more is
//! to be done for a few microseconds between two requests it would be paid for nearly each. So the thread yields the
//! processor, looks again, and sleeps after a while without arrivals (`server.busy_poll_us`). Three things end that
//! sooner:
//!
//! - There is work that takes long: a batch, a query. The processors are for that, and for what it leaves behind to be
//!   merged.
//! - Nothing came. Then it is not tried again before as many wake-ups, twice as many the next time: a server with
//!   little to do, whose requests are far apart, sleeps between them as if this were not here.
//! - The processor came back late, most times, and little had arrived meanwhile: it was not clients who had it. Another
//!   thread has much to do on it, and the system lets a thread keep it until its next tick, also one of low priority. A
//!   thread that sleeps is given the processor at once when it is woken. So it is not tried again for a second, and for
//!   longer if it is the same then.
//!
//! It matters most where the clients are on the same machine. A thread that sleeps takes the processor from a client
//! after each request that it sends, and neither ever sees many at once.

use std::cell::Cell;
use std::future::poll_fn;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

use tokio::task::yield_now;

use crate::limits::{
    BUSY_POLL_ARRIVAL, BUSY_POLL_LATE, BUSY_POLL_LOST_MAX, BUSY_POLL_LOST_SHARE, BUSY_POLL_REST_MAX,
    BUSY_POLL_REST_MIN, BUSY_POLL_ROUND, BUSY_POLL_SKIPS_MAX,
};

/// Counts what takes long, in the whole process: it takes the processor from all threads.
static LONG_WORKS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static ARRIVALS: Cell<u64> = const { Cell::new(0) };
    static ASLEEP: Cell<Option<Waker>> = const { Cell::new(None) };
}

/// Notes that bytes have come in on a connection of this thread.
pub fn note_arrival() {
    ARRIVALS.set(ARRIVALS.get().wrapping_add(1));
    if let Some(waker) = ASLEEP.take() {
        waker.wake();
    }
}

/// Notes that there is work that takes long.
pub(crate) fn note_long_work() {
    LONG_WORKS.fetch_add(1, Ordering::Relaxed);
}

/// Keeps the calling thread awake for up to `limit` after an arrival. Never ends; belongs on a runtime of one thread.
pub(crate) async fn stay_awake(limit: Duration) {
    let mut habit = Habit::default();
    loop {
        next_arrival().await;
        if habit.begins(Instant::now(), LONG_WORKS.load(Ordering::Relaxed)) {
            vigil(limit, &mut habit, &LONG_WORKS).await;
        }
    }
}

async fn next_arrival() {
    let before = ARRIVALS.get();
    poll_fn(|context| {
        if ARRIVALS.get() != before {
            return Poll::Ready(());
        }
        ASLEEP.set(Some(context.waker().clone()));
        Poll::Pending
    })
    .await;
}

/// One vigil, from an arrival to where it is better to sleep.
async fn vigil(limit: Duration, habit: &mut Habit, long_works: &AtomicU64) {
    let mut is_fruitful = false;
    let mut seen = ARRIVALS.get();
    let mut round_since = Instant::now();
    let mut quiet_since = round_since;
    let mut away = Duration::ZERO;
    loop {
        // Comes back when everything else that is ready on this thread has had its turn, and new arrivals were looked
        // for.
        yield_now().await;
        if habit.long_works != long_works.load(Ordering::Relaxed) {
            return;
        }
        let now = Instant::now();
        let arrivals = ARRIVALS.get();
        if habit.was_away(std::mem::take(&mut away), arrivals.wrapping_sub(seen), now) {
            return;
        }
        if arrivals != seen || now.duration_since(round_since) >= BUSY_POLL_ROUND {
            is_fruitful |= arrivals != seen;
            seen = arrivals;
            (round_since, quiet_since) = (now, now);
            continue;
        }
        if now.duration_since(quiet_since) >= limit {
            return habit.vigil_ended(is_fruitful);
        }
        std::thread::yield_now();
        round_since = Instant::now();
        away = round_since.duration_since(now);
    }
}

/// Whether to stay awake, by how it went before.
#[derive(Debug, Default)]
struct Habit {
    /// Wake-ups passed over after the last vigil without arrivals.
    skipped: u32,
    /// Wake-ups still to pass over.
    skips: u32,
    /// Time lost by coming back late, at least, less a share of the time since, and when that was reckoned.
    lost: Duration,
    reckoned: Option<Instant>,
    /// No vigils before then, and for how long there were none.
    rest: Option<(Instant, Duration)>,
    /// How much long work there had been when it was last looked at, and until when there are no vigils because of it.
    long_works: u64,
    busy_until: Option<Instant>,
}

impl Habit {
    /// Whether a vigil is worth it.
    fn begins(&mut self, now: Instant, long_works: u64) -> bool {
        if self.long_works != long_works {
            self.long_works = long_works;
            self.busy_until = Some(now + BUSY_POLL_REST_MIN);
        }
        if self.busy_until.is_some_and(|until| now < until) || self.rest.is_some_and(|(until, _)| now < until) {
            return false;
        }
        if self.skips > 0 {
            self.skips -= 1;
            return false;
        }
        true
    }

    fn vigil_ended(&mut self, is_fruitful: bool) {
        self.skipped = if is_fruitful { 0 } else { (self.skipped * 2 + 1).min(BUSY_POLL_SKIPS_MAX) };
        self.skips = self.skipped;
    }

    /// Whether others need the processor so much that it is better to sleep, after they had it for some time in which
    /// so much arrived.
    fn was_away(&mut self, away: Duration, arrivals: u64, now: Instant) -> bool {
        let arrivals = u32::try_from(arrivals).unwrap_or(u32::MAX);
        if away < BUSY_POLL_LATE || away < BUSY_POLL_ARRIVAL.saturating_mul(arrivals) {
            return false;
        }
        let passed =
            self.reckoned.replace(now).map_or(Duration::MAX, |reckoned| now.saturating_duration_since(reckoned));
        // However long it was once: then it was the host that had it.
        self.lost = self.lost.saturating_sub(passed / BUSY_POLL_LOST_SHARE) + BUSY_POLL_LATE;
        if self.lost <= BUSY_POLL_LOST_MAX {
            return false;
        }
        self.lost = Duration::ZERO;
        let rest = match self.rest {
            Some((until, rest)) if now.saturating_duration_since(until) < rest => (rest * 2).min(BUSY_POLL_REST_MAX),
            _ => BUSY_POLL_REST_MIN,
        };
        self.rest = Some((now + rest, rest));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of the next wake-ups are passed over.
    fn passed_over(habit: &mut Habit, now: Instant) -> u32 {
        (0..).find(|_| habit.begins(now, 0)).unwrap_or_default()
    }

    /// How often it came back so late before it rested.
    fn late_until_rest(habit: &mut Habit, now: Instant) -> u32 {
        (1..).find(|_| habit.was_away(BUSY_POLL_LATE, 0, now)).unwrap_or_default()
    }

    #[test]
    fn requests_far_apart_are_slept_between() {
        let now = Instant::now();
        let mut habit = Habit::default();
        assert_eq!(passed_over(&mut habit, now), 0);
        let mut counts = Vec::new();
        for _ in 0..10 {
            habit.vigil_ended(false);
            counts.push(passed_over(&mut habit, now));
        }
        assert_eq!(counts[..4], [1, 3, 7, 15]);
        assert_eq!(counts.last(), Some(&BUSY_POLL_SKIPS_MAX));
        habit.vigil_ended(true);
        assert_eq!(passed_over(&mut habit, now), 0);
        habit.vigil_ended(false);
        assert_eq!(passed_over(&mut habit, now), 1);
    }

    #[test]
    fn a_computing_process_gets_the_processor_for_longer_and_longer() {
        let mut now = Instant::now();
        let mut habit = Habit::default();
        let mut rest = BUSY_POLL_REST_MIN;
        for _ in 0..10 {
            assert_eq!(late_until_rest(&mut habit, now), 6);
            assert!(!habit.begins(now + rest / 2, 0));
            now += rest;
            assert!(habit.begins(now, 0));
            rest = (rest * 2).min(BUSY_POLL_REST_MAX);
        }
        now += rest;
        late_until_rest(&mut habit, now);
        assert!(habit.begins(now + BUSY_POLL_REST_MIN, 0));
    }

    #[test]
    fn long_work_is_left_the_processor() {
        let now = Instant::now();
        let mut habit = Habit::default();
        assert!(habit.begins(now, 0));
        assert!(!habit.begins(now, 3));
        assert!(!habit.begins(now + BUSY_POLL_REST_MIN / 2, 3));
        assert!(habit.begins(now + BUSY_POLL_REST_MIN, 3));
        assert!(!habit.begins(now + BUSY_POLL_REST_MIN, 4));
    }

    #[test]
    fn short_work_may_take_the_processor_often() {
        let now = Instant::now();
        let mut habit = Habit::default();
        assert!((0..1_000).all(|_| !habit.was_away(BUSY_POLL_LATE - Duration::from_micros(1), 0, now)));
    }

    #[test]
    fn now_and_then_the_processor_may_come_back_late() {
        let mut now = Instant::now();
        let mut habit = Habit::default();
        for _ in 0..1_000 {
            assert!(!habit.was_away(Duration::from_secs(1), 0, now));
            now += BUSY_POLL_LATE * BUSY_POLL_LOST_SHARE;
        }
    }

    #[test]
    fn a_sender_of_much_may_take_the_processor_for_longer() {
        let now = Instant::now();
        let mut habit = Habit::default();
        let much = u64::try_from(BUSY_POLL_LATE.as_micros() / BUSY_POLL_ARRIVAL.as_micros()).unwrap() + 1;
        assert!((0..1_000).all(|_| !habit.was_away(BUSY_POLL_LATE, much, now)));
        assert!((0..6).any(|_| habit.was_away(BUSY_POLL_LATE, much / 2, now)));
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_vigil_sees_what_arrives_during_it() {
        let mut habit = Habit::default();
        let long_works = AtomicU64::new(0);
        vigil(Duration::ZERO, &mut habit, &long_works).await;
        assert_eq!(habit.skips, 1);
        let arriving = async {
            yield_now().await;
            note_arrival();
        };
        tokio::join!(vigil(Duration::from_millis(20), &mut habit, &long_works), arriving);
        // Beside a busy compiler the processor may come back late, which ends it too.
        assert!(habit.skips == 0 || habit.rest.is_some(), "{habit:?}");
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_vigil_ends_where_long_work_begins() {
        let long_works = AtomicU64::new(0);
        let beginning = async {
            yield_now().await;
            long_works.store(1, Ordering::Relaxed);
        };
        let mut habit = Habit::default();
        tokio::join!(vigil(Duration::MAX, &mut habit, &long_works), beginning);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn an_arrival_wakes_who_sleeps() {
        let sleeper = tokio::spawn(next_arrival());
        yield_now().await;
        assert!(!sleeper.is_finished());
        note_arrival();
        sleeper.await.unwrap();
    }
}
