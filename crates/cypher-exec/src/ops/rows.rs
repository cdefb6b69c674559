//! Operators over rows alone: conditions, values, items of lists, bounds.

use std::collections::VecDeque;
use std::sync::Arc;

use cypher_value::{Detail, Error, Value, memory};
use rustc_hash::FxHashSet;

use super::feed::Feed;
use super::labels::has_labels_by_schema;
use super::mend::{Read, load};
use crate::Result;
use crate::eval::Cx;
use crate::eval::{Operator, Source};
use crate::limits::BATCH;
use crate::row::Row;
use cypher_plan::{Ex, Slot, Step};

/// Rows that meet a condition.
pub(super) struct Filtering<'g> {
    input: Source<'g>,
    ex: Arc<Ex>,
    read: Read,
    batch: Vec<Row>,
    /// Where the nodes come from whose labels are tested, until it is known whether they all have them.
    led_to: Option<Step>,
    is_met: bool,
}

impl<'g> Filtering<'g> {
    pub(super) fn new(input: Source<'g>, ex: &Arc<Ex>, led_to: Option<Step>) -> Self {
        let read = Read::of([&**ex]);
        Self { input, ex: Arc::clone(ex), read, batch: Vec::new(), led_to, is_met: false }
    }
}

impl<'g> Operator<'g> for Filtering<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        if let (Some(found), Ex::HasLabels(_, labels)) = (self.led_to.take(), &*self.ex) {
            self.is_met = has_labels_by_schema(cx, &found, labels)?;
        }
        if self.is_met {
            return self.input.next(cx, out);
        }
        let is_more = self.input.next(cx, &mut self.batch)?;
        cx.store.tick(self.batch.len())?;
        load(cx, &self.batch, &self.read)?;
        for mut row in self.batch.drain(..) {
            if cx.holds(&self.ex, &mut row)? {
                out.push(row);
            }
        }
        Ok(is_more)
    }
}

/// Values that are computed for each row.
pub(super) struct Computing<'g> {
    input: Source<'g>,
    values: Arc<Vec<(Slot, Ex)>>,
    read: Read,
    batch: Vec<Row>,
}

impl<'g> Computing<'g> {
    pub(super) fn new(input: Source<'g>, values: &Arc<Vec<(Slot, Ex)>>) -> Self {
        let read = Read::of(values.iter().map(|(_, ex)| ex));
        Self { input, values: Arc::clone(values), read, batch: Vec::new() }
    }
}

impl<'g> Operator<'g> for Computing<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        let is_more = self.input.next(cx, &mut self.batch)?;
        cx.store.tick(self.batch.len())?;
        load(cx, &self.batch, &self.read)?;
        for mut row in self.batch.drain(..) {
            for (slot, ex) in self.values.iter() {
                let value = cx.eval(ex, &mut row)?;
                row.set(*slot, value);
            }
            out.push(row);
        }
        Ok(is_more)
    }
}

/// A row for each item of a list.
pub(super) struct Unwinding<'g> {
    input: Feed<'g>,
    unwind: Arc<(Ex, Slot)>,
    open: Option<(Row, Arc<Vec<Value>>, usize)>,
}

impl<'g> Unwinding<'g> {
    pub(super) fn new(input: Source<'g>, unwind: &Arc<(Ex, Slot)>) -> Self {
        Self { input: Feed::new(input), unwind: Arc::clone(unwind), open: None }
    }
}

impl<'g> Operator<'g> for Unwinding<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        let (list, slot) = &*self.unwind;
        while out.len() < BATCH {
            let Some((row, items, at)) = &mut self.open else {
                let Some(mut row) = self.input.row(cx)? else { return Ok(false) };
                let items = match cx.eval(list, &mut row)? {
                    Value::List(items) => items,
                    Value::Null => continue,
                    single => Arc::new(vec![single]),
                };
                self.open = Some((row, items, 0));
                continue;
            };
            match items.get(*at) {
                Some(item) => {
                    *at += 1;
                    let mut next = row.clone();
                    next.set(*slot, item.clone());
                    out.push(next);
                }
                None => self.open = None,
            }
        }
        Ok(true)
    }
}

/// Each row once.
pub(super) struct Distinct<'g> {
    input: Source<'g>,
    slots: Arc<Vec<Slot>>,
    seen: FxHashSet<Vec<Value>>,
    batch: Vec<Row>,
}

