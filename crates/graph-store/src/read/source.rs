//! Lists that pull: elements one at a time, in an order that stays the same between calls. What is given to a visitor,
//! page by page, and what is read through a cursor of the port both come from here.

use graph_access::Budget;

use crate::core::graph::Graph;
use crate::read::progress::{Progress, Visit};
use store_error::StoreError;

/// The elements of a list.
pub(crate) trait Source<E> {
    /// The next element `progress` has a use for; `None` at the end, or where it wants no more. Every row that is read
    /// is counted by `progress`, which learns the position of the element.
    fn next(&mut self, progress: &mut Progress) -> Result<Option<E>, StoreError>;
}

/// Gives elements to `visit` until it breaks off.
pub(crate) fn visit_all<E>(
    source: &mut (impl Source<E> + ?Sized),
    progress: &mut Progress,
    visit: &mut dyn FnMut(&E) -> Visit,
) -> Result<(), StoreError> {
    while let Some(element) = source.next(progress)? {
        if visit(&element).is_break() {
            // Perhaps not; the next page is empty then.
            progress.more = true;
            break;
        }
    }
    Ok(())
}

/// How many elements a list has, without reading more of each than tells whether it is one.
pub(crate) fn count<'a, E>(mut source: Box<dyn Source<E> + 'a>, budget: &Budget) -> Result<u64, StoreError> {
    let mut progress = Progress::counting(budget);
    while source.next(&mut progress)?.is_some() {}
    Ok(progress.skipped())
}

/// A list that is read batch by batch and stays open in between.
pub(crate) struct Open<'a, E> {
    graph: &'a Graph,
    budget: &'a Budget,
    source: Option<Box<dyn Source<E> + 'a>>,
    progress: Progress,
}

impl<'a, E> Open<'a, E> {
    /// At most `limit` elements of a list.
    pub(crate) fn new(
        graph: &'a Graph,
        budget: &'a Budget,
        source: Box<dyn Source<E> + 'a>,
        limit: Option<u64>,
    ) -> Self {
        Self { graph, budget, source: Some(source), progress: Progress::limited(limit, budget) }
    }

    /// Appends the next elements to a batch, until it has `rows_max`.
    pub(crate) fn fill(&mut self, batch: &mut Vec<E>, rows_max: usize) -> Result<(), StoreError> {
        self.budget.check()?;
        while batch.len() < rows_max
            && let Some(source) = &mut self.source
        {
            match source.next(&mut self.progress)? {
                Some(element) => batch.push(element),
                None => self.source = None,
            }
        }
        self.graph.unless_cleared(())
    }
}
