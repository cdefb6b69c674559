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

use graph_access::WriteCheck;

use crate::core::graph::Graph;

/// What is written to a graph: elements, one or many, each write all or nothing. Costs nothing to make.
#[derive(Clone, Copy)]
pub struct Writer<'g> {
    graph: &'g Graph,
    check: Option<&'g dyn WriteCheck>,
}

impl<'g> Writer<'g> {
    /// Writes to a graph.
    #[must_use]
    pub fn new(graph: &'g Graph) -> Self {
        Self { graph, check: None }
    }

    /// With a look at each element that is changed or merged ([`Self::alter_vertex`], [`Self::update_vertices`] and
    /// the same for edges), as it is and as it becomes.
    #[must_use]
    pub fn checked(self, check: &'g dyn WriteCheck) -> Self {
        Self { check: Some(check), ..self }
    }
}