impl<'g> Distinct<'g> {
    pub(super) fn new(input: Source<'g>, slots: &Arc<Vec<Slot>>) -> Self {
        Self { input, slots: Arc::clone(slots), seen: FxHashSet::default(), batch: Vec::new() }
    }
}

impl<'g> Operator<'g> for Distinct<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        let is_more = self.input.next(cx, &mut self.batch)?;
        for row in self.batch.drain(..) {
            let key: Vec<Value> = self.slots.iter().map(|slot| row.get(*slot).clone()).collect();
            if self.seen.contains(&key) {
                continue;
            }
            let bytes: usize = key.iter().map(memory).sum();
            cx.store.hold(u64::try_from(bytes).unwrap_or(u64::MAX))?;
            self.seen.insert(key);
            out.push(row);
        }
        Ok(is_more)
    }
}

/// The number of rows that SKIP or LIMIT says.
pub(super) fn bound(cx: &Cx<'_, '_>, ex: &Ex, what: &str) -> Result<usize> {
    match cx.eval(ex, &mut Row::default())? {
        Value::Integer(number) => usize::try_from(number).map_err(|_| {
            let message = format!("Invalid input: '{number}' is not a valid value for {what}: it must not be negative");
            Error::syntax(Detail::NegativeIntegerArgument, message)
        }),
        other => {
            let message = format!("{what} takes an INTEGER, not a {}", other.type_name());
            Err(Error::syntax(Detail::InvalidArgumentType, message))
        }
    }
}

/// Without the first rows.
pub(super) struct Skipping<'g> {
    input: Source<'g>,
    ex: Arc<Ex>,
    left: Option<usize>,
    batch: Vec<Row>,
}

impl<'g> Skipping<'g> {
    pub(super) fn new(input: Source<'g>, ex: &Arc<Ex>) -> Self {
        Self { input, ex: Arc::clone(ex), left: None, batch: Vec::new() }
    }
}

impl<'g> Operator<'g> for Skipping<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        let left = match self.left {
            Some(left) => left,
            None => bound(cx, &self.ex, "SKIP")?,
        };
        let is_more = self.input.next(cx, &mut self.batch)?;
        let skipped = left.min(self.batch.len());
        self.left = Some(left - skipped);
        out.extend(self.batch.drain(..).skip(skipped));
        Ok(is_more)
    }
}

/// Only the first rows. What writes before it is carried out as a whole.
pub(super) struct Limiting<'g> {
    input: Source<'g>,
    ex: Arc<Ex>,
    left: Option<usize>,
    is_whole: bool,
    batch: Vec<Row>,
}

impl<'g> Limiting<'g> {
    pub(super) fn new(input: Source<'g>, ex: &Arc<Ex>, is_whole: bool) -> Self {
        Self { input, ex: Arc::clone(ex), left: None, is_whole, batch: Vec::new() }
    }
}

impl<'g> Operator<'g> for Limiting<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        let left = match self.left {
            Some(left) => left,
            None => bound(cx, &self.ex, "LIMIT")?,
        };
        self.left = Some(left);
        if left == 0 && !self.is_whole {
            return Ok(false);
        }
        let is_more = self.input.next(cx, &mut self.batch)?;
        let taken = left.min(self.batch.len());
        out.extend(self.batch.drain(..).take(taken));
        self.left = Some(left - taken);
        Ok(is_more && (left > taken || self.is_whole))
    }
}

/// No rows.
pub(super) struct Draining<'g> {
    input: Source<'g>,
    batch: Vec<Row>,
}

impl<'g> Draining<'g> {
    pub(super) fn new(input: Source<'g>) -> Self {
        Self { input, batch: Vec::new() }
    }
}

impl<'g> Operator<'g> for Draining<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, _: &mut Vec<Row>) -> Result<bool> {
        let is_more = self.input.next(cx, &mut self.batch)?;
        cx.store.tick(self.batch.len())?;
        self.batch.clear();
        Ok(is_more)
    }
}

/// Rows that wait to be given on.
#[derive(Default)]
pub(super) struct Waiting(pub(super) VecDeque<Row>);

impl Waiting {
    /// Gives some on; answers whether there are more.
    pub(super) fn give(&mut self, cx: &Cx<'_, '_>, out: &mut Vec<Row>) -> bool {
        let wanted = self.0.len().min(BATCH);
        for row in self.0.drain(..wanted) {
            cx.store.release(row.bytes());
            out.push(row);
        }
        !self.0.is_empty()
    }
}
