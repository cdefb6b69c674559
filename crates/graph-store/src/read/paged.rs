//! A list behind the port: each batch is a page of it, so that nothing is held open between batches.

use graph_access::Budget;

use crate::read::list::{Listed, Range};
use crate::{StoreError, limits};

/// A list that is read page by page.
pub(super) struct Pages<'a, F> {
    budget: &'a Budget,
    /// The next page's token; empty: the first page. `None` at the end.
    token: Option<String>,
    /// Elements that may still be given; `None`: any number.
    left: Option<u64>,
    list: F,
}

impl<'a, F> Pages<'a, F> {
    /// At most `limit` elements of what `list` appends to a batch for a range.
    pub(super) fn new(budget: &'a Budget, limit: Option<u64>, list: F) -> Self {
        Self { budget, token: Some(String::new()), left: limit, list }
    }

    /// Appends the next elements to a batch, until it has `rows_max` or a page is over.
    pub(super) fn fill<T>(&mut self, batch: &mut Vec<T>, rows_max: usize) -> Result<(), StoreError>
    where
        F: FnMut(Range, &mut Vec<T>) -> Result<Listed, StoreError>,
    {
        let wanted = (rows_max as u64).min(self.left.unwrap_or(u64::MAX)).min(limits::LIST_FETCH_VERTICES as u64);
        self.budget.check()?;
        let Some(token) = self.token.take().filter(|_| wanted > 0) else { return Ok(()) };
        let listed = (self.list)(Range::Page { token, limit: Some(wanted) }, batch)?;
        self.token = listed.next;
        if let Some(left) = &mut self.left {
            *left = left.saturating_sub(batch.len() as u64);
        }
        Ok(())
    }
}
