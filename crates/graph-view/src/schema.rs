//! What of a schema somebody may see.

use std::sync::Arc;

use auth::{Caller, Permission, ResourceType};
use graph_access::GraphRights;
use graph_host::HostedGraph;
use graph_model::LabelId;
use graph_schema::{Catalogue, EdgeLabel, IndexLabel, PropertyKey, VertexLabel};

/// What of a schema who asks may see: what it has a right to, and what the elements are made of that it may read.
pub struct SchemaRights<'c> {
    caller: &'c Caller,
    catalogue: &'c Catalogue,
    graph: &'c str,
    /// `None`: everything.
    elements: Option<Arc<GraphRights>>,
    is_whole: bool,
}

impl<'c> SchemaRights<'c> {
    /// Those of a caller in a graph.
    #[must_use]
    pub fn new(caller: &'c Caller, graph: &'c HostedGraph, catalogue: &'c Catalogue) -> Self {
        let is_whole = caller.may_all(graph.name(), Permission::Read, ResourceType::Schema);
        let elements = if is_whole { None } else { caller.rights(graph) };
        Self { caller, catalogue, graph: graph.name(), elements, is_whole }
    }

    /// Whether it is all of the schema.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    fn is_named(&self, kind: ResourceType, name: &str) -> bool {
        self.caller.may_named(self.graph, Permission::Read, kind, name)
    }

    fn reads(&self, on_vertices: bool, label: LabelId) -> bool {
        let read = |rights: &Arc<GraphRights>| {
            let labels = if on_vertices { &rights.read.vertices } else { &rights.read.edges };
            labels.of(label).is_some()
        };
        self.elements.as_ref().is_none_or(read)
    }

    /// Whether a vertex label is among them.
    #[must_use]
    pub fn sees_vertices(&self, label: &VertexLabel) -> bool {
        self.reads(true, label.id) || self.is_named(ResourceType::VertexLabel, &label.name)
    }

    /// Whether an edge label is among them.
    #[must_use]
    pub fn sees_edges(&self, label: &EdgeLabel) -> bool {
        self.reads(false, label.id) || self.is_named(ResourceType::EdgeLabel, &label.name)
    }

    /// Whether an index label is among them.
    #[must_use]
    pub fn sees_index(&self, label: &IndexLabel) -> bool {
        self.reads(label.on_vertices, label.base) || self.is_named(ResourceType::IndexLabel, &label.name)
    }

    /// Whether a property key is among them.
    #[must_use]
    pub fn sees_key(&self, key: &PropertyKey) -> bool {
        let of_vertices = self.catalogue.vertex_labels().filter(|label| label.properties.contains(&key.id));
        let of_edges = self.catalogue.edge_labels().filter(|label| label.properties.contains(&key.id));
        of_vertices.into_iter().any(|label| self.reads(true, label.id))
            || of_edges.into_iter().any(|label| self.reads(false, label.id))
            || self.elements.is_none()
            || self.is_named(ResourceType::PropertyKey, &key.name)
    }
}
