//! A query that somebody else carries out.

use std::time::Duration;

use crate::cancel::{Cancel, Reason};
use crate::running::Registered;
use crate::slow::Slow;

/// A query of another language, carried out by somebody else: in the list of those that run until it is dropped, then
/// among the slow ones where it was slow.
pub struct Entered<'r> {
    registered: Registered<'r>,
    cancel: Cancel,
    slow: (&'r Slow, Duration),
    /// Says its plan.
    plan: Option<Box<dyn Fn() -> String>>,
}

impl<'r> Entered<'r> {
    pub(crate) fn new(registered: Registered<'r>, cancel: Cancel, slow: (&'r Slow, Duration)) -> Self {
        Self { registered, cancel, slow, plan: None }
    }

    /// Counts rows that were handed on.
    pub fn add_rows(&self, rows: u64) {
        self.registered.add(rows, 0);
    }

    /// Says what its plan is. It is asked for only where the query turns out to be slow.
    pub fn explained_by(&mut self, plan: impl Fn() -> String + 'static) {
        self.plan = Some(Box::new(plan));
    }

    /// Whether somebody has ended it by its number.
    #[must_use]
    pub fn is_killed(&self) -> bool {
        self.cancel.reason() == Some(Reason::Killed)
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.cancel.detach();
        let (slow, limit) = self.slow;
        slow.note(&self.registered, limit, None, self.plan.as_deref());
    }
}
