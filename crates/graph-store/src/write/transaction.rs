//! A unit of writes: what is written to it is seen by reads through it at once, and by all others when it commits.
//!
//! Each call is checked by the catalogue the unit began with, and leaves what its elements come to in memory, with
//! their rows, index entries included, over which the unit reads ([`Overlay`]). A small unit that only inserts has no
//! rows before something reads it. A commit locks all elements, checks once more what depends on others (ends, elements
//! that are to go, places in unique indexes), and makes one batch from the elements as they are stored at that moment.
//! So a commit costs what a batch of the same elements does, and a unit that is dropped has locked and written nothing.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Arc, OnceLock};

use compact_str::CompactString;
use edge_rows::each_edge_at;
use graph_access::{
    AccessError, Budget, Committing, Cursor, EdgeRead, EdgeRow, GraphRead, GraphWrite, Lookup, WalkRead,
};
use graph_model::{Edge, EdgeId, ElementRef, IdStrategy, LabelId, Properties, Value, Vertex, VertexId};
use graph_schema::{Catalogue, Declaration, ElementRules, EndLabels, Literal, NewEdge, NewVertex};
use key_codec::value;
use kv::{Engine, Overlay, Read, UnitRows, WriteBatch};

use crate::core::clock::{is_expired, now_ms};
use crate::core::expiry::delete_expiry;
use crate::core::graph::Graph;
use crate::core::stored::{stored_edges, stored_edges_in, stored_vertices, stored_vertices_in};
use crate::core::texts::edge_id_text;
use crate::index::changes::{IndexChanges, add_unique_stripes, is_indexed_edge};
use crate::index::write_unit::{Positions, Refusal, WriteUnit};
use crate::limits;
use crate::read::by_id::{read_edges, read_vertices};
use crate::read::view::{View, labels_of_edges};
use crate::reader::port;
use crate::write::Writer;
use crate::write::delete::remove_late_edges;
use crate::write::ends::check_ends_among;
use crate::write::insert::{ensure_edge_id, with_id};
use crate::write::rows::{put_edge, put_vertex, remove_edge, remove_vertex};
use crate::write::schema::Schema;
use store_error::StoreError;
use stripe_locks::{Locks, Wait};

/// An empty batch in which the rows of so many elements, with index entries, mostly have room.
fn room_for(elements: usize) -> WriteBatch {
    WriteBatch::with_capacity(8 * elements, 512 * elements)
}

/// What is stored, with the rows of a unit over it.
type Rows<'g> = Overlay<&'g dyn Engine, UnitRows>;

/// Several writes to a graph that become visible together; see [`GraphWrite`].
pub struct Transaction<'g> {
    graph: &'g Graph,
    budget: &'g Budget,
    catalogue: Arc<Catalogue>,
    labels: Vec<LabelId>,
    began_ms: i64,
    /// Made when something reads what was written, or when that is no longer little ([`limits::UNREAD_ELEMENTS_MAX`]).
    rows: OnceLock<Rows<'g>>,
    /// Bytes of the elements that have no rows yet.
    unread_bytes: usize,
    /// What elements come to; `None`: they are removed.
    vertices: BTreeMap<VertexId, Option<Vertex>>,
    edges: BTreeMap<EdgeId, Option<Edge>>,
    /// Vertices that lose the edges they have in the store when this commits, even if they are inserted again.
    cleared: BTreeSet<VertexId>,
    /// Stored elements that it removes, or that what it has taken back needed: they must still be there when this
    /// commits.
    needed_vertices: BTreeSet<VertexId>,
    /// Stored vertices at which it has put edges.
    ends: BTreeSet<VertexId>,
    needed_edges: BTreeSet<EdgeId>,
    /// Whether the rows have their entries in all index labels of the catalogue.
    has_entries: bool,
}

impl<'g> Transaction<'g> {
    /// An empty unit of writes to a graph, by the schema as it is now.
    #[must_use]
    pub fn new(graph: &'g Graph, budget: &'g Budget) -> Self {
        let catalogue = graph.catalogue();
        let labels = labels_of_edges(&catalogue);
        Self {
            graph,
            budget,
            catalogue,
            labels,
            began_ms: now_ms(),
            rows: OnceLock::new(),
            unread_bytes: 0,
            vertices: BTreeMap::new(),
            edges: BTreeMap::new(),
            cleared: BTreeSet::new(),
            needed_vertices: BTreeSet::new(),
            ends: BTreeSet::new(),
            needed_edges: BTreeSet::new(),
            has_entries: true,
        }
    }

