//! A graph as somebody sees it who may not see all of it: what is hidden is as if it were not there, before anything is
//! counted, limited or compared; what may not be written is refused.

use std::collections::HashMap;
use std::sync::Arc;

use compact_str::CompactString;
use graph_model::{Edge, EdgeId, ErrorKind, LabelId, Vertex, VertexId};
use graph_schema::{Catalogue, Declaration, NewEdge, NewVertex};

use crate::{
    AccessError, Allowed, Batches, Committing, Cursor, EdgeRead, EdgeRow, GraphRead, GraphRights, GraphWrite, Lookup,
    WalkRead, drain, limits,
};

/// A graph behind rights. An edge is visible where it may be read itself and neither end is a vertex that may not. In a
/// graph with a strict schema the label of an edge tells the labels of its ends; only conditions on vertices, and
/// graphs whose schema is made by writes, cost a look at the ends.
pub struct Guarded<G> {
    graph: G,
    rights: Arc<GraphRights>,
}

/// The label, the source and the target of an edge.
type Ends<'v> = (LabelId, &'v VertexId, &'v VertexId);

/// What is known of the end of an edge without a look at it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Visible,
    Hidden,
    Unknown,
}

impl<G> Guarded<G> {
    /// A graph behind rights.
    pub fn new(graph: G, rights: Arc<GraphRights>) -> Self {
        Self { graph, rights }
    }
}

/// The error of who may not write or delete something. The text is HugeGraph's, which its clients look for.
#[must_use]
pub fn denied(verb: &str, what: &str) -> AccessError {
    AccessError::new(ErrorKind::Forbidden, format!("Permission denied: {verb} Resource{{graphspace=DEFAULT,{what}}}"))
}

impl<G: GraphRead> Guarded<G> {
    /// Whether an edge is visible. Costs a look at its ends where its label does not tell.
    ///
    /// # Errors
    /// Those of that look.
    pub fn sees_edge(&self, edge: &Edge) -> Result<bool, AccessError> {
        let mut batch = vec![edge.clone()];
        self.keep_visible_edges(&mut batch)?;
        Ok(!batch.is_empty())
    }

    fn sees_vertex(&self, vertex: &Vertex) -> bool {
        self.rights.read.vertices.allows(vertex.label, &vertex.properties)
    }

    /// What the label of an edge tells of its ends: source, target.
    fn ends_of(&self, label: LabelId) -> (End, End) {
        let vertices = &self.rights.read.vertices;
        if vertices.is_all() {
            return (End::Visible, End::Visible);
        }
        let catalogue = self.graph.catalogue();
        let link = catalogue.edge_label(label).filter(|_| !catalogue.is_auto()).and_then(|label| label.link);
        let Some((source, target)) = link else { return (End::Unknown, End::Unknown) };
        let end = |label| match vertices.of(label) {
            None => End::Hidden,
            Some(Allowed::Whole) => End::Visible,
            Some(Allowed::Where(_)) => End::Unknown,
        };
        (end(source), end(target))
    }

