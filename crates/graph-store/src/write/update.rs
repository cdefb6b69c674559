//! Changing the properties of one element: read, change, write, with the element locked.

use std::borrow::Cow;

use graph_model::{Edge, EdgeId, Vertex, VertexId};
use graph_schema::{Alter, Literal};
use kv::WriteBatch;

use crate::core::stripes::Locks;
use crate::core::stripes::Mask;
use crate::core::texts::edge_id_text;
use crate::index::changes::{IndexChanges, Refusal};
use crate::read::Reader;
use crate::{Graph, Pending, StoreError, Wait};

/// Properties as a client sent them.
type Given<'a> = [(Cow<'a, str>, Literal<'a>)];

impl Graph {
    /// Sets or removes properties of a vertex; LIST and SET properties get values added.
    pub fn alter_vertex(
        &self,
        id: &VertexId,
        alter: Alter,
        given: &Given<'_>,
        wait: Wait,
    ) -> Result<Pending<Vertex>, StoreError> {
        self.locking(|extra| self.try_alter_vertex(id, alter, given, wait, extra))
    }

    fn try_alter_vertex(
        &self,
        id: &VertexId,
        alter: Alter,
        given: &Given<'_>,
        wait: Wait,
        extra: Mask,
    ) -> Result<Pending<Vertex>, Refusal> {
        let rules = self.rules();
        let locks = Locks { exclusive: Mask::of(id).union(extra), ..Locks::default() };
        let ((), held, catalogue) = self.lock_for(wait, |_| Ok(((), locks)))?;
        let before = Reader::new(self).vertex(id)?.ok_or_else(|| StoreError::VertexNotFound { id: id.to_string() })?;
        let fail = |error| StoreError::element(None, error);
        let properties = match alter {
            Alter::Append => catalogue.append_vertex_properties(&before, given, &rules),
            Alter::Eliminate => catalogue.eliminate_vertex_properties(&before, given),
        }
        .map_err(fail)?;
        let expires_at_ms = catalogue.vertex_expiry_after(&before, &properties, &rules).map_err(fail)?;
        let mut batch = WriteBatch::new();
        let mut changes = IndexChanges::default();
        let vertex = Vertex { id: before.id.clone(), label: before.label, properties, expires_at_ms };
        changes.vertex(self, &catalogue, Some(&before), Some(&vertex), None)?;
        self.put_vertex(&mut batch, &catalogue, &vertex);
        self.put_index_changes(&mut batch, &catalogue, &held, &changes)?;
        Ok(Pending::new(vertex, self.submit(batch, held)))
    }

    /// Sets or removes properties of an edge; LIST and SET properties get values added.
    pub fn alter_edge(
        &self,
        id: &EdgeId,
        alter: Alter,
        given: &Given<'_>,
        wait: Wait,
    ) -> Result<Pending<Edge>, StoreError> {
        self.locking(|extra| self.try_alter_edge(id, alter, given, wait, extra))
    }

    fn try_alter_edge(
        &self,
        id: &EdgeId,
        alter: Alter,
        given: &Given<'_>,
        wait: Wait,
        extra: Mask,
    ) -> Result<Pending<Edge>, Refusal> {
        let rules = self.rules();
        let locks = Locks { exclusive: Mask::of(&id.source).union(extra), shared: Mask::of(&id.target) };
        let ((), held, catalogue) = self.lock_for(wait, |_| Ok(((), locks)))?;
        let before =
            Reader::new(self).edge(id)?.ok_or_else(|| StoreError::EdgeNotFound { id: edge_id_text(&catalogue, id) })?;
        let fail = |error| StoreError::element(None, error);
        let properties = match alter {
            Alter::Append => catalogue.append_edge_properties(&before, given, &rules),
            Alter::Eliminate => catalogue.eliminate_edge_properties(&before, given),
        }
        .map_err(fail)?;
        let expires_at_ms = catalogue.edge_expiry_after(&before, &properties, &rules).map_err(fail)?;
        let mut batch = WriteBatch::new();
        let mut changes = IndexChanges::default();
        let edge = Edge { id: before.id.clone(), properties, expires_at_ms };
        changes.edge(self, &catalogue, Some(&before), Some(&edge), None)?;
        self.put_edge(&mut batch, &edge);
        self.put_index_changes(&mut batch, &catalogue, &held, &changes)?;
        Ok(Pending::new(edge, self.submit(batch, held)))
    }
}