    fn view(&self) -> Result<View<'_>, StoreError> {
        let (read, unit): (&(dyn Read + Sync), _) = if self.is_empty() {
            (self.graph.engine(), None)
        } else {
            let rows = self.rows()?;
            (rows, Some(rows.rows()))
        };
        let Self { graph, budget, catalogue, labels, has_entries, .. } = self;
        Ok(View { graph, read, budget, catalogue, labels, unit, unit_has_entries: *has_entries })
    }

    fn count(
        &self,
        label: Option<LabelId>,
        count: impl FnOnce(View<'_>, &dyn Read, Option<LabelId>) -> Result<u64, StoreError>,
    ) -> Result<u64, StoreError> {
        let view = self.view()?;
        count(view, view.read, label)
    }

    fn is_empty(&self) -> bool {
        self.vertices.is_empty() && self.edges.is_empty()
    }

    fn rows(&self) -> Result<&Rows<'g>, StoreError> {
        if let Some(rows) = self.rows.get() {
            return Ok(rows);
        }
        let rows = self.unread_rows()?;
        Ok(self.rows.get_or_init(|| rows))
    }

    /// The rows of a unit that has only inserted.
    fn unread_rows(&self) -> Result<Rows<'g>, StoreError> {
        let mut rows = Overlay::new(self.graph.engine(), UnitRows::default());
        self.put_vertex_rows(&mut rows, &self.vertices.values().flatten().collect::<Vec<_>>())?;
        self.put_edge_rows(&mut rows, &self.edges.values().flatten().collect::<Vec<_>>())?;
        Ok(rows)
    }

    /// Takes over the rows of a call and what changes in indexes; refuses what would make the unit too large.
    fn put_rows(&self, rows: &mut Rows<'g>, mut batch: WriteBatch, changes: &IndexChanges) -> Result<(), StoreError> {
        changes.put_entries(&mut batch);
        changes.put_edge_ids(&mut batch);
        check_size(rows.rows().rows() + batch.len(), rows.rows().bytes() + batch.bytes())?;
        rows.rows_mut().write(&batch);
        Ok(())
    }

    /// Changes rows, which are made for that if need be.
    fn write(&mut self, put: impl FnOnce(&Self, &mut Rows<'g>) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let mut rows = match self.rows.take() {
            Some(rows) => rows,
            None => self.unread_rows()?,
        };
        let outcome = self.graph.unless_cleared(()).and_then(|()| put(self, &mut rows));
        self.rows = OnceLock::from(rows);
        outcome
    }

    /// As [`Self::write`], unless what is inserted can wait for its rows.
    fn insert(
        &mut self,
        elements: usize,
        properties: impl Iterator<Item = usize>,
        put: impl FnOnce(&Self, &mut Rows<'g>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        if self.rows.get().is_none() {
            let bytes = self.unread_bytes + properties.sum::<usize>();
            let all = self.vertices.len() + self.edges.len() + elements;
            if all <= limits::UNREAD_ELEMENTS_MAX && bytes <= limits::UNREAD_BYTES_MAX {
                self.unread_bytes = bytes;
                return self.graph.unless_cleared(());
            }
        }
        self.write(put)
    }

    /// The given id of a vertex whose label has the server make ids, where no client may give one.
    fn automatic_id(&self, new: &NewVertex<'_>) -> Option<VertexId> {
        let label = self.catalogue.vertex_label_named(new.label.as_deref()?)?;
        let is_automatic = label.id_strategy == IdStrategy::Automatic && !self.graph.is_auto();
        match new.id {
            Some(Literal::Integer(number)) if is_automatic && !self.graph.mode().is_restored() => {
                Some(VertexId::Number(number))
            }
            _ => None,
        }
    }

    /// `kept`: the id that it keeps, where the server has made it.
    fn add_vertex(&mut self, new: &NewVertex<'_>, kept: Option<VertexId>) -> Result<Vertex, StoreError> {
        self.budget.check()?;
        let rules = self.graph.rules();
        let mut draft = self.catalogue.check_vertex(new, &rules).map_err(|error| StoreError::element(None, error))?;
        draft.id = draft.id.or(kept);
        let vertex = with_id(self.graph, draft, rules.now_ms)?;
        self.put_vertices_in(&[&vertex])?;
        Ok(vertex)
    }

    /// As [`Self::add_vertex`] one by one, but what their ids have now is read in one round.
    fn add_vertices(&mut self, new: &[NewVertex<'_>]) -> Result<Vec<Vertex>, StoreError> {
        self.budget.check()?;
        let rules = self.graph.rules();
        let mut vertices = Vec::with_capacity(new.len());
        for new in new {
            let draft = self.catalogue.check_vertex(new, &rules).map_err(|error| StoreError::element(None, error))?;
            vertices.push(with_id(self.graph, draft, rules.now_ms)?);
        }
        let mut ids = HashSet::with_capacity(vertices.len());
        let last: Vec<&Vertex> = vertices.iter().rev().filter(|vertex| ids.insert(&vertex.id)).collect();
        self.put_vertices_in(&last)?;
        Ok(vertices)
    }

    /// Writes vertices with different ids to the unit, all or none.
    fn put_vertices_in(&mut self, vertices: &[&Vertex]) -> Result<(), StoreError> {
        let bytes = vertices.iter().map(|vertex| bytes_of(&vertex.properties));
        self.insert(vertices.len(), bytes, |unit, rows| unit.put_vertex_rows(rows, vertices))?;
        for vertex in vertices {
            // What is checked when this commits is that the edges have ends; these had one before.
            if self.ends.contains(&vertex.id) {
                self.needed_vertices.insert(vertex.id.clone());
            }
            self.vertices.insert(vertex.id.clone(), Some((*vertex).clone()));
        }
        Ok(())
    }

    fn put_vertex_rows(&self, rows: &mut Rows<'g>, vertices: &[&Vertex]) -> Result<(), StoreError> {
        let touches = |vertex: &&&Vertex| self.catalogue.touches_indexes(vertex.label, &vertex.id);
        let indexed: Vec<&Vertex> = vertices.iter().filter(touches).copied().collect();
        let mut changes = IndexChanges::default();
        if !indexed.is_empty() {
            let ids: Vec<VertexId> = indexed.iter().map(|vertex| vertex.id.clone()).collect();
            let old = stored_vertices_in(&*rows, self.graph.number, &ids)?;
            for (vertex, old) in indexed.into_iter().zip(&old) {
                changes.vertex(self.graph, &self.catalogue, old.as_ref(), Some(vertex), None)?;
            }
        }
        let mut batch = room_for(vertices.len());
        vertices.iter().for_each(|vertex| put_vertex(&mut batch, self.graph.number, &self.catalogue, vertex));
        self.put_rows(rows, batch, &changes)
    }

    /// The ends of all are read in one round.
    fn add_edges(&mut self, new: &[NewEdge<'_>]) -> Result<Vec<Edge>, StoreError> {
        self.budget.check()?;
        let rules = self.graph.rules();
        let mut edges = Vec::with_capacity(new.len());
        for new in new {
            let edge = self.catalogue.check_edge(new, EndLabels::Optional, &rules);
            let mut edge = edge.map_err(|error| StoreError::element(None, error))?;
            if self.graph.is_auto() {
                ensure_edge_id(self.graph, &mut edge, rules.now_ms)?;
            }
            edges.push(edge);
        }
        self.check_ends(&edges)?;
        let mut ids = HashSet::with_capacity(edges.len());
        let last: Vec<&Edge> = edges.iter().rev().filter(|edge| ids.insert(&edge.id)).collect();
        let bytes = last.iter().map(|edge| bytes_of(&edge.properties));
        self.insert(last.len(), bytes, |unit, rows| unit.put_edge_rows(rows, &last))?;
        for edge in last {
            for end in [&edge.id.source, &edge.id.target] {
                if !self.vertices.contains_key(end) {
                    self.ends.insert(end.clone());
                }
            }
            self.edges.insert(edge.id.clone(), Some(edge.clone()));
        }
        Ok(edges)
    }

    fn put_edge_rows(&self, rows: &mut Rows<'g>, edges: &[&Edge]) -> Result<(), StoreError> {
        let number = self.graph.number;
        let indexed: Vec<&Edge> =
            edges.iter().filter(|edge| is_indexed_edge(&self.catalogue, &edge.id)).copied().collect();
        let mut changes = IndexChanges::default();
        if !indexed.is_empty() {
            let ids: Vec<EdgeId> = indexed.iter().map(|edge| edge.id.clone()).collect();
            let old = stored_edges_in(&*rows, number, &ids)?;
            for (edge, old) in indexed.into_iter().zip(&old) {
                changes.edge(self.graph, &self.catalogue, old.as_ref(), Some(edge), None)?;
            }
        }
        let mut batch = room_for(edges.len());
        edges.iter().for_each(|edge| put_edge(&mut batch, number, edge));
        self.put_rows(rows, batch, &changes)
    }

    /// Whether edges have their ends, in the unit or as they are stored now.
    fn check_ends<E: Borrow<Edge>>(&self, edges: &[E]) -> Result<(), StoreError> {
        let now = now_ms();
        let label = |vertex: &Vertex| (!is_expired(vertex.expires_at_ms, now)).then_some(vertex.label);
        let own = |id: &VertexId| self.vertices.get(id).map(|vertex| vertex.as_ref().and_then(label));
        check_ends_among(own, self.graph, &self.catalogue, edges, Positions::Hidden)
    }

    fn remove_vertex(&mut self, id: &VertexId) -> Result<(), StoreError> {
        self.budget.check()?;
        let read = self.rows()?;
        let vertex = read_vertices(self.graph, read, std::slice::from_ref(id))?.into_iter().flatten().next();
        let vertex = vertex.ok_or_else(|| StoreError::VertexNotFound { id: id.to_string() })?;
        let mut changes = IndexChanges::default();
        let mut batch = WriteBatch::new();
        let mut own = Vec::new();
        let mut rows = 0u32;
        all_edges_at(read, self.graph, &self.catalogue, id, &mut |edge| {
            rows = rows.wrapping_add(1);
            if rows.is_multiple_of(limits::ROWS_PER_CHECK) {
                self.budget.check()?;
            }
            remove_edge(&mut batch, self.graph.number, &edge.id);
            changes.edge(self.graph, &self.catalogue, Some(&edge), None, None)?;
            if self.edges.contains_key(&edge.id) {
                own.push(edge.id);
            }
            check_size(read.rows().rows() + batch.len(), read.rows().bytes() + batch.bytes())
        })?;
        remove_vertex(&mut batch, self.graph.number, &self.catalogue, id, vertex.label);
        changes.vertex(self.graph, &self.catalogue, Some(&vertex), None, None)?;
        self.write(|unit, rows| unit.put_rows(rows, batch, &changes))?;
        own.into_iter().for_each(|edge| self.take_back(edge));
        self.cleared.insert(id.clone());
        if self.vertices.insert(id.clone(), None).is_none() {
            self.needed_vertices.insert(id.clone());
        }
        Ok(())
    }

    fn remove_edge(&mut self, id: &EdgeId) -> Result<(), StoreError> {
        self.budget.check()?;
        let edge = read_edges(self.graph, self.rows()?, std::slice::from_ref(id))?.into_iter().flatten().next();
        // Others may have put an edge at a vertex since this unit has removed that: it goes with the vertex.
        let is_cleared = [&id.source, &id.target].into_iter().any(|end| self.cleared.contains(end));
        let edge = edge.filter(|_| !is_cleared || self.edges.contains_key(id));
        let edge = edge.ok_or_else(|| StoreError::EdgeNotFound { id: edge_id_text(&self.catalogue, id) })?;
        let mut changes = IndexChanges::default();
        changes.edge(self.graph, &self.catalogue, Some(&edge), None, None)?;
        let mut batch = WriteBatch::new();
        remove_edge(&mut batch, self.graph.number, id);
        self.write(|unit, rows| unit.put_rows(rows, batch, &changes))?;
        if self.edges.contains_key(id) {
            self.take_back(id.clone());
        } else {
            self.edges.insert(id.clone(), None);
            self.needed_edges.insert(id.clone());
        }
        Ok(())
    }

    /// Removes an edge that this unit has written because its ends were there: so they must be when it commits.
    fn take_back(&mut self, edge: EdgeId) {
        for end in [&edge.source, &edge.target].into_iter().filter(|end| self.ends.contains(end)) {
            self.needed_vertices.insert(end.clone());
        }
        self.edges.insert(edge, None);
    }

    fn declare_names(&mut self, names: &Declaration<'_>) -> Result<(), StoreError> {
        self.budget.check()?;
        let current = self.graph.catalogue();
        let next = if current.has_all(names) { current } else { Schema::new(self.graph).declare(names)? };
        if Arc::ptr_eq(&next, &self.catalogue) {
            return Ok(());
        }
        if !next.extends(&self.catalogue) {
            return if self.catalogue.has_all(names) { Ok(()) } else { Err(StoreError::SchemaChanged) };
        }
        self.has_entries &= self.is_empty() || next.has_same_indexes(&self.catalogue);
        self.labels = labels_of_edges(&next);
        self.catalogue = next;
        Ok(())
    }

    /// Hands everything over to storage; true with it if other servers may have written meanwhile.
    fn hand_over(&self, wait: Wait) -> Result<(bool, crate::Pending<()>), StoreError> {
        self.budget.check()?;
        if self.is_empty() {
            return self.graph.unless_cleared((false, crate::Pending::stored(())));
        }
        if now_ms().saturating_sub(self.began_ms) > limits::EXPIRY_WRITE_MS_MAX {
            return Err(StoreError::TransactionTooOld { limit_ms: limits::EXPIRY_WRITE_MS_MAX });
        }
        let check = |catalogue: &Catalogue, _: &ElementRules<'_>, locks: &mut Locks| self.lock(catalogue, locks);
        let build = |unit: WriteUnit<'_>, ()| Ok((self.graph.shared.has_others(), self.replay(unit)?));
        WriteUnit::prepare(self.graph, wait, Positions::Hidden, check, build)
    }

    /// Names the stripes of everything that is written.
    fn lock(&self, catalogue: &Catalogue, locks: &mut Locks) -> Result<(), StoreError> {
        if !std::ptr::eq(catalogue, &raw const *self.catalogue) && !catalogue.extends(&self.catalogue) {
            return Err(StoreError::SchemaChanged);
        }
        let removes = self.vertices.values().any(Option::is_none) || self.edges.values().any(Option::is_none);
        locks.among_servers |= removes || !self.cleared.is_empty();
        for (id, vertex) in &self.vertices {
            locks.exclusive.add(id);
            if let Some(vertex) = vertex {
                let over = catalogue.indexes_over(true, vertex.label);
                locks.among_servers |= add_unique_stripes(&mut locks.exclusive, self.graph, over, &vertex.properties);
            }
        }
        for (id, edge) in &self.edges {
            locks.exclusive.add(&id.source);
            locks.shared.add(&id.target);
            if let Some(edge) = edge {
                let over = catalogue.indexes_over(false, id.label);
                locks.among_servers |= add_unique_stripes(&mut locks.exclusive, self.graph, over, &edge.properties);
            }
        }
        Ok(())
    }

    /// Makes the batch, under the locks of everything in it.
    fn replay<'u>(&self, mut unit: WriteUnit<'u>) -> Result<crate::Pending<()>, Refusal> {
        let written: Vec<&Edge> = self.edges.values().flatten().collect();
        self.check_ends(&written)?;
        self.check_needed()?;
        for id in &self.cleared {
            self.put_cleared(&mut unit, id)?;
        }
        // Another writer may be removing these edges at their other ends, and then give up the same places.
        unit.check_held(unit.changes.released_stripes())?;
        self.put_edges(&mut unit)?;
        self.put_vertices(&mut unit)?;
        check_size(unit.batch.len(), unit.batch.bytes())?;
        unit.finish(())
    }

    /// Whether the stored elements this depends on are still there.
    fn check_needed(&self) -> Result<(), StoreError> {
        let ids: Vec<VertexId> = self.needed_vertices.iter().cloned().collect();
        let found = read_vertices(self.graph, self.graph.engine(), &ids)?;
        if let Some((id, _)) = ids.iter().zip(found).find(|(_, found)| found.is_none()) {
            return Err(StoreError::VertexNotFound { id: id.to_string() });
        }
        let ids: Vec<EdgeId> = self.needed_edges.iter().cloned().collect();
        let found = read_edges(self.graph, self.graph.engine(), &ids)?;
        if let Some((id, _)) = ids.iter().zip(found).find(|(_, found)| found.is_none()) {
            return Err(StoreError::EdgeNotFound { id: edge_id_text(&self.catalogue, id) });
        }
        Ok(())
    }

    /// Appends the removal of the stored edges of a vertex, but for those that are written.
    fn put_cleared(&self, unit: &mut WriteUnit<'_>, id: &VertexId) -> Result<(), StoreError> {
        // Of an auto graph, edges of labels that have come since this began, too.
        let catalogue = Arc::clone(&unit.catalogue);
        all_edges_at(self.graph.engine(), self.graph, &catalogue, id, &mut |edge| {
            if self.edges.contains_key(&edge.id) {
                return Ok(());
            }
            remove_edge(&mut unit.batch, self.graph.number, &edge.id);
            unit.note_edge(Some(&edge), None, 0)?;
            unit.batch.end_group();
            check_size(unit.batch.len(), unit.batch.bytes())
        })
    }

    fn put_edges(&self, unit: &mut WriteUnit<'_>) -> Result<(), StoreError> {
        let number = self.graph.number;
        let ids: Vec<EdgeId> = self.edges.keys().cloned().collect();
        for ((id, new), old) in self.edges.iter().zip(stored_edges(self.graph, &ids)?) {
            match (new, &old) {
                (Some(new), _) => put_edge(&mut unit.batch, number, new),
                (None, Some(old)) => {
                    remove_edge(&mut unit.batch, number, id);
                    delete_expiry(&mut unit.batch, number, old.expires_at_ms, ElementRef::Edge(id));
                }
                (None, None) => continue,
            }
            unit.note_edge(old.as_ref(), new.as_ref(), 0)?;
            unit.batch.end_group();
        }
        Ok(())
    }

    fn put_vertices(&self, unit: &mut WriteUnit<'_>) -> Result<(), StoreError> {
        let number = self.graph.number;
        let ids: Vec<VertexId> = self.vertices.keys().cloned().collect();
        for ((id, new), old) in self.vertices.iter().zip(stored_vertices(self.graph, &ids)?) {
            match (new, &old) {
                (Some(new), _) => put_vertex(&mut unit.batch, number, &self.catalogue, new),
                (None, Some(old)) => {
                    remove_vertex(&mut unit.batch, number, &self.catalogue, id, old.label);
                    delete_expiry(&mut unit.batch, number, old.expires_at_ms, ElementRef::Vertex(id));
                }
                (None, None) => continue,
            }
            unit.note_vertex(old.as_ref(), new.as_ref(), 0)?;
            unit.batch.end_group();
        }
        Ok(())
    }
}

