//! Inserting vertices and edges: check the whole batch, lock, read what must be read in one round, write one batch.
//!
//! An element that exists is replaced, all its properties with it; its edges stay. Costs: a vertex is one put (two for labels whose
//! ids do not begin with the label), an edge two; with `check_vertex` one multi-get over the distinct ends of the batch. Labels with
//! index labels cost one multi-get of what is replaced, exclusive locks instead of shared ones, and the entries that differ (see
//! [`crate::index`]); others cost the same as if there were no indexes.

use graph_model::{Edge, ElementRef, LabelId, Vertex, VertexId};
use graph_schema::{Catalogue, EndLabels, NewEdge, NewVertex, VertexDraft};
use key_codec::{key, tables, value};
use kv::{Keys, WriteBatch};
use rustc_hash::FxHashMap;

use crate::core::clock::{is_expired, now_ms};
use crate::core::expiry::put_expiry;
use crate::core::stripes::Locks;
use crate::core::stripes::Mask;
use crate::index::changes::{Refusal, add_unique_stripes, is_indexed_edge};
use crate::index::label_index::{needs_label_index, put_label_index_entry};
use crate::{End, Graph, Pending, StoreError, Wait};

/// Bytes of keys and values to make room for, per element: most elements are smaller.
const BYTES_PER_ELEMENT: usize = 160;

impl Graph {
    /// Inserts one vertex.
    pub fn insert_vertex(&self, new: &NewVertex<'_>, wait: Wait) -> Result<Pending<Vertex>, StoreError> {
        let pending = self.insert_vertex_batch(std::slice::from_ref(new), wait, None)?;
        Ok(pending.map(|mut vertices| vertices.swap_remove(0)))
    }

