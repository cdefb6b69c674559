//! ORDER BY.

use std::cmp::Ordering;
use std::sync::Arc;

use cypher_value::{Value, compare};

use super::feed::Feed;
use super::mend::{Read, load};
use super::rows::{Waiting, bound};
use crate::Result;
use crate::eval::Cx;
use crate::eval::{Operator, Source};
use crate::limits::BATCH;
use crate::row::Row;
use cypher_plan::Sort;

/// Rows from which on those that are not wanted are thrown away.
const CUT_FROM: usize = 1024;

pub(super) struct Sorting<'g> {
    input: Feed<'g>,
    sort: Arc<Sort>,
    read: Read,
    sorted: Option<Waiting>,
}

impl<'g> Sorting<'g> {
    pub(super) fn new(input: Source<'g>, sort: &Arc<Sort>) -> Self {
        let read = Read::of(sort.keys.iter().map(|(ex, _)| ex));
        Self { input: Feed::new(input), sort: Arc::clone(sort), read, sorted: None }
    }

    fn compare(&self, a: &(Vec<Value>, Row), b: &(Vec<Value>, Row)) -> Ordering {
        let pairs = a.0.iter().zip(&b.0).zip(&self.sort.keys);
        for ((a, b), (_, is_descending)) in pairs {
            let ordering = compare::order(a, b);
            if ordering.is_ne() {
                return if *is_descending { ordering.reverse() } else { ordering };
            }
        }
        Ordering::Equal
    }

    fn sorted(&mut self, cx: &Cx<'_, 'g>) -> Result<Waiting> {
        let mut wanted = usize::MAX;
        if !self.sort.first.is_empty() {
            wanted = 0;
            for ex in &self.sort.first {
                wanted = wanted.saturating_add(bound(cx, ex, "LIMIT")?);
            }
        }
        let mut all: Vec<(Vec<Value>, Row)> = Vec::new();
        loop {
            let rows = self.input.rows(cx, BATCH)?;
            if rows.is_empty() {
                break;
            }
            load(cx, &rows, &self.read)?;
            for mut row in rows {
                let mut key = Vec::with_capacity(self.sort.keys.len());
                for (ex, _) in &self.sort.keys {
                    key.push(cx.eval(ex, &mut row)?);
                }
                cx.store.hold(row.bytes())?;
                all.push((key, row));
            }
            if all.len() > CUT_FROM.max(wanted.saturating_mul(4)) {
                self.cut(cx, &mut all, wanted);
            }
        }
        self.cut(cx, &mut all, wanted);
        Ok(Waiting(all.into_iter().map(|(_, row)| row).collect()))
    }

    fn cut(&self, cx: &Cx<'_, 'g>, all: &mut Vec<(Vec<Value>, Row)>, wanted: usize) {
        // Rows that are equal stay in the order in which they came.
        all.sort_by(|a, b| self.compare(a, b));
        for (_, row) in all.drain(wanted.min(all.len())..) {
            cx.store.release(row.bytes());
        }
    }
}

impl<'g> Operator<'g> for Sorting<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        if self.sorted.is_none() {
            self.sorted = Some(self.sorted(cx)?);
        }
        Ok(self.sorted.as_mut().is_some_and(|sorted| sorted.give(cx, out)))
    }
}
