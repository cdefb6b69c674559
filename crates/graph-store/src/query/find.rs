//! The elements that meet conditions: a look-up is planned once, at one moment, and walked as far as is asked.

use std::cell::OnceCell;
use std::marker::PhantomData;

use graph_access::Budget;
use graph_model::LabelId;
use graph_schema::{Catalogue, Conditions};

use super::Element;
use super::plan::{self, Base, Plan};
use super::run::{AMONG_IDS, Accepted, Found, IN_INDEX, Stage, Walk};
use crate::core::graph::Graph;
use crate::read::page::{self, Position};
use crate::read::progress::{Listed, Progress};
use crate::read::progress::{Range, Visit};
use crate::read::source::{Source as _, visit_all};
use crate::read::view::{Moment, View};
use store_error::StoreError;

impl<'a, E: Element> Found<'a, E> {
    /// Plans a look-up from a position on. `labels`: those of the query; `None`: every label whose elements can have
    /// all the properties.
    fn plan(
        moment: Moment<'a>,
        labels: Option<Vec<LabelId>>,
        conditions: Conditions,
        start: Option<&Position>,
    ) -> Result<Self, StoreError> {
        let labels = match labels {
            Some(labels) => labels,
            None => plan::labels_with(&moment.catalogue, E::BASE, &conditions)?,
        };
        let stages = stages::<E>(&moment, labels, &conditions, start)?;
        let accepted = Accepted::Exactly;
        Ok(Self { moment, conditions, stages, accepted, kind: PhantomData })
    }

    /// The elements after a position.
    fn walk(&self, start: Option<Position>) -> Walk<'_, E> {
        let first = start.as_ref().and_then(|start| self.stages.iter().position(|at| at.label.0 == start.label));
        Walk::new(self, first.unwrap_or_default(), start)
    }
}

/// Whether the elements of a list are found by indexes: those that meet conditions, but of an auto graph only where
/// there is one, and no page that a list without it began.
pub(crate) fn is_by_index<E: Element>(
    catalogue: &Catalogue,
    labels: Option<&[LabelId]>,
    conditions: &Conditions,
    range: &Range,
    without: u64,
) -> bool {
    let goes_on = matches!(range, Range::Page { token, .. } if page::decode(token, without).is_ok());
    let is_served = || !goes_on && plan::check_candidates(catalogue, E::BASE, labels, conditions).is_ok();
    !conditions.is_empty() && (!catalogue.is_auto() || is_served())
}

/// Gives the elements that meet all conditions to `visit`, until it breaks off. `labels` as of [`Found::plan`].
pub(crate) fn list<E: Element>(
    graph: &Graph,
    labels: Option<&[LabelId]>,
    conditions: &Conditions,
    range: &Range,
    budget: &Budget,
    visit: &mut dyn FnMut(&E) -> Visit,
) -> Result<Listed, StoreError> {
    let moment = Moment::now(graph)?;
    let asked = format!("{conditions:?}");
    let fingerprint = page::fingerprint(("find", E::BASE == Base::Vertex, graph.number, labels, asked));
    let (mut progress, start) = Progress::new(range, fingerprint, budget)?;
    let found = Found::<E>::plan(moment, labels.map(<[LabelId]>::to_vec), conditions.clone(), start.as_ref())?;
    if progress.is_empty() {
        return Ok(Listed::default());
    }
    visit_all(&mut found.walk(start), &mut progress, visit)?;
    graph.unless_cleared(progress.listed(range, fingerprint))
}

/// A look-up that is read batch by batch, all of it at one moment and by one plan.
pub(crate) struct FoundInBatches<'a, E> {
    found: Found<'a, E>,
    budget: &'a Budget,
    /// The last element given.
    last: Option<Position>,
    /// How many elements may still be given; `None`: any number.
    left: Option<u64>,
}

/// Plans a look-up for batches. `labels`: those of the query in the catalogue of its moment, as of [`Found::plan`].
pub(crate) fn open<'a, E: Element>(
    view: View<'a>,
    labels: impl Fn(&Catalogue) -> Option<Vec<LabelId>>,
    among_others: bool,
    conditions: Conditions,
    limit: Option<u64>,
) -> Result<FoundInBatches<'a, E>, StoreError> {
    if view.catalogue.is_auto() {
        // Most look-ups of most auto graphs end here.
        plan::check_candidates(view.catalogue, E::BASE, labels(view.catalogue).as_deref(), &conditions)?;
    }
    let moment = view.moment()?;
    let labels = labels(&moment.catalogue);
    let accepted = match (moment.catalogue.is_auto(), among_others) {
        (false, _) => Accepted::Exactly,
        (true, false) => Accepted::Candidates,
        (true, true) => Accepted::CandidatesOfSets,
    };
    let found = Found { accepted, ..Found::plan(moment, labels, conditions, None)? };
    Ok(FoundInBatches { found, budget: view.budget, last: None, left: limit })
}

impl<E: Element> FoundInBatches<'_, E> {
    /// Appends the next elements to a batch, until it has `rows_max`.
    pub(crate) fn fill(&mut self, batch: &mut Vec<E>, rows_max: usize) -> Result<(), StoreError> {
        self.budget.check()?;
        let wanted = (rows_max as u64).min(self.left.unwrap_or(u64::MAX));
        // The walk reads ahead no further than the batch; what it holds open is closed with it.
        let mut progress = Progress::limited(Some(wanted), self.budget);
        if !progress.is_empty() {
            let mut walk = self.found.walk(self.last.take());
            while let Some(element) = walk.next(&mut progress)? {
                batch.push(element);
            }
        }
        self.left = if progress.more { self.left.map(|left| left.saturating_sub(batch.len() as u64)) } else { Some(0) };
        self.last = progress.last;
        self.found.moment.graph.unless_cleared(())
    }
}

/// The labels to look at, from the one a page begins in, and how.
fn stages<E: Element>(
    moment: &Moment<'_>,
    mut labels: Vec<LabelId>,
    conditions: &Conditions,
    start: Option<&Position>,
) -> Result<Vec<Stage>, StoreError> {
    let mut driver = None;
    if let Some(start) = start {
        let at = labels.iter().position(|label| label.0 == start.label);
        labels.drain(..at.ok_or(StoreError::Page { reason: "its label has been removed" })?);
        if start.direction == IN_INDEX {
            driver = Some(key_codec::index_key::read_index(&start.key)?);
        }
    }
    let mut stages = Vec::with_capacity(labels.len());
    for label in labels {
        let resumed = start.filter(|_| stages.is_empty());
        let plan = plan::plan(moment.graph, &moment.catalogue, E::BASE, label, conditions, resumed.and(driver))?;
        let same = match (&plan, resumed.map(|start| start.direction)) {
            (_, None) | (Plan::Ids(_), Some(AMONG_IDS)) => true,
            (Plan::Indexes { driver: now, .. }, Some(IN_INDEX)) => Some(now.index.id) == driver,
            _ => false,
        };
        if !same {
            return Err(StoreError::Page { reason: "the index it was made from has been removed" });
        }
        stages.push(Stage { label, plan, narrowing: OnceCell::new() });
    }
    Ok(stages)
}
