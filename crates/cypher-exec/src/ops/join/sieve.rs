//! Conditions on what a join finds: tested on one row that is filled again and again, so that only those that meet them
//! become rows of their own.

use std::sync::Arc;

use cypher_graph::{Wanted, numbered_node};
use cypher_value::{Relationship, Value};
use graph_access::NumberedRead;

use super::super::mend::{Read, node_in};
use crate::Result;
use crate::eval::Cx;
use crate::limits::BATCH;
use crate::row::Row;
use cypher_plan::{Ex, Slot};

/// Conditions, and the ways that wait to be tested.
pub(crate) struct Sieve {
    conditions: Vec<(Arc<Ex>, Read)>,
    /// For each way the place of its row and the numbers of its wanted nodes.
    pending: Vec<u32>,
    times: Vec<u64>,
    scratch: Row,
    /// The place and the numbers that the scratch row is filled with.
    filled: Vec<u32>,
}

impl Sieve {
    /// Conditions on single values of nodes; none where there are none, or others.
    pub(crate) fn new(conditions: Vec<Arc<Ex>>) -> Option<Self> {
        let conditions: Vec<_> = conditions.into_iter().map(|ex| (Arc::clone(&ex), Read::of([&*ex]))).collect();
        let is_simple = !conditions.is_empty() && conditions.iter().all(|(_, read)| read.whole().is_empty());
        let (pending, times, scratch, filled) = (Vec::new(), Vec::new(), Row::default(), Vec::new());
        is_simple.then_some(Self { conditions, pending, times, scratch, filled })
    }

    /// The conditions.
    pub(super) fn conditions(&self) -> impl Iterator<Item = &(Arc<Ex>, Read)> {
        self.conditions.iter()
    }

    pub(super) fn add(&mut self, wanted: &[(Slot, usize)], tuple: &[u32], times: u64) {
        let columns = std::iter::once(0).chain(wanted.iter().map(|(_, column)| *column));
        self.pending.extend(columns.map(|column| tuple.get(column).copied().unwrap_or(u32::MAX)));
        self.times.push(times);
    }

    pub(super) fn is_full(&self) -> bool {
        self.times.len() >= BATCH
    }

    /// Tests what waits, and gives the rows that meet all conditions.
    pub(super) fn sift(
        &mut self,
        cx: &Cx<'_, '_>,
        graph: &dyn NumberedRead,
        wanted: &[(Slot, usize)],
        rows: &[Row],
        mut give: impl FnMut(&Row, u64),
    ) -> Result<()> {
        let width = wanted.len() + 1;
        let (pending, times) = (std::mem::take(&mut self.pending), std::mem::take(&mut self.times));
        cx.store.tick(times.len())?;
        for (_, read) in &self.conditions {
            for (slot, values) in read.values() {
                load(cx, wanted, rows, &pending, (*slot, values))?;
            }
        }
        // The rows may be others than at the last time.
        self.filled.clear();
        for (way, times) in pending.chunks_exact(width).zip(&times) {
            self.fill(graph, wanted, rows, way);
            let mut holds = true;
            for (condition, _) in &self.conditions {
                holds = holds && cx.holds(condition, &mut self.scratch)?;
            }
            if holds {
                give(&self.scratch, *times);
            }
        }
        (self.pending, self.times) = (pending, times);
        self.pending.clear();
        self.times.clear();
        Ok(())
    }

    /// Fills the row with what a way has.
    fn fill(&mut self, graph: &dyn NumberedRead, wanted: &[(Slot, usize)], rows: &[Row], way: &[u32]) {
        if self.filled.first() != way.first() {
            let place = way.first().copied().unwrap_or(u32::MAX) as usize;
            self.scratch = rows.get(place).cloned().unwrap_or_default();
            self.filled.clear();
            self.filled.extend(way.first());
            self.filled.resize(way.len(), u32::MAX);
        }
        let numbers = way.iter().zip(&mut self.filled).skip(1);
        for ((slot, _), (number, filled)) in wanted.iter().zip(numbers) {
            if filled != number {
                let node = graph.id(*number).map(|id| numbered_node(id, *number));
                self.scratch.set(*slot, node.map_or(Value::Null, Value::Node));
                *filled = *number;
            }
        }
    }
}

/// Reads what is not in memory yet of the nodes in a slot.
fn load(
    cx: &Cx<'_, '_>,
    wanted: &[(Slot, usize)],
    rows: &[Row],
    pending: &[u32],
    (slot, values): (Slot, &[Wanted]),
) -> Result<()> {
    let width = wanted.len() + 1;
    let column = |at: usize| pending.chunks_exact(width).filter_map(move |way| way.get(at).copied());
    if let Some(at) = wanted.iter().position(|(own, _)| *own == slot) {
        let numbers: Vec<u32> = column(at + 1).collect();
        let mut missing = cx.store.missing(&numbers, values).unwrap_or_default();
        missing.sort_unstable();
        missing.dedup();
        return cx.store.read_values(&missing, values);
    }
    let mut places: Vec<u32> = column(0).collect();
    places.dedup();
    let relationship = |place: &u32| -> Option<&Arc<Relationship>> {
        match rows.get(*place as usize)?.get(slot) {
            Value::Relationship(relationship) => Some(relationship),
            _ => None,
        }
    };
    cx.store.load_relationships(places.iter().filter_map(relationship))?;
    cx.store.load_values(places.iter().filter_map(|place| node_in(rows.get(*place as usize)?, slot)), values)
}
