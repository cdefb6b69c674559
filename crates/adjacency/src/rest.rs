//! Whether a graph gets a new table after one was too small for it.
//!
//! A table has numbers for all vertices it has met. Walks all over a graph that is larger than the memory fill one
//! after the other, or one with ever other lists, and find next to nothing in them: each is slower than it would be out
//! of rows. So after a table that was of little use there is none for a multiple of its requests, and a larger multiple
//! each time. One that was of use, since walks stay near each other, is followed by the next at once.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::limits::REST_DOUBLED_MAX;

/// See the module.
#[derive(Default)]
pub(crate) struct Rest {
    /// Requests that get no table yet.
    left: AtomicU64,
    /// How many tables in succession were of little use, up to a bound.
    doubled: AtomicU32,
}

/// What a table was used for.
#[derive(Default)]
pub(crate) struct Use {
    pub(crate) requests: AtomicU64,
    /// Vertices whose neighbours were asked for and at hand, and those whose were read.
    pub(crate) hits: AtomicU64,
    pub(crate) misses: AtomicU64,
    /// Bytes of lists that made room for others.
    pub(crate) evicted: AtomicU64,
}

impl Use {
    /// Whether it saves less than it costs: a vertex that is read for it takes longer than one that is not, by about
    /// what one at hand takes less.
    pub(crate) fn is_little(&self) -> bool {
        self.hits.load(Ordering::Relaxed) < self.misses.load(Ordering::Relaxed)
    }

    /// Begins to count anew.
    pub(crate) fn reset(&self) {
        for count in [&self.requests, &self.hits, &self.misses, &self.evicted] {
            count.store(0, Ordering::Relaxed);
        }
    }
}

impl Rest {
    /// A table has ended for lack of memory.
    pub(crate) fn begin(&self, of: &Use) {
        if !of.is_little() {
            self.end();
            return;
        }
        let doubled = (self.doubled.load(Ordering::Relaxed) + 1).min(REST_DOUBLED_MAX);
        self.doubled.store(doubled, Ordering::Relaxed);
        let requests = of.requests.load(Ordering::Relaxed).max(1);
        self.left.store(requests.saturating_mul(1 << doubled), Ordering::Relaxed);
    }

    /// Whether a request may have a new table.
    pub(crate) fn is_over(&self) -> bool {
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
    }

    /// The graph is another one.
    pub(crate) fn end(&self) {
        self.left.store(0, Ordering::Relaxed);
        self.doubled.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(requests: u64, hits: u64, misses: u64) -> Use {
        Use { requests: requests.into(), hits: hits.into(), misses: misses.into(), ..Use::default() }
    }

    fn refused(rest: &Rest) -> usize {
        (0..).take_while(|_| !rest.is_over()).count()
    }

    #[test]
    fn tables_of_little_use_are_ever_rarer() {
        let rest = Rest::default();
        assert!(rest.is_over());
        for factor in [2, 4, 8, 16, 32, 64, 64] {
            rest.begin(&used(3, 10, 11));
            assert_eq!(refused(&rest), 3 * factor);
        }
        rest.begin(&used(3, 11, 11));
        assert_eq!(refused(&rest), 0, "it was of use");
        rest.begin(&used(5, 0, 1));
        assert_eq!(refused(&rest), 10);
        rest.begin(&used(5, 0, 1));
        rest.end();
        assert_eq!(refused(&rest), 0);
    }
}
