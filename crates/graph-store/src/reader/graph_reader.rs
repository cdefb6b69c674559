//! A graph behind the port that walks and query executors read through.

use std::sync::Arc;

use graph_access::{AccessError, Batches, Budget, Cursor, EdgeRead, EdgeRow, GraphRead, Lookup, WalkRead};
use graph_model::{Edge, EdgeId, LabelId, Vertex, VertexId};
use graph_schema::{Catalogue, Conditions, EdgeLabelKind};

use crate::StoreError;
use crate::core::graph::Graph;
use crate::query::find;
use crate::read::adjacency::AdjacencyCursor;
use crate::read::by_id::{read_edges, read_vertices};
use crate::read::edges::scan_edges;
use crate::read::vertices::scan_vertices;
use crate::read::view::View;

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
        let labels = catalogue.edge_labels().filter(|label| label.kind != EdgeLabelKind::Parent).map(|label| label.id);
        Self { graph, budget, catalogue: Arc::clone(catalogue), labels: labels.collect() }
    }

    fn view(&self) -> View<'_> {
        let Self { graph, budget, catalogue, labels } = self;
        View { graph, read: graph.engine(), budget, catalogue, labels }
    }
}

impl WalkRead for GraphReader<'_> {
    fn edges_of<'b>(
        &'b self,
        owners: &'b [&'b VertexId],
        read: EdgeRead<'b>,
    ) -> Result<Box<dyn Cursor<EdgeRow> + 'b>, AccessError> {
        self.check()?;
        let mut edges = AdjacencyCursor::new(self.view(), owners, read);
        Ok(cursor(move |batch, rows_max| edges.fill(batch, rows_max)))
    }

    fn vertices(&self, ids: &[VertexId]) -> Result<Vec<Option<Vertex>>, AccessError> {
        self.check()?;
        let view = self.view();
        let found = read_vertices(view.graph, view.read, ids)?;
        Ok(view.graph.unless_cleared(found)?)
    }

    fn check(&self) -> Result<(), AccessError> {
        Ok(self.budget.check().map_err(StoreError::from)?)
    }
}

impl GraphRead for GraphReader<'_> {
    fn catalogue(&self) -> &Arc<Catalogue> {
        &self.catalogue
    }

    fn edges(&self, ids: &[EdgeId]) -> Result<Vec<Option<Edge>>, AccessError> {
        self.check()?;
        let view = self.view();
        let found = read_edges(view.graph, view.read, ids)?;
        Ok(view.graph.unless_cleared(found)?)
    }

    fn scan_vertices<'b>(&'b self, label: Option<LabelId>) -> Result<Box<dyn Cursor<Vertex> + 'b>, AccessError> {
        self.find_vertices(Lookup { label, conditions: Conditions::default(), limit: None })
    }

    fn scan_edges<'b>(&'b self, label: Option<LabelId>) -> Result<Box<dyn Cursor<Edge> + 'b>, AccessError> {
        self.find_edges(Lookup { label, conditions: Conditions::default(), limit: None })
    }

    fn find_vertices<'b>(&'b self, lookup: Lookup) -> Result<Box<dyn Cursor<Vertex> + 'b>, AccessError> {
        let Lookup { label, conditions, limit } = lookup;
        self.check()?;
        if conditions.is_empty() {
            let mut all = scan_vertices(self.view(), label, limit)?;
            return Ok(cursor(move |batch, rows_max| all.fill(batch, rows_max)));
        }
        let mut found = find::open(self.view(), |_| label.map(|label| vec![label]), conditions, limit)?;
        Ok(cursor(move |batch, rows_max| found.fill(batch, rows_max)))
    }

    fn find_edges<'b>(&'b self, lookup: Lookup) -> Result<Box<dyn Cursor<Edge> + 'b>, AccessError> {
        let Lookup { label, conditions, limit } = lookup;
        self.check()?;
        if conditions.is_empty() {
            let mut all = scan_edges(self.view(), label, limit)?;
            return Ok(cursor(move |batch, rows_max| all.fill(batch, rows_max)));
        }
        let labels = |catalogue: &Catalogue| label.map(|label| catalogue.edge_labels_under(label));
        let mut found = find::open(self.view(), labels, conditions, limit)?;
        Ok(cursor(move |batch, rows_max| found.fill(batch, rows_max)))
    }
}

/// A cursor of the port over what a function reads.
fn cursor<'a, T: 'a>(
    mut fill: impl FnMut(&mut Vec<T>, usize) -> Result<(), StoreError> + 'a,
) -> Box<dyn Cursor<T> + 'a> {
    Box::new(Batches::new(move |batch: &mut Vec<T>, rows_max| Ok(fill(batch, rows_max)?)))
}
