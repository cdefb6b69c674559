//! A graph as who asks may see and change it.
//!
//! What it is: [`Visible`] reads, lists and writes a graph behind rights ([`graph_access::GraphRights`]); where nothing
//! is hidden or refused, everything goes straight to the graph, at no cost. What it is not: it decides nothing about
//! rights (`auth`), and knows no request. [`SchemaRights`] is the same of a schema.
//!
//! Start reading at [`Visible`].

mod schema;

use std::sync::Arc;

use graph_access::{
    AccessError, Allowed, Budget, ElementRights, GraphRead, GraphRights, GraphWrite, Guarded, GuardedWrite,
    LabelRights, denied,
};
use graph_host::HostedGraph;
use graph_model::{Edge, EdgeId, ErrorKind, LabelId, Vertex, VertexId};
use graph_schema::{NewEdge, NewVertex};
use graph_store::{
    EdgeQuery, GraphReader, Listed, Pending, Range, StoreError, VertexQuery, VertexSelector, Visit, Wait,
};

pub use schema::SchemaRights;

/// What is stored already, as the outcome of a write.
pub fn stored<T>(value: T) -> Pending<T> {
    Pending::new(value, kv::Commit::done(Ok(())))
}

/// A kind of element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Vertices.
    Vertex,
    /// Edges.
    Edge,
}

/// Why something could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum VisibleError {
    /// The graph or its storage.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The port to the graph, or the rights.
    #[error(transparent)]
    Access(#[from] AccessError),
}

/// A graph as who asks may see and change it.
pub struct Visible<'c> {
    graph: &'c HostedGraph,
    budget: &'c Budget,
    /// `None`: everything.
    rights: Option<Arc<GraphRights>>,
}

impl<'c> Visible<'c> {
    /// A graph behind rights; without rights everything is visible and may be changed.
    #[must_use]
    pub fn new(graph: &'c HostedGraph, budget: &'c Budget, rights: Option<Arc<GraphRights>>) -> Self {
        Self { graph, budget, rights }
    }

    /// The rights, where anything is hidden.
    fn hides(&self) -> Option<&Arc<GraphRights>> {
        self.rights.as_ref().filter(|rights| !rights.read.is_all())
    }

