//! Listing vertices, all or by label, by offset or page by page.
//!
//! Elements go to the caller one by one, so a list costs no memory here. Without a label the `vertex` table is read in
//! key order; with one whose ids begin with it, its range of that table; otherwise the label index, whose vertices are
//! fetched in rounds.

use std::ops::ControlFlow;

use graph_access::Budget;
use graph_model::{IdStrategy, LabelId, Vertex, VertexId};
use graph_schema::{Catalogue, Conditions};
use key_codec::{key, tables, value};
use kv::{Key, Keys, Read, RowRange, successor};

use crate::core::clock::{is_expired, now_ms};
use crate::core::fetch::fetch;
use crate::query::find;
use crate::read::Reader;
use crate::read::page::{self, Position};
use crate::{StoreError, limits};

/// Which part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Range {
    /// Skip `offset` elements, then at most `limit` (`None`: all).
    Offset {
        /// How many to skip.
        offset: u64,
        /// How many to return.
        limit: Option<u64>,
    },
    /// The page a token names (empty: the first), of at most `limit` elements (`None`: all).
    Page {
        /// What the page before answered.
        token: String,
        /// How many to return.
        limit: Option<u64>,
    },
}

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

/// What the receiver of a list says to each element.
pub type Visit = ControlFlow<()>;

/// The end of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// The token of the next page; `None` at the end, or where no page was asked for.
    pub next: Option<String>,
}

/// Counts elements: which to skip, which to give out, when to stop.
pub(crate) struct Progress {
    skip: u64,
    left: Option<u64>,
    budget: Budget,
    rows: u32,
    /// The last element given out: where the next page goes on.
    pub(crate) last: Option<Position>,
    /// There was at least one more element.
    pub(crate) more: bool,
}

/// What to do with the element at hand.
#[derive(PartialEq, Eq)]
pub(crate) enum Turn {
    Skip,
    Give,
    Stop,
}

impl Progress {
    /// The counter of a range, and the position it starts after.
    pub(crate) fn new(
        range: &Range,
        fingerprint: u64,
        budget: &Budget,
    ) -> Result<(Self, Option<Position>), StoreError> {
        let (skip, left, start) = match range {
            Range::Offset { offset, limit } => (*offset, *limit, None),
            Range::Page { token, limit } if token.is_empty() => (0, *limit, None),
            Range::Page { token, limit } => (0, *limit, Some(page::decode(token, fingerprint)?)),
        };
        Ok((Self { skip, left, budget: budget.clone(), rows: 0, last: None, more: false }, start))
    }

    /// Counts a row that was read, and looks at the budget now and then.
    pub(crate) fn row(&mut self) -> Result<(), StoreError> {
        self.rows = self.rows.wrapping_add(1);
        if self.rows.is_multiple_of(limits::ROWS_PER_CHECK) {
            self.budget.check()?;
        }
        Ok(())
    }

    /// How many elements, skipped ones included, can still be of use (one more than the limit tells whether there is a
    /// next page).
    pub(crate) fn wanted(&self) -> u64 {
        self.left.map_or(u64::MAX, |left| self.skip.saturating_add(left).saturating_add(1))
    }

    /// Whether no element can be given out at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.left == Some(0)
    }

    /// Decides on an element that belongs to the list.
    pub(crate) fn turn(&mut self) -> Turn {
        if self.skip > 0 {
            self.skip -= 1;
            return Turn::Skip;
        }
        match &mut self.left {
            Some(0) => {
                self.more = true;
                Turn::Stop
            }
            Some(left) => {
                *left -= 1;
                Turn::Give
            }
            None => Turn::Give,
        }
    }

    pub(crate) fn gave(&mut self, direction: u8, label: u32, key: Key<'_>) {
        let last = self.last.get_or_insert_with(|| Position { direction, label, key: Vec::new(), partition_len: 0 });
        last.direction = direction;
        last.label = label;
        last.key.clear();
        last.key.extend_from_slice(key.as_bytes());
        last.partition_len = key.partition().len();
    }

    pub(crate) fn listed(self, range: &Range, fingerprint: u64) -> Listed {
        let paged = matches!(range, Range::Page { .. });
        let next = self.last.filter(|_| paged && self.more).map(|last| page::encode(&last, fingerprint));
        Listed { next }
    }
}

