//! Reading one element by its id.

use graph_model::{Edge, EdgeId, Vertex, VertexId};
use key_codec::{CodecError, key, tables, value};
use kv::{KeyBuf, Keys, Read};

use crate::StoreError;
use crate::core::clock::{is_expired, is_expired_now, now_ms};
use crate::core::fetch::fetch;
use crate::read::Reader;

impl Reader<'_> {
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
        self.read_edges(self.graph.engine(), ids).and_then(|edges| self.graph.unless_cleared(edges))
    }

    /// The same from a snapshot.
    pub(crate) fn read_edges(
        &self,
        read: &(impl Read + ?Sized),
        ids: &[EdgeId],
    ) -> Result<Vec<Option<Edge>>, StoreError> {
        let mut keys = Keys::new();
        for id in ids {
            keys.push(
                |out| key::edge_partition(out, self.graph.number, id.label, &id.source),
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
}
