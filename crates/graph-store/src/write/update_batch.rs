//! Batch updates: many elements merged with what is stored, all or none.
//!
//! Every record is checked, records with the same id are merged in their order, the stored elements are read in one round with all of
//! them locked exclusively, merged with the records by the strategies of the request (the rules are in `graph-schema`, `merge.rs`),
//! and written in one batch, with what changes in indexes.

use std::borrow::Cow;

use graph_model::{Edge, EdgeId, Vertex, VertexId};
use graph_schema::{Catalogue, EdgeRecord, ElementError, NewVertex, UpdateStrategies, UpdateStrategy};
use kv::WriteBatch;
use rustc_hash::FxHashMap;

use crate::core::clock::is_expired;
use crate::core::stripes::Locks;
use crate::core::stripes::Mask;
use crate::index::changes::{IndexChanges, Refusal};
use crate::{Graph, Pending, StoreError, Wait};

/// Strategies by the name of the property, as a client sent them.
type Given<'a> = [(Cow<'a, str>, UpdateStrategy)];

/// What the records of a request come to: one element for each id, in the order of first appearance, with the position in the request
/// of the last record that went into it.
struct Merged<T> {
    elements: Vec<(usize, T)>,
}

impl<T> Merged<T> {
    /// Merges elements with the same id, each of which comes from one record.
    fn new<Id: std::hash::Hash + Eq>(
        records: Vec<T>,
        id_of: impl Fn(&T) -> Id,
        merge: impl Fn(&T, T) -> Result<T, ElementError>,
    ) -> Result<Self, StoreError> {
        let mut positions: FxHashMap<Id, usize> = FxHashMap::default();
        let mut elements: Vec<(usize, T)> = Vec::with_capacity(records.len());
        for (index, record) in records.into_iter().enumerate() {
            let at = *positions.entry(id_of(&record)).or_insert(elements.len());
            match elements.get_mut(at) {
                Some((last, before)) => {
                    *before = merge(before, record).map_err(|error| StoreError::element(Some(index), error))?;
                    *last = index;
                }
                None => elements.push((index, record)),
            }
        }
        Ok(Self { elements })
    }

    /// Merges each element with the stored one, where there is one.
    fn with_stored<'s>(
        self,
        stored: impl Iterator<Item = Option<&'s T>>,
        merge: impl Fn(&T, T) -> Result<T, ElementError>,
        finish: impl Fn(T, bool) -> Result<T, ElementError>,
    ) -> Result<Vec<(usize, T)>, StoreError>
    where
        T: 's,
    {
        let merged = self.elements.into_iter().zip(stored).map(|((index, element), stored)| {
            let merged = match stored {
                Some(stored) => merge(stored, element),
                None => Ok(element),
            };
            let finished = merged.and_then(|element| finish(element, stored.is_none()));
            finished.map(|element| (index, element)).map_err(|error| StoreError::element(Some(index), error))
        });
        merged.collect()
    }
}

