//! How long a read may take, and whether its result is still wanted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A deadline and a cancellation flag, shared by everything that works for one request, and whether its thread may
/// wait.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<(Instant, Duration)>,
    cancelled: Option<Arc<AtomicBool>>,
    never_waits: bool,
}

/// Why work was interrupted before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupted {
    /// The caller went away or asked to stop.
    Cancelled,
    /// The deadline passed.
    Timeout {
        /// The time that was allowed, in milliseconds.
        limit_ms: u64,
    },
}

impl Budget {
    /// No bounds.
    #[must_use]
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// At most `limit` from now, and not after `cancelled` has become true.
    #[must_use]
    pub fn new(limit: Duration, cancelled: Arc<AtomicBool>) -> Self {
        Self {
            deadline: Instant::now().checked_add(limit).map(|at| (at, limit)),
            cancelled: Some(cancelled),
            never_waits: false,
        }
    }

    /// At most `limit` from now.
    #[must_use]
    pub fn within(limit: Duration) -> Self {
        Self { deadline: Instant::now().checked_add(limit).map(|at| (at, limit)), cancelled: None, never_waits: false }
    }

    /// The same on a thread that must not wait for writers: what they wait for may be this thread.
    #[must_use]
    pub fn without_waiting(self) -> Self {
        Self { never_waits: true, ..self }
    }

    /// Whether the thread may wait for writers.
    #[must_use]
    pub fn may_wait(&self) -> bool {
        !self.never_waits
    }

    /// Fails once the time is up or the result is no longer wanted. Costs a load and, with a deadline, a look at the
    /// clock: call it every few hundred rows.
    ///
    /// # Errors
    /// [`Interrupted`].
    pub fn check(&self) -> Result<(), Interrupted> {
        if self.cancelled.as_ref().is_some_and(|cancelled| cancelled.load(Ordering::Relaxed)) {
            return Err(Interrupted::Cancelled);
        }
        match self.deadline {
            Some((deadline, limit)) if Instant::now() >= deadline => {
                Err(Interrupted::Timeout { limit_ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX) })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends_by_time_or_by_its_flag() {
        assert_eq!(Budget::unlimited().check(), Ok(()));
        let flag = Arc::new(AtomicBool::new(false));
        let budget = Budget::new(Duration::from_secs(3600), Arc::clone(&flag));
        assert_eq!(budget.check(), Ok(()));
        flag.store(true, Ordering::Relaxed);
        assert_eq!(budget.check(), Err(Interrupted::Cancelled));
        let over = Budget::new(Duration::ZERO, Arc::default());
        assert_eq!(over.check(), Err(Interrupted::Timeout { limit_ms: 0 }));
    }
}
