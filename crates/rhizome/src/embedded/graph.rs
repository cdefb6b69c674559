//! A graph: its schema, its elements, its neighbourhoods.

use std::ops::ControlFlow;
use std::sync::Arc;

use graph_access::Budget;
use graph_host::Store;
use graph_model::{DataType, Direction, LabelId, VertexId};
use graph_schema::{Catalogue, Conditions, NewPropertyKey};
use graph_store::{EdgeQuery, Range, VertexQuery};

use crate::Cardinality;
use crate::embedded::{Edge, EdgeBuilder, EdgeLabelBuilder, Error, Vertex, VertexBuilder, VertexLabelBuilder};

/// A property graph of a [`crate::Database`].
#[derive(Clone, Copy)]
pub struct Graph<'db> {
    store: &'db Store,
    name: &'db str,
}

impl<'db> Graph<'db> {
    pub(crate) fn new(store: &'db Store, name: &'db str) -> Self {
        Self { store, name }
    }

    pub(crate) fn inner(&self) -> Result<Arc<graph_host::HostedGraph>, Error> {
        Ok(self.store.graph(self.name)?)
    }

    /// Defines a property that holds one value. Defining the same again is fine; another type under the same name is an
    /// error.
    pub fn property_key(&self, name: &str, data_type: DataType) -> Result<(), Error> {
        self.property_key_of(name, data_type, Cardinality::Single)
    }

    /// Defines a property that holds one value, a list or a set.
    pub fn property_key_of(&self, name: &str, data_type: DataType, cardinality: Cardinality) -> Result<(), Error> {
        self.inner()?.schema().create_property_key(&NewPropertyKey {
            check_exist: false,
            ..NewPropertyKey::new(name, data_type, cardinality)
        })?;
        Ok(())
    }

    /// Begins the definition of a vertex label. Without primary keys its vertices get automatic ids.
    pub fn vertex_label(&self, name: &str) -> VertexLabelBuilder<'db> {
        VertexLabelBuilder::new(*self, name)
    }

    /// Begins the definition of an edge label between two vertex labels.
    pub fn edge_label(&self, name: &str, source_label: &str, target_label: &str) -> EdgeLabelBuilder<'db> {
        EdgeLabelBuilder::new(*self, name, source_label, target_label)
    }

    /// Begins a vertex.
    pub fn add_vertex(&self, label: &str) -> VertexBuilder<'db> {
        VertexBuilder::new(*self, label)
    }

    /// Begins an edge.
    pub fn add_edge(&self, label: &str, source: &VertexId, target: &VertexId) -> EdgeBuilder<'db> {
        EdgeBuilder::new(*self, label, source, target)
    }

    /// The vertex with an id.
    pub fn vertex(&self, id: &VertexId) -> Result<Option<Vertex>, Error> {
        let graph = self.inner()?;
        Ok(graph.reader().vertex(id)?.map(|vertex| Vertex::new(&graph.catalogue(), vertex)))
    }

    /// Vertices of a label, at most `limit`.
    pub fn vertices(&self, label: &str, limit: u64) -> Result<Vec<Vertex>, Error> {
        let graph = self.inner()?;
        let catalogue = graph.catalogue();
        let label = catalogue.vertex_label_named(label).ok_or_else(|| unknown("vertex", label))?.id;
        let query = VertexQuery {
            label: Some(label),
            conditions: Conditions::default(),
            range: Range::Offset { offset: 0, limit: Some(limit) },
        };
        let mut vertices = Vec::new();
        graph.reader().list_vertices(&query, &Budget::unlimited(), &mut |vertex| {
            vertices.push(Vertex::new(&catalogue, vertex.clone()));
            ControlFlow::Continue(())
        })?;
        Ok(vertices)
    }

    /// Edges of a vertex in a direction, of one label or of all.
    pub fn edges(&self, vertex: &VertexId, direction: Direction, label: Option<&str>) -> Result<Vec<Edge>, Error> {
        let graph = self.inner()?;
        let catalogue = graph.catalogue();
        let label = edge_label_id(&catalogue, label)?;
        let query = EdgeQuery {
            conditions: Conditions::default(),
            label,
            vertex: Some((vertex.clone(), direction)),
            range: Range::Offset { offset: 0, limit: None },
        };
        let mut edges = Vec::new();
        graph.reader().list_edges(&query, &Budget::unlimited(), &mut |edge| {
            edges.push(Edge::new(&catalogue, edge.clone()));
            ControlFlow::Continue(())
        })?;
        Ok(edges)
    }

    /// The vertices at the other end of a vertex's edges, once for each edge, in the order of the edges.
    pub fn neighbours(
        &self,
        vertex: &VertexId,
        direction: Direction,
        label: Option<&str>,
    ) -> Result<Vec<Vertex>, Error> {
        let graph = self.inner()?;
        let catalogue = graph.catalogue();
        let others: Vec<VertexId> = self
            .edges(vertex, direction, label)?
            .into_iter()
            .map(|edge| if edge.source == *vertex { edge.target } else { edge.source })
            .collect();
        let found = graph.reader().vertices(&others)?;
        Ok(found.into_iter().flatten().map(|vertex| Vertex::new(&catalogue, vertex)).collect())
    }

    /// Deletes a vertex and all its edges.
    pub fn delete_vertex(&self, id: &VertexId) -> Result<(), Error> {
        Ok(self.inner()?.writer().delete_vertex(id, graph_store::Wait::Allowed)?.wait()?)
    }
}

fn edge_label_id(catalogue: &Catalogue, label: Option<&str>) -> Result<Option<LabelId>, Error> {
    let find = |name| catalogue.edge_label_named(name).map(|label| label.id).ok_or_else(|| unknown("edge", name));
    label.map(find).transpose()
}

fn unknown(kind: &'static str, name: &str) -> Error {
    Error::UnknownLabel { kind, name: name.to_owned() }
}
