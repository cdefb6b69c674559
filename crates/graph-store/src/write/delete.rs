//! Deleting one element: an edge, or a vertex with all its edges.

use graph_model::{Direction, Edge, EdgeId, ElementRef, LabelId, Vertex, VertexId};
use graph_schema::Catalogue;
use key_codec::{key, tables, value};
use kv::{RowRange, WriteBatch};

use crate::core::expiry::delete_expiry;
use crate::core::stripes::Locks;
use crate::core::stripes::{Held, Mask};
use crate::core::texts::edge_id_text;
use crate::index::changes::{IndexChanges, Refusal, is_indexed_edge};
use crate::index::label_index::needs_label_index;
use crate::read::Reader;
use crate::{Graph, Pending, StoreError, Wait, limits};

impl Graph {
    /// Deletes an edge.
    pub fn delete_edge(&self, id: &EdgeId, wait: Wait) -> Result<Pending<()>, StoreError> {
        let locks = Locks { exclusive: Mask::of(&id.source), shared: Mask::of(&id.target) };
        let ((), held, catalogue) = self.lock_for(wait, |_| Ok(((), locks)))?;
        let Some(edge) = Reader::new(self).edge(id)? else {
            return Err(StoreError::EdgeNotFound { id: edge_id_text(&catalogue, id) });
        };
        let mut batch = WriteBatch::new();
        self.remove_edge(&mut batch, id);
        let mut changes = IndexChanges::default();
        changes.edge(self, &catalogue, Some(&edge), None, None)?;
        self.put_index_removals(&mut batch, &changes)?;
        delete_expiry(&mut batch, self.number, edge.expires_at_ms, ElementRef::Edge(id));
        Ok(Pending::new((), self.submit(batch, held)))
    }

    /// Deletes a vertex and every edge that starts or ends at it. The edges of a vertex with very many of them go in several batches,
    /// the vertex in the last one.
    pub fn delete_vertex(&self, id: &VertexId, wait: Wait) -> Result<Pending<()>, StoreError> {
        self.locking(|extra| self.try_delete_vertex(id, wait, extra))
    }

    fn try_delete_vertex(&self, id: &VertexId, wait: Wait, extra: Mask) -> Result<Pending<()>, Refusal> {
        let locks = Locks { exclusive: Mask::of(id).union(extra), ..Locks::default() };
        let ((), held, catalogue) = self.lock_for(wait, |_| Ok(((), locks)))?;
        let Some(vertex) = Reader::new(self).vertex(id)? else {
            return Err(StoreError::VertexNotFound { id: id.to_string() }.into());
        };
        let mut batch = WriteBatch::new();
        self.remove_vertex_wholly(&mut batch, &catalogue, &held, &vertex)?;
        Ok(Pending::new((), self.submit(batch, held)))
    }

    /// Appends the removal of a stored vertex, which must be locked exclusively, with its edges, its index entries and its expiry. The
    /// batch must hold nothing else: of very many edges the first ones are removed at once.
    pub(crate) fn remove_vertex_wholly(
        &self,
        batch: &mut WriteBatch,
        catalogue: &Catalogue,
        held: &Held,
        vertex: &Vertex,
    ) -> Result<(), Refusal> {
        self.remove_edges_of(batch, catalogue, held, &vertex.id)?;
        self.remove_vertex(batch, catalogue, &vertex.id, vertex.label);
        let mut changes = IndexChanges::default();
        changes.group = batch.group();
        changes.vertex(self, catalogue, Some(vertex), None, None)?;
        self.put_index_removals(batch, &changes)?;
        delete_expiry(batch, self.number, vertex.expires_at_ms, ElementRef::Vertex(&vertex.id));
        Ok(())
    }

    /// Appends the removal of every edge that starts or ends at a vertex, which must be locked exclusively. Of very many edges the
    /// first ones are removed at once. Both ends of an edge can be at this together, so the places it has in unique indexes are locked too:
    /// the slower one must not take a place away from who got it after the faster one.
    fn remove_edges_of(
        &self,
        batch: &mut WriteBatch,
        catalogue: &Catalogue,
        held: &Held,
        id: &VertexId,
    ) -> Result<(), Refusal> {
        let mut changes = IndexChanges::default();
        for label in catalogue.edge_labels() {
            for direction in [Direction::Out, Direction::In] {
                let (table, read_key): (_, fn(kv::Key<'_>) -> _) = match direction {
                    Direction::In => (tables::EDGE_IN, key::read_edge_in_key),
                    Direction::Out | Direction::Both => (tables::EDGE_OUT, key::read_edge_out_key),
                };
                let mut partition = Vec::new();
                key::edge_partition(&mut partition, self.number, label.id, id);
                let mut cursor = self.engine().scan(table, RowRange::all(&partition))?;
                while let Some(entry) = cursor.next()? {
                    let edge_id = read_key(entry.key)?;
                    self.remove_edge(batch, &edge_id);
                    changes.group = batch.group();
                    if is_indexed_edge(catalogue, &edge_id) {
                        let (expires_at_ms, properties) = value::read_edge(entry.value)?;
                        let edge = Edge { id: edge_id, properties, expires_at_ms };
                        changes.edge(self, catalogue, Some(&edge), None, None)?;
                    }
                    batch.end_group();
                    if batch.len() >= 2 * limits::DELETE_EDGES_PER_BATCH || changes.is_large() {
                        changes.check_released(held)?;
                        self.put_index_removals(batch, &std::mem::take(&mut changes))?;
                        self.commit(std::mem::take(batch))?;
                    }
                }
            }
        }
        changes.check_released(held)?;
        Ok(self.put_index_removals(batch, &changes)?)
    }

    /// Appends the removal of both adjacency entries of an edge.
    pub(crate) fn remove_edge(&self, batch: &mut WriteBatch, id: &EdgeId) {
        batch.delete(
            tables::EDGE_OUT,
            |b| key::edge_partition(b, self.number, id.label, &id.source),
            |b| key::edge_row(b, &id.sort_values, &id.target),
        );
        batch.delete(
            tables::EDGE_IN,
            |b| key::edge_partition(b, self.number, id.label, &id.target),
            |b| key::edge_row(b, &id.sort_values, &id.source),
        );
    }

    /// Appends the removal of a vertex and its label index entry.
    pub(crate) fn remove_vertex(&self, batch: &mut WriteBatch, catalogue: &Catalogue, id: &VertexId, label: LabelId) {
        batch.delete(tables::VERTEX, |b| key::vertex_partition(b, self.number, id), |_| ());
        if needs_label_index(catalogue, label) {
            batch.delete(
                tables::LABEL_INDEX,
                |b| key::label_index_partition(b, self.number, label),
                |b| key::label_index_row(b, id),
            );
        }
    }
}