/// Bytes that the values take in memory.
fn bytes_of(properties: &Properties) -> usize {
    properties.iter().map(|(_, value)| size_of::<Value>() + value.bytes()).sum()
}

fn check_size(rows: usize, bytes: usize) -> Result<(), StoreError> {
    let (limit_rows, limit_bytes) = (limits::TRANSACTION_ROWS_MAX, limits::TRANSACTION_BYTES_MAX);
    if rows > limit_rows || bytes > limit_bytes {
        return Err(StoreError::TransactionTooLarge { limit_rows, limit_bytes });
    }
    Ok(())
}

/// Gives every edge that starts or ends at a vertex to `take`, expired ones too; a loop twice.
fn all_edges_at(
    read: &(impl Read + ?Sized),
    graph: &Graph,
    catalogue: &Catalogue,
    id: &VertexId,
    take: &mut dyn FnMut(Edge) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let labels = catalogue.edge_labels().map(|label| label.id);
    each_edge_at(read, graph.number, labels, id, &mut |id, value| {
        let (expires_at_ms, properties) = value::read_edge(value)?;
        take(Edge { id, properties, expires_at_ms }).map(|()| true)
    })
    .map(drop)
}

impl WalkRead for Transaction<'_> {
    fn edges_of<'b>(
        &'b self,
        owners: &'b [&'b VertexId],
        read: EdgeRead<'b>,
    ) -> Result<Box<dyn Cursor<EdgeRow> + 'b>, AccessError> {
        port::edges_of(self.view()?, owners, read, &[])
    }

    fn vertices(&self, ids: &[VertexId]) -> Result<Vec<Option<Vertex>>, AccessError> {
        port::vertices(self.view()?, ids)
    }

    fn check(&self) -> Result<(), AccessError> {
        Ok(self.budget.check().map_err(StoreError::from)?)
    }

    fn is_remote(&self) -> bool {
        self.graph.is_remote()
    }
}

