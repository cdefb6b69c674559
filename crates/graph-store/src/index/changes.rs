//! What a write changes in indexes: the entries of what it replaces go, those of what it writes come.
//!
//! A writer collects its changes and appends them to its batch with [`WriteUnit::put_index_changes`]. That can find
//! that more must be locked than is: then the writer lets go and begins again with more ([`WriteUnit::prepare`]).

use std::collections::{BTreeMap, BTreeSet};

use graph_model::{Edge, EdgeId, ElementRef, LabelId, Properties, Vertex, VertexId};
use graph_schema::{Catalogue, IndexLabel, IndexType};
use key_codec::index_entries::{Entry, add_entries, digits_beyond};
use key_codec::index_key;
use key_codec::tagged_key::NUMBER_BYTES_MAX;
use kv::WriteBatch;
use rustc_hash::FxHashMap;

use super::unique::{Claim, put_releases};
use super::write_unit::{Refusal, WriteUnit};
use crate::core::clock::{is_expired, now_ms};
use crate::core::graph::Graph;
use crate::core::stored::{Stored, stored_edges, stored_vertices};
use crate::limits;
use store_error::StoreError;
use stripe_locks::Mask;

/// A difference in entries, collected over a batch, each with the group of its element.
#[derive(Default)]
pub(crate) struct IndexChanges {
    /// The group of the batch ([`kv::WriteBatch::end_group`]) that the next element is written in.
    pub(crate) group: u32,
    /// Entries that go, in tables where only their element has them.
    removed: BTreeMap<Entry, u32>,
    /// Entries that come, in the same tables.
    added: BTreeMap<Entry, u32>,
    /// Places in unique indexes that are given up.
    pub(super) released: Vec<Claim>,
    /// Places in unique indexes that are asked for, or kept.
    pub(super) claimed: Vec<Claim>,
}

/// An element before or after a write.
#[derive(Clone, Copy)]
struct Version<'a> {
    on_vertices: bool,
    label: LabelId,
    element: ElementRef<'a>,
    properties: &'a Properties,
    expires_at_ms: Option<i64>,
}

impl<'a> Version<'a> {
    fn vertex(vertex: &'a Vertex) -> Self {
        Self {
            on_vertices: true,
            label: vertex.label,
            element: ElementRef::Vertex(&vertex.id),
            properties: &vertex.properties,
            expires_at_ms: vertex.expires_at_ms,
        }
    }

    fn edge(edge: &'a Edge) -> Self {
        Self {
            on_vertices: false,
            label: edge.id.label,
            element: ElementRef::Edge(&edge.id),
            properties: &edge.properties,
            expires_at_ms: edge.expires_at_ms,
        }
    }
}

impl IndexChanges {
    /// Whether a writer that may write in several batches should write now.
    pub(crate) fn is_large(&self) -> bool {
        self.removed.len() + self.added.len() + self.released.len() >= limits::INDEX_ENTRIES_PER_BATCH_MAX / 4
    }

    /// The stripes of the places that are given up.
    pub(crate) fn released_stripes(&self) -> Mask {
        self.released.iter().fold(Mask::default(), |mask, claim| mask.union(claim.stripe()))
    }

    /// Notes that a vertex replaces a stored one (expired or not), or is new, or goes. `at` is its position in the
    /// request.
    pub(crate) fn vertex(
        &mut self,
        graph: &Graph,
        catalogue: &Catalogue,
        old: Option<&Vertex>,
        new: Option<&Vertex>,
        at: Option<usize>,
    ) -> Result<(), StoreError> {
        self.replace(graph, catalogue, old.map(Version::vertex), new.map(Version::vertex), at)
    }

    /// As [`Self::vertex`], for an edge.
    pub(crate) fn edge(
        &mut self,
        graph: &Graph,
        catalogue: &Catalogue,
        old: Option<&Edge>,
        new: Option<&Edge>,
        at: Option<usize>,
    ) -> Result<(), StoreError> {
        self.replace(graph, catalogue, old.map(Version::edge), new.map(Version::edge), at)
    }

    /// Notes that a stored element gets its entries in an index label that is being built.
    pub(super) fn built(
        &mut self,
        graph: &Graph,
        catalogue: &Catalogue,
        index: &IndexLabel,
        stored: &Stored,
    ) -> Result<(), StoreError> {
        if !catalogue.is_over(index, stored.base()) {
            return Ok(());
        }
        let (element, properties) = (stored.element(), stored.properties());
        check_digits(index, properties, None)?;
        if index.index_type == IndexType::Unique {
            if !is_expired(stored.expires_at_ms(), now_ms()) {
                self.claimed.extend(Claim::all(graph.number, index, element, properties, None, self.group));
            }
            return Ok(());
        }
        let mut entries = BTreeSet::new();
        add_entries(&mut entries, graph.number, index, element, properties);
        check_count(index, entries.len(), None)?;
        self.added.extend(entries.into_iter().map(|entry| (entry, self.group)));
        self.check_size()
    }

