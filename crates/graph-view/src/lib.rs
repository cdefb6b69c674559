//! A graph as who asks may see and change it.
//!
//! What it is: [`Visible`] reads, lists and writes a graph behind rights ([`graph_access::GraphRights`]); where nothing
//! is hidden or refused, everything goes straight to the graph, at no cost. What it is not: it decides nothing about
//! rights (`auth`), and knows no request. [`SchemaRights`] is the same of a schema.
//!
//! Start reading at [`Visible`].

mod schema;

use std::collections::HashMap;
use std::sync::Arc;

use graph_access::{
    AccessError, Budget, ElementRights, GraphRead, GraphRights, GraphWrite, Guarded, GuardedWrite, LabelRights,
    WalkRead as _, WriteCheck, denied,
};
use graph_host::HostedGraph;
use graph_model::{Edge, EdgeId, ErrorKind, Properties, Vertex, VertexId};
use graph_schema::{NewEdge, NewVertex};
use graph_store::{
    EdgeQuery, GraphReader, Listed, Pending, Range, Scan, Shard, StoreError, VertexQuery, VertexSelector, Visit, Wait,
    Writer,
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

    /// The shards of the vertices or of the edges, of about so many bytes. Who may not see all has one: sizes would
    /// tell of what is hidden.
    ///
    /// # Errors
    /// [`VisibleError`].
    pub fn shards(&self, kind: Kind, target_bytes: u64) -> Result<Vec<Shard>, VisibleError> {
        if self.hides().is_some() {
            return Ok(vec![Shard { start: String::new(), end: String::new(), length_bytes: 0 }]);
        }
        let reader = self.graph.reader();
        Ok(match kind {
            Kind::Vertex => reader.vertex_shards(target_bytes)?,
            Kind::Edge => reader.edge_shards(target_bytes)?,
        })
    }

    /// Gives the vertices of a shard to `visit`.
    ///
    /// # Errors
    /// [`VisibleError`].
    pub fn scan_vertices(&self, scan: &Scan, visit: &mut dyn FnMut(&Vertex) -> Visit) -> Result<Listed, VisibleError> {
        let budget = self.budget;
        let Some(rights) = self.hides() else { return Ok(self.graph.reader().scan_vertices(scan, budget, visit)?) };
        let seen = |vertex: &Vertex| Ok(rights.read.vertices.allows(vertex.label, &vertex.properties));
        let list = |range: Range, visit: &mut dyn FnMut(&Vertex) -> Visit| {
            self.graph.reader().scan_vertices(&Scan { range: without_limit(range), ..scan.clone() }, budget, visit)
        };
        list_visible(&scan.range, list, seen, visit)
    }

    /// Gives the edges of a shard to `visit`.
    ///
    /// # Errors
    /// [`VisibleError`].
    pub fn scan_edges(&self, scan: &Scan, visit: &mut dyn FnMut(&Edge) -> Visit) -> Result<Listed, VisibleError> {
        let budget = self.budget;
        let Some(rights) = self.hides() else { return Ok(self.graph.reader().scan_edges(scan, budget, visit)?) };
        let guarded = self.guarded(rights);
        let seen = |edge: &Edge| guarded.sees_edge(edge).map_err(VisibleError::from);
        let list = |range: Range, visit: &mut dyn FnMut(&Edge) -> Visit| {
            self.graph.reader().scan_edges(&Scan { range: without_limit(range), ..scan.clone() }, budget, visit)
        };
        list_visible(&scan.range, list, seen, visit)
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

    /// Inserts through the rights; `None` where there is nothing to look at, and the usual way is to be taken. Vertices
    /// without labels are values of analyses for stored ones.
    ///
    /// # Errors
    /// [`VisibleError`].
    pub fn insert_vertices(&self, new: &[NewVertex<'_>], wait: Wait) -> Result<Option<Vec<Vertex>>, VisibleError> {
        if !new.is_empty() && new.iter().all(|vertex| vertex.label.is_none()) {
            return self.set_analytical(new, wait).map(Some);
        }
        let Some(rights) = self.rights.as_ref().filter(|_| !self.writes_freely(Kind::Vertex)) else {
            return Ok(None);
        };
        let mut unit = self.unit(rights, wait)?;
        let inserted = new.iter().map(|new| unit.insert_vertex(new)).collect::<Result<Vec<_>, _>>()?;
        Box::new(unit).commit()?;
        Ok(Some(inserted))
    }

    fn set_analytical(&self, new: &[NewVertex<'_>], wait: Wait) -> Result<Vec<Vertex>, VisibleError> {
        let (catalogue, zone) = (self.graph.catalogue(), &self.graph.options().zone);
        let mut places: HashMap<VertexId, usize> = HashMap::with_capacity(new.len());
        let mut values: Vec<(VertexId, Properties)> = Vec::with_capacity(new.len());
        let mut order = Vec::with_capacity(new.len());
        for (index, new_one) in new.iter().enumerate() {
            let shown = (new.len() > 1).then_some(index);
            let checked = catalogue.check_analysis(new_one, zone);
            let (id, properties) =
                checked.map_err(|error| StoreError::Element { index: shown, error: Box::new(error) })?;
            let at = *places.entry(id.clone()).or_insert(values.len());
            order.push(at);
            match values.get_mut(at) {
                Some((_, before)) => properties.into_iter().for_each(|(key, value)| drop(before.insert(key, value))),
                None => values.push((id, properties)),
            }
        }
        // It waits for other writes.
        if wait == Wait::Never {
            return Err(StoreError::Contended.into());
        }
        let rights = self.rights.as_ref().filter(|_| !self.writes_freely(Kind::Vertex));
        let check = rights.map(|rights| Check { rights, seen: self.guarded(rights) });
        let check = check.as_ref().map(|check| -> &dyn WriteCheck { check });
        let vertices = self.graph.set_analytical(&values, check, wait)?.wait()?;
        Ok(order.into_iter().filter_map(|at| vertices.get(at).cloned()).collect())
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
        let inserted = unit.insert_edges(new)?;
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

    /// Changes properties of a vertex; `change` does that with a writer that looks at the vertex as it is and as it
    /// becomes. A vertex that is hidden is not there.
    ///
    /// # Errors
    /// [`VisibleError`].
    pub fn alter_vertex<T>(
        &self,
        id: &VertexId,
        change: impl FnOnce(Writer<'_>) -> Result<T, StoreError>,
    ) -> Result<T, VisibleError> {
        if self.writes_freely(Kind::Vertex) {
            return Ok(change(self.graph.writer())?);
        }
        self.vertex(id)?.ok_or_else(|| StoreError::VertexNotFound { id: id.to_string() })?;
        self.checked(change)
    }

    /// As [`Self::alter_vertex`]. `text`: how the client has written the id.
    ///
    /// # Errors
    /// [`VisibleError`].
    pub fn alter_edge<T>(
        &self,
        id: &EdgeId,
        text: &str,
        change: impl FnOnce(Writer<'_>) -> Result<T, StoreError>,
    ) -> Result<T, VisibleError> {
        if self.writes_freely(Kind::Edge) {
            return Ok(change(self.graph.writer())?);
        }
        self.edge(id)?.ok_or_else(|| StoreError::EdgeNotFound { id: text.to_owned() })?;
        self.checked(change)
    }

    /// Merges elements into what is stored; `merge` does that with a writer that looks at each element as it is and as
    /// it becomes. One that is hidden is refused, as one that may not be written.
    ///
    /// # Errors
    /// [`VisibleError`].
    pub fn merge<T>(
        &self,
        kind: Kind,
        merge: impl FnOnce(Writer<'_>) -> Result<T, StoreError>,
    ) -> Result<T, VisibleError> {
        if self.writes_freely(kind) { Ok(merge(self.graph.writer())?) } else { self.checked(merge) }
    }

    fn checked<T>(&self, write: impl FnOnce(Writer<'_>) -> Result<T, StoreError>) -> Result<T, VisibleError> {
        let Some(rights) = &self.rights else { return Ok(write(self.graph.writer())?) };
        let check = Check { rights, seen: self.guarded(rights) };
        Ok(write(self.graph.writer().checked(&check))?)
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

/// Lets through what may be written, as it is and as it becomes.
struct Check<'c> {
    rights: &'c GraphRights,
    /// The graph as it is seen.
    seen: Guarded<GraphReader<'c>>,
}

impl WriteCheck for Check<'_> {
    fn vertex(&self, before: Option<&Vertex>, after: &Vertex) -> Result<(), AccessError> {
        let (read, write) = (&self.rights.read.vertices, &self.rights.write.vertices);
        let may_write = |vertex: &Vertex| write.allows(vertex.label, &vertex.properties);
        let may_read = |vertex: &Vertex| read.allows(vertex.label, &vertex.properties);
        if may_write(after) && before.is_none_or(|before| may_write(before) && may_read(before)) {
            return Ok(());
        }
        Err(denied("write", &format!("type=VERTEX,operated=v[{}]", after.id)))
    }

    fn edge(&self, before: Option<&Edge>, after: &Edge) -> Result<(), AccessError> {
        let may_write = |edge: &Edge| self.rights.write.edges.allows(edge.id.label, &edge.properties);
        let is_seen = match before {
            Some(before) => self.seen.sees_edge(before)?,
            None => {
                // To one that is hidden there is no edge, as to one that is not there.
                for end in [&after.id.source, &after.id.target] {
                    if self.seen.vertices(std::slice::from_ref(end))?.into_iter().flatten().next().is_none() {
                        let message = format!("Vertex '{end}' does not exist");
                        return Err(AccessError::new(ErrorKind::BadInput, message));
                    }
                }
                true
            }
        };
        if is_seen && may_write(after) && before.is_none_or(may_write) {
            return Ok(());
        }
        Err(denied("write", "type=EDGE,operated=*"))
    }
}

/// The same part of a shard, without the bound of how many elements it may have, which would count hidden ones. The
/// bytes of the answer are bounded in any case.
fn without_limit(range: Range) -> Range {
    match range {
        Range::Offset { .. } => Range::Page { token: String::new(), limit: None },
        page @ Range::Page { .. } => page,
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