impl Reader<'_> {
    /// Gives the vertices of a query to `visit`, until it breaks off, in an order that stays the same between calls.
    /// Conditions need indexes, or name all primary keys of the label.
    pub fn list_vertices(
        &self,
        query: &VertexQuery,
        budget: &Budget,
        visit: &mut dyn FnMut(&Vertex) -> Visit,
    ) -> Result<Listed, StoreError> {
        if !query.conditions.is_empty() {
            let label = query.label.as_ref().map(std::slice::from_ref);
            return find(self.graph, label, &query.conditions, &query.range, budget, visit);
        }
        let catalogue = self.graph.catalogue();
        let fingerprint = page::fingerprint(("vertices", self.graph.number, query.label));
        let (mut progress, start) = Progress::new(&query.range, fingerprint, budget)?;
        if progress.is_empty() {
            return Ok(Listed::default());
        }
        let strategy = query.label.and_then(|label| catalogue.vertex_label(label)).map(|label| label.id_strategy);
        check_label_index(&catalogue, query.label)?;
        match query.label {
            Some(label) if strategy != Some(IdStrategy::PrimaryKey) => {
                self.list_by_index(label, start.as_ref(), &mut progress, visit)?;
            }
            label => self.list_vertex_table(label, start.as_ref(), &mut progress, visit)?,
        }
        self.graph.unless_cleared(progress.listed(&query.range, fingerprint))
    }

    fn list_vertex_table(
        &self,
        label: Option<LabelId>,
        start: Option<&Position>,
        progress: &mut Progress,
        visit: &mut dyn FnMut(&Vertex) -> Visit,
    ) -> Result<(), StoreError> {
        let mut prefix = Vec::new();
        match label {
            Some(label) => key::primary_key_vertices_prefix(&mut prefix, self.graph.number, label),
            None => key::graph_prefix(&mut prefix, self.graph.number),
        }
        let now = now_ms();
        let mut cursor = self.graph.engine().scan_partitions(tables::VERTEX, &prefix, start.map(Position::key))?;
        while let Some(entry) = cursor.next()? {
            progress.row()?;
            let head = value::read_vertex_head(entry.value)?;
            if label.is_some_and(|label| label != head.label) || is_expired(head.expires_at_ms, now) {
                continue;
            }
            match progress.turn() {
                Turn::Skip => continue,
                Turn::Stop => break,
                Turn::Give => {}
            }
            let id = key::read_vertex_key(entry.key)?;
            let (_, properties) = value::read_vertex(entry.value)?;
            progress.gave(0, 0, entry.key);
            let vertex = Vertex { id, label: head.label, properties, expires_at_ms: head.expires_at_ms };
            if visit(&vertex).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn list_by_index(
        &self,
        label: LabelId,
        start: Option<&Position>,
        progress: &mut Progress,
        visit: &mut dyn FnMut(&Vertex) -> Visit,
    ) -> Result<(), StoreError> {
        let mut partition = Vec::new();
        key::label_index_partition(&mut partition, self.graph.number, label);
        let first = start.map_or_else(Vec::new, |position| successor(position.key().row()));
        let range = RowRange { partition: &partition, start: &first, end: None };
        let mut cursor = self.graph.engine().scan(tables::LABEL_INDEX, range)?;
        let mut ids = Vec::new();
        loop {
            let round = progress.wanted().min(limits::LIST_FETCH_VERTICES as u64);
            let mut at_end = true;
            while let Some(entry) = cursor.next()? {
                progress.row()?;
                ids.push(key::read_label_index_row(entry.key.row())?);
                if ids.len() as u64 >= round {
                    at_end = false;
                    break;
                }
            }
            let flow = self.visit_ids(label, &partition, &ids, progress, visit)?;
            if at_end || flow.is_break() {
                return Ok(());
            }
            ids.clear();
        }
    }

    fn visit_ids(
        &self,
        label: LabelId,
        partition: &[u8],
        ids: &[VertexId],
        progress: &mut Progress,
        visit: &mut dyn FnMut(&Vertex) -> Visit,
    ) -> Result<Visit, StoreError> {
        let vertices = self.vertices(ids)?;
        for vertex in vertices.into_iter().flatten() {
            // The entry of a vertex that was inserted again under another label.
            if vertex.label != label {
                continue;
            }
            match progress.turn() {
                Turn::Skip => continue,
                Turn::Stop => return Ok(ControlFlow::Break(())),
                Turn::Give => {}
            }
            let mut key = partition.to_vec();
            key::label_index_row(&mut key, &vertex.id);
            progress.gave(0, 0, Key::new(&key, partition.len()));
            if visit(&vertex).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The vertices with the given ids, in one round, in the same order; `None` where there is none.
    pub fn vertices(&self, ids: &[VertexId]) -> Result<Vec<Option<Vertex>>, StoreError> {
        self.read_vertices(self.graph.engine(), ids).and_then(|vertices| self.graph.unless_cleared(vertices))
    }

    /// The same from a snapshot.
    pub(crate) fn read_vertices(
        &self,
        read: &(impl Read + ?Sized),
        ids: &[VertexId],
    ) -> Result<Vec<Option<Vertex>>, StoreError> {
        let mut keys = Keys::new();
        for id in ids {
            keys.push(|b| key::vertex_partition(b, self.graph.number, id), |_| ());
        }
        let now = now_ms();
        fetch(read, tables::VERTEX, &keys, |at, bytes| {
            let (head, properties) = value::read_vertex(bytes)?;
            let id = ids.get(at).filter(|_| !is_expired(head.expires_at_ms, now));
            Ok(id.map(|id| Vertex { id: id.clone(), label: head.label, properties, expires_at_ms: head.expires_at_ms }))
        })
    }
}

fn check_label_index(catalogue: &Catalogue, label: Option<LabelId>) -> Result<(), StoreError> {
    let Some(label) = label.and_then(|label| catalogue.vertex_label(label)) else { return Ok(()) };
    if label.enable_label_index {
        return Ok(());
    }
    Err(StoreError::NoIndex {
        query: format!("listing vertices of label '{}'", label.name),
        hint: "the label was created with enable_label_index=false".to_owned(),
    })
}
