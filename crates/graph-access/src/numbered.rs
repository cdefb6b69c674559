//! Walking by numbers instead of ids.

use adjacency::{NumberLists, Wanted};
use graph_model::VertexId;

use crate::AccessError;

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
}
