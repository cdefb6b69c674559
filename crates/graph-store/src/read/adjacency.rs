//! Adjacency reads of many vertices at once: what traversals are made of.
//!
//! One call scans all partitions (a label's edges at a vertex in a direction) through one cursor for each direction. Keys are decoded,
//! values only as far as their expiry unless properties are asked for. Each call sees committed data of its own moment, and fails where the
//! graph was cleared before its end.

use std::sync::Arc;

use graph_model::{Direction, Edge, EdgeId, LabelId, Properties, Vertex, VertexId};
use graph_schema::{Catalogue, EdgeLabelKind};
use key_codec::{key, tables, value};
use kv::{Entry, GoOn, Keys, TableId};
use traversal::{EdgeAt, EdgeRead, GraphRead, TraversalError};

use crate::core::clock::{is_expired, now_ms};
use crate::read::Reader;
use crate::read::list::Budget;
use crate::{Graph, StoreError, limits};

/// A graph as traversals read it: with one state of the schema and one budget for all reads.
pub struct GraphReader<'a> {
    graph: &'a Graph,
    budget: &'a Budget,
    /// All labels edges can have, in the order of their numbers.
    labels: Vec<LabelId>,
}

impl<'a> GraphReader<'a> {
    /// A reader for one traversal.
    #[must_use]
    pub fn new(graph: &'a Graph, catalogue: &Arc<Catalogue>, budget: &'a Budget) -> Self {
        let labels = catalogue.edge_labels().filter(|label| label.kind != EdgeLabelKind::Parent).map(|label| label.id);
        Self { graph, budget, labels: labels.collect() }
    }

    /// The edges with the given ids, in the same order, without those there are not.
    pub fn edges(&self, ids: &[EdgeId]) -> Result<Vec<Edge>, StoreError> {
        self.budget.check()?;
        Ok(Reader::new(self.graph).edges(ids)?.into_iter().flatten().collect())
    }

    fn read_table(
        &self,
        outgoing: bool,
        owners: &[&VertexId],
        read: &EdgeRead<'_>,
        taken: &mut [u64],
        visit: &mut dyn FnMut(EdgeAt<'_>) -> Result<(), TraversalError>,
    ) -> Result<(), TraversalError> {
        let labels = read.labels.unwrap_or(&self.labels);
        let is_full = |taken: u64| read.limit.is_some_and(|limit| taken >= limit);
        let mut partitions = Keys::new();
        let mut places = Vec::with_capacity(owners.len() * labels.len());
        for (owner, (id, taken)) in owners.iter().zip(&*taken).enumerate() {
            if is_full(*taken) {
                continue;
            }
            for label in labels {
                partitions.push(|b| key::edge_partition(b, self.graph.number, *label, id), |_| ());
                places.push((owner, *label));
            }
        }
        let now = now_ms();
        let mut rows = 0u32;
        let mut failed = Ok(());
        let table: TableId = if outgoing { tables::EDGE_OUT } else { tables::EDGE_IN };
        let scanned = self.graph.engine().scan_each(table, &partitions, &mut |at, entry| {
            let Some((owner, label)) = places.get(at).copied() else { return GoOn::AtPartition(usize::MAX) };
            rows = rows.wrapping_add(1);
            let edge = if rows.is_multiple_of(limits::ROWS_PER_CHECK) { self.check() } else { Ok(()) }
                .and_then(|()| live_edge(entry, now, read.properties).map_err(read_error));
            let given = edge.and_then(|edge| match edge {
                None => Ok(false),
                Some((sort_values, other, properties)) => {
                    let sort_values = &sort_values;
                    visit(EdgeAt { owner, other, label, outgoing, sort_values, properties }).map(|()| true)
                }
            });
            match given {
                Ok(false) => GoOn::Next,
                Ok(true) => match taken.get_mut(owner) {
                    Some(taken) => {
                        *taken += 1;
                        // Partitions are listed owner by owner, so the owner's share of the list ends at a multiple.
                        if is_full(*taken) {
                            GoOn::AtPartition((at / labels.len() + 1) * labels.len())
                        } else {
                            GoOn::Next
                        }
                    }
                    None => GoOn::Next,
                },
                Err(error) => {
                    failed = Err(error);
                    GoOn::AtPartition(usize::MAX)
                }
            }
        });
        failed?;
        scanned.map_err(read_error)
    }
}

/// Decodes an edge; `None` if it has ceased to exist.
fn live_edge(
    entry: Entry<'_>,
    now: i64,
    with_properties: bool,
) -> Result<Option<(compact_str::CompactString, VertexId, Properties)>, StoreError> {
    let (expires_at_ms, properties) = if with_properties {
        value::read_edge(entry.value)?
    } else {
        (value::read_edge_expiry(entry.value)?, Properties::new())
    };
    if is_expired(expires_at_ms, now) {
        return Ok(None);
    }
    let (sort_values, other) = key::read_edge_row(entry.key.row())?;
    Ok(Some((sort_values, other, properties)))
}

impl GraphRead for GraphReader<'_> {
    fn edges_at(
        &self,
        owners: &[&VertexId],
        read: &EdgeRead<'_>,
        visit: &mut dyn FnMut(EdgeAt<'_>) -> Result<(), TraversalError>,
    ) -> Result<(), TraversalError> {
        self.check()?;
        let mut taken = vec![0; owners.len()];
        if read.direction != Direction::In {
            self.read_table(true, owners, read, &mut taken, visit)?;
        }
        if read.direction != Direction::Out {
            self.read_table(false, owners, read, &mut taken, visit)?;
        }
        self.graph.unless_cleared(()).map_err(read_error)
    }

    fn vertices(&self, ids: &[VertexId]) -> Result<Vec<Option<Vertex>>, TraversalError> {
        self.check()?;
        Reader::new(self.graph).vertices(ids).map_err(read_error)
    }

    fn check(&self) -> Result<(), TraversalError> {
        self.budget.check().map_err(read_error)
    }
}

fn read_error(error: impl Into<StoreError>) -> TraversalError {
    let error = error.into();
    TraversalError::Read { meaning: error.meaning(), message: error.to_string() }
}
