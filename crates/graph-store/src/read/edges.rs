//! The edges of a graph: of a vertex, of a label, or all.
//!
//! Every list is a series of stages, each one range of one table: a label's edges at a vertex in a direction, or a
//! label's edges anywhere.

use std::collections::VecDeque;
use std::sync::Arc;

use edge_rows::{Ahead, Lists};
use graph_model::{Direction, Edge, EdgeId, LabelId, PropertyKeyId, Value, VertexId};
use graph_schema::{Catalogue, Conditions, EdgeLabelKind, Predicate};
use key_codec::{CodecError, key, tables, value};
use kv::{Cursor, Key, Partitions, Read, RowRange, TableId, prefix_end, successor};

use crate::core::clock::{is_expired, now_ms};
use crate::core::graph::Graph;
use crate::limits;
use crate::read::page::Position;
use crate::read::progress::{Progress, Turn};
use crate::read::source::{Open, Source};
use crate::read::view::View;
use store_error::StoreError;

/// One range of one table.
#[derive(Clone, Copy)]
struct Stage {
    /// 0 out, 1 in: as in a page token.
    direction: u8,
    label: LabelId,
}

impl Stage {
    fn is_outgoing(&self) -> bool {
        self.direction == 0
    }

    fn table(&self) -> TableId {
        if self.is_outgoing() { tables::EDGE_OUT } else { tables::EDGE_IN }
    }

    fn read_key(&self, key: Key<'_>) -> Result<EdgeId, CodecError> {
        if self.is_outgoing() { key::read_edge_out_key(key) } else { key::read_edge_in_key(key) }
    }
}

/// The edges of a view, all or those of a label that meet the conditions, to be read batch by batch.
pub(crate) fn scan_edges<'a>(
    view: View<'a>,
    label: Option<LabelId>,
    conditions: Conditions,
    limit: Option<u64>,
) -> Result<Open<'a, Edge>, StoreError> {
    let mut source = Edges::new(view.graph, view.read, view.catalogue, label, None)?;
    source.conditions = conditions;
    Ok(Open::new(view.graph, view.budget, Box::new(source), limit))
}

/// The edges of a vertex, of a label or all, stage by stage.
pub(crate) struct Edges<'a> {
    graph: &'a Graph,
    read: &'a dyn Read,
    catalogue: Arc<Catalogue>,
    vertex: Option<(VertexId, Direction)>,
    pub(crate) conditions: Conditions,
    /// The stage that is read, and those to come.
    stages: VecDeque<Stage>,
    /// Where the first stage begins.
    start: Option<Position>,
    /// The first rows of the first stages, where they were read in one round.
    ahead: Ahead,
    /// The rows of the first stage, once it is read.
    rows: Option<Box<dyn Cursor + 'a>>,
    now_ms: i64,
}

impl<'a> Edges<'a> {
    pub(crate) fn new(
        graph: &'a Graph,
        read: &'a dyn Read,
        catalogue: &Arc<Catalogue>,
        label: Option<LabelId>,
        vertex: Option<(VertexId, Direction)>,
    ) -> Result<Self, StoreError> {
        if vertex.is_none() {
            check_label_index(catalogue, label)?;
        }
        let stages = stages(catalogue, label, vertex.as_ref().map(|(_, direction)| *direction));
        let (catalogue, conditions) = (Arc::clone(catalogue), Conditions::default());
        let (start, ahead, rows, now_ms) = (None, Ahead::default(), None, now_ms());
        Ok(Self { graph, read, catalogue, vertex, conditions, stages, start, ahead, rows, now_ms })
    }

    /// Goes on after a position.
    pub(crate) fn start_at(&mut self, start: Option<Position>) -> Result<(), StoreError> {
        if let Some(start) = &start {
            let at = self.stages.iter().position(|s| s.direction == start.direction && s.label.0 == start.label);
            self.stages.drain(..at.ok_or(StoreError::Page { reason: "its edge label has been removed" })?);
        }
        self.start = start;
        Ok(())
    }

    /// Reads the first rows of the first stages in one round, if that saves any.
    fn read_ahead(&mut self) -> Result<(), StoreError> {
        let Some((owner, _)) = self.vertex.as_ref().filter(|_| self.graph.is_remote() && self.start.is_none()) else {
            return Ok(());
        };
        if self.stages.len() < 2 || !self.ahead.is_empty() {
            return Ok(());
        }
        let mut lists = Lists::default();
        for stage in self.stages.iter().take(limits::PARTITIONS_AHEAD) {
            // Only the rows in a range are wanted, which a scan of one partition finds.
            if !sort_prefix(&self.catalogue, stage.label, &self.conditions)?.is_empty() {
                return Ok(());
            }
            let write = |bytes: &mut Vec<u8>| key::edge_partition(bytes, self.graph.number, stage.label, owner);
            lists.push(stage.is_outgoing(), write);
        }
        self.ahead = Ahead::read(self.read, Partitions::of(&lists.of_tables()))?;
        Ok(())
    }