    /// Appends the entries that go and come, without places in unique indexes: what look-ups read.
    pub(crate) fn put_entries(&self, batch: &mut WriteBatch) {
        for (entry, group) in self.removed.iter().filter(|(entry, _)| !self.added.contains_key(entry)) {
            batch.set_group(*group);
            batch.delete_key(entry.table, entry.key());
        }
        for (entry, group) in &self.added {
            batch.set_group(*group);
            batch.put_key(entry.table, entry.key(), &[]);
        }
    }

    /// Appends the entries of the index over all edges of an auto graph, which look-ups read, as they will be unless
    /// another element holds a place.
    pub(crate) fn put_edge_ids(&self, batch: &mut WriteBatch) {
        for claim in self.released.iter().filter(|claim| claim.index == LabelId::EDGE_IDS) {
            batch.delete_key(claim.entry.table, claim.entry.key());
        }
        for claim in self.claimed.iter().filter(|claim| claim.index == LabelId::EDGE_IDS) {
            let mut element = Vec::new();
            index_key::put_element(&mut element, claim.element.as_ref());
            batch.put_key(claim.entry.table, claim.entry.key(), &element);
        }
    }

    fn check_size(&self) -> Result<(), StoreError> {
        let limit = limits::INDEX_ENTRIES_PER_BATCH_MAX;
        if self.added.len() + self.removed.len() > limit {
            return Err(StoreError::TooManyIndexEntries { limit });
        }
        Ok(())
    }

    fn replace(
        &mut self,
        graph: &Graph,
        catalogue: &Catalogue,
        old: Option<Version<'_>>,
        new: Option<Version<'_>>,
        at: Option<usize>,
    ) -> Result<(), StoreError> {
        let over = |version: Version<'_>| {
            catalogue.indexes_over(version.on_vertices, version.label).iter().filter(|index| index.is_kept())
        };
        let mut before = BTreeSet::new();
        for (version, index) in old.into_iter().flat_map(|old| over(old).map(move |index| (old, index))) {
            if index.index_type == IndexType::Unique {
                let claims = Claim::all(graph.number, index, version.element, version.properties, at, self.group);
                self.released.extend(claims);
                continue;
            }
            add_entries(&mut before, graph.number, index, version.element, version.properties);
        }
        let mut after = BTreeSet::new();
        // Another process may be taking away what this one sees.
        let mut unsure = graph.shared.is_shared();
        for (version, index) in new.into_iter().flat_map(|new| over(new).map(move |index| (new, index))) {
            check_digits(index, version.properties, at)?;
            if index.index_type == IndexType::Unique {
                self.claim(graph, index, old, version, at);
                continue;
            }
            // Where older elements may have no entries, one that does not change may still be missing.
            unsure |= !index.complete;
            let others = after.len();
            add_entries(&mut after, graph.number, index, version.element, version.properties);
            check_count(index, after.len() - others, at)?;
        }
        let group = self.group;
        self.removed.extend(before.difference(&after).map(|entry| (entry.clone(), group)));
        self.added
            .extend(after.into_iter().filter(|entry| unsure || !before.contains(entry)).map(|entry| (entry, group)));
        self.check_size()
    }

    /// Asks for a place in a unique index. A stored element that has not expired holds the places of its values: of
    /// those that do not change, nothing is read.
    fn claim(
        &mut self,
        graph: &Graph,
        index: &IndexLabel,
        old: Option<Version<'_>>,
        new: Version<'_>,
        at: Option<usize>,
    ) {
        // One that expires some time may have lost its place already, should a clock have gone back.
        let held = |old: &Version<'_>| {
            index.complete && old.label == new.label && old.expires_at_ms.is_none() && !graph.shared.is_shared()
        };
        for mut claim in Claim::all(graph.number, index, new.element, new.properties, at, self.group) {
            let same = |released: &Claim| released.entry == claim.entry && released.element == claim.element;
            if old.is_some_and(|old| held(&old))
                && let Some(at) = self.released.iter().rposition(same)
            {
                self.released.swap_remove(at);
                claim.is_kept = true;
            }
            self.claimed.push(claim);
        }
    }
}

fn check_count(index: &IndexLabel, count: usize, at: Option<usize>) -> Result<(), StoreError> {
    let limit = limits::INDEX_ENTRIES_PER_ELEMENT_MAX;
    if count <= limit {
        return Ok(());
    }
    Err(StoreError::TooManyTokens { index: at, index_label: index.name.clone(), count, limit })
}

