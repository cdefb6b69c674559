//! How many different nodes there are, where nothing else is asked of them.

use adjacency::NumberSet;
use cypher_graph::vertex_id;
use cypher_value::{ElementId, Value};
use graph_access::NumberedRead;
use rustc_hash::FxHashSet;

use crate::Result;
use crate::eval::{Cx, Source};
use crate::row::Row;
use cypher_plan::Slot;

/// Bytes that a node without a number counts as.
const NODE_BYTES: u64 = 48;

/// Nodes, each once.
#[derive(Default)]
pub(super) struct Different {
    numbers: NumberSet,
    unnumbered: FxHashSet<ElementId>,
}

impl Different {
    /// Notes a node by its number.
    pub(super) fn insert(&mut self, cx: &Cx<'_, '_>, number: u32) -> Result<()> {
        if self.numbers.insert(number) { cx.store.hold(1) } else { Ok(()) }
    }

    /// Notes nodes by numbers that were counted as held.
    pub(super) fn take_numbers(&mut self, numbers: &mut NumberSet) {
        self.numbers = std::mem::take(numbers);
    }

    /// Notes the nodes of the next rows, by their ids; answers whether there may be more.
    pub(super) fn gather<'g>(&mut self, cx: &Cx<'_, 'g>, source: &mut Source<'g>, slot: Slot) -> Result<bool> {
        let mut rows = Vec::new();
        let is_more = source.next(cx, &mut rows)?;
        cx.store.tick(rows.len())?;
        for row in &rows {
            if let Value::Node(node) = row.get(slot)
                && !self.unnumbered.contains(&node.id)
            {
                cx.store.hold(NODE_BYTES)?;
                self.unnumbered.insert(node.id.clone());
            }
        }
        Ok(is_more)
    }

    /// A row with how many there are.
    pub(super) fn row(&self, cx: &Cx<'_, '_>, graph: Option<&dyn NumberedRead>, slot: Slot) -> Result<Row> {
        cx.store.tick(self.unnumbered.len())?;
        // Some may be noted both ways.
        let is_numbered = |id: &ElementId| {
            let number = graph.and_then(|graph| graph.known_number(&vertex_id(id)));
            number.is_some_and(|number| self.numbers.contains(number))
        };
        let found = self.numbers.len() + self.unnumbered.iter().filter(|id| !is_numbered(id)).count();
        let mut row = Row::empty(slot + 1);
        row.set(slot, Value::Integer(i64::try_from(found).unwrap_or(i64::MAX)));
        Ok(row)
    }
}
