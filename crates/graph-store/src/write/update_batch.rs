//! Batch updates: many elements merged with what is stored, all or none.
//!
//! Every record is checked, records with the same id are merged in their order, the stored elements are read in one
//! round with all of them locked exclusively, merged with the records by the strategies of the request (the rules are
//! in `graph-schema`, `merge.rs`), and written in one batch, with what changes in indexes.

use std::borrow::Cow;

use graph_model::{Edge, EdgeId, Vertex, VertexId};
use graph_schema::{Catalogue, EdgeRecord, ElementError, ElementRules, NewVertex, UpdateStrategies, UpdateStrategy};
use rustc_hash::FxHashMap;

use crate::core::clock::is_expired;
use crate::core::pending::Pending;
use crate::core::stored::{stored_edges, stored_vertices};
use crate::index::write_unit::{Positions, WriteUnit};
use crate::write::Writer;
use crate::write::ends::check_ends;
use crate::write::rows::{put_edge, put_vertex};
use store_error::StoreError;
use stripe_locks::{Locks, Wait};

/// Strategies by the name of the property, as a client sent them.
type Given<'a> = [(Cow<'a, str>, UpdateStrategy)];

/// What the records of a request come to: one element for each id, in the order of first appearance, with the position
/// in the request of the last record that went into it.
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

impl Writer<'_> {
    /// Merges vertices into the stored ones with the same ids and inserts the others, all or none; answers what is
    /// stored then, one for each distinct id.
    pub fn update_vertices(
        &self,
        records: &[NewVertex<'_>],
        strategies: &Given<'_>,
        wait: Wait,
    ) -> Result<Pending<Vec<Vertex>>, StoreError> {
        let graph = self.graph;
        let check = |catalogue: &Catalogue, rules: &ElementRules<'_>, locks: &mut Locks| {
            let strategies = checked(catalogue, strategies)?;
            locks.among_servers = true;
            let mut vertices = Vec::with_capacity(records.len());
            for (index, record) in records.iter().enumerate() {
                let vertex = catalogue.check_vertex_record(record, rules);
                let vertex = vertex.map_err(|error| Positions::Shown.error(index, error))?;
                locks.exclusive.add(&vertex.id);
                vertices.push(vertex);
            }
            let merge = |before: &Vertex, record| catalogue.merge_vertex(&strategies, before, record);
            let merged = Merged::new(vertices, |vertex| vertex.id.clone(), merge)?;
            Ok((strategies, merged))
        };
        WriteUnit::prepare(graph, wait, Positions::Shown, check, |mut unit, (strategies, merged)| {
            let ids: Vec<VertexId> = merged.elements.iter().map(|(_, vertex)| vertex.id.clone()).collect();
            let (stored, now_ms) = (stored_vertices(graph, &ids)?, unit.rules.now_ms);
            let alive = |vertex: &&Vertex| !is_expired(vertex.expires_at_ms, now_ms);
            let vertices = merged.with_stored(
                stored.iter().map(|stored| stored.as_ref().filter(alive)),
                |before, record| unit.catalogue.merge_vertex(&strategies, before, record),
                |vertex, is_new| unit.catalogue.finish_vertex(vertex, is_new, &unit.rules),
            )?;
            for ((index, vertex), stored) in vertices.iter().zip(&stored) {
                self.check.map_or(Ok(()), |check| check.vertex(stored.as_ref().filter(alive), vertex))?;
                unit.note_vertex(stored.as_ref(), Some(vertex), *index)?;
                put_vertex(&mut unit.batch, graph.number, &unit.catalogue, vertex);
                unit.batch.end_group();
            }
            unit.finish(without_positions(vertices))
        })
    }

    /// Merges edges into the stored ones with the same ids and inserts the others, all or none; answers what is stored
    /// then, one for each distinct id. With `check_vertex` every end must exist and have the label the edge needs.
    pub fn update_edges(
        &self,
        records: &[EdgeRecord<'_>],
        strategies: &Given<'_>,
        check_vertex: bool,
        wait: Wait,
    ) -> Result<Pending<Vec<Edge>>, StoreError> {
        let graph = self.graph;
        let check = |catalogue: &Catalogue, rules: &ElementRules<'_>, locks: &mut Locks| {
            let strategies = checked(catalogue, strategies)?;
            locks.among_servers = true;
            let mut edges = Vec::with_capacity(records.len());
            for (index, record) in records.iter().enumerate() {
                let edge = catalogue.check_edge_record(record, rules);
                let edge = edge.map_err(|error| Positions::Shown.error(index, error))?;
                locks.exclusive.add(&edge.id.source);
                locks.shared.add(&edge.id.target);
                edges.push(edge);
            }
            Ok((strategies, edges))
        };
        WriteUnit::prepare(graph, wait, Positions::Shown, check, |mut unit, (strategies, edges)| {
            if check_vertex {
                check_ends(graph, &unit.catalogue, &edges, unit.positions)?;
            }
            let merge = |before: &Edge, record| unit.catalogue.merge_edge(&strategies, before, record);
            let merged = Merged::new(edges, |edge| edge.id.clone(), merge)?;
            let ids: Vec<EdgeId> = merged.elements.iter().map(|(_, edge)| edge.id.clone()).collect();
            let (stored, now_ms) = (stored_edges(graph, &ids)?, unit.rules.now_ms);
            let alive = |edge: &&Edge| !is_expired(edge.expires_at_ms, now_ms);
            let edges = merged.with_stored(
                stored.iter().map(|stored| stored.as_ref().filter(alive)),
                |before, record| unit.catalogue.merge_edge(&strategies, before, record),
                |edge, is_new| unit.catalogue.finish_edge(edge, is_new, &unit.rules),
            )?;
            for ((index, edge), stored) in edges.iter().zip(&stored) {
                self.check.map_or(Ok(()), |check| check.edge(stored.as_ref().filter(alive), edge))?;
                unit.note_edge(stored.as_ref(), Some(edge), *index)?;
                put_edge(&mut unit.batch, graph.number, edge);
                unit.batch.end_group();
            }
            let others = check_vertex && graph.shared.has_others();
            Ok((unit.finish(without_positions(edges))?, others))
        })
        .and_then(|(pending, others)| if others { self.with_ends(pending, None) } else { Ok(pending) })
    }
}

fn without_positions<T>(elements: Vec<(usize, T)>) -> Vec<T> {
    elements.into_iter().map(|(_, element)| element).collect()
}

fn checked(catalogue: &Catalogue, strategies: &Given<'_>) -> Result<UpdateStrategies, StoreError> {
    catalogue.check_strategies(strategies).map_err(|error| StoreError::element(None, error))
}
