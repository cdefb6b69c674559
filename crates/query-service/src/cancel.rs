//! Ending a query from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use parking_lot::Mutex;

/// Why a query is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The client is gone, or asked for it.
    Client,
    /// Its time is over.
    Timeout,
    /// Somebody asked for it with its number.
    Killed,
}

/// The way to end one query. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<State>);

#[derive(Debug, Default)]
struct State {
    /// 0: not ended; otherwise a [`Reason`] and one.
    reason: AtomicU8,
    /// What the query looks at while it works.
    flag: Mutex<Option<Arc<AtomicBool>>>,
    /// A flag by which others end the query.
    outer: Option<Arc<AtomicBool>>,
}

impl Cancel {
    /// Setting this flag ends the query too, where it belongs to no session.
    #[must_use]
    pub fn over(flag: Arc<AtomicBool>) -> Self {
        Self(Arc::new(State { outer: Some(flag), ..State::default() }))
    }

    /// The flag of a unit that the query has for itself.
    pub(crate) fn own_flag(&self) -> Arc<AtomicBool> {
        self.0.outer.clone().unwrap_or_default()
    }

    /// Ends the query, or prevents it from beginning. Only the first reason counts.
    pub fn end(&self, reason: Reason) {
        let code = match reason {
            Reason::Client => 1,
            Reason::Timeout => 2,
            Reason::Killed => 3,
        };
        let flag = self.0.flag.lock();
        if self.0.reason.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed).is_ok()
            && let Some(flag) = &*flag
        {
            flag.store(true, Ordering::Relaxed);
        }
    }

    /// Why it was ended; none if it was not.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        match self.0.reason.load(Ordering::Relaxed) {
            1 => Some(Reason::Client),
            2 => Some(Reason::Timeout),
            3 => Some(Reason::Killed),
            _ => None,
        }
    }

    /// From now on, ending sets this flag; it is set at once where that has happened already.
    pub(crate) fn attach(&self, flag: &Arc<AtomicBool>) {
        let mut attached = self.0.flag.lock();
        if self.reason().is_some() {
            flag.store(true, Ordering::Relaxed);
        }
        *attached = Some(Arc::clone(flag));
    }

    /// Ending sets no flag any more: the query has ended, and what its flag belongs to goes on.
    pub(crate) fn detach(&self) {
        *self.0.flag.lock() = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_is_set_whenever_it_is_attached() {
        let (before, after) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let cancel = Cancel::default();
        cancel.attach(&before);
        assert_eq!(cancel.reason(), None);
        cancel.end(Reason::Killed);
        cancel.end(Reason::Timeout);
        cancel.attach(&after);
        assert!(before.load(Ordering::Relaxed) && after.load(Ordering::Relaxed));
        assert_eq!(cancel.reason(), Some(Reason::Killed));
    }

    #[test]
    fn what_is_detached_is_left_alone() {
        let flag = Arc::new(AtomicBool::new(false));
        let cancel = Cancel::default();
        cancel.attach(&flag);
        cancel.detach();
        cancel.end(Reason::Client);
        assert!(!flag.load(Ordering::Relaxed));
    }
}
