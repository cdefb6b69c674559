//! The ways to read a graph: elements by id, in lists and in shards ([`Reader`]), and through the port of executors and
//! walks ([`graph_reader::GraphReader`]). All lists are made of the same sources ([`crate::read::source`]).

pub(crate) mod estimate;
pub(crate) mod graph_reader;
pub(crate) mod lists;
pub(crate) mod members;
pub(crate) mod port;
pub(crate) mod scan;
pub(crate) mod select;
pub(crate) mod values;

use graph_model::{Edge, EdgeId, Vertex, VertexId};
use key_codec::{CodecError, key, tables, value};
use kv::KeyBuf;

use crate::core::clock::is_expired_now;
use crate::core::graph::Graph;
use crate::read::by_id::{read_edges, read_vertices};
use store_error::StoreError;

/// What is read of a graph: committed elements, by id, in lists and in shards. Costs nothing to make.
#[derive(Clone, Copy)]
pub struct Reader<'g> {
    graph: &'g Graph,
}

impl<'g> Reader<'g> {
    /// Reads of a graph.
    #[must_use]
    pub fn new(graph: &'g Graph) -> Self {
        Self { graph }
    }

    /// The vertex with an id; `None` where there is none (any more).
    pub fn vertex(&self, id: &VertexId) -> Result<Option<Vertex>, StoreError> {
        let mut key = KeyBuf::new();
        key::vertex_partition(key.bytes_mut(), self.graph.number, id);
        key.end_partition();
        let mut decoded = None;
        self.graph
            .engine()
            .get(tables::VERTEX, key.as_key(), &mut |bytes| decoded = Some(value::read_vertex(bytes)))?;
        let Some((head, properties)) = decoded.transpose()? else { return self.graph.unless_cleared(None) };
        if is_expired_now(head.expires_at_ms) {
            return Ok(None);
        }
        Ok(Some(Vertex { id: id.clone(), label: head.label, properties, expires_at_ms: head.expires_at_ms }))
    }

    /// The edge with an id; `None` where there is none (any more).
    pub fn edge(&self, id: &EdgeId) -> Result<Option<Edge>, StoreError> {
        let mut key = KeyBuf::new();
        key::edge_partition(key.bytes_mut(), self.graph.number, id.label, &id.source);
        key.end_partition();
        key::edge_row(key.bytes_mut(), &id.sort_values, &id.target);
        let mut decoded: Option<Result<_, CodecError>> = None;
        self.graph
            .engine()
            .get(tables::EDGE_OUT, key.as_key(), &mut |bytes| decoded = Some(value::read_edge(bytes)))?;
        let Some((expires_at_ms, properties)) = decoded.transpose()? else { return self.graph.unless_cleared(None) };
        if is_expired_now(expires_at_ms) {
            return Ok(None);
        }
        Ok(Some(Edge { id: id.clone(), properties, expires_at_ms }))
    }

    /// The edges with the given ids, in one round, in the same order; `None` where there is none.
    pub fn edges(&self, ids: &[EdgeId]) -> Result<Vec<Option<Edge>>, StoreError> {
        read_edges(self.graph, self.graph.engine(), ids).and_then(|edges| self.graph.unless_cleared(edges))
    }

    /// The vertices with the given ids, in one round, in the same order; `None` where there is none.
    pub fn vertices(&self, ids: &[VertexId]) -> Result<Vec<Option<Vertex>>, StoreError> {
        read_vertices(self.graph, self.graph.engine(), ids).and_then(|vertices| self.graph.unless_cleared(vertices))
    }
}