    fn read(&self) -> GraphReader<'c> {
        GraphReader::new(self.graph, &self.graph.catalogue(), self.budget)
    }

    fn guarded(&self, rights: &Arc<GraphRights>) -> Guarded<GraphReader<'c>> {
        Guarded::new(self.read(), Arc::clone(rights))
    }

    /// To be walked through.
    pub fn reader(&self) -> Box<dyn GraphRead + 'c> {
        match self.hides() {
            None => Box::new(self.read()),
            Some(rights) => Box::new(self.guarded(rights)),
        }
    }

    /// A unit of writes, which reads what it has written.
    pub fn writer(&self) -> Box<dyn GraphWrite + 'c> {
        let transaction = self.graph.transaction(self.budget);
        match &self.rights {
            None => Box::new(transaction),
            Some(rights) => Box::new(GuardedWrite::new(transaction, self.read(), Arc::clone(rights))),
        }
    }

    /// The vertex of an id.
    ///
    /// # Errors
    /// [`VisibleError`].
    pub fn vertex(&self, id: &VertexId) -> Result<Option<Vertex>, VisibleError> {
        match self.hides() {
            None => Ok(self.graph.reader().vertex(id)?),
            Some(_) => Ok(self.vertices(std::slice::from_ref(id))?.pop().flatten()),
        }
    }

    /// The vertices of some ids.
    ///
    /// # Errors
    /// [`VisibleError`].
    pub fn vertices(&self, ids: &[VertexId]) -> Result<Vec<Option<Vertex>>, VisibleError> {
        match self.hides() {
            None => Ok(self.graph.reader().vertices(ids)?),
            Some(rights) => Ok(graph_access::WalkRead::vertices(&self.guarded(rights), ids)?),
        }
    }

    /// The edge of an id.
    ///
    /// # Errors
    /// [`VisibleError`].
    pub fn edge(&self, id: &EdgeId) -> Result<Option<Edge>, VisibleError> {
        match self.hides() {
            None => Ok(self.graph.reader().edge(id)?),
            Some(_) => Ok(self.edges(std::slice::from_ref(id))?.pop().flatten()),
        }
    }

    /// The edges of some ids.
    ///
    /// # Errors
    /// [`VisibleError`].
    pub fn edges(&self, ids: &[EdgeId]) -> Result<Vec<Option<Edge>>, VisibleError> {
        match self.hides() {
            None => Ok(self.graph.reader().edges(ids)?),
            Some(rights) => Ok(self.guarded(rights).edges(ids)?),
        }
    }

    /// Gives the vertices of a list to `visit`.
    ///
    /// # Errors
    /// [`VisibleError`].
    pub fn list_vertices(
        &self,
        query: &VertexQuery,
        visit: &mut dyn FnMut(&Vertex) -> Visit,
    ) -> Result<Listed, VisibleError> {
        let budget = self.budget;
        let Some(rights) = self.hides() else { return Ok(self.graph.reader().list_vertices(query, budget, visit)?) };
        let seen = |vertex: &Vertex| Ok(rights.read.vertices.allows(vertex.label, &vertex.properties));
        let list = |range: Range, visit: &mut dyn FnMut(&Vertex) -> Visit| {
            self.graph.reader().list_vertices(&VertexQuery { range, ..query.clone() }, budget, visit)
        };
        list_visible(&query.range, list, seen, visit)
    }

    /// Gives the edges of a list to `visit`.
    ///
    /// # Errors
    /// [`VisibleError`].
    pub fn list_edges(&self, query: &EdgeQuery, visit: &mut dyn FnMut(&Edge) -> Visit) -> Result<Listed, VisibleError> {
        let budget = self.budget;
        let Some(rights) = self.hides() else { return Ok(self.graph.reader().list_edges(query, budget, visit)?) };
        let guarded = self.guarded(rights);
        let seen = |edge: &Edge| guarded.sees_edge(edge).map_err(VisibleError::from);
        let list = |range: Range, visit: &mut dyn FnMut(&Edge) -> Visit| {
            self.graph.reader().list_edges(&EdgeQuery { range, ..query.clone() }, budget, visit)
        };
        list_visible(&query.range, list, seen, visit)
    }

    /// The vertices of a selector.
    ///
    /// # Errors
    /// [`VisibleError`].
    pub fn select_vertices(&self, selector: &VertexSelector) -> Result<Vec<VertexId>, VisibleError> {
        let mut ids = self.graph.reader().select_vertices(selector, self.budget)?;
        if self.hides().is_some() {
            let seen = self.vertices(&ids)?;
            let mut seen = seen.iter().map(Option::is_some);
            ids.retain(|_| seen.next().unwrap_or(false));
            if ids.is_empty() {
                return Err(StoreError::NothingSelected.into());
            }
        }
        Ok(ids)
    }

    /// What rights there are to elements of a kind, for a permission.
    fn of_kind(elements: &ElementRights, kind: Kind) -> &LabelRights {
        if kind == Kind::Vertex { &elements.vertices } else { &elements.edges }
    }

    /// Whether elements of a kind can be written without a look at each.
    fn writes_freely(&self, kind: Kind) -> bool {
        self.rights.as_ref().is_none_or(|rights| rights.read.is_all() && Self::of_kind(&rights.write, kind).is_all())
    }

    fn refused(&self, verb: &str, kind: Kind) -> VisibleError {
        let kind = if kind == Kind::Vertex { "VERTEX" } else { "EDGE" };
        denied(verb, &format!("graph={},type={kind},operated=*", self.graph.name())).into()
    }

    /// Inserts through the rights; `None` where there is nothing to look at, and the usual way is to be taken.
    ///
    /// # Errors
    /// [`VisibleError`].
    pub fn insert_vertices(&self, new: &[NewVertex<'_>], wait: Wait) -> Result<Option<Vec<Vertex>>, VisibleError> {
        let Some(rights) = self.rights.as_ref().filter(|_| !self.writes_freely(Kind::Vertex)) else {
            return Ok(None);
        };
        let mut unit = self.unit(rights, wait)?;
        let inserted = new.iter().map(|new| unit.insert_vertex(new)).collect::<Result<Vec<_>, _>>()?;
        Box::new(unit).commit()?;
        Ok(Some(inserted))
    }

    /// As [`Self::insert_vertices`]. Ends of edges must be there, and visible.
    ///
    /// # Errors
    /// [`VisibleError`].
    pub fn insert_edges(&self, new: &[NewEdge<'_>], wait: Wait) -> Result<Option<Vec<Edge>>, VisibleError> {
        let Some(rights) = self.rights.as_ref().filter(|_| !self.writes_freely(Kind::Edge)) else {
            return Ok(None);
        };
        let mut unit = self.unit(rights, wait)?;
        let inserted = new.iter().map(|new| unit.insert_edge(new)).collect::<Result<Vec<_>, _>>()?;
        Box::new(unit).commit()?;
        Ok(Some(inserted))
    }

    fn unit(
        &self,
        rights: &Arc<GraphRights>,
        wait: Wait,
    ) -> Result<GuardedWrite<graph_store::Transaction<'c>, GraphReader<'c>>, VisibleError> {
        // It waits for other writes when it commits.
        if wait == Wait::Never {
            return Err(StoreError::Contended.into());
        }
        let transaction = self.graph.transaction(self.budget);
        Ok(GuardedWrite::new(transaction, self.read(), Arc::clone(rights)))
    }

    /// Refuses changes of single properties where what comes of them would have to be compared with conditions.
    fn check_label(&self, verb: &str, kind: Kind, label: LabelId) -> Result<(), VisibleError> {
        let Some(rights) = &self.rights else { return Ok(()) };
        match Self::of_kind(&rights.write, kind).of(label) {
            Some(Allowed::Whole) => Ok(()),
            None => Err(self.refused(verb, kind)),
            Some(Allowed::Where(_)) => Err(AccessError::new(
                ErrorKind::Forbidden,
                "Permission denied: the right to write elements of this label has conditions, so elements are written \
                 whole (POST), not changed in parts",
            )
            .into()),
        }
    }

    /// Whether a vertex may be changed in parts.
    ///
    /// # Errors
    /// [`VisibleError`].
    pub fn check_alter_vertex(&self, id: &VertexId) -> Result<(), VisibleError> {
        if self.writes_freely(Kind::Vertex) {
            return Ok(());
        }
        let vertex = self.vertex(id)?.ok_or_else(|| StoreError::VertexNotFound { id: id.to_string() })?;
        self.check_label("write", Kind::Vertex, vertex.label)
    }

    /// Whether an edge may be changed in parts.
    ///
    /// # Errors
    /// [`VisibleError`].
    pub fn check_alter_edge(&self, id: &EdgeId, text: &str) -> Result<(), VisibleError> {
        if self.writes_freely(Kind::Edge) {
            return Ok(());
        }
        let edge = self.edge(id)?.ok_or_else(|| StoreError::EdgeNotFound { id: text.to_owned() })?;
        self.check_label("write", Kind::Edge, edge.id.label)
    }

    /// Whether many elements may be merged into what is stored, which needs a right to all of them.
    ///
    /// # Errors
    /// [`VisibleError`].
    pub fn check_merge(&self, kind: Kind) -> Result<(), VisibleError> {
        if self.writes_freely(kind) { Ok(()) } else { Err(self.refused("write", kind)) }
    }

    /// Whether a vertex may be deleted.
    ///
    /// # Errors
    /// [`VisibleError`].
    pub fn check_delete_vertex(&self, id: &VertexId) -> Result<(), VisibleError> {
        let Some(rights) = &self.rights else { return Ok(()) };
        let vertex = self.vertex(id)?.ok_or_else(|| StoreError::VertexNotFound { id: id.to_string() })?;
        if rights.delete.vertices.allows(vertex.label, &vertex.properties) {
            return Ok(());
        }
        Err(self.refused("delete", Kind::Vertex))
    }

    /// Whether an edge may be deleted.
    ///
    /// # Errors
    /// [`VisibleError`].
    pub fn check_delete_edge(&self, id: &EdgeId, text: &str) -> Result<(), VisibleError> {
        let Some(rights) = &self.rights else { return Ok(()) };
        let edge = self.edge(id)?.ok_or_else(|| StoreError::EdgeNotFound { id: text.to_owned() })?;
        if rights.delete.edges.allows(edge.id.label, &edge.properties) {
            return Ok(());
        }
        Err(self.refused("delete", Kind::Edge))
    }
}

/// Lists what is visible of a list: what is hidden is neither skipped nor counted, and a page has a next one where
/// another visible element follows.
fn list_visible<E>(
    range: &Range,
    list: impl Fn(Range, &mut dyn FnMut(&E) -> Visit) -> Result<Listed, StoreError>,
    seen: impl Fn(&E) -> Result<bool, VisibleError>,
    visit: &mut dyn FnMut(&E) -> Visit,
) -> Result<Listed, VisibleError> {
    let (inner, mut skip, limit) = match range {
        Range::Offset { offset, limit } => (Range::Offset { offset: 0, limit: None }, *offset, *limit),
        Range::Page { token, limit } => (Range::Page { token: token.clone(), limit: None }, 0, *limit),
    };
    if limit == Some(0) {
        return Ok(list(range.clone(), visit)?);
    }
    let mut failed = None;
    let (mut left, mut broke_off) = (limit, false);
    let listed = list(inner, &mut |element| {
        match seen(element) {
            Ok(true) => {}
            Ok(false) => return Visit::Continue(()),
            Err(error) => {
                failed = Some(error);
                return Visit::Break(());
            }
        }
        if skip > 0 {
            skip -= 1;
            return Visit::Continue(());
        }
        if visit(element).is_break() {
            broke_off = true;
            return Visit::Break(());
        }
        left = left.map(|left| left.saturating_sub(1));
        if left == Some(0) { Visit::Break(()) } else { Visit::Continue(()) }
    })?;
    if let Some(error) = failed {
        return Err(error);
    }
    let (Some(token), false) = (&listed.next, broke_off) else { return Ok(listed) };
    // Whether any that follows is visible.
    let mut more = false;
    let mut failed = None;
    list(Range::Page { token: token.clone(), limit: None }, &mut |element| match seen(element) {
        Ok(false) => Visit::Continue(()),
        Ok(true) => {
            more = true;
            Visit::Break(())
        }
        Err(error) => {
            failed = Some(error);
            Visit::Break(())
        }
    })?;
    match failed {
        Some(error) => Err(error),
        None => Ok(if more { listed } else { Listed::default() }),
    }
}
