//! What finding a vertex and finding an edge have in common.

use graph_model::{Edge, EdgeId, ElementId, ElementRef, LabelId, Properties, Vertex, VertexId};
use kv::Read;

use super::plan::Base;
use crate::read::by_id::{read_edges, read_vertices};
use crate::{Graph, StoreError};

/// A vertex or an edge.
pub(crate) trait Element: Sized {
    /// Which labels and indexes are its kind's.
    const BASE: Base;
    /// What it is fetched by.
    type Id: Clone;

    /// The id in an index entry; `None` where the entry is of the other kind.
    fn id_of(id: ElementId) -> Option<Self::Id>;
    /// The id of a vertex made of primary keys; `None`: only vertices have such.
    fn id_of_vertex(id: &VertexId) -> Option<Self::Id>;
    /// The elements with the given ids, in the same order; `None` where there is none (any more).
    fn fetch(graph: &Graph, read: &dyn Read, ids: &[Self::Id]) -> Result<Vec<Option<Self>>, StoreError>;
    fn reference(&self) -> ElementRef<'_>;
    fn label(&self) -> LabelId;
    fn properties(&self) -> &Properties;
}

impl Element for Vertex {
    const BASE: Base = Base::Vertex;
    type Id = VertexId;

    fn id_of(id: ElementId) -> Option<VertexId> {
        match id {
            ElementId::Vertex(id) => Some(id),
            ElementId::Edge(_) => None,
        }
    }

    fn id_of_vertex(id: &VertexId) -> Option<VertexId> {
        Some(id.clone())
    }

    fn fetch(graph: &Graph, read: &dyn Read, ids: &[VertexId]) -> Result<Vec<Option<Self>>, StoreError> {
        read_vertices(graph, read, ids)
    }

    fn reference(&self) -> ElementRef<'_> {
        ElementRef::Vertex(&self.id)
    }

    fn label(&self) -> LabelId {
        self.label
    }

    fn properties(&self) -> &Properties {
        &self.properties
    }
}

impl Element for Edge {
    const BASE: Base = Base::Edge;
    type Id = EdgeId;

    fn id_of(id: ElementId) -> Option<EdgeId> {
        match id {
            ElementId::Edge(id) => Some(id),
            ElementId::Vertex(_) => None,
        }
    }

    fn id_of_vertex(_: &VertexId) -> Option<EdgeId> {
        None
    }

    fn fetch(graph: &Graph, read: &dyn Read, ids: &[EdgeId]) -> Result<Vec<Option<Self>>, StoreError> {
        read_edges(graph, read, ids)
    }

    fn reference(&self) -> ElementRef<'_> {
        ElementRef::Edge(&self.id)
    }

    fn label(&self) -> LabelId {
        self.id.label
    }

    fn properties(&self) -> &Properties {
        &self.properties
    }
}
