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
    /// What the first key reads, and what the others do.
    read: (Read, Read),
    sorted: Option<Waiting>,
}

impl<'g> Sorting<'g> {
    pub(super) fn new(input: Source<'g>, sort: &Arc<Sort>) -> Self {
        let keys = || sort.keys.iter().map(|(ex, _)| ex);
        let read = (Read::of(keys().take(1)), Read::of(keys().skip(1)));
        Self { input: Feed::new(input), sort: Arc::clone(sort), read, sorted: None }
    }

    fn compare(&self, a: &[Value], b: &[Value]) -> Ordering {
        let pairs = a.iter().zip(b).zip(&self.sort.keys);
        for ((a, b), (_, is_descending)) in pairs {
            let ordering = compare::order(a, b);
            if ordering.is_ne() {
                return if *is_descending { ordering.reverse() } else { ordering };
            }
        }
        Ordering::Equal
    }

    /// Rows with their first keys, without those that stand behind the last one that is wanted by that key alone.
    fn promising(
        &self,
        cx: &Cx<'_, 'g>,
        rows: Vec<Row>,
        last: Option<&(Vec<Value>, Row)>,
    ) -> Result<(Vec<Vec<Value>>, Vec<Row>)> {
        load(cx, &rows, &self.read.0)?;
        let (mut keys, mut kept) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
        for mut row in rows {
            let mut key = Vec::with_capacity(self.sort.keys.len());
            if let Some((ex, _)) = self.sort.keys.first() {
                key.push(cx.eval(ex, &mut row)?);
            }
            if last.is_none_or(|(last, _)| self.compare(&key, last).is_le()) {
                keys.push(key);
                kept.push(row);
            }
        }
        Ok((keys, kept))
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
        // Whether as many as are wanted stand at the beginning, in their order.
        let mut is_cut = false;
        loop {
            let rows = self.input.rows(cx, BATCH)?;
            if rows.is_empty() {
                break;
            }
            let last = if is_cut { wanted.checked_sub(1).and_then(|last| all.get(last)) } else { None };
            let (keys, mut rows) = self.promising(cx, rows, last)?;
            load(cx, &rows, &self.read.1)?;
            for (mut key, mut row) in keys.into_iter().zip(rows.drain(..)) {
                for (ex, _) in self.sort.keys.iter().skip(1) {
                    key.push(cx.eval(ex, &mut row)?);
                }
                cx.store.hold(row.bytes())?;
                all.push((key, row));
            }
            if all.len() > CUT_FROM.max(wanted.saturating_mul(4)) {
                self.cut(cx, &mut all, wanted);
                is_cut = true;
            }
        }
        self.cut(cx, &mut all, wanted);
        Ok(Waiting(all.into_iter().map(|(_, row)| row).collect()))
    }

    fn cut(&self, cx: &Cx<'_, 'g>, all: &mut Vec<(Vec<Value>, Row)>, wanted: usize) {
        // Rows that are equal stay in the order in which they came.
        all.sort_by(|a, b| self.compare(&a.0, &b.0));
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
