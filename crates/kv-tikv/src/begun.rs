//! Transactions begun before their batch is there, which spares it the round to PD for a timestamp.
//!
//! A batch has read nothing, so an earlier start only means that it conflicts with what was committed since; then it is
//! repeated with a new one. One is begun after a commit, so that who writes the same key again and again does not
//! conflict with itself.

use std::collections::VecDeque;

use parking_lot::Mutex;
use tikv_client::Transaction;
use tokio::time::Instant;

use crate::limits::{BEGUN_AGE_MAX, BEGUN_MAX};

/// Transactions that nobody uses yet, the newest last.
#[derive(Default)]
pub(crate) struct Begun {
    waiting: Mutex<VecDeque<Waiting>>,
}

struct Waiting {
    since: Instant,
    /// Whether it tries to commit in one phase.
    one_phase: bool,
    transaction: Transaction,
}

impl Begun {
    /// The newest one, if it is young enough.
    pub(crate) fn take(&self, one_phase: bool) -> Option<Transaction> {
        let newest = self.waiting.lock().pop_back()?;
        let is_fit = newest.one_phase == one_phase && newest.since.elapsed() <= BEGUN_AGE_MAX;
        is_fit.then_some(newest.transaction)
    }

    /// Keeps one that was begun at `since`, and drops those that have become too old, and one too many.
    pub(crate) fn put(&self, since: Instant, one_phase: bool, transaction: Transaction) {
        let mut waiting = self.waiting.lock();
        while waiting.len() >= BEGUN_MAX || waiting.front().is_some_and(|oldest| oldest.since.elapsed() > BEGUN_AGE_MAX)
        {
            waiting.pop_front();
        }
        waiting.push_back(Waiting { since, one_phase, transaction });
    }
}
