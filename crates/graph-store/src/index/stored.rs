//! Elements as they are stored, expired ones included: what a writer replaces.

use graph_model::{Edge, EdgeId, ElementId, ElementRef, LabelId, Properties, Vertex, VertexId};
use key_codec::{CodecError, key, tables, value};
use kv::Keys;

use crate::{Graph, StoreError};

/// A stored element: its label decides about its indexes.
#[derive(Clone, Debug)]
pub(crate) enum Stored {
    Vertex(Vertex),
    Edge(Edge),
}

impl Stored {
    pub(crate) fn id(&self) -> ElementId {
        self.element().to_owned()
    }

    pub(crate) fn element(&self) -> ElementRef<'_> {
        match self {
            Self::Vertex(vertex) => ElementRef::Vertex(&vertex.id),
            Self::Edge(edge) => ElementRef::Edge(&edge.id),
        }
    }

    /// Whether it is a vertex, and its label.
    pub(crate) fn base(&self) -> (bool, LabelId) {
        match self {
            Self::Vertex(vertex) => (true, vertex.label),
            Self::Edge(edge) => (false, edge.id.label),
        }
    }

    pub(crate) fn properties(&self) -> &Properties {
        match self {
            Self::Vertex(vertex) => &vertex.properties,
            Self::Edge(edge) => &edge.properties,
        }
    }

    pub(crate) fn expires_at_ms(&self) -> Option<i64> {
        match self {
            Self::Vertex(vertex) => vertex.expires_at_ms,
            Self::Edge(edge) => edge.expires_at_ms,
        }
    }
}

impl Graph {
    /// The stored vertices with the given ids, in one round, in the same order.
    pub(crate) fn stored_vertices(&self, ids: &[VertexId]) -> Result<Vec<Option<Vertex>>, StoreError> {
        let mut keys = Keys::new();
        for id in ids {
            keys.push(|b| key::vertex_partition(b, self.number, id), |_| ());
        }
        self.stored(tables::VERTEX, &keys, ids, |id: &VertexId, bytes| {
            let (head, properties) = value::read_vertex(bytes)?;
            Ok(Vertex { id: id.clone(), label: head.label, properties, expires_at_ms: head.expires_at_ms })
        })
    }

    /// The stored edges with the given ids, in one round, in the same order.
    pub(crate) fn stored_edges(&self, ids: &[EdgeId]) -> Result<Vec<Option<Edge>>, StoreError> {
        let mut keys = Keys::new();
        for id in ids {
            keys.push(
                |b| key::edge_partition(b, self.number, id.label, &id.source),
                |b| key::edge_row(b, &id.sort_values, &id.target),
            );
        }
        self.stored(tables::EDGE_OUT, &keys, ids, |id: &EdgeId, bytes| {
            let (expires_at_ms, properties) = value::read_edge(bytes)?;
            Ok(Edge { id: id.clone(), properties, expires_at_ms })
        })
    }

    /// The stored element with an id.
    pub(crate) fn stored_element(&self, id: &ElementId) -> Result<Option<Stored>, StoreError> {
        Ok(self.stored_elements(std::slice::from_ref(id))?.pop().flatten())
    }

    /// The stored elements with the given ids, in one round for vertices and one for edges, in the same order.
    pub(crate) fn stored_elements(&self, ids: &[ElementId]) -> Result<Vec<Option<Stored>>, StoreError> {
        let (mut vertices, mut edges) = (Vec::new(), Vec::new());
        for id in ids {
            match id {
                ElementId::Vertex(id) => vertices.push(id.clone()),
                ElementId::Edge(id) => edges.push(id.clone()),
            }
        }
        let mut vertices = self.stored_vertices(&vertices)?.into_iter();
        let mut edges = self.stored_edges(&edges)?.into_iter();
        let next = |id: &ElementId| match id {
            ElementId::Vertex(_) => vertices.next().flatten().map(Stored::Vertex),
            ElementId::Edge(_) => edges.next().flatten().map(Stored::Edge),
        };
        Ok(ids.iter().map(next).collect())
    }

    fn stored<Id, T>(
        &self,
        table: kv::TableId,
        keys: &Keys,
        ids: &[Id],
        decode: impl Fn(&Id, &[u8]) -> Result<T, CodecError>,
    ) -> Result<Vec<Option<T>>, StoreError> {
        let mut elements = Vec::with_capacity(ids.len());
        let mut damaged = None;
        self.engine().multi_get(table, keys, &mut |at, found| {
            let decoded = ids.get(at).zip(found).map(|(id, bytes)| decode(id, bytes)).transpose();
            elements.push(decoded.unwrap_or_else(|error| {
                damaged = Some(error);
                None
            }));
        })?;
        damaged.map_or(Ok(elements), |error| Err(error.into()))
    }
}
