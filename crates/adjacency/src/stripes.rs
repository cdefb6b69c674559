//! Which vertices are being written: counters by the hash of their ids.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::limits;

/// A write under way, in the lower half of a counter.
const UNDER_WAY: u64 = 1;
/// A write that ended, in the upper half.
const ENDED: u64 = 1 << 32;

/// The counters of one graph.
pub(crate) struct Stripes {
    counters: Box<[AtomicU64]>,
}

/// The permission to keep what is read from now on of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    stripe: u16,
    counter: u64,
}

impl Stripes {
    pub(crate) fn new() -> Self {
        Self { counters: std::iter::repeat_with(AtomicU64::default).take(limits::STRIPES).collect() }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the remainder is small")]
    fn stripe_of(hash: u64) -> u16 {
        (hash % limits::STRIPES as u64) as u16
    }

    fn load(&self, stripe: u16) -> u64 {
        self.counters.get(usize::from(stripe)).map_or(UNDER_WAY, |counter| counter.load(Ordering::SeqCst))
    }

    /// Registers a write of a vertex.
    pub(crate) fn begin(&self, hash: u64) -> u16 {
        let stripe = Self::stripe_of(hash);
        if let Some(counter) = self.counters.get(usize::from(stripe)) {
            counter.fetch_add(UNDER_WAY, Ordering::SeqCst);
        }
        stripe
    }

    /// Deregisters it.
    pub(crate) fn end(&self, stripe: u16) {
        if let Some(counter) = self.counters.get(usize::from(stripe)) {
            counter.fetch_add(ENDED - UNDER_WAY, Ordering::SeqCst);
        }
    }

    /// `None` while a write of the vertex is under way.
    pub(crate) fn ticket(&self, hash: u64) -> Option<Ticket> {
        let stripe = Self::stripe_of(hash);
        let counter = self.load(stripe);
        counter.is_multiple_of(ENDED).then_some(Ticket { stripe, counter })
    }

    /// Whether no write was registered since the ticket was issued.
    pub(crate) fn is_valid(&self, ticket: Ticket) -> bool {
        self.load(ticket.stripe) == ticket.counter
    }
}
