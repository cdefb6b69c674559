//! `CALL {} IN TRANSACTIONS`: what a query writes for some rows is committed before the next ones come.

use std::sync::Arc;

use cypher_value::{Detail, Error, ErrorKind, Map, Value};

use super::call::for_row;
use super::feed::Feed;
use crate::Result;
use crate::eval::{Cx, Operator, Source};
use crate::row::Row;
use cypher_plan::{CallQuery, Ex, OnError, Transactions};

pub(super) struct Batching<'g> {
    input: Feed<'g>,
    call: Arc<CallQuery>,
    /// Rows of a batch, once that is known.
    rows_max: Option<usize>,
    /// Batches that have begun.
    begun: i64,
    /// Whether a failure keeps further ones from beginning.
    is_broken: bool,
}

/// What became of a batch.
enum Outcome {
    Committed,
    Failed(String),
    NotBegun,
}

impl<'g> Batching<'g> {
    pub(super) fn new(input: Source<'g>, call: &Arc<CallQuery>) -> Self {
        Self { input: Feed::new(input), call: Arc::clone(call), rows_max: None, begun: 0, is_broken: false }
    }

    fn rows_max(&mut self, cx: &Cx<'_, 'g>, ex: &Ex) -> Result<usize> {
        if let Some(known) = self.rows_max {
            return Ok(known);
        }
        let value = cx.eval(ex, &mut Row::empty(0))?;
        let rows = match &value {
            Value::Integer(rows) => usize::try_from(*rows).ok().filter(|rows| *rows > 0),
            _ => None,
        };
        let Some(rows) = rows else {
            let message = "IN TRANSACTIONS OF n ROWS takes an INTEGER greater than 0";
            return Err(Error::argument(Detail::NumberOutOfRange, message));
        };
        self.rows_max = Some(rows);
        Ok(rows)
    }

    /// Carries the query out for the rows of a batch, and commits it.
    fn batch(&self, cx: &Cx<'_, 'g>, rows: &[Row], out: &mut Vec<Row>) -> Result<()> {
        for row in rows {
            for_row(cx, &self.call, row.clone(), out)?;
            cx.store.tick(1)?;
        }
        cx.store.commit_unit()
    }

    /// The same; a failure that the query goes on after is no error.
    fn outcome(&mut self, cx: &Cx<'_, 'g>, rows: &[Row], out: &mut Vec<Row>, on_error: OnError) -> Result<Outcome> {
        if self.is_broken {
            return Ok(Outcome::NotBegun);
        }
        self.begun += 1;
        let (before, counters) = (out.len(), *cx.store.counters.borrow());
        let outcome = self.batch(cx, rows, out);
        if let Err(error) = outcome {
            out.truncate(before);
            *cx.store.counters.borrow_mut() = counters;
            cx.store.abandon_unit()?;
            cx.merging.iter().for_each(|merging| merging.release());
            let is_of_the_query = matches!(
                error.kind,
                ErrorKind::Timeout | ErrorKind::Terminated | ErrorKind::TransactionType | ErrorKind::AccessMode
            );
            if is_of_the_query || on_error == OnError::Fail {
                return Err(error);
            }
            self.is_broken = on_error == OnError::Break;
            return Ok(Outcome::Failed(error.message));
        }
        cx.merging.iter().for_each(|merging| merging.release());
        Ok(Outcome::Committed)
    }

    /// What `REPORT STATUS` tells.
    fn status(&self, outcome: &Outcome) -> Value {
        let has_begun = !matches!(outcome, Outcome::NotBegun);
        let mut map = Map::default();
        map.insert("started".into(), Value::Boolean(has_begun));
        map.insert("committed".into(), Value::Boolean(matches!(outcome, Outcome::Committed)));
        let number = if has_begun { Value::String(self.begun.to_string().into()) } else { Value::Null };
        map.insert("transactionId".into(), number);
        let message = if let Outcome::Failed(message) = outcome { message.as_str().into() } else { Value::Null };
        map.insert("errorMessage".into(), message);
        Value::map(map)
    }
}

impl<'g> Operator<'g> for Batching<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        let call = Arc::clone(&self.call);
        let Some(Transactions { rows, on_error, report }) = &call.transactions else { return Ok(false) };
        let rows_max = self.rows_max(cx, rows)?;
        let (mut rows, mut held) = (Vec::new(), 0);
        while rows.len() < rows_max {
            let Some(row) = self.input.row(cx)? else { break };
            held += row.bytes();
            cx.store.hold(row.bytes())?;
            rows.push(row);
        }
        if rows.is_empty() {
            return Ok(false);
        }
        let before = out.len();
        let outcome = self.outcome(cx, &rows, out, *on_error)?;
        cx.store.release(held);
        if !matches!(outcome, Outcome::Committed) {
            out.extend(rows.into_iter().map(|mut row| {
                call.columns.iter().for_each(|slot| row.set(*slot, Value::Null));
                row
            }));
        }
        if let Some(slot) = report {
            let status = self.status(&outcome);
            out.iter_mut().skip(before).for_each(|row| row.set(*slot, status.clone()));
        }
        Ok(true)
    }
}
