//! Inserting vertices and edges: check the whole batch, lock, read what must be read in one round, write one batch.
//!
//! An element that exists is replaced, all its properties with it; its edges stay. Costs: a vertex is one put (two for
//! labels whose ids do not begin with the label), an edge two; with `check_vertex` one multi-get over the distinct ends
//! of the batch. Labels with index labels cost one multi-get of what is replaced, exclusive locks instead of shared
//! ones, and the entries that differ (see [`crate::index`]); others cost the same as if there were no indexes.

use graph_model::{Edge, Vertex, VertexId};
use graph_schema::{
    Catalogue, ElementRules, EndLabels, NewEdge, NewVertex, VertexDraft, generated_edge_id, set_edge_id,
};
use kv::WriteBatch;

use crate::core::graph::Graph;
use crate::core::pending::Pending;
use crate::index::changes::{add_unique_stripes, is_indexed_edge};
use crate::index::write_unit::{Positions, WriteUnit};
use crate::write::Writer;
use crate::write::ends::check_ends;
use crate::write::rows::{put_edge, put_vertex};
use store_error::StoreError;
use stripe_locks::{Locks, Wait};

/// Bytes of keys and values to make room for, per element: most elements are smaller.
const BYTES_PER_ELEMENT: usize = 160;

impl Writer<'_> {
    /// Inserts one vertex.
    pub fn insert_vertex(&self, new: &NewVertex<'_>, wait: Wait) -> Result<Pending<Vertex>, StoreError> {
        let pending = self.insert_vertex_batch(std::slice::from_ref(new), wait, Positions::Hidden)?;
        Ok(pending.map(|mut vertices| vertices.swap_remove(0)))
    }

    /// Inserts vertices, all or none; answers their ids in the same order.
    pub fn insert_vertices(&self, new: &[NewVertex<'_>], wait: Wait) -> Result<Pending<Vec<VertexId>>, StoreError> {
        let pending = self.insert_vertex_batch(new, wait, Positions::Shown)?;
        Ok(pending.map(|vertices| vertices.into_iter().map(|vertex| vertex.id).collect()))
    }

    /// Inserts one edge. Its ends must exist.
    pub fn insert_edge(&self, new: &NewEdge<'_>, wait: Wait) -> Result<Pending<Edge>, StoreError> {
        let pending =
            self.insert_edge_batch(std::slice::from_ref(new), EndLabels::Optional, true, wait, Positions::Hidden)?;
        Ok(pending.map(|mut edges| edges.swap_remove(0)))
    }

    /// Inserts edges, all or none; answers them in the same order. With `check_vertex` every end must exist and have
    /// the label the edge needs; without, the labels given are trusted.
    pub fn insert_edges(
        &self,
        new: &[NewEdge<'_>],
        check_vertex: bool,
        wait: Wait,
    ) -> Result<Pending<Vec<Edge>>, StoreError> {
        self.insert_edge_batch(new, EndLabels::Required, check_vertex, wait, Positions::Shown)
    }

    fn insert_vertex_batch(
        &self,
        new: &[NewVertex<'_>],
        wait: Wait,
        positions: Positions,
    ) -> Result<Pending<Vec<Vertex>>, StoreError> {
        let graph = self.graph;
        let check = |catalogue: &Catalogue, rules: &ElementRules<'_>, locks: &mut Locks| {
            let mut vertices = Vec::with_capacity(new.len());
            for (index, new) in new.iter().enumerate() {
                let draft = catalogue.check_vertex(new, rules).map_err(|error| positions.error(index, error))?;
                let vertex = with_id(graph, draft, rules.now_ms)?;
                if catalogue.touches_indexes(vertex.label, &vertex.id) {
                    locks.exclusive.add(&vertex.id);
                    let over = catalogue.indexes_over(true, vertex.label);
                    locks.among_servers |= add_unique_stripes(&mut locks.exclusive, graph, over, &vertex.properties);
                } else {
                    locks.shared.add(&vertex.id);
                }
                vertices.push(vertex);
            }
            Ok(vertices)
        };
        WriteUnit::prepare(graph, wait, positions, check, |mut unit, vertices| {
            unit.batch = WriteBatch::with_capacity(vertices.len() * 2, vertices.len() * BYTES_PER_ELEMENT);
            for vertex in &vertices {
                put_vertex(&mut unit.batch, graph.number, &unit.catalogue, vertex);
                unit.batch.end_group();
            }
            if unit.catalogue.has_indexes() {
                unit.index_inserted_vertices(&vertices)?;
            }
            Ok(unit.submit_with(vertices))
        })
    }

    fn insert_edge_batch(
        &self,
        new: &[NewEdge<'_>],
        ends: EndLabels,
        check_vertex: bool,
        wait: Wait,
        positions: Positions,
    ) -> Result<Pending<Vec<Edge>>, StoreError> {
        let graph = self.graph;
        let auto = graph.is_auto();
        let seen = self.seen_before_check(check_vertex)?;
        let check = |catalogue: &Catalogue, rules: &ElementRules<'_>, locks: &mut Locks| {
            let mut edges = Vec::with_capacity(new.len());
            for (index, new) in new.iter().enumerate() {
                let mut edge = catalogue.check_edge(new, ends, rules).map_err(|error| positions.error(index, error))?;
                if auto {
                    ensure_edge_id(graph, &mut edge, rules.now_ms)?;
                }
                if is_indexed_edge(catalogue, &edge.id) {
                    locks.exclusive.add(&edge.id.source);
                    let over = catalogue.indexes_over(false, edge.id.label);
                    locks.among_servers |= add_unique_stripes(&mut locks.exclusive, graph, over, &edge.properties);
                } else {
                    locks.shared.add(&edge.id.source);
                }
                locks.shared.add(&edge.id.target);
                edges.push(edge);
            }
            Ok(edges)
        };
        WriteUnit::prepare(graph, wait, positions, check, |mut unit, edges| {
            if check_vertex {
                check_ends(graph, &unit.catalogue, &edges, positions)?;
            }
            unit.batch = WriteBatch::with_capacity(edges.len() * 2, edges.len() * BYTES_PER_ELEMENT);
            for edge in &edges {
                put_edge(&mut unit.batch, graph.number, edge);
                unit.batch.end_group();
            }
            if unit.catalogue.has_indexes() {
                unit.index_inserted_edges(&edges)?;
            }
            let others = check_vertex && graph.shared.has_others();
            Ok((unit.submit_with(edges), others))
        })
        .and_then(|(pending, others)| if others { self.with_ends(pending, seen.as_ref()) } else { Ok(pending) })
    }
}

/// A checked vertex with its id: a new one where ids are automatic.
pub(crate) fn with_id(graph: &Graph, draft: VertexDraft, now_ms: i64) -> Result<Vertex, StoreError> {
    let VertexDraft { label, id, properties, expires_at_ms } = draft;
    let id = match id {
        Some(id) => id,
        None => VertexId::Number(graph.shared.next_vertex_id(now_ms)?),
    };
    Ok(Vertex { id, label, properties, expires_at_ms })
}

/// Gives an edge of an auto graph an id, unless the client gave one.
pub(crate) fn ensure_edge_id(graph: &Graph, edge: &mut Edge, now_ms: i64) -> Result<(), StoreError> {
    if edge.id.sort_values.is_empty() {
        let number = graph.shared.next_vertex_id(now_ms)?;
        set_edge_id(edge, generated_edge_id(number)).map_err(|error| StoreError::element(None, error))?;
    }
    Ok(())
}
