//! Finding elements by their properties.
//!
//! What it is: [`plan`] chooses, for each label, what the store is asked (ids made of primary keys, or indexes);
//! [`access`] turns the use of an index into ranges of its table; [`run`] walks them, fetches the elements in rounds
//! and gives out those that meet all conditions. What it is not: lists without conditions and the edges of one vertex
//! need no index and are in `list.rs` and `list_edges.rs`.
//!
//! Invariants:
//! - The order of results is that of one index, the driver. It is chosen by the schema and the conditions alone, so it
//!   is the same in every call, and a page token names it.
//! - An element is given out once: an entry counts only if it is the first one of the element that the ranges reach.
//! - The catalogue is that of the moment of the snapshot, from which index and elements are read, and every element is
//!   compared with all conditions itself.
//!
//! Start reading at [`find`].

pub(crate) mod access;
mod element;
pub(crate) mod plan;
mod run;

use std::sync::Arc;

use graph_model::LabelId;
use graph_schema::{Catalogue, Conditions};
use kv::Read;

pub(crate) use self::element::Element;
use self::plan::{Base, Plan};
use crate::read::list::{Listed, Progress};
use crate::read::page::{self, Position};
use crate::{Graph, Range, StoreError, Visit, limits};
use graph_access::Budget;

/// A position in an index; the other kind is a position among ids.
const IN_INDEX: u8 = 0;
const AMONG_IDS: u8 = 1;

/// Gives the elements that meet all conditions to `visit`, until it breaks off. `labels`: those of the query; `None`:
/// every label whose elements can have all the properties.
pub(crate) fn find<E: Element>(
    graph: &Graph,
    labels: Option<&[LabelId]>,
    conditions: &Conditions,
    range: &Range,
    budget: &Budget,
    visit: &mut dyn FnMut(&E) -> Visit,
) -> Result<Listed, StoreError> {
    let (catalogue, snapshot) = moment(graph)?;
    let asked = format!("{conditions:?}");
    let fingerprint = page::fingerprint(("find", E::BASE == Base::Vertex, graph.number, labels, asked));
    let (mut progress, mut start) = Progress::new(range, fingerprint, budget)?;
    let labels = match labels {
        Some(labels) => labels.to_vec(),
        None => plan::labels_with(&catalogue, E::BASE, conditions)?,
    };
    let stages = stages::<E>(graph, &catalogue, labels, conditions, start.as_ref())?;
    if progress.is_empty() {
        return Ok(Listed::default());
    }
    for (label, plan) in stages {
        let run = run::Run::new(graph, &*snapshot, label, conditions);
        let flow = match plan {
            Plan::Ids(ids) => run.ids(&ids, start.take().as_ref(), &mut progress, visit)?,
            Plan::Indexes { driver, others } => {
                run.indexes(&driver, &others, start.take().as_ref(), &mut progress, visit)?
            }
        };
        if flow.is_break() {
            break;
        }
    }
    graph.unless_cleared(progress.listed(range, fingerprint))
}

/// The catalogue and the data of one moment: an index that is in use in the one has all its entries in the other.
fn moment(graph: &Graph) -> Result<(Arc<Catalogue>, Box<dyn Read + '_>), StoreError> {
    for _ in 0..limits::CATALOGUE_RETRIES_MAX {
        let catalogue = graph.catalogue();
        let snapshot = graph.engine().snapshot()?;
        if Arc::ptr_eq(&catalogue, &graph.load_catalogue()) {
            return Ok((catalogue, snapshot));
        }
    }
    Err(StoreError::SchemaBusy)
}

/// The labels to look at, from the one a page begins in, and how.
fn stages<E: Element>(
    graph: &Graph,
    catalogue: &Catalogue,
    mut labels: Vec<LabelId>,
    conditions: &Conditions,
    start: Option<&Position>,
) -> Result<Vec<(LabelId, Plan)>, StoreError> {
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
        let plan = plan::plan(graph, catalogue, E::BASE, label, conditions, resumed.and(driver))?;
        let same = match (&plan, resumed.map(|start| start.direction)) {
            (_, None) | (Plan::Ids(_), Some(AMONG_IDS)) => true,
            (Plan::Indexes { driver: now, .. }, Some(IN_INDEX)) => Some(now.index.id) == driver,
            _ => false,
        };
        if !same {
            return Err(StoreError::Page { reason: "the index it was made from has been removed" });
        }
        stages.push((label, plan));
    }
    Ok(stages)
}
