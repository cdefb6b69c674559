//! One hop: from vertices to their edges or neighbours.

use std::collections::VecDeque;
use std::sync::Arc;

use adjacency::Wanted;
use graph_access::{EdgeRead, EdgeRow};
use graph_model::{LabelId, VertexId};
use graph_schema::Catalogue;
use query_plan::Expand;
use query_value::{Direction, Value};
use rustc_hash::FxHashMap;

use super::numbers::{Block, Numbers, give_counts};
use super::ranges::sort_ranges;
use crate::context::{Build, Cx, Stage};
use crate::error::{ExecError, Result};
use crate::pipe::Pipe;
use crate::storage;
use crate::traverser::{Stored, Traverser};

/// An edge or a neighbour that was read.
struct Found {
    value: Value,
    stored: Option<Stored>,
    /// The other end of an edge, where there is a filter of edges.
    other: Option<Value>,
}

/// An operator that follows edges.
pub(super) struct Hop<'g> {
    pub(super) expand: Expand,
    /// The labels' numbers; none: of all labels.
    pub(super) labels: Option<Option<Vec<LabelId>>>,
    /// The schema that they are from: that of an auto graph grows.
    catalogue: Option<Arc<Catalogue>>,
    /// What an edge must yield.
    filter: Option<Pipe<'g>>,
    pub(super) numbers: Numbers,
}

impl<'g> Hop<'g> {
    pub(super) fn new(expand: &Expand, build: Build<'g>) -> Result<Self> {
        let filter = expand.edge_filter.as_ref().map(|filter| Pipe::new(filter, build)).transpose()?;
        Ok(Self { expand: expand.clone(), labels: None, catalogue: None, filter, numbers: Numbers::default() })
    }

    pub(super) fn direction(&self) -> graph_model::Direction {
        match self.expand.direction {
            Direction::Out => graph_model::Direction::Out,
            Direction::In => graph_model::Direction::In,
            Direction::Both => graph_model::Direction::Both,
        }
    }

    /// The numbers of the labels that are followed; `None`: all.
    pub(super) fn labels(&mut self, cx: &Cx<'_>) -> Option<&[LabelId]> {
        if !self.catalogue.as_ref().is_some_and(|own| Arc::ptr_eq(own, &cx.catalogue)) {
            self.catalogue = Some(Arc::clone(&cx.catalogue));
            self.labels = None;
        }
        let names = &self.expand.labels;
        let resolve = || {
            names.as_ref().map(|names| {
                let mut all: Vec<LabelId> = Vec::new();
                for label in names.iter().filter_map(|name| cx.catalogue.edge_label_named(name)) {
                    for label in cx.catalogue.edge_labels_under(label.id) {
                        if !all.contains(&label) {
                            all.push(label);
                        }
                    }
                }
                all
            })
        };
        self.labels.get_or_insert_with(resolve).as_deref()
    }
}

