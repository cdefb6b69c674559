//! A graph behind the port that walks and query executors read through.

use std::sync::Arc;

use graph_access::{AccessError, Batches, Budget, Cursor, EdgeRead, EdgeRow, GraphRead, Lookup, WalkRead};
use graph_model::{Edge, EdgeId, LabelId, Vertex, VertexId};
use graph_schema::{Catalogue, Conditions, EdgeLabelKind};

use crate::read::Reader;
use crate::read::adjacency::AdjacencyCursor;
use crate::read::list::VertexQuery;
use crate::read::list_edges::EdgeQuery;
use crate::read::paged::Pages;
use crate::{Graph, Visit};

/// A graph as one request reads it: with one state of the schema and one budget for all reads.
pub struct GraphReader<'a> {
    pub(super) graph: &'a Graph,
    pub(super) budget: &'a Budget,
    catalogue: Arc<Catalogue>,
    /// All labels edges can have, in the order of their numbers.
    pub(super) labels: Vec<LabelId>,
}

impl<'a> GraphReader<'a> {
    /// A reader for one request.
    #[must_use]
    pub fn new(graph: &'a Graph, catalogue: &Arc<Catalogue>, budget: &'a Budget) -> Self {
        let labels = catalogue.edge_labels().filter(|label| label.kind != EdgeLabelKind::Parent).map(|label| label.id);
        Self { graph, budget, catalogue: Arc::clone(catalogue), labels: labels.collect() }
    }

    fn reader(&self) -> Reader<'a> {
        Reader::new(self.graph)
    }
}

impl WalkRead for GraphReader<'_> {
    fn edges_of<'b>(
        &'b self,
        owners: &'b [&'b VertexId],
        read: EdgeRead<'b>,
    ) -> Result<Box<dyn Cursor<EdgeRow> + 'b>, AccessError> {
        self.check()?;
        let mut cursor = AdjacencyCursor::new(self, owners, read);
        Ok(Box::new(Batches::new(move |batch: &mut Vec<EdgeRow>, rows_max| Ok(cursor.fill(batch, rows_max)?))))
    }

    fn vertices(&self, ids: &[VertexId]) -> Result<Vec<Option<Vertex>>, AccessError> {
        self.check()?;
        Ok(self.reader().vertices(ids)?)
    }

    fn check(&self) -> Result<(), AccessError> {
        Ok(self.budget.check().map_err(crate::StoreError::from)?)
    }
}

impl GraphRead for GraphReader<'_> {
    fn catalogue(&self) -> &Arc<Catalogue> {
        &self.catalogue
    }

    fn edges(&self, ids: &[EdgeId]) -> Result<Vec<Option<Edge>>, AccessError> {
        self.check()?;
        Ok(self.reader().edges(ids)?)
    }

    fn scan_vertices<'b>(&'b self, label: Option<LabelId>) -> Result<Box<dyn Cursor<Vertex> + 'b>, AccessError> {
        self.find_vertices(Lookup { label, conditions: Conditions::default(), limit: None })
    }

    fn scan_edges<'b>(&'b self, label: Option<LabelId>) -> Result<Box<dyn Cursor<Edge> + 'b>, AccessError> {
        self.find_edges(Lookup { label, conditions: Conditions::default(), limit: None })
    }

    fn find_vertices<'b>(&'b self, lookup: Lookup) -> Result<Box<dyn Cursor<Vertex> + 'b>, AccessError> {
        self.check()?;
        let Lookup { label, conditions, limit } = lookup;
        let mut pages = Pages::new(self.budget, limit, move |range, batch: &mut Vec<Vertex>| {
            let query = VertexQuery { label, conditions: conditions.clone(), range };
            self.reader().list_vertices(&query, self.budget, &mut |vertex: &Vertex| {
                batch.push(vertex.clone());
                Visit::Continue(())
            })
        });
        Ok(Box::new(Batches::new(move |batch: &mut Vec<Vertex>, rows_max| Ok(pages.fill(batch, rows_max)?))))
    }

    fn find_edges<'b>(&'b self, lookup: Lookup) -> Result<Box<dyn Cursor<Edge> + 'b>, AccessError> {
        self.check()?;
        let Lookup { label, conditions, limit } = lookup;
        let mut pages = Pages::new(self.budget, limit, move |range, batch: &mut Vec<Edge>| {
            let query = EdgeQuery { label, vertex: None, conditions: conditions.clone(), range };
            self.reader().list_edges(&query, self.budget, &mut |edge: &Edge| {
                batch.push(edge.clone());
                Visit::Continue(())
            })
        });
        Ok(Box::new(Batches::new(move |batch: &mut Vec<Edge>, rows_max| Ok(pages.fill(batch, rows_max)?))))
    }
}
