//! Reading elements by their ids, in one round.

use graph_model::{Edge, EdgeId, Vertex, VertexId};
use kv::Read;

use crate::core::clock::{is_expired, now_ms};
use crate::core::graph::Graph;
use crate::core::stored::{stored_edges_in, stored_vertices_in};
use store_error::StoreError;

/// The edges with the given ids, in one round, in the same order, as `read` has them.
pub(crate) fn read_edges(
    graph: &Graph,
    read: &(impl Read + ?Sized),
    ids: &[EdgeId],
) -> Result<Vec<Option<Edge>>, StoreError> {
    let (found, now) = (stored_edges_in(read, graph.number, ids)?, now_ms());
    Ok(found.into_iter().map(|edge| edge.filter(|edge| !is_expired(edge.expires_at_ms, now))).collect())
}

/// The vertices with the given ids, as [`read_edges`].
pub(crate) fn read_vertices(
    graph: &Graph,
    read: &(impl Read + ?Sized),
    ids: &[VertexId],
) -> Result<Vec<Option<Vertex>>, StoreError> {
    let (found, now) = (stored_vertices_in(read, graph.number, ids)?, now_ms());
    Ok(found.into_iter().map(|vertex| vertex.filter(|vertex| !is_expired(vertex.expires_at_ms, now))).collect())
}
