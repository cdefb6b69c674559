//! The number of requests in flight to the cluster: as many as it answers quickly.
//!
//! Requests beyond what a cluster can process queue in its nodes, where everything else has to wait behind them. So the
//! limit is halved when most answers are slow, and grows again while most are quick: additive increase and
//! multiplicative decrease (Chiu and Jain, 1989), as in congestion control. One slow node of three makes fewer than
//! half of the answers slow and does not lower the limit.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::{AcquireError, Semaphore, SemaphorePermit};

use crate::limits::{SLOTS_MIN, SLOW_ANSWER};

/// Slots for requests, whose number adapts to the cluster.
pub(crate) struct Window {
    slots: Semaphore,
    most: usize,
    state: Mutex<State>,
}

struct State {
    /// The number of slots there should be.
    limit: usize,
    /// Slots still in use beyond the limit: they are removed when released.
    surplus: usize,
    /// Answers since the last decision, to requests sent after the last decrease.
    answers: usize,
    /// The slow ones among them.
    slow: usize,
    /// The quick ones among them.
    quick: usize,
    changed: Instant,
}

impl State {
    /// Counts an answer. Returns the new limit, if it changes.
    fn judge(&mut self, took: Duration, most: usize) -> Option<usize> {
        self.answers += 1;
        self.slow += usize::from(took > SLOW_ANSWER);
        self.quick += usize::from(took < SLOW_ANSWER / 2);
        if self.answers < (self.limit / 8).max(SLOTS_MIN) {
            return None;
        }
        let limit = if self.slow * 2 > self.answers {
            (self.limit / 2).max(SLOTS_MIN).min(most)
        } else if self.quick * 2 > self.answers {
            (self.limit + 1 + self.limit / 64).min(most)
        } else {
            self.limit
        };
        (self.answers, self.slow, self.quick) = (0, 0, 0);
        Some(limit).filter(|limit| *limit != self.limit)
    }
}

/// A slot, released when dropped.
pub(crate) struct Permit<'a> {
    window: &'a Window,
    permit: Option<SemaphorePermit<'a>>,
    since: Instant,
}

impl Window {
    pub(crate) fn new(most: usize) -> Self {
        let state = State { limit: most, surplus: 0, answers: 0, slow: 0, quick: 0, changed: Instant::now() };
        Self { slots: Semaphore::new(most), most, state: Mutex::new(state) }
    }

    /// The current limit.
    pub(crate) fn limit(&self) -> usize {
        self.state.lock().limit
    }

    pub(crate) async fn acquire(&self) -> Result<Permit<'_>, AcquireError> {
        let permit = self.slots.acquire().await?;
        Ok(Permit { window: self, permit: Some(permit), since: Instant::now() })
    }

    /// Learns from a request that began at `since` and took `took`; returns whether its slot is to be removed.
    fn learn(&self, since: Instant, took: Duration) -> bool {
        let mut state = self.state.lock();
        // Requests from before the last decrease say nothing about it.
        if since >= state.changed
            && let Some(limit) = state.judge(took, self.most)
        {
            if limit < state.limit {
                state.surplus += state.limit - limit;
                state.changed = Instant::now();
            } else {
                let more = limit - state.limit;
                let kept = more.min(state.surplus);
                state.surplus -= kept;
                self.slots.add_permits(more - kept);
            }
            state.limit = limit;
        }
        let goes = state.surplus > 0;
        state.surplus -= usize::from(goes);
        goes
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let goes = self.window.learn(self.since, self.since.elapsed());
        if let Some(permit) = self.permit.take()
            && goes
        {
            permit.forget();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes all slots and releases them after requests of these durations, in turn.
    fn round(window: &Window, took: &[Duration]) -> usize {
        let mut held = Vec::new();
        while let Ok(permit) = window.slots.try_acquire() {
            held.push(permit);
        }
        let count = held.len();
        let now = Instant::now();
        for (permit, took) in held.into_iter().zip(took.iter().cycle()) {
            if window.learn(now, *took) {
                permit.forget();
            }
        }
        count
    }

    #[test]
    fn slow_answers_halve_the_slots_once_a_round_and_quick_ones_bring_them_back() {
        let window = Window::new(64);
        let (quick, slow) = (Duration::from_millis(1), SLOW_ANSWER * 2);
        assert_eq!(round(&window, &[quick]), 64);
        for expected in [64, 32, 16, 8] {
            assert_eq!(round(&window, &[slow]), expected);
        }
        for _ in 0..10 {
            round(&window, &[slow]);
        }
        assert_eq!(round(&window, &[SLOW_ANSWER]), SLOTS_MIN, "neither slow nor quick changes nothing");
        let mut last = SLOTS_MIN;
        let rounds = (0..100).position(|_| {
            let now = round(&window, &[quick]);
            assert!(now >= last);
            last = now;
            now == 64
        });
        assert!(rounds.is_some_and(|rounds| rounds > 5), "{rounds:?}");
        assert_eq!((window.limit(), window.slots.available_permits()), (64, 64));
    }

    #[test]
    fn one_slow_node_of_three_costs_no_slots() {
        let window = Window::new(64);
        let (quick, slow) = (Duration::from_millis(1), SLOW_ANSWER * 2);
        for _ in 0..20 {
            assert_eq!(round(&window, &[slow, quick, quick]), 64);
        }
    }

    #[test]
    fn few_slots_stay() {
        let window = Window::new(2);
        round(&window, &[SLOW_ANSWER * 2; 2]);
        round(&window, &[SLOW_ANSWER * 2; 2]);
        assert_eq!((window.limit(), window.slots.available_permits()), (2, 2));
    }
}