impl<'g> Stage<'g> for Hop<'g> {
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, out: &mut Vec<Traverser>) -> Result<()> {
        // Each vertex of the block is read once; what stands at it shares what was read.
        let mut owners: Vec<VertexId> = Vec::new();
        let mut at: FxHashMap<VertexId, usize> = FxHashMap::default();
        let mut places = Vec::with_capacity(input.len());
        for traverser in input.iter() {
            let Value::Vertex(_) = &traverser.value else {
                let kind = traverser.value.kind();
                return Err(ExecError::evaluation(format!("only vertices have edges, found {kind}")));
            };
            places.push(storage::vertex_id(&traverser.value).map(|id| {
                *at.entry(id.clone()).or_insert_with(|| {
                    owners.push(id);
                    owners.len() - 1
                })
            }));
        }
        let direction = self.direction();
        let Expand { to_edges, limit, properties, is_counted, is_distinct, .. } = self.expand;
        if self.labels(cx).is_some_and(<[LabelId]>::is_empty) {
            return Ok(());
        }
        if (!to_edges || is_counted) && self.filter.is_none() {
            self.labels(cx);
            let Self { expand, labels, numbers, .. } = self;
            let labels = labels.as_ref().and_then(Option::as_deref);
            let block = Block { expand, wanted: Wanted { direction, labels, limit }, owners: &owners, places: &places };
            if numbers.process(cx, &block, input, out)? {
                return Ok(());
            }
        }
        let mut rows: Vec<Vec<Found>> = owners.iter().map(|_| Vec::new()).collect();
        let has_filter = self.filter.is_some();
        self.labels(cx);
        let labels = self.labels.as_ref().and_then(Option::as_deref);
        let ranges = sort_ranges(&cx.catalogue, labels, &self.expand.conditions);
        let limit = limit.filter(|_| !has_filter);
        let properties = properties && !is_counted;
        let read = EdgeRead { direction, labels, limit, properties: (properties && to_edges) || has_filter };
        let mut counts = vec![0_u64; if is_counted { owners.len() } else { 0 }];
        let mut new_rows: Vec<(usize, VertexId)> = Vec::new();
        {
            let refs: Vec<&VertexId> = owners.iter().collect();
            let graph = cx.read();
            let mut cursor = graph.edges_in(&refs, read, &ranges)?;
            let mut batch: Vec<EdgeRow> = Vec::new();
            let mut held: u64 = 0;
            loop {
                cursor.next_batch(&mut batch, cx.batch.max(64))?;
                if batch.is_empty() {
                    break;
                }
                if is_counted {
                    for row in batch.drain(..) {
                        if is_distinct {
                            held += 1;
                            new_rows.push((row.owner, row.other));
                        } else if let Some(count) = counts.get_mut(row.owner) {
                            *count += 1;
                        }
                    }
                    cx.may_hold(held)?;
                    continue;
                }
                held += u64::try_from(batch.len()).unwrap_or(u64::MAX);
                cx.may_hold(held)?;
                for row in batch.drain(..) {
                    let (Some(owner), Some(rows)) = (owners.get(row.owner), rows.get_mut(row.owner)) else { continue };
                    if to_edges || has_filter {
                        let other = has_filter.then(|| storage::vertex_ref(&cx.catalogue, &row.other));
                        let edge = row.into_edge(owner.clone());
                        let value = storage::edge_value(&cx.catalogue, &edge);
                        let stored = (properties || has_filter).then(|| Stored::Edge(Arc::new(edge)));
                        rows.push(Found { value, stored, other });
                    } else {
                        let value = storage::vertex_ref(&cx.catalogue, &row.other);
                        rows.push(Found { value, stored: None, other: None });
                    }
                }
            }
        }
        if is_counted && is_distinct {
            for (owner, id) in new_rows {
                if self.numbers.count_id(cx, &id)
                    && let Some(count) = counts.get_mut(owner)
                {
                    *count += 1;
                }
            }
            // What several traversers lead to counts for the first of them.
            for (traverser, place) in input.drain(..).zip(places) {
                let new = place.and_then(|place| counts.get_mut(place)).map_or(0, std::mem::take);
                if new > 0 {
                    out.push(Traverser { bulk: new, ..traverser });
                }
            }
            return Ok(());
        }
        if is_counted {
            let count = |place: usize| counts.get(place).copied().unwrap_or_default();
            return give_counts(&places, count, input, out);
        }
        for (traverser, place) in input.drain(..).zip(places) {
            let found = place.and_then(|place| rows.get(place)).map_or(&[][..], Vec::as_slice);
            for Found { value, stored, other } in found {
                if let Some(filter) = &mut self.filter {
                    let edge = Traverser { stored: stored.clone(), ..traverser.with(value.clone()).single() };
                    if filter.first(cx, edge)?.is_none() {
                        continue;
                    }
                    if !to_edges {
                        out.extend(other.clone().map(|other| traverser.with(other)));
                        continue;
                    }
                }
                out.push(Traverser { stored: stored.clone(), ..traverser.with(value.clone()) });
            }
        }
        Ok(())
    }
    fn reset(&mut self) {
        self.numbers.reset();
    }
}
