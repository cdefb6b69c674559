//! The labels of vertices by their ids, for those who check that vertices exist.

use std::sync::Arc;

use graph_model::{LabelId, VertexId};

use crate::columns::{Column, ColumnOf, label_of, value_of};
use crate::stripes::Ticket;
use crate::table::Table;

/// The labels that a table knows.
pub struct Labels {
    table: Arc<Table>,
    column: Arc<Column>,
    /// Whether a vertex gets a number by being asked for.
    gives_numbers: bool,
}

/// The permission to keep the label of a vertex that is read from now on; for a vertex without a number there is none.
#[derive(Clone, Copy, Debug)]
pub struct Unread(Option<(u32, Ticket)>);

impl Labels {
    /// Those of a table. `is_remote`: a read costs a round, so labels are kept of vertices without a number, too, in a
    /// part of the memory for numbers: a load of a large graph must not crowd out what walks need.
    #[must_use]
    pub fn of(table: Arc<Table>, is_remote: bool) -> Self {
        let column = table.column(ColumnOf::Label);
        let gives_numbers = is_remote && table.has_room_for_numbers();
        Self { table, column, gives_numbers }
    }

    /// The label of a vertex that is there.
    ///
    /// # Errors
    /// Where that is not known, what [`Self::keep`] needs.
    pub fn get(&self, id: &VertexId) -> Result<LabelId, Unread> {
        let hash = self.table.hash(id);
        let number = if self.gives_numbers { self.table.number_of(hash, id) } else { self.table.find(hash, id) };
        let Some(number) = number else { return Err(Unread(None)) };
        let known = self.column.get(number, |value| value.and_then(label_of)).flatten();
        known.ok_or_else(|| Unread(self.table.ticket_of(hash).map(|ticket| (number, ticket))))
    }

    /// Keeps labels that were read of vertices that do not expire, each unless the vertex was written since.
    pub fn keep(&self, read: impl Iterator<Item = (Unread, LabelId)>) {
        let values: Vec<_> = read
            .filter_map(|(Unread(of), label)| of.map(|(number, ticket)| (number, ticket, value_of(label))))
            .collect();
        if !values.is_empty() {
            let values = values.iter().map(|(number, ticket, label)| (*number, *ticket, Some(label)));
            self.table.publish_values(&self.column, values);
        }
    }
}
