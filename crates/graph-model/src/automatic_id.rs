//! Automatic vertex ids: 64-bit numbers that grow with time and never repeat within a store.
//!
//! A number is milliseconds since [`EPOCH_MS`], shifted by 22 bits, plus a counter. The counter overflows into the
//! milliseconds, so a burst never waits for the clock. Numbers are reserved in the store ahead of time, a block after
//! the other, by a swap: so no two processes have a number in common. After a restart, when the clock was set back, and
//! in every further process over the store, numbers go on after the last block, which can be some minutes ahead of the
//! clock.

use std::sync::{Mutex, PoisonError};

use crate::limits::ID_RESERVATION_MS;

/// 2025-01-01 UTC, in milliseconds since 1970: numbers have 18 digits now and stay positive until 2094.
const EPOCH_MS: u64 = 1_735_689_600_000;

/// Bits below the milliseconds.
const COUNTER_BITS: u32 = 22;

/// Numbers reserved at one time.
pub const BLOCK: u64 = ID_RESERVATION_MS << COUNTER_BITS;

/// The largest number a store can hold as reserved; what lies between it and the largest id is reserved in one step.
pub const RESERVED_MAX: u64 = i64::MAX.unsigned_abs() - 2 * BLOCK;

/// Makes ids for all graphs of a store.
pub struct IdGenerator {
    state: Mutex<State>,
}

struct State {
    last: u64,
    /// Numbers below this may be handed out: the store knows of them.
    reserved: u64,
}

impl IdGenerator {
    /// Goes on after `reserved`: what [`IdGenerator::next`] last handed to `persist`, or 0.
    #[must_use]
    pub fn new(reserved: u64) -> Self {
        Self { state: Mutex::new(State { last: reserved, reserved }) }
    }

    /// A new id. `reserve` is called, rarely, with the least number wanted: it returns one from there on, which begins
    /// a block of [`BLOCK`] numbers that the store has given to nobody else.
    ///
    /// # Errors
    /// Those of `reserve`.
    pub fn next<E>(&self, now_ms: i64, reserve: impl FnOnce(u64) -> Result<u64, E>) -> Result<i64, E> {
        let since = u64::try_from(now_ms).unwrap_or_default().saturating_sub(EPOCH_MS);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut number = (since << COUNTER_BITS).max(state.last + 1);
        if number >= state.reserved {
            number = reserve(number)?;
            state.reserved = number + BLOCK;
        }
        state.last = number;
        Ok(number.cast_signed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_grow_whatever_the_clock_does() {
        let ids = IdGenerator::new(0);
        let mut stored = 0;
        let mut next = |now_ms| {
            ids.next(now_ms, |from| {
                stored = from + BLOCK;
                Ok::<u64, ()>(from)
            })
            .unwrap()
        };
        let now = 1_795_000_000_000;
        let first = next(now);
        assert!(first > 100_000_000_000_000_000, "{first} has 18 digits");
        let second = next(now);
        let back = next(now - 100_000);
        assert!(first < second && second < back);
        assert!(u64::try_from(back).unwrap() < stored);
        let after_restart = IdGenerator::new(stored);
        assert!(after_restart.next(now - 100_000, Ok::<u64, ()>).unwrap() > back);
    }

    #[test]
    fn nothing_is_handed_out_that_could_not_be_reserved() {
        let ids = IdGenerator::new(0);
        assert!(ids.next(1_795_000_000_000, |_| Err("busy")).is_err());
    }
}
