//! How many relationships nodes have, where only their number is asked for: no row is made for each.

use std::sync::Arc;

use cypher_graph::{Accessed, vertex_id};
use cypher_plan::{Expand, Labels, Slot};
use cypher_value::{Node, Relationship, Value};
use graph_access::{EdgeRead, NumberedRead, drain};
use graph_model::{Direction, LabelId, VertexId};

use super::expand::{Sought, edge_labels, is_used, neighbours};
use super::feed::Feed;
use crate::Result;
use crate::eval::{Cx, Operator, Source};
use crate::limits::BATCH;
use crate::row::Row;

pub(super) struct Counting<'g> {
    input: Feed<'g>,
    count: Arc<(Expand, Slot)>,
}

impl<'g> Counting<'g> {
    pub(super) fn new(input: Source<'g>, count: &Arc<(Expand, Slot)>) -> Self {
        Self { input: Feed::new(input), count: Arc::clone(count) }
    }

    /// The number of relationships of each row's node, those left out that the row has already.
    fn counts(&self, cx: &Cx<'_, 'g>, rows: &[(Row, Arc<Node>)], labels: Option<&[LabelId]>) -> Result<Vec<i64>> {
        let expand = &self.count.0;
        if cx.store.has_deleted() {
            let owners: Vec<&Arc<Node>> = rows.iter().map(|(_, node)| node).collect();
            let sought = Sought { direction: expand.direction, labels, has_properties: false };
            let all = neighbours(cx, &owners, sought)?;
            let unused = all.iter().zip(rows).map(|(found, (row, _))| {
                found.iter().filter(|(relationship, _)| !is_used(relationship, row, &expand.others)).count()
            });
            return Ok(unused.map(|count| i64::try_from(count).unwrap_or(i64::MAX)).collect());
        }
        let ids: Vec<VertexId> = rows.iter().map(|(_, node)| vertex_id(&node.id)).collect();
        let numbered = cx.store.reader().and_then(graph_access::WalkRead::numbered);
        let mut counts = degrees(cx, numbered, &ids, expand.direction, labels)?;
        for ((row, node), count) in rows.iter().zip(&mut counts) {
            *count -= used(cx, row, node, expand, labels);
        }
        Ok(counts)
    }
}

/// Counts by numbers where the vertices have some, else by rows.
pub(super) fn degrees(
    cx: &Cx<'_, '_>,
    numbered: Option<&dyn NumberedRead>,
    ids: &[VertexId],
    direction: Direction,
    labels: Option<&[LabelId]>,
) -> Result<Vec<i64>> {
    let numbers = |graph: &dyn NumberedRead| ids.iter().map(|id| graph.number(id)).collect::<Option<Vec<u32>>>();
    match numbered.and_then(|graph| Some((graph, numbers(graph)?))) {
        Some((graph, numbers)) => of_numbers(graph, &numbers, direction, labels),
        None => by_rows(cx, ids, direction, labels),
    }
}

pub(super) fn of_numbers(
    graph: &dyn NumberedRead,
    numbers: &[u32],
    direction: Direction,
    labels: Option<&[LabelId]>,
) -> Result<Vec<i64>> {
    let mut degrees = Vec::with_capacity(numbers.len());
    graph.degrees(numbers, direction, labels, &mut degrees).accessed()?;
    Ok(degrees.into_iter().map(|degree| i64::try_from(degree).unwrap_or(i64::MAX)).collect())
}

fn by_rows(cx: &Cx<'_, '_>, ids: &[VertexId], direction: Direction, labels: Option<&[LabelId]>) -> Result<Vec<i64>> {
    let owners: Vec<&VertexId> = ids.iter().collect();
    let mut counts = vec![0; ids.len()];
    let read = EdgeRead { direction, labels, limit: None, properties: false };
    cx.store.with_read(|graph| {
        let mut cursor = graph.edges_of(&owners, read)?;
        drain(&mut *cursor, |row| {
            let is_second = direction == Direction::Both && !row.outgoing && ids.get(row.owner) == Some(&row.other);
            if let Some(count) = counts.get_mut(row.owner)
                && !is_second
            {
                *count += 1;
            }
            Ok(())
        })
    })?;
    Ok(counts)
}

/// How many of a row's relationships are among those that were counted.
fn used(cx: &Cx<'_, '_>, row: &Row, node: &Arc<Node>, expand: &Expand, labels: Option<&[LabelId]>) -> i64 {
    let is_counted = |relationship: &Relationship| {
        let is_at = match expand.direction {
            Direction::Out => relationship.start == *node,
            Direction::In => relationship.end == *node,
            Direction::Both => relationship.start == *node || relationship.end == *node,
        };
        let label = cx.store.catalogue().edge_label_named(&relationship.kind).map(|label| label.id);
        is_at && labels.is_none_or(|labels| label.is_some_and(|label| labels.contains(&label)))
    };
    let mut count = 0;
    for slot in &expand.others {
        match row.get(*slot) {
            Value::Relationship(own) if is_counted(own) => count += 1,
            Value::List(items) => {
                let counted = items.iter().filter(|item| matches!(item, Value::Relationship(own) if is_counted(own)));
                count += i64::try_from(counted.count()).unwrap_or(i64::MAX);
            }
            _ => {}
        }
    }
    count
}

