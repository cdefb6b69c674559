//! Writing elements and schema.

pub(crate) mod delete;
mod ends;
pub(crate) mod ingest;
mod insert;
pub(crate) mod rows;
pub(crate) mod schema;
pub(crate) mod transaction;
mod update;
mod update_batch;

use crate::core::graph::Graph;

/// What is written to a graph: elements, one or many, each write all or nothing. Costs nothing to make.
#[derive(Clone, Copy)]
pub struct Writer<'g> {
    graph: &'g Graph,
}

impl<'g> Writer<'g> {
    /// Writes to a graph.
    #[must_use]
    pub fn new(graph: &'g Graph) -> Self {
        Self { graph }
    }
}
