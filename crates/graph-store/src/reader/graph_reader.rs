//! A graph behind the port that walks and query executors read through.

use std::sync::Arc;

use compact_str::CompactString;
use graph_access::{AccessError, Budget, Cursor, EdgeRead, EdgeRow, GraphRead, Lookup, WalkRead};
use graph_model::{Edge, EdgeId, LabelId, Vertex, VertexId};
use graph_schema::Catalogue;

use crate::core::graph::Graph;
use crate::read::view::{View, labels_of_edges};
use crate::reader::port;

/// A graph as one request reads it: with one state of the schema and one budget for all reads.
pub struct GraphReader<'a> {
    graph: &'a Graph,
    budget: &'a Budget,
    catalogue: Arc<Catalogue>,
    /// All labels edges can have, in the order of their numbers.
    labels: Vec<LabelId>,
}

impl<'a> GraphReader<'a> {
    /// A reader for one request.
    #[must_use]
    pub fn new(graph: &'a Graph, catalogue: &Arc<Catalogue>, budget: &'a Budget) -> Self {
        Self { graph, budget, catalogue: Arc::clone(catalogue), labels: labels_of_edges(catalogue) }
    }

    fn view(&self) -> View<'_> {
        let Self { graph, budget, catalogue, labels } = self;
        View { graph, read: graph.engine(), budget, catalogue, labels, unit: None }
    }
}

impl WalkRead for GraphReader<'_> {
    fn edges_of<'b>(
        &'b self,
        owners: &'b [&'b VertexId],
        read: EdgeRead<'b>,
    ) -> Result<Box<dyn Cursor<EdgeRow> + 'b>, AccessError> {
        port::edges_of(self.view(), owners, read)
    }

    fn vertices(&self, ids: &[VertexId]) -> Result<Vec<Option<Vertex>>, AccessError> {
        port::vertices(self.view(), ids)
    }

    fn check(&self) -> Result<(), AccessError> {
        port::check(self.view())
    }
}

impl GraphRead for GraphReader<'_> {
    fn catalogue(&self) -> &Arc<Catalogue> {
        &self.catalogue
    }

    fn edges(&self, ids: &[EdgeId]) -> Result<Vec<Option<Edge>>, AccessError> {
        port::edges(self.view(), ids)
    }

    fn edges_by_key(&self, ids: &[CompactString]) -> Result<Vec<Option<Edge>>, AccessError> {
        port::edges_by_key(self.view(), ids)
    }

    fn scan_vertices<'b>(&'b self, label: Option<LabelId>) -> Result<Box<dyn Cursor<Vertex> + 'b>, AccessError> {
        self.find_vertices(Lookup { label, ..Lookup::default() })
    }

    fn scan_edges<'b>(&'b self, label: Option<LabelId>) -> Result<Box<dyn Cursor<Edge> + 'b>, AccessError> {
        self.find_edges(Lookup { label, ..Lookup::default() })
    }

    fn find_vertices<'b>(&'b self, lookup: Lookup) -> Result<Box<dyn Cursor<Vertex> + 'b>, AccessError> {
        port::find_vertices(self.view(), lookup)
    }

    fn find_edges<'b>(&'b self, lookup: Lookup) -> Result<Box<dyn Cursor<Edge> + 'b>, AccessError> {
        port::find_edges(self.view(), lookup)
    }
}