impl GraphRead for Transaction<'_> {
    fn catalogue(&self) -> &Arc<Catalogue> {
        &self.catalogue
    }

    fn edges(&self, ids: &[EdgeId]) -> Result<Vec<Option<Edge>>, AccessError> {
        port::edges(self.view()?, ids)
    }

    fn edges_by_key(&self, ids: &[CompactString]) -> Result<Vec<Option<Edge>>, AccessError> {
        port::edges_by_key(self.view()?, ids)
    }

    fn scan_vertices<'b>(&'b self, label: Option<LabelId>) -> Result<Box<dyn Cursor<Vertex> + 'b>, AccessError> {
        self.find_vertices(Lookup { label, ..Lookup::default() })
    }

    fn scan_edges<'b>(&'b self, label: Option<LabelId>) -> Result<Box<dyn Cursor<Edge> + 'b>, AccessError> {
        self.find_edges(Lookup { label, ..Lookup::default() })
    }

    fn count_vertices(&self, label: Option<LabelId>) -> Result<u64, AccessError> {
        Ok(self.count(label, port::count_vertices)?)
    }

    fn count_edges(&self, label: Option<LabelId>) -> Result<u64, AccessError> {
        Ok(self.count(label, port::count_edges)?)
    }

    fn find_vertices<'b>(&'b self, lookup: Lookup) -> Result<Box<dyn Cursor<Vertex> + 'b>, AccessError> {
        port::find_vertices(self.view()?, lookup)
    }

    fn find_edges<'b>(&'b self, lookup: Lookup) -> Result<Box<dyn Cursor<Edge> + 'b>, AccessError> {
        port::find_edges(self.view()?, lookup)
    }
}

