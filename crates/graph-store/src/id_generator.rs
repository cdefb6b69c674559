//! Automatic vertex ids: 64-bit numbers that grow with time and never repeat within a store.
//!
//! A number is milliseconds since [`EPOCH_MS`], shifted by 22 bits, plus a counter. The counter overflows into the milliseconds, so a burst
//! never waits for the clock. The moment up to which numbers may have been handed out is reserved in the store ahead of time; after a
//! restart, or when the clock was set back, numbers go on from there.

use parking_lot::Mutex;

use crate::StoreError;
use crate::limits::ID_RESERVATION_MS;

/// 2025-01-01 UTC, in milliseconds since 1970: numbers have 18 digits now and stay positive until 2094.
const EPOCH_MS: u64 = 1_735_689_600_000;

/// Bits below the milliseconds.
const COUNTER_BITS: u32 = 22;

/// The largest number a store can hold as reserved; what lies between it and the largest id is reserved in one step.
pub(crate) const RESERVED_MAX: u64 = i64::MAX.unsigned_abs() - 2 * (ID_RESERVATION_MS << COUNTER_BITS);

/// Makes ids for all graphs of a store.
pub(crate) struct IdGenerator {
    state: Mutex<State>,
}

struct State {
    last: u64,
    /// Numbers below this may be handed out: the store knows of them.
    reserved: u64,
}

impl IdGenerator {
    /// Goes on after `reserved`: what [`IdGenerator::next`] last handed to `persist`, or 0.
    pub(crate) fn new(reserved: u64) -> Self {
        Self { state: Mutex::new(State { last: reserved, reserved }) }
    }

    /// A new id. `persist` is called, rarely, with a number to store durably before ids up to it are used.
    pub(crate) fn next(
        &self,
        now_ms: i64,
        persist: impl FnOnce(u64) -> Result<(), StoreError>,
    ) -> Result<i64, StoreError> {
        let since = u64::try_from(now_ms).unwrap_or_default().saturating_sub(EPOCH_MS);
        let mut state = self.state.lock();
        let number = (since << COUNTER_BITS).max(state.last + 1);
        if number >= state.reserved {
            let reserved = number + (ID_RESERVATION_MS << COUNTER_BITS);
            persist(reserved)?;
            state.reserved = reserved;
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
            ids.next(now_ms, |reserved| {
                stored = reserved;
                Ok(())
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
        assert!(after_restart.next(now - 100_000, |_| Ok(())).unwrap() > back);
    }

    #[test]
    fn nothing_is_handed_out_that_could_not_be_reserved() {
        let ids = IdGenerator::new(0);
        assert!(ids.next(1_795_000_000_000, |_| Err(StoreError::SchemaBusy)).is_err());
    }
}
