//! Reading elements: by id, in lists, by shards, along edges.

mod adjacency;
pub(crate) mod by_id;
pub(crate) mod list;
pub(crate) mod list_edges;
pub(crate) mod page;
mod paged;
pub(crate) mod reader;
pub(crate) mod scan;
pub(crate) mod select;

use crate::Graph;

/// What is read of a graph: committed elements, by id, in lists and in shards. Costs nothing to make.
#[derive(Clone, Copy)]
pub struct Reader<'g> {
    graph: &'g Graph,
}

impl<'g> Reader<'g> {
    pub(crate) fn new(graph: &'g Graph) -> Self {
        Self { graph }
    }
}