impl GraphWrite for Transaction<'_> {
    fn insert_vertex(&mut self, new: &NewVertex<'_>) -> Result<Vertex, AccessError> {
        Ok(self.add_vertex(new, None)?)
    }

    fn insert_vertices(&mut self, new: &[NewVertex<'_>]) -> Result<Vec<Vertex>, AccessError> {
        Ok(self.add_vertices(new)?)
    }

    fn replace_vertex(&mut self, new: &NewVertex<'_>) -> Result<Vertex, AccessError> {
        match self.automatic_id(new) {
            None => Ok(self.add_vertex(new, None)?),
            kept => Ok(self.add_vertex(&NewVertex { id: None, ..new.clone() }, kept)?),
        }
    }

    fn insert_edge(&mut self, new: &NewEdge<'_>) -> Result<Edge, AccessError> {
        Ok(self.add_edges(std::slice::from_ref(new))?.swap_remove(0))
    }

    fn insert_edges(&mut self, new: &[NewEdge<'_>]) -> Result<Vec<Edge>, AccessError> {
        Ok(self.add_edges(new)?)
    }

    fn declare(&mut self, names: &Declaration<'_>) -> Result<(), AccessError> {
        Ok(self.declare_names(names)?)
    }

    fn delete_vertex(&mut self, id: &VertexId) -> Result<(), AccessError> {
        Ok(self.remove_vertex(id)?)
    }

    fn delete_edge(&mut self, id: &EdgeId) -> Result<(), AccessError> {
        Ok(self.remove_edge(id)?)
    }

    fn commit(self: Box<Self>) -> Result<(), AccessError> {
        let writes_edges = self.edges.values().any(Option::is_some);
        let seen = if writes_edges { self.graph.shared.stripes_seen(self.graph.number)? } else { None };
        let (others, pending) = self.hand_over(Wait::Allowed)?;
        pending.wait()?;
        if others {
            self.cleared.iter().try_for_each(|id| remove_late_edges(self.graph, id))?;
            let written: Vec<&Edge> = self.edges.values().flatten().collect();
            Writer::new(self.graph).remove_dangling(&written, seen.as_ref())?;
        }
        Ok(())
    }

    fn submit(self: Box<Self>) -> Result<Option<Committing>, AccessError> {
        if self.graph.shared.has_others() {
            return Ok(None);
        }
        match self.hand_over(Wait::Never) {
            Err(StoreError::Contended) => Ok(None),
            handed_over => {
                let (_, pending) = handed_over?;
                Ok(Some(Box::pin(async move { Ok(pending.done().await?) })))
            }
        }
    }
}
