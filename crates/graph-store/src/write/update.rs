//! Changing the properties of one element: read, change, write, with the element locked.

use std::borrow::Cow;

use graph_model::{Edge, EdgeId, Vertex, VertexId};
use graph_schema::{Alter, Literal};

use crate::core::pending::Pending;
use crate::core::texts::edge_id_text;
use crate::index::write_unit::WriteUnit;
use crate::reader::Reader;
use crate::write::Writer;
use crate::write::rows::{put_edge, put_vertex};
use store_error::StoreError;
use stripe_locks::{Locks, Mask, Wait};

/// Properties as a client sent them.
type Given<'a> = [(Cow<'a, str>, Literal<'a>)];

impl Writer<'_> {
    /// Sets or removes properties of a vertex; LIST and SET properties get values added.
    pub fn alter_vertex(
        &self,
        id: &VertexId,
        alter: Alter,
        given: &Given<'_>,
        wait: Wait,
    ) -> Result<Pending<Vertex>, StoreError> {
        let graph = self.graph;
        let build = |mut unit: WriteUnit<'_>| {
            let not_found = || StoreError::VertexNotFound { id: id.to_string() };
            let before = Reader::new(graph).vertex(id)?.ok_or_else(not_found)?;
            let fail = |error| unit.positions.error(0, error);
            let properties = match alter {
                Alter::Append => unit.catalogue.append_vertex_properties(&before, given, &unit.rules),
                Alter::Eliminate => unit.catalogue.eliminate_vertex_properties(&before, given),
            }
            .map_err(fail)?;
            let expires_at_ms = unit.catalogue.vertex_expiry_after(&before, &properties, &unit.rules).map_err(fail)?;
            let vertex = Vertex { id: before.id.clone(), label: before.label, properties, expires_at_ms };
            self.check.map_or(Ok(()), |check| check.vertex(Some(&before), &vertex))?;
            unit.note_vertex(Some(&before), Some(&vertex), 0)?;
            put_vertex(&mut unit.batch, graph.number, &unit.catalogue, &vertex);
            unit.finish(vertex)
        };
        WriteUnit::lock(graph, wait, Locks::exclusive(Mask::of(id)), build)
    }

    /// Sets or removes properties of an edge; LIST and SET properties get values added.
    pub fn alter_edge(
        &self,
        id: &EdgeId,
        alter: Alter,
        given: &Given<'_>,
        wait: Wait,
    ) -> Result<Pending<Edge>, StoreError> {
        let graph = self.graph;
        let build = |mut unit: WriteUnit<'_>| {
            let not_found = || StoreError::EdgeNotFound { id: edge_id_text(&unit.catalogue, id) };
            let before = Reader::new(graph).edge(id)?.ok_or_else(not_found)?;
            let fail = |error| unit.positions.error(0, error);
            let properties = match alter {
                Alter::Append => unit.catalogue.append_edge_properties(&before, given, &unit.rules),
                Alter::Eliminate => unit.catalogue.eliminate_edge_properties(&before, given),
            }
            .map_err(fail)?;
            let expires_at_ms = unit.catalogue.edge_expiry_after(&before, &properties, &unit.rules).map_err(fail)?;
            let edge = Edge { id: before.id.clone(), properties, expires_at_ms };
            self.check.map_or(Ok(()), |check| check.edge(Some(&before), &edge))?;
            unit.note_edge(Some(&before), Some(&edge), 0)?;
            put_edge(&mut unit.batch, graph.number, &edge);
            unit.finish(edge)
        };
        let stripes = Locks { shared: Mask::of(&id.target), ..Locks::exclusive(Mask::of(&id.source)) };
        WriteUnit::lock(graph, wait, stripes, build)
    }
}
