//! Lists of vertices and edges, by offset or page by page. Elements go to the caller one by one.

use graph_access::Budget;
use graph_model::{Direction, Edge, LabelId, Vertex, VertexId};
use graph_schema::Conditions;

use crate::query::find;
use crate::read::edges::Edges;
use crate::read::page;
use crate::read::progress::{Listed, Progress, Range, Visit};
use crate::read::source::visit_all;
use crate::read::vertices::{Wanted, vertices};
use crate::reader::Reader;
use store_error::StoreError;

/// Which vertices.
#[derive(Clone, Debug)]
pub struct VertexQuery {
    /// Only of this label.
    pub label: Option<LabelId>,
    /// Only those that meet all of these.
    pub conditions: Conditions,
    /// Which part of them.
    pub range: Range,
}

/// Which edges.
#[derive(Clone, Debug)]
pub struct EdgeQuery {
    /// Only of this label; a parent label stands for its sub labels.
    pub label: Option<LabelId>,
    /// Only edges of this vertex, in this direction.
    pub vertex: Option<(VertexId, Direction)>,
    /// Only those that meet all of these.
    pub conditions: Conditions,
    /// Which part of them.
    pub range: Range,
}

impl Reader<'_> {
    /// Gives the vertices of a query to `visit`, until it breaks off, in an order that stays the same between calls.
    /// Conditions need indexes, or name all primary keys of the label; in an auto graph elements are compared one by
    /// one where there is no index.
    pub fn list_vertices(
        &self,
        query: &VertexQuery,
        budget: &Budget,
        visit: &mut dyn FnMut(&Vertex) -> Visit,
    ) -> Result<Listed, StoreError> {
        let catalogue = self.graph.catalogue();
        let asked = (!query.conditions.is_empty()).then(|| format!("{:?}", query.conditions));
        let fingerprint = match asked {
            None => page::fingerprint(("vertices", self.graph.number, query.label)),
            Some(asked) => page::fingerprint(("vertices", self.graph.number, query.label, asked)),
        };
        let label = query.label.as_ref().map(std::slice::from_ref);
        if find::is_by_index::<Vertex>(&catalogue, label, &query.conditions, &query.range, fingerprint) {
            match find::list(self.graph, label, &query.conditions, &query.range, budget, visit) {
                // It has just gone.
                Err(StoreError::NoIndex { .. }) if catalogue.is_auto() => {}
                listed => return listed,
            }
        }
        let (mut progress, start) = Progress::new(&query.range, fingerprint, budget)?;
        if progress.is_empty() {
            return Ok(Listed::default());
        }
        let (graph, conditions) = (self.graph, query.conditions.clone());
        let wanted = Wanted { conditions, ..Wanted::default() };
        let mut vertices = vertices(graph, graph.engine(), &catalogue, query.label, wanted, start.as_ref())?;
        visit_all(&mut *vertices, &mut progress, visit)?;
        self.graph.unless_cleared(progress.listed(&query.range, fingerprint))
    }
}

impl Reader<'_> {
    /// Gives the edges of a query to `visit`, until it breaks off, in an order that stays the same between calls. The
    /// edges of a vertex are compared with the conditions one by one, of those with the sort keys' values where the
    /// conditions name these; without a vertex conditions need indexes.
    pub fn list_edges(
        &self,
        query: &EdgeQuery,
        budget: &Budget,
        visit: &mut dyn FnMut(&Edge) -> Visit,
    ) -> Result<Listed, StoreError> {
        let catalogue = self.graph.catalogue();
        let direction = query.vertex.as_ref().map(|(id, direction)| (id, *direction));
        let asked = (!query.conditions.is_empty()).then(|| format!("{:?}", query.conditions));
        let fingerprint = page::fingerprint(("edges", self.graph.number, query.label, direction, asked));
        let labels = query.label.map(|label| catalogue.edge_labels_under(label));
        let (labels, range) = (labels.as_deref(), &query.range);
        if query.vertex.is_none()
            && find::is_by_index::<Edge>(&catalogue, labels, &query.conditions, range, fingerprint)
        {
            match find::list(self.graph, labels, &query.conditions, range, budget, visit) {
                Err(StoreError::NoIndex { .. }) if catalogue.is_auto() => {}
                listed => return listed,
            }
        }
        let (mut progress, start) = Progress::new(&query.range, fingerprint, budget)?;
        if progress.is_empty() {
            return Ok(Listed::default());
        }
        let vertex = query.vertex.clone();
        let mut edges = Edges::new(self.graph, self.graph.engine(), &catalogue, query.label, vertex)?;
        edges.conditions.clone_from(&query.conditions);
        edges.start_at(start)?;
        visit_all(&mut edges, &mut progress, visit)?;
        self.graph.unless_cleared(progress.listed(&query.range, fingerprint))
    }
}
