//! Which part of a list is wanted, and how far it has come.

use std::ops::ControlFlow;

use graph_access::Budget;
use kv::Key;

use crate::read::page::{self, Position};
use store_error::StoreError;

use crate::limits;

/// Which part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Range {
    /// Skip `offset` elements, then at most `limit` (`None`: all).
    Offset {
        /// How many to skip.
        offset: u64,
        /// How many to return.
        limit: Option<u64>,
    },
    /// The page a token names (empty: the first), of at most `limit` elements (`None`: all).
    Page {
        /// What the page before answered.
        token: String,
        /// How many to return.
        limit: Option<u64>,
    },
}

/// What the receiver of a list says to each element.
pub type Visit = ControlFlow<()>;

/// The end of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// The token of the next page; `None` at the end, or where no page was asked for.
    pub next: Option<String>,
}

/// Counts elements: which to skip, which to give out, when to stop.
pub(crate) struct Progress {
    skip: u64,
    left: Option<u64>,
    budget: Budget,
    rows: u32,
    /// The last element given out: where the next page goes on.
    pub(crate) last: Option<Position>,
    /// There was at least one more element.
    pub(crate) more: bool,
}

/// What to do with the element at hand.
#[derive(PartialEq, Eq)]
pub(crate) enum Turn {
    Skip,
    Give,
    Stop,
}

impl Progress {
    /// The counter of a range, and the position it starts after.
    pub(crate) fn new(
        range: &Range,
        fingerprint: u64,
        budget: &Budget,
    ) -> Result<(Self, Option<Position>), StoreError> {
        let (skip, left, start) = match range {
            Range::Offset { offset, limit } => (*offset, *limit, None),
            Range::Page { token, limit } if token.is_empty() => (0, *limit, None),
            Range::Page { token, limit } => (0, *limit, Some(page::decode(token, fingerprint)?)),
        };
        Ok((Self { skip, left, budget: budget.clone(), rows: 0, last: None, more: false }, start))
    }

    /// The counter of a list of at most `limit` elements.
    pub(crate) fn limited(limit: Option<u64>, budget: &Budget) -> Self {
        Self { skip: 0, left: limit, budget: budget.clone(), rows: 0, last: None, more: false }
    }

    /// A counter that skips every element.
    pub(crate) fn counting(budget: &Budget) -> Self {
        Self { skip: u64::MAX, ..Self::limited(None, budget) }
    }

    /// How many elements a counter that skips every one has skipped.
    pub(crate) fn skipped(&self) -> u64 {
        u64::MAX - self.skip
    }

    /// Counts a row that was read, and looks at the budget now and then.
    pub(crate) fn row(&mut self) -> Result<(), StoreError> {
        self.rows = self.rows.wrapping_add(1);
        if self.rows.is_multiple_of(limits::ROWS_PER_CHECK) {
            self.budget.check()?;
        }
        Ok(())
    }

    /// How many elements, skipped ones included, can still be of use (one more than the limit tells whether there is a
    /// next page).
    pub(crate) fn wanted(&self) -> u64 {
        self.left.map_or(u64::MAX, |left| self.skip.saturating_add(left).saturating_add(1))
    }

    /// Whether no element can be given out at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.left == Some(0)
    }

    /// Decides on an element that belongs to the list.
    pub(crate) fn turn(&mut self) -> Turn {
        if self.skip > 0 {
            self.skip -= 1;
            return Turn::Skip;
        }
        match &mut self.left {
            Some(0) => {
                self.more = true;
                Turn::Stop
            }
            Some(left) => {
                *left -= 1;
                Turn::Give
            }
            None => Turn::Give,
        }
    }

    pub(crate) fn gave(&mut self, direction: u8, label: u32, key: Key<'_>) {
        let last = self.last.get_or_insert_with(|| Position { direction, label, key: Vec::new(), partition_len: 0 });
        last.direction = direction;
        last.label = label;
        last.key.clear();
        last.key.extend_from_slice(key.as_bytes());
        last.partition_len = key.partition().len();
    }

    pub(crate) fn listed(self, range: &Range, fingerprint: u64) -> Listed {
        let paged = matches!(range, Range::Page { .. });
        let next = self.last.filter(|_| paged && self.more).map(|last| page::encode(&last, fingerprint));
        Listed { next }
    }
}
