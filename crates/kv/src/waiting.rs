//! Work on a thread that must not wait for a network, since others need it.

use std::cell::Cell;

use crate::KvError;

/// What a thread may do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waiting {
    Allowed,
    Forbidden,
    /// It was asked for, too.
    Refused,
}

thread_local! {
    static WAITING: Cell<Waiting> = const { Cell::new(Waiting::Allowed) };
}

/// Restores what held before, also after a panic.
struct Restore(Waiting);

impl Drop for Restore {
    fn drop(&mut self) {
        WAITING.set(self.0);
    }
}

/// Carries out `work`, in which calls fail with [`KvError::WouldWait`] that would wait for a network. Also says whether
/// there were any: then the result is to be discarded, and the work to be done again where it may wait, unless it is a
/// write that was submitted.
pub fn without_waiting<T>(work: impl FnOnce() -> T) -> (T, bool) {
    let _restore = Restore(WAITING.replace(Waiting::Forbidden));
    let result = work();
    (result, WAITING.get() == Waiting::Refused)
}

/// Called before waiting for a network.
///
/// # Errors
/// [`KvError::WouldWait`] within [`without_waiting`].
pub fn check_may_wait() -> Result<(), KvError> {
    if WAITING.get() == Waiting::Allowed {
        return Ok(());
    }
    WAITING.set(Waiting::Refused);
    Err(KvError::WouldWait)
}

/// Whether nothing was refused so far: what was made of calls that failed so is not to be used, wherever their errors
/// went.
///
/// # Errors
/// [`KvError::WouldWait`] once a call within [`without_waiting`] was refused.
pub fn check_nothing_refused() -> Result<(), KvError> {
    if WAITING.get() == Waiting::Refused { Err(KvError::WouldWait) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_is_refused_within_and_noted() {
        assert!(check_may_wait().is_ok());
        assert_eq!(without_waiting(|| 7), (7, false));
        let (inner, refused) = without_waiting(|| {
            assert!(check_nothing_refused().is_ok());
            let (outcome, refused) = without_waiting(check_may_wait);
            assert!(refused && matches!(outcome, Err(KvError::WouldWait)));
            let (noted, _) = without_waiting(|| check_may_wait().is_err() && check_nothing_refused().is_err());
            assert!(noted);
            std::thread::spawn(|| assert!(check_may_wait().is_ok())).join().is_ok()
        });
        assert!(inner && !refused, "each says what happened in it, on its own thread");
        assert!(check_may_wait().is_ok());
        let panicked = std::panic::catch_unwind(|| without_waiting(|| panic!("on purpose")));
        assert!(panicked.is_err() && check_may_wait().is_ok());
    }
}