fn check_digits(index: &IndexLabel, properties: &Properties, at: Option<usize>) -> Result<(), StoreError> {
    let limit = NUMBER_BYTES_MAX;
    match digits_beyond(index, properties) {
        Some(count) => Err(StoreError::TooManyTokens { index: at, index_label: index.name.clone(), count, limit }),
        None => Ok(()),
    }
}

impl WriteUnit<'_> {
    /// Appends what was noted of changes in indexes to the batch of the elements, and refuses what a unique index
    /// forbids.
    pub(crate) fn put_index_changes(&mut self) -> Result<(), Refusal> {
        let group = self.batch.group();
        self.changes.put_entries(&mut self.batch);
        let outcome = self.put_unique_changes();
        self.batch.set_group(group);
        outcome
    }

    /// Appends the index changes of elements that are deleted, and forgets them. Needs no locks but those of one that
    /// alone can delete the elements.
    pub fn put_index_removals(&mut self) -> Result<(), StoreError> {
        let changes = std::mem::take(&mut self.changes);
        let group = self.batch.group();
        for (entry, group) in &changes.removed {
            self.batch.set_group(*group);
            self.batch.delete_key(entry.table, entry.key());
        }
        let outcome = put_releases(self.graph, &mut self.batch, changes.released.iter());
        self.batch.set_group(group);
        outcome
    }

    /// Appends the index changes of vertices that are inserted or replaced, each a group of the batch. Where ids are
    /// equal the last one counts.
    pub(crate) fn index_inserted_vertices(&mut self, vertices: &[Vertex]) -> Result<(), Refusal> {
        let mut last: FxHashMap<&VertexId, usize> = FxHashMap::default();
        for (at, vertex) in vertices.iter().enumerate() {
            if self.catalogue.touches_indexes(vertex.label, &vertex.id) {
                last.insert(&vertex.id, at);
            }
        }
        if last.is_empty() {
            return Ok(());
        }
        let mut written: Vec<(usize, &Vertex)> =
            last.into_values().filter_map(|at| Some((at, vertices.get(at)?))).collect();
        written.sort_unstable_by_key(|(at, _)| *at);
        let ids: Vec<VertexId> = written.iter().map(|(_, vertex)| vertex.id.clone()).collect();
        for ((at, vertex), old) in written.into_iter().zip(stored_vertices(self.graph, &ids)?) {
            self.changes.group = group_at(at);
            self.changes.vertex(self.graph, &self.catalogue, old.as_ref(), Some(vertex), self.positions.at(at))?;
        }
        self.put_index_changes()
    }

    /// As [`Self::index_inserted_vertices`], for edges.
    pub(crate) fn index_inserted_edges(&mut self, edges: &[Edge]) -> Result<(), Refusal> {
        let mut last: FxHashMap<&EdgeId, usize> = FxHashMap::default();
        for (at, edge) in edges.iter().enumerate() {
            if is_indexed_edge(&self.catalogue, &edge.id) {
                last.insert(&edge.id, at);
            }
        }
        if last.is_empty() {
            return Ok(());
        }
        let mut written: Vec<(usize, &Edge)> = last.into_values().filter_map(|at| Some((at, edges.get(at)?))).collect();
        written.sort_unstable_by_key(|(at, _)| *at);
        let ids: Vec<EdgeId> = written.iter().map(|(_, edge)| edge.id.clone()).collect();
        for ((at, edge), old) in written.into_iter().zip(stored_edges(self.graph, &ids)?) {
            self.changes.group = group_at(at);
            self.changes.edge(self.graph, &self.catalogue, old.as_ref(), Some(edge), self.positions.at(at))?;
        }
        self.put_index_changes()
    }
}

/// The group of a batch whose elements are each a group.
pub(super) fn group_at(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

/// Whether writing an edge touches indexes.
pub(crate) fn is_indexed_edge(catalogue: &Catalogue, id: &EdgeId) -> bool {
    !catalogue.indexes_over(false, id.label).is_empty()
}

/// Adds the stripes of the places in unique indexes that an element asks for, so that most writers need not lock twice.
/// Whether there are such indexes.
pub(crate) fn add_unique_stripes(
    mask: &mut Mask,
    graph: &Graph,
    indexes: &[std::sync::Arc<IndexLabel>],
    properties: &Properties,
) -> bool {
    let mut any = false;
    for index in indexes.iter().filter(|index| index.index_type == IndexType::Unique && index.is_kept()) {
        let mut places = BTreeSet::new();
        // Whose place it is does not matter to the place.
        add_entries(&mut places, graph.number, index, ElementRef::Vertex(&VertexId::Number(0)), properties);
        places.iter().for_each(|place| mask.add_bytes(place.key().as_bytes()));
        any = true;
    }
    any
}