    /// Whether vertices are visible, or not there: an edge to a vertex that does not exist tells nothing of one that is
    /// hidden.
    fn are_visible<'v>(&self, ids: impl Iterator<Item = &'v VertexId>) -> Result<HashMap<VertexId, bool>, AccessError> {
        let mut ids: Vec<VertexId> = ids.cloned().collect();
        ids.sort_unstable();
        ids.dedup();
        let mut visible = HashMap::with_capacity(ids.len());
        for some in ids.chunks(limits::ROWS_PER_BATCH) {
            for (id, vertex) in some.iter().zip(self.graph.vertices(some)?) {
                visible.insert(id.clone(), vertex.is_none_or(|vertex| self.sees_vertex(&vertex)));
            }
        }
        Ok(visible)
    }

    /// The ends of an edge that must be looked at.
    fn unknown_ends<'v>(&self, (label, source, target): Ends<'v>) -> impl Iterator<Item = &'v VertexId> + use<'v, G> {
        let (from, to) = self.ends_of(label);
        let source = (from == End::Unknown).then_some(source);
        source.into_iter().chain((to == End::Unknown).then_some(target))
    }

    /// Takes the edges out of a batch that are hidden. `parts` gives the label and the ends of an edge at one of
    /// `owners`, and whether it may be read itself.
    fn keep_visible<T>(
        &self,
        batch: &mut Vec<T>,
        owners: &[&VertexId],
        parts: impl for<'t> Fn(&'t T, &'t [&'t VertexId]) -> (Ends<'t>, bool),
    ) -> Result<(), AccessError> {
        batch.retain(|edge| {
            let ((label, ..), is_readable) = parts(edge, owners);
            let (source, target) = self.ends_of(label);
            is_readable && source != End::Hidden && target != End::Hidden
        });
        let visible = self.are_visible(batch.iter().flat_map(|edge| self.unknown_ends(parts(edge, owners).0)))?;
        if !visible.is_empty() {
            batch.retain(|edge| {
                self.unknown_ends(parts(edge, owners).0).all(|end| visible.get(end).copied().unwrap_or(false))
            });
        }
        Ok(())
    }

    fn keep_visible_edges(&self, batch: &mut Vec<Edge>) -> Result<(), AccessError> {
        let edges = &self.rights.read.edges;
        self.keep_visible(batch, &[], |edge: &Edge, _| {
            let EdgeId { label, source, target, .. } = &edge.id;
            ((*label, source, target), edges.allows(*label, &edge.properties))
        })
    }

    fn only_visible_edges(&self, found: Vec<Option<Edge>>) -> Result<Vec<Option<Edge>>, AccessError> {
        let mut places: Vec<Option<EdgeId>> = Vec::with_capacity(found.len());
        let mut batch: Vec<Edge> = Vec::new();
        for edge in found {
            places.push(edge.as_ref().map(|edge| edge.id.clone()));
            batch.extend(edge);
        }
        self.keep_visible_edges(&mut batch)?;
        let mut visible = batch.into_iter().peekable();
        let next = |id: Option<EdgeId>| id.and_then(|id| visible.next_if(|edge| edge.id == id));
        Ok(places.into_iter().map(next).collect())
    }

    /// The rows of a cursor that stay after `keep`, at most `limit`.
    fn filtered<'b, T: 'b>(
        &'b self,
        mut inner: Box<dyn Cursor<T> + 'b>,
        limit: Option<u64>,
        keep: impl Fn(&Self, &mut Vec<T>) -> Result<(), AccessError> + 'b,
    ) -> Box<dyn Cursor<T> + 'b> {
        let mut left = limit;
        Box::new(Batches::new(move |batch: &mut Vec<T>, rows_max: usize| {
            let wanted = left.map_or(rows_max, |left| usize::try_from(left).unwrap_or(usize::MAX).min(rows_max));
            if wanted == 0 {
                return Ok(());
            }
            let mut some = Vec::new();
            while batch.is_empty() {
                self.graph.check()?;
                inner.next_batch(&mut some, wanted)?;
                if some.is_empty() {
                    return Ok(());
                }
                keep(self, &mut some)?;
                batch.append(&mut some);
            }
            left = left.map(|left| left.saturating_sub(batch.len() as u64));
            Ok(())
        }))
    }
}