    /// Inserts vertices, all or none; answers their ids in the same order.
    pub fn insert_vertices(&self, new: &[NewVertex<'_>], wait: Wait) -> Result<Pending<Vec<VertexId>>, StoreError> {
        let pending = self.insert_vertex_batch(new, wait, Some(0))?;
        Ok(pending.map(|vertices| vertices.into_iter().map(|vertex| vertex.id).collect()))
    }

    /// Inserts one edge. Its ends must exist.
    pub fn insert_edge(&self, new: &NewEdge<'_>, wait: Wait) -> Result<Pending<Edge>, StoreError> {
        let pending = self.insert_edge_batch(std::slice::from_ref(new), EndLabels::Optional, true, wait, None)?;
        Ok(pending.map(|mut edges| edges.swap_remove(0)))
    }

    /// Inserts edges, all or none; answers them in the same order. With `check_vertex` every end must exist and have the label the
    /// edge needs; without, the labels given are trusted.
    pub fn insert_edges(
        &self,
        new: &[NewEdge<'_>],
        check_vertex: bool,
        wait: Wait,
    ) -> Result<Pending<Vec<Edge>>, StoreError> {
        self.insert_edge_batch(new, EndLabels::Required, check_vertex, wait, Some(0))
    }

    fn insert_vertex_batch(
        &self,
        new: &[NewVertex<'_>],
        wait: Wait,
        first_index: Option<usize>,
    ) -> Result<Pending<Vec<Vertex>>, StoreError> {
        self.locking(|extra| self.try_insert_vertices(new, wait, first_index, extra))
    }

    fn try_insert_vertices(
        &self,
        new: &[NewVertex<'_>],
        wait: Wait,
        first_index: Option<usize>,
        extra: Mask,
    ) -> Result<Pending<Vec<Vertex>>, Refusal> {
        let rules = self.rules();
        let (vertices, held, catalogue) = self.lock_for(wait, |catalogue| {
            let mut locks = Locks { exclusive: extra, ..Locks::default() };
            let mut vertices = Vec::with_capacity(new.len());
            for (index, new) in new.iter().enumerate() {
                let draft = catalogue
                    .check_vertex(new, &rules)
                    .map_err(|error| StoreError::element(first_index.map(|first| first + index), error))?;
                let vertex = self.with_id(draft, rules.now_ms)?;
                if catalogue.touches_indexes(vertex.label, &vertex.id) {
                    locks.exclusive.add(&vertex.id);
                    let over = catalogue.indexes_over(true, vertex.label);
                    add_unique_stripes(&mut locks.exclusive, self, over, &vertex.properties);
                } else {
                    locks.shared.add(&vertex.id);
                }
                vertices.push(vertex);
            }
            Ok((vertices, locks))
        })?;
        let mut batch = WriteBatch::with_capacity(vertices.len() * 2, vertices.len() * BYTES_PER_ELEMENT);
        for vertex in &vertices {
            self.put_vertex(&mut batch, &catalogue, vertex);
            batch.end_group();
        }
        if catalogue.has_indexes() {
            self.index_inserted_vertices(&mut batch, &catalogue, &held, &vertices, first_index)?;
        }
        Ok(Pending::new(vertices, self.submit(batch, held)))
    }

    pub(crate) fn with_id(&self, draft: VertexDraft, now_ms: i64) -> Result<Vertex, StoreError> {
        let VertexDraft { label, id, properties, expires_at_ms } = draft;
        let id = match id {
            Some(id) => id,
            None => VertexId::Number(self.shared.next_vertex_id(now_ms)?),
        };
        Ok(Vertex { id, label, properties, expires_at_ms })
    }

    /// Appends a vertex, its label index entry, where its label needs one, and when it expires, where it does.
    pub(crate) fn put_vertex(&self, batch: &mut WriteBatch, catalogue: &Catalogue, vertex: &Vertex) {
        batch.put(
            tables::VERTEX,
            |b| key::vertex_partition(b, self.number, &vertex.id),
            |_| (),
            |v| value::put_vertex(v, vertex.label, vertex.expires_at_ms, &vertex.properties),
        );
        if needs_label_index(catalogue, vertex.label) {
            put_label_index_entry(batch, self.number, vertex.label, &vertex.id);
        }
        put_expiry(batch, self.number, vertex.expires_at_ms, ElementRef::Vertex(&vertex.id));
    }

    fn insert_edge_batch(
        &self,
        new: &[NewEdge<'_>],
        ends: EndLabels,
        check_vertex: bool,
        wait: Wait,
        first_index: Option<usize>,
    ) -> Result<Pending<Vec<Edge>>, StoreError> {
        self.locking(|extra| self.try_insert_edges(new, ends, check_vertex, wait, (first_index, extra)))
    }

    fn try_insert_edges(
        &self,
        new: &[NewEdge<'_>],
        ends: EndLabels,
        check_vertex: bool,
        wait: Wait,
        (first_index, extra): (Option<usize>, Mask),
    ) -> Result<Pending<Vec<Edge>>, Refusal> {
        let rules = self.rules();
        let (edges, held, catalogue) = self.lock_for(wait, |catalogue| {
            let mut locks = Locks { exclusive: extra, ..Locks::default() };
            let mut edges = Vec::with_capacity(new.len());
            for (index, new) in new.iter().enumerate() {
                let edge = catalogue
                    .check_edge(new, ends, &rules)
                    .map_err(|error| StoreError::element(first_index.map(|first| first + index), error))?;
                if is_indexed_edge(catalogue, &edge.id) {
                    locks.exclusive.add(&edge.id.source);
                    let over = catalogue.indexes_over(false, edge.id.label);
                    add_unique_stripes(&mut locks.exclusive, self, over, &edge.properties);
                } else {
                    locks.shared.add(&edge.id.source);
                }
                locks.shared.add(&edge.id.target);
                edges.push(edge);
            }
            Ok((edges, locks))
        })?;
        if check_vertex {
            self.check_ends(&catalogue, &edges, first_index)?;
        }
        let mut batch = WriteBatch::with_capacity(edges.len() * 2, edges.len() * BYTES_PER_ELEMENT);
        for edge in &edges {
            self.put_edge(&mut batch, edge);
            batch.end_group();
        }
        if catalogue.has_indexes() {
            self.index_inserted_edges(&mut batch, &catalogue, &held, &edges, first_index)?;
        }
        Ok(Pending::new(edges, self.submit(batch, held)))
    }

    /// Appends both adjacency entries of an edge.
    pub(crate) fn put_edge(&self, batch: &mut WriteBatch, edge: &Edge) {
        let id = &edge.id;
        batch.put(
            tables::EDGE_OUT,
            |b| key::edge_partition(b, self.number, id.label, &id.source),
            |b| key::edge_row(b, &id.sort_values, &id.target),
            |v| value::put_edge(v, edge.expires_at_ms, &edge.properties),
        );
        batch.put_same_value(
            tables::EDGE_IN,
            |b| key::edge_partition(b, self.number, id.label, &id.target),
            |b| key::edge_row(b, &id.sort_values, &id.source),
        );
        put_expiry(batch, self.number, edge.expires_at_ms, ElementRef::Edge(&edge.id));
    }

    /// Checks that all ends exist and have the labels their edge labels link, with one read for the batch.
    pub(crate) fn check_ends(
        &self,
        catalogue: &Catalogue,
        edges: &[Edge],
        first_index: Option<usize>,
    ) -> Result<(), StoreError> {
        let mut positions: FxHashMap<&VertexId, usize> = FxHashMap::default();
        let mut keys = Keys::new();
        for id in edges.iter().flat_map(|edge| [&edge.id.source, &edge.id.target]) {
            positions.entry(id).or_insert_with(|| {
                keys.push(|b| key::vertex_partition(b, self.number, id), |_| ());
                keys.len() - 1
            });
        }
        let now = now_ms();
        let mut labels: Vec<Option<LabelId>> = vec![None; keys.len()];
        let mut damaged = None;
        self.engine().multi_get(tables::VERTEX, &keys, &mut |at, found| match found
            .map(value::read_vertex_head)
            .transpose()
        {
            Ok(head) => {
                let live = head.filter(|head| !is_expired(head.expires_at_ms, now));
                if let Some(slot) = labels.get_mut(at) {
                    *slot = live.map(|head| head.label);
                }
            }
            Err(error) => damaged = Some(error),
        })?;
        if let Some(error) = damaged {
            return Err(error.into());
        }
        let label_of = |id: &VertexId| positions.get(id).and_then(|at| labels.get(*at).copied().flatten());
        for (index, edge) in edges.iter().enumerate() {
            let link = catalogue.edge_label(edge.id.label).and_then(|label| label.link);
            let ends =
                [(End::Source, &edge.id.source, link.map(|l| l.0)), (End::Target, &edge.id.target, link.map(|l| l.1))];
            for (end, id, expected) in ends {
                let index = first_index.map(|first| first + index);
                check_end(catalogue, index, end, id, label_of(id), expected)?;
            }
        }
        Ok(())
    }
}

fn check_end(
    catalogue: &Catalogue,
    index: Option<usize>,
    end: End,
    id: &VertexId,
    actual: Option<LabelId>,
    expected: Option<LabelId>,
) -> Result<(), StoreError> {
    let Some(actual) = actual else {
        return Err(StoreError::EndNotFound { index, end, id: id.to_string() });
    };
    if expected.is_some_and(|expected| expected != actual) {
        let name = |label| catalogue.vertex_label(label).map_or_else(String::new, |label| label.name.clone());
        return Err(StoreError::EndLabel {
            index,
            end,
            id: id.to_string(),
            actual: name(actual),
            expected: expected.map_or_else(String::new, name),
        });
    }
    Ok(())
}