impl<'g> Operator<'g> for Counting<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        let mut rows = self.input.rows(cx, BATCH)?;
        let count = Arc::clone(&self.count);
        let Some(first) = rows.first_mut() else { return Ok(false) };
        let labels = edge_labels(cx, count.0.types.as_ref(), first)?;
        if labels.as_ref().is_some_and(Vec::is_empty) {
            return Ok(true);
        }
        let rows: Vec<(Row, Arc<Node>)> = rows
            .into_iter()
            .filter_map(|row| match row.get(count.0.from) {
                Value::Node(node) => Some(Arc::clone(node)).map(|node| (row, node)),
                _ => None,
            })
            .collect();
        let counts = self.counts(cx, &rows, labels.as_deref())?;
        cx.store.tick(rows.len())?;
        for ((mut row, _), number) in rows.into_iter().zip(counts) {
            if number > 0 {
                row.set(count.1, Value::Integer(number));
                out.push(row);
            }
        }
        Ok(true)
    }
}

/// The number of nodes of labels, for each row.
pub(super) struct NodeCounting<'g> {
    input: Feed<'g>,
    count: Arc<(Option<Labels>, Slot)>,
}

impl<'g> NodeCounting<'g> {
    pub(super) fn new(input: Source<'g>, count: &Arc<(Option<Labels>, Slot)>) -> Self {
        Self { input: Feed::new(input), count: Arc::clone(count) }
    }
}

impl<'g> Operator<'g> for NodeCounting<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        let Some(mut row) = self.input.row(cx)? else { return Ok(false) };
        let labels = match &self.count.0 {
            Some(labels) => cx.vertex_labels(labels, &mut row)?,
            None => None,
        };
        let labels: Vec<Option<LabelId>> = match labels {
            Some(labels) => labels.into_iter().map(Some).collect(),
            None => vec![None],
        };
        let mut number = 0_u64;
        for label in labels {
            number = number.saturating_add(if cx.store.has_deleted() {
                // Nodes that are to be removed at the end of the query are stored still.
                count_left(cx, label)?
            } else {
                cx.store.with_read(|graph| graph.count_vertices(label))?
            });
        }
        if number > 0 {
            row.set(self.count.1, Value::Integer(i64::try_from(number).unwrap_or(i64::MAX)));
            out.push(row);
        }
        Ok(true)
    }
}

/// The number of relationships of types, for each row.
pub(super) struct RelationshipCounting<'g> {
    input: Feed<'g>,
    count: Arc<(Option<Labels>, Slot)>,
}

impl<'g> RelationshipCounting<'g> {
    pub(super) fn new(input: Source<'g>, count: &Arc<(Option<Labels>, Slot)>) -> Self {
        Self { input: Feed::new(input), count: Arc::clone(count) }
    }
}

impl<'g> Operator<'g> for RelationshipCounting<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        let Some(mut row) = self.input.row(cx)? else { return Ok(false) };
        let labels: Vec<Option<LabelId>> = match edge_labels(cx, self.count.0.as_ref(), &mut row)? {
            Some(labels) => labels.into_iter().map(Some).collect(),
            None => vec![None],
        };
        let mut number = 0_u64;
        for label in labels {
            number = number.saturating_add(if cx.store.has_deleted() {
                count_relationships_left(cx, label)?
            } else {
                cx.store.with_read(|graph| graph.count_edges(label))?
            });
        }
        if number > 0 {
            row.set(self.count.1, Value::Integer(i64::try_from(number).unwrap_or(i64::MAX)));
            out.push(row);
        }
        Ok(true)
    }
}

/// The relationships of a label that the query has not removed, by themselves or with a node.
fn count_relationships_left(cx: &Cx<'_, '_>, label: Option<LabelId>) -> Result<u64> {
    let mut number = 0;
    cx.store.with_read(|graph| {
        let mut cursor = graph.scan_edges(label)?;
        drain(&mut *cursor, |edge| {
            let is_gone = [&edge.id.source, &edge.id.target].into_iter().any(|id| cx.store.is_deleted_node(id))
                || cx.store.is_deleted_relationship(&cx.store.relationship(&edge.id).id);
            number += u64::from(!is_gone);
            Ok(())
        })
    })?;
    Ok(number)
}

/// The nodes of a label that the query has not removed.
fn count_left(cx: &Cx<'_, '_>, label: Option<LabelId>) -> Result<u64> {
    let mut number = 0;
    cx.store.with_read(|graph| {
        let mut cursor = graph.scan_vertices(label)?;
        drain(&mut *cursor, |vertex| {
            number += u64::from(!cx.store.is_deleted_node(&vertex.id));
            Ok(())
        })
    })?;
    Ok(number)
}
