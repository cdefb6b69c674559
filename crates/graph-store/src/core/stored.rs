//! Elements as they are stored, expired ones included: what a writer replaces.

use graph_model::{Edge, EdgeId, ElementId, ElementRef, LabelId, Properties, Vertex, VertexId};
use key_codec::{GraphNumber, key, tables, value};
use kv::{Keys, Read};

use crate::core::fetch::fetch;
use crate::core::graph::Graph;
use store_error::StoreError;

/// A stored element: its label decides about its indexes.
#[derive(Clone, Debug)]
pub enum Stored {
    /// A vertex.
    Vertex(Vertex),
    /// An edge.
    Edge(Edge),
}

impl Stored {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> ElementId {
        self.element().to_owned()
    }

    /// Its id, borrowed.
    #[must_use]
    pub fn element(&self) -> ElementRef<'_> {
        match self {
            Self::Vertex(vertex) => ElementRef::Vertex(&vertex.id),
            Self::Edge(edge) => ElementRef::Edge(&edge.id),
        }
    }

    /// Whether it is a vertex, and its label.
    #[must_use]
    pub fn base(&self) -> (bool, LabelId) {
        match self {
            Self::Vertex(vertex) => (true, vertex.label),
            Self::Edge(edge) => (false, edge.id.label),
        }
    }

    /// Its properties.
    #[must_use]
    pub fn properties(&self) -> &Properties {
        match self {
            Self::Vertex(vertex) => &vertex.properties,
            Self::Edge(edge) => &edge.properties,
        }
    }

    /// When it expires, in milliseconds since 1970 UTC; `None`: never.
    #[must_use]
    pub fn expires_at_ms(&self) -> Option<i64> {
        match self {
            Self::Vertex(vertex) => vertex.expires_at_ms,
            Self::Edge(edge) => edge.expires_at_ms,
        }
    }
}

/// The stored vertices with the given ids, in one round, in the same order.
pub fn stored_vertices(graph: &Graph, ids: &[VertexId]) -> Result<Vec<Option<Vertex>>, StoreError> {
    stored_vertices_in(graph.engine(), graph.number, ids)
}

/// The same, as `read` has them.
pub(crate) fn stored_vertices_in(
    read: &(impl Read + ?Sized),
    graph: GraphNumber,
    ids: &[VertexId],
) -> Result<Vec<Option<Vertex>>, StoreError> {
    let mut keys = Keys::new();
    for id in ids {
        keys.push(|b| key::vertex_partition(b, graph, id), |_| ());
    }
    fetch(read, tables::VERTEX, &keys, |at, bytes| {
        let (head, properties) = value::read_vertex(bytes)?;
        let (label, expires_at_ms) = (head.label, head.expires_at_ms);
        Ok(ids.get(at).map(|id| Vertex { id: id.clone(), label, properties, expires_at_ms }))
    })
}

/// The stored edges with the given ids, in one round, in the same order.
pub fn stored_edges(graph: &Graph, ids: &[EdgeId]) -> Result<Vec<Option<Edge>>, StoreError> {
    stored_edges_in(graph.engine(), graph.number, ids)
}

/// The same, as `read` has them.
pub(crate) fn stored_edges_in(
    read: &(impl Read + ?Sized),
    graph: GraphNumber,
    ids: &[EdgeId],
) -> Result<Vec<Option<Edge>>, StoreError> {
    let mut keys = Keys::new();
    for id in ids {
        keys.push(
            |b| key::edge_partition(b, graph, id.label, &id.source),
            |b| key::edge_row(b, &id.sort_values, &id.target),
        );
    }
    fetch(read, tables::EDGE_OUT, &keys, |at, bytes| {
        let (expires_at_ms, properties) = value::read_edge(bytes)?;
        Ok(ids.get(at).map(|id| Edge { id: id.clone(), properties, expires_at_ms }))
    })
}

/// The stored element with an id.
pub fn stored_element(graph: &Graph, id: &ElementId) -> Result<Option<Stored>, StoreError> {
    Ok(stored_elements(graph, std::slice::from_ref(id))?.pop().flatten())
}

/// The stored elements with the given ids, in one round for vertices and one for edges, in the same order.
pub fn stored_elements(graph: &Graph, ids: &[ElementId]) -> Result<Vec<Option<Stored>>, StoreError> {
    let (mut vertices, mut edges) = (Vec::new(), Vec::new());
    for id in ids {
        match id {
            ElementId::Vertex(id) => vertices.push(id.clone()),
            ElementId::Edge(id) => edges.push(id.clone()),
        }
    }
    let mut vertices = stored_vertices(graph, &vertices)?.into_iter();
    let mut edges = stored_edges(graph, &edges)?.into_iter();
    let next = |id: &ElementId| match id {
        ElementId::Vertex(_) => vertices.next().flatten().map(Stored::Vertex),
        ElementId::Edge(_) => edges.next().flatten().map(Stored::Edge),
    };
    Ok(ids.iter().map(next).collect())
}
