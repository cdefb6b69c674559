//! Elements as rows for a sorted ingest (`kv::Engine::ingest`): what an offline load needs of a graph.
//!
//! Rows are those an insert writes, made by the same checks and the same code, but index entries are not among them:
//! which entries an element replaces could only be found by reading every element first. So the index labels concerned
//! are taken out of use before the ingest (`suspend_indexes` of graph-maintenance) and rebuilt after it
//! (`Jobs::build_index` of graph-host), which is also right where stored elements are replaced. A load that is cut
//! short leaves index labels that say they are not built, never wrong ones.

use crate::index::write_unit::Positions;
use crate::write::ends::check_ends;
use crate::write::insert::with_id;
use crate::write::rows::{put_edge, put_vertex};
use std::sync::Arc;

use graph_model::{Edge, Vertex, VertexId};
use graph_schema::{Catalogue, ElementRules, EndLabels, NewEdge, NewVertex};
use kv::WriteBatch;

use crate::core::graph::Graph;
use store_error::StoreError;
use stripe_locks::{Locks, Wait};

/// Checks new elements as inserts do and appends their rows to batches that are not to be committed. Nobody may change
/// the schema while one is in use.
pub struct Encoder<'g> {
    graph: &'g Graph,
    catalogue: Arc<Catalogue>,
    rules: ElementRules<'g>,
}

impl<'g> Encoder<'g> {
    /// An encoder with the schema as it is now, once other processes over the store know of this one.
    ///
    /// # Errors
    /// As an insert would; those of storage.
    pub fn new(graph: &'g Graph) -> Result<Self, StoreError> {
        drop(graph.lock(Locks::default(), Wait::Allowed)?);
        graph.keep_nothing()?;
        Ok(Self { graph, catalogue: graph.catalogue(), rules: graph.rules() })
    }

    /// Checks a vertex and appends its rows. Returns its id.
    ///
    /// # Errors
    /// As an insert would; the batch is as before.
    pub fn vertex(&self, new: &NewVertex<'_>, batch: &mut WriteBatch) -> Result<VertexId, StoreError> {
        let draft = self.catalogue.check_vertex(new, &self.rules).map_err(|error| StoreError::element(None, error))?;
        let vertex = with_id(self.graph, draft, self.rules.now_ms)?;
        put_vertex(batch, self.graph.number, &self.catalogue, &vertex);
        Ok(vertex.id)
    }

    /// Checks an edge and appends its rows. That its ends exist is not checked.
    ///
    /// # Errors
    /// As an insert would; the batch is as before.
    pub fn edge(&self, new: &NewEdge<'_>, batch: &mut WriteBatch) -> Result<Edge, StoreError> {
        let edge = self
            .catalogue
            .check_edge(new, EndLabels::Required, &self.rules)
            .map_err(|error| StoreError::element(None, error))?;
        put_edge(batch, self.graph.number, &edge);
        Ok(edge)
    }

    /// Appends the rows of a vertex as another store of the same schema has it: its id, values and expiry must be what
    /// the schema allows.
    pub fn stored_vertex(&self, vertex: &Vertex, batch: &mut WriteBatch) {
        put_vertex(batch, self.graph.number, &self.catalogue, vertex);
    }

    /// Likewise those of an edge.
    pub fn stored_edge(&self, edge: &Edge, batch: &mut WriteBatch) {
        put_edge(batch, self.graph.number, edge);
    }

    /// Checks that the ends of edges are stored vertices of the right labels. `refused` gets the position of each edge
    /// whose ends are not, and why. One read for all of them, and one more for each that is refused.
    ///
    /// # Errors
    /// That storage failed.
    pub fn check_ends(&self, edges: &[Edge], refused: &mut dyn FnMut(usize, StoreError)) -> Result<(), StoreError> {
        let mut from = 0;
        while let Some(rest) = edges.get(from..).filter(|rest| !rest.is_empty()) {
            match check_ends(self.graph, &self.catalogue, rest, Positions::Shown) {
                Ok(()) => return Ok(()),
                Err(error) => match error.without_index() {
                    (Some(index), error) => {
                        refused(from + index, error);
                        from += index + 1;
                    }
                    (None, error) => return Err(error),
                },
            }
        }
        Ok(())
    }
}