impl<G: GraphRead> WalkRead for Guarded<G> {
    fn edges_of<'b>(
        &'b self,
        owners: &'b [&'b VertexId],
        read: EdgeRead<'b>,
    ) -> Result<Box<dyn Cursor<EdgeRow> + 'b>, AccessError> {
        let edges = &self.rights.read.edges;
        // The limit counts visible edges; conditions need properties.
        let inner = EdgeRead { limit: None, properties: read.properties || edges.has_conditions(), ..read };
        let mut rows = self.graph.edges_of(owners, inner)?;
        let mut given = vec![0u64; if read.limit.is_some() { owners.len() } else { 0 }];
        let mut full = 0;
        let mut is_over = read.limit == Some(0);
        let mut some: Vec<EdgeRow> = Vec::new();
        Ok(Box::new(Batches::new(move |batch: &mut Vec<EdgeRow>, rows_max: usize| {
            while batch.is_empty() && !is_over {
                self.graph.check()?;
                rows.next_batch(&mut some, rows_max)?;
                if some.is_empty() {
                    return Ok(());
                }
                self.keep_visible(&mut some, owners, |row: &EdgeRow, owners| {
                    let owner = owners.get(row.owner).copied().unwrap_or(&row.other);
                    let (source, target) = if row.outgoing { (owner, &row.other) } else { (&row.other, owner) };
                    ((row.label, source, target), edges.allows(row.label, &row.properties))
                })?;
                for mut row in some.drain(..) {
                    if let (Some(limit), Some(count)) = (read.limit, given.get_mut(row.owner)) {
                        if *count >= limit {
                            continue;
                        }
                        *count += 1;
                        if *count == limit {
                            full += 1;
                            is_over = full == owners.len();
                        }
                    }
                    if !read.properties {
                        row.properties = graph_model::Properties::default();
                    }
                    batch.push(row);
                }
            }
            Ok(())
        })))
    }

    fn vertices(&self, ids: &[VertexId]) -> Result<Vec<Option<Vertex>>, AccessError> {
        let found = self.graph.vertices(ids)?;
        Ok(found.into_iter().map(|vertex| vertex.filter(|vertex| self.sees_vertex(vertex))).collect())
    }

    fn check(&self) -> Result<(), AccessError> {
        self.graph.check()
    }

    fn is_remote(&self) -> bool {
        self.graph.is_remote()
    }
}

impl<G: GraphRead> GraphRead for Guarded<G> {
    fn catalogue(&self) -> &Arc<Catalogue> {
        self.graph.catalogue()
    }

    fn edges(&self, ids: &[EdgeId]) -> Result<Vec<Option<Edge>>, AccessError> {
        self.only_visible_edges(self.graph.edges(ids)?)
    }

    fn edges_by_key(&self, ids: &[CompactString]) -> Result<Vec<Option<Edge>>, AccessError> {
        self.only_visible_edges(self.graph.edges_by_key(ids)?)
    }

    fn scan_vertices<'b>(&'b self, label: Option<LabelId>) -> Result<Box<dyn Cursor<Vertex> + 'b>, AccessError> {
        self.find_vertices(Lookup { label, ..Lookup::default() })
    }

    fn scan_edges<'b>(&'b self, label: Option<LabelId>) -> Result<Box<dyn Cursor<Edge> + 'b>, AccessError> {
        self.find_edges(Lookup { label, ..Lookup::default() })
    }

    fn find_vertices<'b>(&'b self, lookup: Lookup) -> Result<Box<dyn Cursor<Vertex> + 'b>, AccessError> {
        let limit = lookup.limit;
        // Conditions of rights may be about any property, whichever are asked for.
        let found = if lookup.conditions.is_empty() {
            self.graph.scan_vertices(lookup.label)?
        } else {
            self.graph.find_vertices(Lookup { limit: None, properties: None, without_ids: false, ..lookup })?
        };
        Ok(self.filtered(found, limit, |guarded, batch| {
            batch.retain(|vertex| guarded.sees_vertex(vertex));
            Ok(())
        }))
    }

    fn find_edges<'b>(&'b self, lookup: Lookup) -> Result<Box<dyn Cursor<Edge> + 'b>, AccessError> {
        let limit = lookup.limit;
        let found = if lookup.conditions.is_empty() {
            self.graph.scan_edges(lookup.label)?
        } else {
            self.graph.find_edges(Lookup { limit: None, properties: None, ..lookup })?
        };
        Ok(self.filtered(found, limit, |guarded, batch| guarded.keep_visible_edges(batch)))
    }

    fn count_vertices(&self, label: Option<LabelId>) -> Result<u64, AccessError> {
        let vertices = &self.rights.read.vertices;
        let is_whole = match label {
            Some(label) => vertices.of(label) == Some(&Allowed::Whole),
            None => vertices.is_all(),
        };
        if is_whole { self.graph.count_vertices(label) } else { count(self.scan_vertices(label)?) }
    }

    fn known_vertex_count(&self, label: LabelId) -> Option<u64> {
        let is_whole = self.rights.read.vertices.of(label) == Some(&Allowed::Whole);
        is_whole.then(|| self.graph.known_vertex_count(label)).flatten()
    }

    fn estimated_vertex_count(&self, label: LabelId, read: u64, last: &VertexId) -> Option<u64> {
        let is_whole = self.rights.read.vertices.of(label) == Some(&Allowed::Whole);
        is_whole.then(|| self.graph.estimated_vertex_count(label, read, last)).flatten()
    }

    fn count_edges(&self, label: Option<LabelId>) -> Result<u64, AccessError> {
        if self.rights.read.is_all() { self.graph.count_edges(label) } else { count(self.scan_edges(label)?) }
    }
}

