//! Reading elements by their ids, in one round.

use graph_model::{Edge, EdgeId, Vertex, VertexId};
use key_codec::{key, tables, value};
use kv::{Keys, Read};

use crate::StoreError;
use crate::core::clock::{is_expired, now_ms};
use crate::core::fetch::fetch;
use crate::core::graph::Graph;

/// The edges with the given ids, in one round, in the same order, as `read` has them.
pub(crate) fn read_edges(
    graph: &Graph,
    read: &(impl Read + ?Sized),
    ids: &[EdgeId],
) -> Result<Vec<Option<Edge>>, StoreError> {
    let mut keys = Keys::new();
    for id in ids {
        keys.push(
            |out| key::edge_partition(out, graph.number, id.label, &id.source),
            |out| key::edge_row(out, &id.sort_values, &id.target),
        );
    }
    let now = now_ms();
    fetch(read, tables::EDGE_OUT, &keys, |at, bytes| {
        let (expires_at_ms, properties) = value::read_edge(bytes)?;
        let id = ids.get(at).filter(|_| !is_expired(expires_at_ms, now));
        Ok(id.map(|id| Edge { id: id.clone(), properties, expires_at_ms }))
    })
}

/// The vertices with the given ids, as [`read_edges`].
pub(crate) fn read_vertices(
    graph: &Graph,
    read: &(impl Read + ?Sized),
    ids: &[VertexId],
) -> Result<Vec<Option<Vertex>>, StoreError> {
    let mut keys = Keys::new();
    for id in ids {
        keys.push(|b| key::vertex_partition(b, graph.number, id), |_| ());
    }
    let now = now_ms();
    fetch(read, tables::VERTEX, &keys, |at, bytes| {
        let (head, properties) = value::read_vertex(bytes)?;
        let id = ids.get(at).filter(|_| !is_expired(head.expires_at_ms, now));
        Ok(id.map(|id| Vertex { id: id.clone(), label: head.label, properties, expires_at_ms: head.expires_at_ms }))
    })
}