    /// The rows of a stage.
    fn open(&mut self, stage: &Stage) -> Result<Box<dyn Cursor + 'a>, StoreError> {
        self.read_ahead()?;
        let start = self.start.take();
        let mut prefix = Vec::new();
        let Some((owner, _)) = &self.vertex else {
            key::edge_label_prefix(&mut prefix, self.graph.number, stage.label);
            return Ok(self.read.scan_partitions(stage.table(), &prefix, start.as_ref().map(Position::key))?);
        };
        key::edge_partition(&mut prefix, self.graph.number, stage.label, owner);
        if let Some(rows) = self.ahead.next(self.read, stage.table(), &prefix) {
            return Ok(rows);
        }
        let sort_prefix = sort_prefix(&self.catalogue, stage.label, &self.conditions)?;
        let end = prefix_end(&sort_prefix);
        let first = start.map_or(sort_prefix, |position| successor(position.key().row()));
        let range = RowRange { partition: &prefix, start: &first, end: end.as_deref() };
        Ok(self.read.scan(stage.table(), range)?)
    }
}

impl Source<Edge> for Edges<'_> {
    fn next(&mut self, progress: &mut Progress) -> Result<Option<Edge>, StoreError> {
        while let Some(stage) = self.stages.front().copied() {
            let mut rows = match self.rows.take() {
                Some(rows) => rows,
                None => self.open(&stage)?,
            };
            while let Some(entry) = rows.next()? {
                progress.row()?;
                if is_expired(value::read_edge_expiry(entry.value)?, self.now_ms) {
                    continue;
                }
                let mut read = None;
                if !self.conditions.is_empty() {
                    let (expires_at_ms, properties) = value::read_edge(entry.value)?;
                    if !self.conditions.matches(&properties) {
                        continue;
                    }
                    read = Some((expires_at_ms, properties));
                }
                match progress.turn() {
                    Turn::Skip => continue,
                    Turn::Stop => return Ok(None),
                    Turn::Give => {}
                }
                let id = stage.read_key(entry.key)?;
                let (expires_at_ms, properties) = match read {
                    Some(read) => read,
                    None => value::read_edge(entry.value)?,
                };
                progress.gave(stage.direction, stage.label.0, entry.key);
                self.rows = Some(rows);
                return Ok(Some(Edge { id, properties, expires_at_ms }));
            }
            self.stages.pop_front();
        }
        Ok(None)
    }
}

/// What the rows of the label's edges begin with that have the first sort keys' values the conditions name.
fn sort_prefix(catalogue: &Catalogue, label: LabelId, conditions: &Conditions) -> Result<Vec<u8>, StoreError> {
    let keys = catalogue.edge_label(label).map_or(&[][..], |label| &label.sort_keys);
    let named = |key: &PropertyKeyId| match conditions.get(*key).map(|condition| &condition.predicate) {
        // Values that are equal without being the same have several forms in an id.
        Some(Predicate::Equal(value @ (Value::Text(_) | Value::Int(_) | Value::Long(_) | Value::Date(_)))) => {
            Some(value)
        }
        _ => None,
    };
    let values: Vec<&Value> = keys.iter().map_while(named).collect();
    Ok(edge_rows::sort_prefix(values.iter().copied(), values.len() == keys.len())?)
}

fn stages(catalogue: &Catalogue, label: Option<LabelId>, direction: Option<Direction>) -> VecDeque<Stage> {
    let labels: Vec<LabelId> = match label {
        Some(label) => catalogue.edge_labels_under(label),
        None => catalogue.edge_labels().filter(|l| l.kind != EdgeLabelKind::Parent).map(|l| l.id).collect(),
    };
    let directions: &[u8] = match direction {
        None | Some(Direction::Out) => &[0],
        Some(Direction::In) => &[1],
        Some(Direction::Both) => &[0, 1],
    };
    directions
        .iter()
        .flat_map(|direction| labels.iter().map(|label| Stage { direction: *direction, label: *label }))
        .collect()
}

fn check_label_index(catalogue: &Catalogue, label: Option<LabelId>) -> Result<(), StoreError> {
    let labels = label.map(|label| catalogue.edge_labels_under(label)).unwrap_or_default();
    match labels.iter().filter_map(|label| catalogue.edge_label(*label)).find(|label| !label.enable_label_index) {
        None => Ok(()),
        Some(label) => Err(StoreError::NoIndex {
            query: format!("listing edges of label '{}'", label.name),
            hint: "the label was created with enable_label_index=false; ask by vertex_id".to_owned(),
        }),
    }
}
