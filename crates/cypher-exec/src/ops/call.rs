//! Plans and procedures that are carried out for each row.

use std::iter::Peekable;
use std::sync::Arc;

use cypher_value::Value;
use rustc_hash::FxHashSet;

use super::feed::Feed;
use crate::Result;
use crate::builtin;
use crate::eval::Cx;
use crate::eval::{Operator, Source};
use crate::limits::BATCH;
use crate::procedures::Rows;
use crate::row::Row;
use cypher_plan::{CallProcedure, CallQuery};

/// What a query gives for each row.
pub(super) struct Calling<'g> {
    input: Feed<'g>,
    call: Arc<CallQuery>,
}

impl<'g> Calling<'g> {
    pub(super) fn new(input: Source<'g>, call: &Arc<CallQuery>) -> Self {
        Self { input: Feed::new(input), call: Arc::clone(call) }
    }
}

impl<'g> Operator<'g> for Calling<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        let Some(row) = self.input.row(cx)? else { return Ok(false) };
        for_row(cx, &self.call, row, out)?;
        Ok(true)
    }
}

/// Appends what a query gives for a row.
pub(super) fn for_row(cx: &Cx<'_, '_>, call: &CallQuery, row: Row, out: &mut Vec<Row>) -> Result<()> {
    let mut seen: FxHashSet<Vec<Value>> = FxHashSet::default();
    let before = out.len();
    cx.query(&call.query, &row, |inner, columns| {
        if call.is_unit {
            return Ok(true);
        }
        let values: Vec<Value> = columns.iter().map(|slot| inner.take(*slot)).collect();
        if call.query.is_distinct && !seen.insert(values.clone()) {
            return Ok(true);
        }
        let mut next = row.clone();
        for (slot, value) in call.columns.iter().zip(values) {
            next.set(*slot, value);
        }
        cx.store.tick(1)?;
        out.push(next);
        Ok(true)
    })?;
    if call.is_unit || (call.is_optional && out.len() == before) {
        out.push(row);
    }
    Ok(())
}

/// What a procedure gives for each row.
pub(super) struct Procedure<'g> {
    input: Feed<'g>,
    call: Arc<CallProcedure>,
    /// The row at hand, and what the procedure gives for it.
    open: Option<(Row, Peekable<Rows>)>,
}

impl<'g> Procedure<'g> {
    pub(super) fn new(input: Source<'g>, call: &Arc<CallProcedure>) -> Self {
        Self { input: Feed::new(input), call: Arc::clone(call), open: None }
    }

    /// Calls the procedure for the next row; false where there is none.
    fn begin(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        let Some(mut row) = self.input.row(cx)? else { return Ok(false) };
        let mut arguments = Vec::with_capacity(self.call.arguments.len());
        for ex in &self.call.arguments {
            arguments.push(cx.eval(ex, &mut row)?);
        }
        let mut rows = builtin::call(cx, &self.call.name, &arguments)?.peekable();
        if self.call.is_unit || (self.call.is_optional && rows.peek().is_none()) {
            out.push(row);
        } else {
            self.open = Some((row, rows));
        }
        Ok(true)
    }
}

impl<'g> Operator<'g> for Procedure<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        while out.len() < BATCH {
            let Some((row, rows)) = &mut self.open else {
                if !self.begin(cx, out)? {
                    return Ok(false);
                }
                continue;
            };
            let Some(values) = rows.next().transpose()? else {
                self.open = None;
                continue;
            };
            cx.store.tick(1)?;
            let mut next = row.clone();
            for (at, slot) in &self.call.columns {
                next.set(*slot, values.get(*at).cloned().unwrap_or_default());
            }
            out.push(next);
        }
        Ok(true)
    }
}