/// Counts the rows of a cursor.
fn count<T>(mut cursor: Box<dyn Cursor<T> + '_>) -> Result<u64, AccessError> {
    let mut count = 0;
    drain(&mut *cursor, |_| {
        count += 1;
        Ok::<_, AccessError>(())
    })?;
    Ok(count)
}

/// A unit of writes behind rights. `before` is the graph without the unit: what is there already can only be replaced
/// by who may write it as it is.
///
/// An element that is refused may be in the unit all the same: who gets the error drops the unit.
pub struct GuardedWrite<U, R> {
    unit: Guarded<U>,
    before: R,
}

impl<U, R> GuardedWrite<U, R> {
    /// A unit behind rights.
    pub fn new(unit: U, before: R, rights: Arc<GraphRights>) -> Self {
        Self { unit: Guarded::new(unit, rights), before }
    }
}

impl<U: GraphRead, R: Sync> WalkRead for GuardedWrite<U, R> {
    fn edges_of<'b>(
        &'b self,
        owners: &'b [&'b VertexId],
        read: EdgeRead<'b>,
    ) -> Result<Box<dyn Cursor<EdgeRow> + 'b>, AccessError> {
        self.unit.edges_of(owners, read)
    }

    fn vertices(&self, ids: &[VertexId]) -> Result<Vec<Option<Vertex>>, AccessError> {
        self.unit.vertices(ids)
    }

    fn check(&self) -> Result<(), AccessError> {
        self.unit.check()
    }

    fn is_remote(&self) -> bool {
        self.unit.is_remote()
    }
}

impl<U: GraphRead, R: Sync> GraphRead for GuardedWrite<U, R> {
    fn catalogue(&self) -> &Arc<Catalogue> {
        self.unit.catalogue()
    }

    fn edges(&self, ids: &[EdgeId]) -> Result<Vec<Option<Edge>>, AccessError> {
        self.unit.edges(ids)
    }

    fn edges_by_key(&self, ids: &[CompactString]) -> Result<Vec<Option<Edge>>, AccessError> {
        self.unit.edges_by_key(ids)
    }

    fn scan_vertices<'b>(&'b self, label: Option<LabelId>) -> Result<Box<dyn Cursor<Vertex> + 'b>, AccessError> {
        self.unit.scan_vertices(label)
    }

    fn scan_edges<'b>(&'b self, label: Option<LabelId>) -> Result<Box<dyn Cursor<Edge> + 'b>, AccessError> {
        self.unit.scan_edges(label)
    }

    fn find_vertices<'b>(&'b self, lookup: Lookup) -> Result<Box<dyn Cursor<Vertex> + 'b>, AccessError> {
        self.unit.find_vertices(lookup)
    }

    fn find_edges<'b>(&'b self, lookup: Lookup) -> Result<Box<dyn Cursor<Edge> + 'b>, AccessError> {
        self.unit.find_edges(lookup)
    }

    fn count_vertices(&self, label: Option<LabelId>) -> Result<u64, AccessError> {
        self.unit.count_vertices(label)
    }

    fn count_edges(&self, label: Option<LabelId>) -> Result<u64, AccessError> {
        self.unit.count_edges(label)
    }
}

impl<U: GraphWrite, R: GraphRead> GuardedWrite<U, R> {
    /// A vertex that was written, if it might be, as it is and as it was before.
    fn check_written(&self, vertex: Vertex) -> Result<Vertex, AccessError> {
        let write = &self.unit.rights.write.vertices;
        let refused = || denied("write", &format!("type=VERTEX,operated=v[{}]", vertex.id));
        if !write.allows(vertex.label, &vertex.properties) {
            return Err(refused());
        }
        let old = self.before.vertices(std::slice::from_ref(&vertex.id))?.into_iter().flatten().next();
        if old.is_some_and(|old| !write.allows(old.label, &old.properties) || !self.unit.sees_vertex(&old)) {
            return Err(refused());
        }
        Ok(vertex)
    }

