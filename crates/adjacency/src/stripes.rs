//! Which vertices are being written: counters by the hash of their ids, and one for the rows of all vertices.

use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::limits;

/// A write under way, in the lower half of a counter.
const UNDER_WAY: u64 = 1;
/// A write that ended, in the upper half.
const ENDED: u64 = 1 << 32;

/// The counter of writes of vertices' own rows.
const OF_ROWS: u16 = limits::STRIPES;

/// Words of a set of counters.
const SET_WORDS: usize = limits::STRIPES as usize / 64 + 1;

/// Some of the counters of a graph.
#[derive(Default)]
pub(crate) struct StripeSet {
    words: [u64; SET_WORDS],
}

impl StripeSet {
    /// Adds a counter; whether it was not in the set.
    fn insert(&mut self, stripe: u16) -> bool {
        let bit = 1 << (stripe % 64);
        let Some(word) = self.words.get_mut(usize::from(stripe / 64)) else { return false };
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// The counters that are in both sets.
    fn and(&self, other: &Self) -> Self {
        let mut both = Self::default();
        for (both, (one, other)) in both.words.iter_mut().zip(self.words.iter().zip(&other.words)) {
            *both = one & other;
        }
        both
    }

    /// Adds those of another set.
    fn add(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..).zip(&self.words).flat_map(|(at, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = left.checked_ilog2()?;
                left &= !(1 << bit);
                Some(at * 64 + bit as usize)
            })
        })
    }
}

/// The counters of one graph.
pub(crate) struct Stripes {
    counters: Box<[AtomicU64]>,
    in_doubt: Mutex<InDoubt>,
}

/// The counters of writes that failed, but may take effect later. Each is registered once in a set, however many such
/// writes it has.
#[derive(Default)]
struct InDoubt {
    earlier: StripeSet,
    later: StripeSet,
}

/// The permission to keep what is read from now on of a vertex, or of which vertices there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    stripe: u16,
    counter: u64,
}

impl Stripes {
    pub(crate) fn new() -> Self {
        let counters = std::iter::repeat_with(AtomicU64::default).take(usize::from(limits::STRIPES) + 1).collect();
        Self { counters, in_doubt: Mutex::default() }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the remainder is small")]
    fn stripe_of(hash: u64) -> u16 {
        (hash % u64::from(limits::STRIPES)) as u16
    }

    fn load(&self, stripe: u16) -> u64 {
        self.counters.get(usize::from(stripe)).map_or(UNDER_WAY, |counter| counter.load(Ordering::SeqCst))
    }

    /// Registers a write of a vertex's edges, in the set of those that one batch writes.
    pub(crate) fn begin(&self, hash: u64, begun: &mut StripeSet) {
        self.register(Self::stripe_of(hash), begun);
    }

    /// Registers a write of a vertex's own row.
    pub(crate) fn begin_row(&self, begun: &mut StripeSet) {
        self.register(OF_ROWS, begun);
    }

    fn register(&self, stripe: u16, begun: &mut StripeSet) {
        if begun.insert(stripe)
            && let Some(counter) = self.counters.get(usize::from(stripe))
        {
            counter.fetch_add(UNDER_WAY, Ordering::SeqCst);
        }
    }

    /// Keeps them registered until [`Self::end_doubts`] was called twice.
    pub(crate) fn doubt(&self, begun: &StripeSet) {
        let mut in_doubt = self.in_doubt.lock();
        let known = begun.and(&in_doubt.later);
        in_doubt.later.add(begun);
        drop(in_doubt);
        self.end(&known);
    }

    /// Deregisters those that were in doubt at the last call already.
    pub(crate) fn end_doubts(&self) {
        let mut in_doubt = self.in_doubt.lock();
        let later = mem::take(&mut in_doubt.later);
        let ended = mem::replace(&mut in_doubt.earlier, later);
        drop(in_doubt);
        self.end(&ended);
    }

    /// Deregisters them.
    pub(crate) fn end(&self, begun: &StripeSet) {
        for counter in begun.iter().filter_map(|stripe| self.counters.get(stripe)) {
            counter.fetch_add(ENDED - UNDER_WAY, Ordering::SeqCst);
        }
    }

    /// `None` while a write of the vertex's edges is under way.
    pub(crate) fn ticket(&self, hash: u64) -> Option<Ticket> {
        self.issue(Self::stripe_of(hash))
    }

    /// `None` while a write of any vertex's own row is under way.
    pub(crate) fn ticket_of_rows(&self) -> Option<Ticket> {
        self.issue(OF_ROWS)
    }

    fn issue(&self, stripe: u16) -> Option<Ticket> {
        let counter = self.load(stripe);
        counter.is_multiple_of(ENDED).then_some(Ticket { stripe, counter })
    }

    /// Whether no write was registered since the ticket was issued.
    pub(crate) fn is_valid(&self, ticket: Ticket) -> bool {
        self.load(ticket.stripe) == ticket.counter
    }
}
