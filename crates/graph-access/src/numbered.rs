//! Walking by numbers instead of ids.

use std::sync::Arc;

use adjacency::{Column, ColumnOf, NumberLists, Ticket, Wanted};
use compact_str::CompactString;
use graph_model::{Direction, LabelId, Value, VertexId};

use crate::AccessError;

/// An edge as its owner, the vertex it was read at, sees it. With the ids of both ends it makes the edge's id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberedEdge {
    /// The number of the other end.
    pub other: u32,
    /// The edge's label.
    pub label: LabelId,
    /// Whether the owner is the edge's source.
    pub outgoing: bool,
    /// The edge's sort values, as in its id.
    pub sort_values: CompactString,
}

/// A graph whose vertices have numbers and whose neighbours are kept in memory as far as they were read. Numbers are
/// valid for the life of the reader. Calls come from several threads at once.
pub trait NumberedRead: Sync {
    /// The number of a vertex, given on first sight, whether or not the vertex exists; `None` where there are no
    /// numbers left. Numbers are below [`adjacency::limits::NUMBERS_MAX`].
    fn number(&self, id: &VertexId) -> Option<u32>;

    /// The number of a vertex that has one.
    fn known_number(&self, id: &VertexId) -> Option<u32>;

    /// The vertex of a number.
    fn id(&self, number: u32) -> Option<&VertexId>;

    /// Appends the neighbours of each of `owners` that are in memory, in the order of
    /// [`WalkRead::edges_of`](crate::WalkRead::edges_of). Those that are not are on the list of missed ones. Reads no
    /// storage.
    ///
    /// # Errors
    /// [`AccessError`] of the budget; a graph that was cleared.
    fn at_hand(&self, owners: &[u32], wanted: Wanted<'_>, lists: &mut NumberLists) -> Result<(), AccessError>;

    /// Appends the neighbours of each of `owners`, in the same order, reads them from storage where they are not in
    /// memory, and keeps them where that is possible. None is missed, but it stops where the lists become full.
    ///
    /// # Errors
    /// Those of storage, [`AccessError`] of the budget.
    fn read(&self, owners: &[u32], wanted: Wanted<'_>, lists: &mut NumberLists) -> Result<(), AccessError>;

    /// Appends how many edges each of `owners` has; one whose ends are both the owner counts once.
    ///
    /// # Errors
    /// As of [`Self::read`].
    fn degrees(
        &self,
        owners: &[u32],
        direction: Direction,
        labels: Option<&[LabelId]>,
        degrees: &mut Vec<usize>,
    ) -> Result<(), AccessError>;

    /// The numbers of all vertices of a label, read from storage where they are not in memory, and kept where that is
    /// possible; `None` where they are too many, or can expire, or a vertex may have several labels.
    ///
    /// # Errors
    /// Those of storage, [`AccessError`] of the budget.
    fn members(&self, label: LabelId) -> Result<Option<Arc<[u32]>>, AccessError>;

    /// As [`Self::members`], where they are in memory.
    fn members_at_hand(&self, label: LabelId) -> Option<Arc<[u32]>>;

    /// Whoever reads all vertices of a label from now on can have [`Self::keep_members`] keep their numbers; `None`
    /// where that is not possible.
    fn members_ticket(&self, label: LabelId) -> Option<Ticket>;

    /// Keeps the numbers of all vertices of a label, unless one was written since the ticket was issued.
    fn keep_members(&self, label: LabelId, ticket: Ticket, numbers: &[u32]);

    /// The values of a property, or the labels, of vertices by number, as far as they are in memory.
    fn column(&self, of: ColumnOf) -> Option<Arc<Column>>;

    /// Reads values of vertices that columns do not have, all of them in one round, and keeps them there where that is
    /// possible. `also` is told each value, with the place in `numbers` of its vertex and that in `of`; none: the
    /// vertex has none, or does not exist.
    ///
    /// # Errors
    /// Those of storage, [`AccessError`] of the budget.
    fn fill(
        &self,
        of: &[ColumnOf],
        numbers: &[u32],
        also: &mut dyn FnMut(usize, usize, Option<&Value>),
    ) -> Result<(), AccessError>;

    /// Appends those edges of `owner` that lead to or come from a vertex for whose number `is_wanted` holds, in the
    /// order of [`Self::read`]. Reads storage where the neighbours are not in memory, and for edges that have sort
    /// values.
    ///
    /// # Errors
    /// Those of storage, [`AccessError`] of the budget.
    fn edges_between(
        &self,
        owner: u32,
        wanted: Wanted<'_>,
        is_wanted: &dyn Fn(u32) -> bool,
        edges: &mut Vec<NumberedEdge>,
    ) -> Result<(), AccessError>;
}
