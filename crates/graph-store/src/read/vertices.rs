//! The vertices of a graph, all or by label.
//!
//! Vertices are read one by one, so a list costs no memory here. Without a label the `vertex` table is read in key
//! order; with one whose ids begin with it, its range of that table; otherwise the label index, whose vertices are
//! fetched in rounds.

use graph_model::{IdStrategy, LabelId, PropertyKeyId, Vertex, VertexId};
use graph_schema::{Catalogue, Conditions};
use key_codec::{key, tables, value};
use kv::{Cursor, Key, Read, RowRange, successor};

use crate::core::clock::{is_expired, now_ms};
use crate::core::graph::Graph;
use crate::read::by_id::read_vertices;
use crate::read::page::Position;
use crate::read::progress::{Progress, Turn};
use crate::read::source::{Open, Source};
use crate::read::view::View;
use store_error::StoreError;

use crate::limits;

/// Which vertices, and what of them.
#[derive(Default)]
pub(crate) struct Wanted {
    /// Only those that meet all of these, compared one by one.
    pub(crate) conditions: Conditions,
    /// Only these properties are needed; `None`: all.
    pub(crate) properties: Option<Vec<PropertyKeyId>>,
    /// The ids may be any, where it takes time to read them.
    pub(crate) without_ids: bool,
}

/// All vertices, or those of a label, after a position.
pub(crate) fn vertices<'a>(
    graph: &'a Graph,
    read: &'a dyn Read,
    catalogue: &Catalogue,
    label: Option<LabelId>,
    wanted: Wanted,
    start: Option<&Position>,
) -> Result<Box<dyn Source<Vertex> + 'a>, StoreError> {
    let strategy = label.and_then(|label| catalogue.vertex_label(label)).map(|label| label.id_strategy);
    check_label_index(catalogue, label)?;
    let mut prefix = Vec::new();
    match label {
        Some(label) if strategy != Some(IdStrategy::PrimaryKey) => {
            key::label_index_partition(&mut prefix, graph.number, label);
            let first = start.map_or_else(Vec::new, |position| successor(position.key().row()));
            let range = RowRange { partition: &prefix, start: &first, end: None };
            let entries = Some(read.scan(tables::LABEL_INDEX, range)?);
            let found = Vec::new().into_iter();
            let conditions = wanted.conditions;
            return Ok(Box::new(LabelIndexed { graph, read, label, conditions, partition: prefix, entries, found }));
        }
        Some(label) => key::primary_key_vertices_prefix(&mut prefix, graph.number, label),
        None => key::graph_prefix(&mut prefix, graph.number),
    }
    let rows = read.scan_partitions(tables::VERTEX, &prefix, start.map(Position::key))?;
    Ok(Box::new(VertexTable { rows, label, wanted, now_ms: now_ms() }))
}

/// The vertices of a view, all or those of a label, to be read batch by batch.
pub(crate) fn scan_vertices<'a>(
    view: View<'a>,
    label: Option<LabelId>,
    wanted: Wanted,
    limit: Option<u64>,
) -> Result<Open<'a, Vertex>, StoreError> {
    let source = vertices(view.graph, view.read, view.catalogue, label, wanted, None)?;
    Ok(Open::new(view.graph, view.budget, source, limit))
}

/// Rows of the table of vertices.
struct VertexTable<'a> {
    rows: Box<dyn Cursor + 'a>,
    label: Option<LabelId>,
    wanted: Wanted,
    now_ms: i64,
}

impl Source<Vertex> for VertexTable<'_> {
    fn next(&mut self, progress: &mut Progress) -> Result<Option<Vertex>, StoreError> {
        while let Some(entry) = self.rows.next()? {
            progress.row()?;
            let head = value::read_vertex_head(entry.value)?;
            if self.label.is_some_and(|label| label != head.label) || is_expired(head.expires_at_ms, self.now_ms) {
                continue;
            }
            let mut read = None;
            if !self.wanted.conditions.is_empty() {
                let (_, properties) = value::read_vertex(entry.value)?;
                if !self.wanted.conditions.matches(&properties) {
                    continue;
                }
                read = Some(properties);
            }
            match progress.turn() {
                Turn::Skip => continue,
                Turn::Stop => break,
                Turn::Give => {}
            }
            let id = match self.wanted.without_ids {
                true => VertexId::Number(0),
                false => key::read_vertex_key(entry.key)?,
            };
            let properties = match (read, &self.wanted.properties) {
                (Some(properties), _) => properties,
                (None, Some(keys)) => value::read_vertex_part(entry.value, keys)?,
                (None, None) => value::read_vertex(entry.value)?.1,
            };
            progress.gave(0, 0, entry.key);
            return Ok(Some(Vertex { id, label: head.label, properties, expires_at_ms: head.expires_at_ms }));
        }
        Ok(None)
    }
}

/// The vertices that the label index leads to, fetched in rounds.
struct LabelIndexed<'a> {
    graph: &'a Graph,
    read: &'a dyn Read,
    label: LabelId,
    conditions: Conditions,
    partition: Vec<u8>,
    /// `None` after the last entry.
    entries: Option<Box<dyn Cursor + 'a>>,
    /// What was fetched and not yet given.
    found: std::vec::IntoIter<Option<Vertex>>,
}

impl LabelIndexed<'_> {
    /// Fetches the vertices of the next entries; false where there are none.
    fn fetch(&mut self, progress: &mut Progress) -> Result<bool, StoreError> {
        let Some(entries) = &mut self.entries else { return Ok(false) };
        let round = progress.wanted().min(limits::LIST_FETCH_VERTICES as u64);
        let mut ids = Vec::new();
        let mut at_end = true;
        while let Some(entry) = entries.next()? {
            progress.row()?;
            ids.push(key::read_label_index_row(entry.key.row())?);
            if ids.len() as u64 >= round {
                at_end = false;
                break;
            }
        }
        if at_end {
            self.entries = None;
        }
        self.found = read_vertices(self.graph, self.read, &ids)?.into_iter();
        self.graph.unless_cleared(true)
    }
}

impl Source<Vertex> for LabelIndexed<'_> {
    fn next(&mut self, progress: &mut Progress) -> Result<Option<Vertex>, StoreError> {
        loop {
            for vertex in self.found.by_ref().flatten() {
                // The entry of a vertex that was inserted again under another label.
                if vertex.label != self.label || !self.conditions.matches(&vertex.properties) {
                    continue;
                }
                match progress.turn() {
                    Turn::Skip => continue,
                    Turn::Stop => return Ok(None),
                    Turn::Give => {}
                }
                let mut key = self.partition.clone();
                key::label_index_row(&mut key, &vertex.id);
                progress.gave(0, 0, Key::new(&key, self.partition.len()));
                return Ok(Some(vertex));
            }
            if !self.fetch(progress)? {
                return Ok(None);
            }
        }
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