    /// As [`Self::check_written`], for an edge, whose ends must be visible, too.
    fn check_written_edge(&self, edge: Edge) -> Result<Edge, AccessError> {
        let write = &self.unit.rights.write.edges;
        let refused = || denied("write", "type=EDGE,operated=*");
        if !write.allows(edge.id.label, &edge.properties) {
            return Err(refused());
        }
        for end in [&edge.id.source, &edge.id.target] {
            // As of a vertex that is not there.
            if self.unit.vertices(std::slice::from_ref(end))?.into_iter().flatten().next().is_none() {
                return Err(AccessError::new(ErrorKind::BadInput, format!("Vertex '{end}' does not exist")));
            }
        }
        let old = self.before.edges(std::slice::from_ref(&edge.id))?.into_iter().flatten().next();
        if old.is_some_and(|old| !write.allows(old.id.label, &old.properties)) {
            return Err(refused());
        }
        Ok(edge)
    }
}

impl<U: GraphWrite, R: GraphRead> GraphWrite for GuardedWrite<U, R> {
    fn declare(&mut self, names: &Declaration<'_>) -> Result<(), AccessError> {
        let is_whole = self.unit.rights.write.is_all();
        if !is_whole && !self.catalogue().has_all(names) {
            return Err(denied("write", "type=SCHEMA,operated=*"));
        }
        self.unit.graph.declare(names)
    }

    fn insert_vertex(&mut self, new: &NewVertex<'_>) -> Result<Vertex, AccessError> {
        let vertex = self.unit.graph.insert_vertex(new)?;
        self.check_written(vertex)
    }

    fn insert_vertices(&mut self, new: &[NewVertex<'_>]) -> Result<Vec<Vertex>, AccessError> {
        let vertices = self.unit.graph.insert_vertices(new)?;
        vertices.into_iter().map(|vertex| self.check_written(vertex)).collect()
    }

    fn replace_vertex(&mut self, new: &NewVertex<'_>) -> Result<Vertex, AccessError> {
        let vertex = self.unit.graph.replace_vertex(new)?;
        self.check_written(vertex)
    }

    fn insert_edge(&mut self, new: &NewEdge<'_>) -> Result<Edge, AccessError> {
        let edge = self.unit.graph.insert_edge(new)?;
        self.check_written_edge(edge)
    }

    fn insert_edges(&mut self, new: &[NewEdge<'_>]) -> Result<Vec<Edge>, AccessError> {
        let edges = self.unit.graph.insert_edges(new)?;
        edges.into_iter().map(|edge| self.check_written_edge(edge)).collect()
    }

    fn delete_vertex(&mut self, id: &VertexId) -> Result<(), AccessError> {
        if let Some(vertex) = self.unit.vertices(std::slice::from_ref(id))?.into_iter().flatten().next() {
            if !self.unit.rights.delete.vertices.allows(vertex.label, &vertex.properties) {
                return Err(denied("delete", &format!("type=VERTEX,operated=v[{id}]")));
            }
            return self.unit.graph.delete_vertex(id);
        }
        Err(AccessError::new(ErrorKind::NotFound, format!("Vertex '{id}' does not exist")))
    }

    fn delete_edge(&mut self, id: &EdgeId) -> Result<(), AccessError> {
        if let Some(edge) = self.unit.edges(std::slice::from_ref(id))?.into_iter().flatten().next() {
            if !self.unit.rights.delete.edges.allows(edge.id.label, &edge.properties) {
                return Err(denied("delete", "type=EDGE,operated=*"));
            }
            return self.unit.graph.delete_edge(id);
        }
        Err(AccessError::new(ErrorKind::NotFound, "the edge does not exist"))
    }

    fn commit(self: Box<Self>) -> Result<(), AccessError> {
        Box::new(self.unit.graph).commit()
    }

    fn submit(self: Box<Self>) -> Result<Option<Committing>, AccessError> {
        Box::new(self.unit.graph).submit()
    }
}
