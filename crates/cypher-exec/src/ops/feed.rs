//! Rows that wait.

use std::collections::VecDeque;

use crate::Result;
use crate::eval::Cx;
use crate::eval::{Operator, Source};
use crate::limits::BATCH;
use crate::row::Row;

/// Rows that are there at the beginning.
pub(super) struct Given(VecDeque<Row>);

impl Given {
    pub(super) fn new(rows: Vec<Row>) -> Self {
        Self(rows.into())
    }
}

impl<'g> Operator<'g> for Given {
    fn next(&mut self, _: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        let wanted = self.0.len().min(BATCH);
        out.extend(self.0.drain(..wanted));
        Ok(!self.0.is_empty())
    }
}

/// All rows of an operator. It is given an empty list each time: one that is full asks for nothing.
pub(super) fn rows_of<'g>(cx: &Cx<'_, 'g>, mut source: Source<'g>) -> Result<Vec<Row>> {
    let (mut all, mut batch, mut is_more) = (Vec::new(), Vec::new(), true);
    while is_more {
        is_more = source.next(cx, &mut batch)?;
        cx.store.tick(batch.len() + 1)?;
        all.append(&mut batch);
    }
    Ok(all)
}

/// The input of an operator that takes rows one by one.
pub(super) struct Feed<'g> {
    source: Source<'g>,
    rows: VecDeque<Row>,
    batch: Vec<Row>,
    is_more: bool,
}

impl<'g> Feed<'g> {
    pub(super) fn new(source: Source<'g>) -> Self {
        Self { source, rows: VecDeque::new(), batch: Vec::new(), is_more: true }
    }

    /// The next row; none at the end.
    pub(super) fn row(&mut self, cx: &Cx<'_, 'g>) -> Result<Option<Row>> {
        while self.rows.is_empty() && self.is_more {
            self.is_more = self.source.next(cx, &mut self.batch)?;
            cx.store.tick(self.batch.len())?;
            self.rows.extend(self.batch.drain(..));
        }
        Ok(self.rows.pop_front())
    }

    /// The first of the rows that have come, but were not taken yet.
    pub(super) fn waiting(&mut self, most: usize) -> impl ExactSizeIterator<Item = &mut Row> {
        self.rows.iter_mut().take(most)
    }

    /// Up to so many rows; none at the end.
    pub(super) fn rows(&mut self, cx: &Cx<'_, 'g>, wanted: usize) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        if let Some(first) = self.row(cx)? {
            rows.push(first);
            let more = self.rows.len().min(wanted.saturating_sub(1));
            rows.extend(self.rows.drain(..more));
        }
        Ok(rows)
    }

    /// All rows, counted as held.
    pub(super) fn all(&mut self, cx: &Cx<'_, 'g>) -> Result<Vec<Row>> {
        let mut all = Vec::new();
        while let Some(row) = self.row(cx)? {
            cx.store.hold(row.bytes())?;
            all.push(row);
        }
        Ok(all)
    }
}