impl Graph {
    /// Merges vertices into the stored ones with the same ids and inserts the others, all or none; answers what is stored then, one
    /// for each distinct id.
    pub fn update_vertices(
        &self,
        records: &[NewVertex<'_>],
        strategies: &Given<'_>,
        wait: Wait,
    ) -> Result<Pending<Vec<Vertex>>, StoreError> {
        self.locking(|extra| self.try_update_vertices(records, strategies, wait, extra))
    }

    fn try_update_vertices(
        &self,
        records: &[NewVertex<'_>],
        strategies: &Given<'_>,
        wait: Wait,
        extra: Mask,
    ) -> Result<Pending<Vec<Vertex>>, Refusal> {
        let rules = self.rules();
        let ((strategies, merged), held, catalogue) = self.lock_for(wait, |catalogue| {
            let strategies = checked(catalogue, strategies)?;
            let mut locks = Locks { exclusive: extra, ..Locks::default() };
            let mut vertices = Vec::with_capacity(records.len());
            for (index, record) in records.iter().enumerate() {
                let vertex = catalogue.check_vertex_record(record, &rules);
                let vertex = vertex.map_err(|error| StoreError::element(Some(index), error))?;
                locks.exclusive.add(&vertex.id);
                vertices.push(vertex);
            }
            let merge = |before: &Vertex, record| catalogue.merge_vertex(&strategies, before, record);
            let merged = Merged::new(vertices, |vertex| vertex.id.clone(), merge)?;
            Ok(((strategies, merged), locks))
        })?;
        let ids: Vec<VertexId> = merged.elements.iter().map(|(_, vertex)| vertex.id.clone()).collect();
        let stored = self.stored_vertices(&ids)?;
        let alive = |vertex: &&Vertex| !is_expired(vertex.expires_at_ms, rules.now_ms);
        let vertices = merged.with_stored(
            stored.iter().map(|stored| stored.as_ref().filter(alive)),
            |before, record| catalogue.merge_vertex(&strategies, before, record),
            |vertex, is_new| catalogue.finish_vertex(vertex, is_new, &rules),
        )?;
        let mut batch = WriteBatch::new();
        let mut changes = IndexChanges::default();
        for ((index, vertex), stored) in vertices.iter().zip(&stored) {
            changes.group = batch.group();
            changes.vertex(self, &catalogue, stored.as_ref(), Some(vertex), Some(*index))?;
            self.put_vertex(&mut batch, &catalogue, vertex);
            batch.end_group();
        }
        self.put_index_changes(&mut batch, &catalogue, &held, &changes)?;
        Ok(Pending::new(without_positions(vertices), self.submit(batch, held)))
    }

    /// Merges edges into the stored ones with the same ids and inserts the others, all or none; answers what is stored then, one for
    /// each distinct id. With `check_vertex` every end must exist and have the label the edge needs.
    pub fn update_edges(
        &self,
        records: &[EdgeRecord<'_>],
        strategies: &Given<'_>,
        check_vertex: bool,
        wait: Wait,
    ) -> Result<Pending<Vec<Edge>>, StoreError> {
        self.locking(|extra| self.try_update_edges(records, strategies, check_vertex, wait, extra))
    }

    fn try_update_edges(
        &self,
        records: &[EdgeRecord<'_>],
        strategies: &Given<'_>,
        check_vertex: bool,
        wait: Wait,
        extra: Mask,
    ) -> Result<Pending<Vec<Edge>>, Refusal> {
        let rules = self.rules();
        let ((strategies, edges), held, catalogue) = self.lock_for(wait, |catalogue| {
            let strategies = checked(catalogue, strategies)?;
            let mut locks = Locks { exclusive: extra, ..Locks::default() };
            let mut edges = Vec::with_capacity(records.len());
            for (index, record) in records.iter().enumerate() {
                let edge = catalogue.check_edge_record(record, &rules);
                let edge = edge.map_err(|error| StoreError::element(Some(index), error))?;
                locks.exclusive.add(&edge.id.source);
                locks.shared.add(&edge.id.target);
                edges.push(edge);
            }
            Ok(((strategies, edges), locks))
        })?;
        if check_vertex {
            self.check_ends(&catalogue, &edges, Some(0))?;
        }
        let merge = |before: &Edge, record| catalogue.merge_edge(&strategies, before, record);
        let merged = Merged::new(edges, |edge| edge.id.clone(), merge)?;
        let ids: Vec<EdgeId> = merged.elements.iter().map(|(_, edge)| edge.id.clone()).collect();
        let stored = self.stored_edges(&ids)?;
        let alive = |edge: &&Edge| !is_expired(edge.expires_at_ms, rules.now_ms);
        let edges = merged.with_stored(
            stored.iter().map(|stored| stored.as_ref().filter(alive)),
            |before, record| catalogue.merge_edge(&strategies, before, record),
            |edge, is_new| catalogue.finish_edge(edge, is_new, &rules),
        )?;
        let mut batch = WriteBatch::new();
        let mut changes = IndexChanges::default();
        for ((index, edge), stored) in edges.iter().zip(&stored) {
            changes.group = batch.group();
            changes.edge(self, &catalogue, stored.as_ref(), Some(edge), Some(*index))?;
            self.put_edge(&mut batch, edge);
            batch.end_group();
        }
        self.put_index_changes(&mut batch, &catalogue, &held, &changes)?;
        Ok(Pending::new(without_positions(edges), self.submit(batch, held)))
    }
}

fn without_positions<T>(elements: Vec<(usize, T)>) -> Vec<T> {
    elements.into_iter().map(|(_, element)| element).collect()
}

fn checked(catalogue: &Catalogue, strategies: &Given<'_>) -> Result<UpdateStrategies, StoreError> {
    catalogue.check_strategies(strategies).map_err(|error| StoreError::element(None, error))
}
