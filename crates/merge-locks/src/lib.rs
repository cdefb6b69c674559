//! Which patterns are being merged? Locks by numbers, one for each pattern with its values, of one server.
//!
//! What it is: a `MERGE` looks for a pattern and makes it where it is missing. Two transactions that do so at one time
//! would both find nothing; so each locks the number of its pattern ([`Merging::lock`]) before it looks, and has it
//! until what it made is committed or dropped. What it is not: it knows no graph and no pattern; numbers that meet by
//! chance cost a wait, nothing else.
//!
//! Invariants:
//! - Nobody waits for ever: whoever would close a circle of transactions that wait for each other is refused
//!   ([`Refused::Deadlock`]), and a wait ends as soon as its caller says so.
//! - Dropping a [`Merging`] gives back all it has.

use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use rustc_hash::{FxHashMap, FxHashSet};

/// How often who waits looks whether it may still wait: a deadline is met that exactly.
const LOOK: Duration = Duration::from_millis(20);

/// Locks that one transaction may have: 1,000,000, which take some 50 MB.
pub const LOCKS_MAX: usize = 1_000_000;

/// The locks of a server.
#[derive(Debug, Default)]
pub struct MergeLocks {
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    last: u64,
    /// Who has a lock.
    held: FxHashMap<u64, u64>,
    /// What each of those that wait waits for.
    awaited: FxHashMap<u64, u64>,
}

/// Why a lock was not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused<E> {
    /// Transactions would wait for each other for ever.
    Deadlock,
    /// The transaction has [`LOCKS_MAX`] locks.
    TooMany,
    /// The caller does not wait any longer.
    Ended(E),
}

impl State {
    /// Whether who has a lock waits, itself or by others, for `owner`.
    fn is_circle(&self, key: u64, owner: u64) -> bool {
        let mut next = self.held.get(&key);
        while let Some(holder) = next {
            if *holder == owner {
                return true;
            }
            next = self.awaited.get(holder).and_then(|key| self.held.get(key));
        }
        false
    }
}

impl MergeLocks {
    /// No locks yet, for a transaction. Numbers of different scopes, such as graphs, are different locks.
    pub fn begin(&self, scope: u64) -> Merging<'_> {
        let mut state = self.state.lock();
        state.last += 1;
        let scope = scope.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Merging { locks: self, owner: state.last, scope, held: Mutex::default() }
    }
}

/// The locks of one transaction.
#[derive(Debug)]
pub struct Merging<'l> {
    locks: &'l MergeLocks,
    owner: u64,
    scope: u64,
    held: Mutex<FxHashSet<u64>>,
}

impl Merging<'_> {
    /// Waits until the lock of a number is this transaction's; it is at once where it has it already. `may_wait` is
    /// asked before each wait, every 20 ms.
    ///
    /// # Errors
    /// [`Refused`]; the transaction keeps the locks it has.
    pub fn lock<E>(&self, key: u64, may_wait: &mut dyn FnMut() -> Result<(), E>) -> Result<(), Refused<E>> {
        let key = key.wrapping_add(self.scope);
        let mut held = self.held.lock();
        if held.contains(&key) {
            return Ok(());
        }
        if held.len() >= LOCKS_MAX {
            return Err(Refused::TooMany);
        }
        let mut state = self.locks.state.lock();
        while state.held.contains_key(&key) {
            if state.is_circle(key, self.owner) {
                return Err(Refused::Deadlock);
            }
            // Whoever is asked may take its time.
            drop(state);
            may_wait().map_err(Refused::Ended)?;
            state = self.locks.state.lock();
            // Looked at once more, now that nobody else can change it: of two that would wait for each other the second
            // one sees the first.
            if state.held.contains_key(&key) && !state.is_circle(key, self.owner) {
                state.awaited.insert(self.owner, key);
                self.locks.freed.wait_for(&mut state, LOOK);
                state.awaited.remove(&self.owner);
            }
        }
        state.held.insert(key, self.owner);
        held.insert(key);
        Ok(())
    }

    /// Gives all locks back.
    pub fn release(&self) {
        let mut held = self.held.lock();
        if held.is_empty() {
            return;
        }
        let mut state = self.locks.state.lock();
        for key in held.drain() {
            state.held.remove(&key);
        }
        drop(state);
        self.locks.freed.notify_all();
    }
}

impl Drop for Merging<'_> {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait() -> Result<(), ()> {
        Ok(())
    }

    #[test]
    fn a_lock_is_one_transactions_at_a_time() {
        let locks = MergeLocks::default();
        let counter = Mutex::new((0_u32, 0_u32));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let own = locks.begin(1);
                        own.lock(7, &mut wait).unwrap();
                        own.lock(7, &mut wait).unwrap();
                        counter.lock().0 += 1;
                        std::thread::yield_now();
                        let mut counter = counter.lock();
                        counter.1 = counter.1.max(counter.0);
                        counter.0 -= 1;
                    }
                });
            }
        });
        assert_eq!(*counter.lock(), (0, 1));
        assert!(locks.state.lock().held.is_empty() && locks.state.lock().awaited.is_empty());
    }

    #[test]
    fn who_would_close_a_circle_is_refused() {
        let locks = MergeLocks::default();
        let (first, second) = (locks.begin(1), locks.begin(1));
        first.lock(1, &mut wait).unwrap();
        second.lock(2, &mut wait).unwrap();
        let refused = std::thread::scope(|scope| {
            let waits = scope.spawn(|| {
                let outcome = first.lock(2, &mut wait);
                first.release();
                outcome
            });
            let outcome = second.lock(1, &mut wait);
            second.release();
            [outcome, waits.join().unwrap()]
        });
        let deadlocks = refused.iter().filter(|outcome| **outcome == Err(Refused::Deadlock)).count();
        // The other one gets its lock once the refused one has given back its own.
        assert_eq!((deadlocks, refused.iter().filter(|outcome| outcome.is_ok()).count()), (1, 1), "{refused:?}");
    }

    #[test]
    fn a_wait_ends_when_its_caller_says_so() {
        let locks = MergeLocks::default();
        let (first, second) = (locks.begin(1), locks.begin(1));
        first.lock(1, &mut wait).unwrap();
        let mut looks = 0;
        let outcome = second.lock(1, &mut || {
            looks += 1;
            if looks < 3 { Ok(()) } else { Err("late") }
        });
        assert_eq!((outcome, looks), (Err(Refused::Ended("late")), 3));
        locks.begin(2).lock(1, &mut wait).unwrap();
        drop(first);
        second.lock(1, &mut wait).unwrap();
    }
}
