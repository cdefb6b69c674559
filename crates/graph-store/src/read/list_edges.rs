//! Listing edges: of a vertex, of a label, or all.
//!
//! Every list is a series of stages, each one range of one table: a label's edges at a vertex in a direction, or a
//! label's edges anywhere.

use graph_model::{Direction, Edge, EdgeId, LabelId, PropertyKeyId, Value, VertexId, join_values};
use graph_schema::{Catalogue, Conditions, EdgeLabelKind, Predicate};
use key_codec::{CodecError, key, tables, value};
use kv::{Key, RowRange, TableId, prefix_end, successor};

use crate::core::clock::{is_expired, now_ms};
use crate::query::find;
use crate::read::Reader;
use crate::read::list::{Listed, Progress, Turn};
use crate::read::page::{self, Position};
use crate::{Range, StoreError, Visit};
use graph_access::Budget;

/// Which edges.
#[derive(Clone, Debug)]
pub struct EdgeQuery {
    /// Only of this label; a parent label stands for its sub labels.
    pub label: Option<LabelId>,
    /// Only edges of this vertex, in this direction.
    pub vertex: Option<(VertexId, Direction)>,
    /// Only those that meet all of these.
    pub conditions: Conditions,
    /// Which part of them.
    pub range: Range,
}

/// One range of one table.
struct Stage {
    /// 0 out, 1 in: as in a page token.
    direction: u8,
    label: LabelId,
}

impl Stage {
    fn table(&self) -> TableId {
        if self.direction == 0 { tables::EDGE_OUT } else { tables::EDGE_IN }
    }

    fn read_key(&self, key: Key<'_>) -> Result<EdgeId, CodecError> {
        if self.direction == 0 { key::read_edge_out_key(key) } else { key::read_edge_in_key(key) }
    }
}

impl Reader<'_> {
    /// Gives the edges of a query to `visit`, until it breaks off, in an order that stays the same between calls. The
    /// edges of a vertex are compared with the conditions one by one, of those with the sort keys' values where the
    /// conditions name these; without a vertex conditions need indexes.
    pub fn list_edges(
        &self,
        query: &EdgeQuery,
        budget: &Budget,
        visit: &mut dyn FnMut(&Edge) -> Visit,
    ) -> Result<Listed, StoreError> {
        let catalogue = self.graph.catalogue();
        if query.vertex.is_none() && !query.conditions.is_empty() {
            let labels = query.label.map(|label| catalogue.edge_labels_under(label));
            return find(self.graph, labels.as_deref(), &query.conditions, &query.range, budget, visit);
        }
        let direction = query.vertex.as_ref().map(|(id, direction)| (id, *direction));
        let asked = (!query.conditions.is_empty()).then(|| format!("{:?}", query.conditions));
        let fingerprint = page::fingerprint(("edges", self.graph.number, query.label, direction, asked));
        let (mut progress, start) = Progress::new(&query.range, fingerprint, budget)?;
        if progress.is_empty() {
            return Ok(Listed::default());
        }
        if query.vertex.is_none() {
            check_label_index(&catalogue, query.label)?;
        }
        let mut stages = stages(&catalogue, query);
        if let Some(start) = &start {
            let at = stages.iter().position(|s| s.direction == start.direction && s.label.0 == start.label);
            stages.drain(..at.ok_or(StoreError::Page { reason: "its edge label has been removed" })?);
        }
        let mut start = start;
        for stage in &stages {
            let sort_prefix = self.sort_prefix(&catalogue, stage.label, &query.conditions)?;
            let start = start.take();
            let flow = self.list_stage(stage, query, &sort_prefix, start.as_ref(), &mut progress, visit)?;
            if flow.is_break() {
                break;
            }
        }
        self.graph.unless_cleared(progress.listed(&query.range, fingerprint))
    }

    fn list_stage(
        &self,
        stage: &Stage,
        query: &EdgeQuery,
        sort_prefix: &[u8],
        start: Option<&Position>,
        progress: &mut Progress,
        visit: &mut dyn FnMut(&Edge) -> Visit,
    ) -> Result<Visit, StoreError> {
        let now = now_ms();
        let mut prefix = Vec::new();
        let mut cursor = match &query.vertex {
            Some((owner, _)) => {
                key::edge_partition(&mut prefix, self.graph.number, stage.label, owner);
                let first = start.map_or_else(|| sort_prefix.to_vec(), |position| successor(position.key().row()));
                let end = prefix_end(sort_prefix);
                let range = RowRange { partition: &prefix, start: &first, end: end.as_deref() };
                self.graph.engine().scan(stage.table(), range)?
            }
            None => {
                key::edge_label_prefix(&mut prefix, self.graph.number, stage.label);
                self.graph.engine().scan_partitions(stage.table(), &prefix, start.map(Position::key))?
            }
        };
        while let Some(entry) = cursor.next()? {
            progress.row()?;
            if is_expired(value::read_edge_expiry(entry.value)?, now) {
                continue;
            }
            let mut read = None;
            if !query.conditions.is_empty() {
                let (expires_at_ms, properties) = value::read_edge(entry.value)?;
                if !query.conditions.matches(&properties) {
                    continue;
                }
                read = Some((expires_at_ms, properties));
            }
            match progress.turn() {
                Turn::Skip => continue,
                Turn::Stop => return Ok(Visit::Break(())),
                Turn::Give => {}
            }
            let id = stage.read_key(entry.key)?;
            let (expires_at_ms, properties) = match read {
                Some(read) => read,
                None => value::read_edge(entry.value)?,
            };
            progress.gave(stage.direction, stage.label.0, entry.key);
            if visit(&Edge { id, properties, expires_at_ms }).is_break() {
                return Ok(Visit::Break(()));
            }
        }
        Ok(Visit::Continue(()))
    }

    /// What the rows of the label's edges begin with that have the first sort keys' values the conditions name.
    fn sort_prefix(
        &self,
        catalogue: &Catalogue,
        label: LabelId,
        conditions: &Conditions,
    ) -> Result<Vec<u8>, StoreError> {
        let keys = catalogue.edge_label(label).map_or(&[][..], |label| &label.sort_keys);
        let named = |key: &PropertyKeyId| match conditions.get(*key).map(|condition| &condition.predicate) {
            // Values that are equal without being the same have several forms in an id.
            Some(Predicate::Equal(value @ (Value::Text(_) | Value::Int(_) | Value::Long(_) | Value::Date(_)))) => {
                Some(value)
            }
            _ => None,
        };
        let values: Vec<&Value> = keys.iter().map_while(named).collect();
        let mut prefix = Vec::new();
        if !values.is_empty() {
            let joined = join_values(values.iter().copied(), true)?;
            key::edge_row_prefix(&mut prefix, &joined, values.len() == keys.len());
        }
        Ok(prefix)
    }
}

fn stages(catalogue: &Catalogue, query: &EdgeQuery) -> Vec<Stage> {
    let labels: Vec<LabelId> = match query.label {
        Some(label) => catalogue.edge_labels_under(label),
        None => catalogue.edge_labels().filter(|l| l.kind != EdgeLabelKind::Parent).map(|l| l.id).collect(),
    };
    let directions: &[u8] = match query.vertex {
        None | Some((_, Direction::Out)) => &[0],
        Some((_, Direction::In)) => &[1],
        Some((_, Direction::Both)) => &[0, 1],
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
