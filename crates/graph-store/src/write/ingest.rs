//! Elements as rows for a sorted ingest (`kv::Engine::ingest`): what an offline load needs of a graph.
//!
//! Rows are those an insert writes, made by the same checks and the same code, but index entries are not among them: which entries an
//! element
//! replaces could only be found by reading every element first. So the index labels concerned are taken out of use before the ingest
//! ([`Graph::suspend_indexes`]) and built anew after it ([`Graph::build_index`]), which also is right where stored elements are
//! replaced. A load
//! that is cut short leaves index labels that say they are not built, never wrong ones.

use std::sync::Arc;

use graph_model::{Edge, IdStrategy, LabelId, TaskStatus, VertexId};
use graph_schema::{Catalogue, ElementRules, EndLabels, NewEdge, NewVertex, SchemaKind};
use kv::WriteBatch;

use crate::{Graph, StoreError, limits};

/// Checks new elements as inserts do and appends their rows to batches that are not to be committed. Nobody may change the schema
/// while one
/// is in use.
pub struct Encoder<'g> {
    graph: &'g Graph,
    catalogue: Arc<Catalogue>,
    rules: ElementRules<'g>,
}

impl Encoder<'_> {
    /// Checks a vertex and appends its rows. Returns its id.
    ///
    /// # Errors
    /// As an insert would; the batch is as before.
    pub fn vertex(&self, new: &NewVertex<'_>, batch: &mut WriteBatch) -> Result<VertexId, StoreError> {
        let draft = self.catalogue.check_vertex(new, &self.rules).map_err(|error| StoreError::element(None, error))?;
        let vertex = self.graph.with_id(draft, self.rules.now_ms)?;
        self.graph.put_vertex(batch, &self.catalogue, &vertex);
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
        self.graph.put_edge(batch, &edge);
        Ok(edge)
    }

    /// Checks that the ends of edges are stored vertices of the right labels. `refused` gets the position of each edge whose ends are
    /// not,
    /// and why. One read for all of them, and one more for each that is refused.
    ///
    /// # Errors
    /// That storage failed.
    pub fn check_ends(&self, edges: &[Edge], refused: &mut dyn FnMut(usize, StoreError)) -> Result<(), StoreError> {
        let mut from = 0;
        while let Some(rest) = edges.get(from..).filter(|rest| !rest.is_empty()) {
            match self.graph.check_ends(&self.catalogue, rest, Some(0)) {
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

impl Graph {
    /// An encoder with the schema as it is now.
    #[must_use]
    pub fn encoder(&self) -> Encoder<'_> {
        Encoder { graph: self, catalogue: self.catalogue(), rules: self.rules() }
    }

    /// Takes out of use the index labels whose entries an ingest of elements of these labels would make wrong. Returns the names of
    /// those that
    /// are to be built by [`Graph::build_index`] after the ingest.
    ///
    /// An ingested vertex can replace one of another label where ids do not begin with the label; then all index labels of vertices are.
    ///
    /// # Errors
    /// Those of storage.
    pub fn suspend_indexes(&self, vertex_labels: &[&str], edge_labels: &[&str]) -> Result<Vec<String>, StoreError> {
        let catalogue = self.catalogue();
        let vertex_labels: Vec<_> =
            vertex_labels.iter().filter_map(|name| catalogue.vertex_label_named(name)).collect();
        let may_replace_others = vertex_labels.iter().any(|label| label.id_strategy != IdStrategy::PrimaryKey);
        let edge_labels: Vec<LabelId> =
            edge_labels.iter().filter_map(|name| catalogue.edge_label_named(name)).map(|label| label.id).collect();
        let concerned = catalogue.index_labels().filter(|index| {
            let of_vertices = || may_replace_others || vertex_labels.iter().any(|label| label.id == index.base);
            let is_concerned = if index.on_vertices { of_vertices() } else { edge_labels.contains(&index.base) };
            is_concerned && !index.status.is_being_deleted()
        });
        let mut names = Vec::new();
        for index in concerned {
            self.put_out_of_use(index)?;
            names.push(index.name.clone());
        }
        Ok(names)
    }

    /// Builds an index label anew and waits for it. One that is gone by now is done.
    ///
    /// # Errors
    /// [`StoreError::IndexNotBuilt`] with the reason, for one that cannot be built; those of storage.
    pub fn build_index(self: &Arc<Self>, name: &str) -> Result<(), StoreError> {
        if self.catalogue().index_label_named(name).is_none() {
            return Ok(());
        }
        let id = self.rebuild_indexes(SchemaKind::IndexLabel, name)?;
        loop {
            let task = self.task(id)?;
            if task.status == TaskStatus::Success {
                return Ok(());
            }
            if task.status.is_final() {
                return Err(StoreError::IndexNotBuilt {
                    name: name.to_owned(),
                    reason: task.result.unwrap_or_default(),
                });
            }
            std::thread::sleep(limits::TASK_POLL_INTERVAL);
        }
    }
}
