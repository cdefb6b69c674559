//! What a pattern finds for rows, or nulls.

use std::sync::Arc;

use cypher_value::Value;

use super::feed::Feed;
use super::rows::Waiting;
use crate::Result;
use crate::eval::{Cx, Operator, Source};
use crate::limits::{BATCH, OPTIONAL_FIRST};
use crate::row::Row;
use cypher_plan::{Optional, Slot};

/// What a plan finds for each row; a row with nulls where it finds nothing. Rows are taken together, so that the plan
/// is not begun for each: they carry their places.
pub(super) struct Trying<'g> {
    input: Feed<'g>,
    optional: Arc<Optional>,
    /// Rows that are taken together.
    batch: usize,
    waiting: Waiting,
}

impl<'g> Trying<'g> {
    pub(super) fn new(input: Source<'g>, optional: &Arc<Optional>) -> Self {
        let (optional, waiting) = (Arc::clone(optional), Waiting::default());
        Self { input: Feed::new(input), optional, batch: OPTIONAL_FIRST, waiting }
    }

    fn carry_out(&mut self, cx: &Cx<'_, 'g>, mut rows: Vec<Row>) -> Result<()> {
        let place = self.optional.place;
        for (number, row) in (0..).zip(&mut rows) {
            row.set(place, Value::Integer(number));
        }
        let mut source = (cx.build)(&self.optional.plan, rows.clone());
        let (mut found, mut new, mut is_more) = (Vec::new(), Vec::new(), true);
        while is_more {
            is_more = source.next(cx, &mut new)?;
            cx.store.hold(new.iter().map(Row::bytes).fold(0, u64::saturating_add))?;
            found.append(&mut new);
        }
        // Where much is found for each, fewer are taken together, so that little is held.
        let much = self.batch.saturating_mul(4);
        self.batch = if found.len() > much { (self.batch / 4).max(1) } else { much.min(BATCH) };
        found.sort_by_key(|row| number(row, place));
        let mut found = found.into_iter().peekable();
        for mut row in rows {
            let own = number(&row, place);
            if found.peek().is_none_or(|next| number(next, place) != own) {
                self.optional.filled.iter().for_each(|slot| row.set(*slot, Value::Null));
                cx.store.hold(row.bytes())?;
                self.waiting.0.push_back(row);
            }
            while let Some(next) = found.next_if(|next| number(next, place) == own) {
                self.waiting.0.push_back(next);
            }
        }
        Ok(())
    }
}

fn number(row: &Row, place: Slot) -> i64 {
    match row.get(place) {
        Value::Integer(number) => *number,
        _ => i64::MAX,
    }
}

impl<'g> Operator<'g> for Trying<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        if self.waiting.0.is_empty() {
            let rows = self.input.rows(cx, self.batch)?;
            if rows.is_empty() {
                return Ok(false);
            }
            self.carry_out(cx, rows)?;
        }
        self.waiting.give(cx, out);
        Ok(true)
    }
}
