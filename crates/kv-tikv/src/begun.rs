//! Transactions of two phases begun before their batch is there, which spares it the round to PD for a timestamp.
//!
//! A batch has read nothing, so an earlier start only means that it conflicts with what was committed since; then it is
//! repeated with a new one. One is begun after a commit, so that who writes the same key again and again does not
//! conflict with itself.
//!
//! Not for one phase: there the store derives the timestamp of the commit from that of the start, and a snapshot taken
//! in between could have a write without those acknowledged before it. Two phases take a new timestamp for the commit.

use std::collections::VecDeque;

use parking_lot::Mutex;
use tikv_client::Transaction;
use tokio::time::Instant;

use crate::limits::{BEGUN_AGE_MAX, BEGUN_MAX};

/// Transactions that nobody uses yet, the newest last.
#[derive(Default)]
pub(crate) struct Begun {
    waiting: Mutex<VecDeque<(Instant, Transaction)>>,
}

impl Begun {
    /// The newest one, if it is young enough.
    pub(crate) fn take(&self) -> Option<Transaction> {
        let (since, transaction) = self.waiting.lock().pop_back()?;
        (since.elapsed() <= BEGUN_AGE_MAX).then_some(transaction)
    }

    /// Keeps one that was begun at `since`, and drops those that have become too old, and one too many.
    pub(crate) fn put(&self, since: Instant, transaction: Transaction) {
        let mut waiting = self.waiting.lock();
        while waiting.len() >= BEGUN_MAX || waiting.front().is_some_and(|(since, _)| since.elapsed() > BEGUN_AGE_MAX) {
            waiting.pop_front();
        }
        waiting.push_back((since, transaction));
    }
}
