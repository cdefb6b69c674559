//! Relationships of nodes.

mod numbered;

use std::collections::VecDeque;
use std::sync::Arc;

use cypher_graph::{node, vertex_id};
use cypher_value::{Node, Relationship, Value};
use graph_access::{EdgeRead, EdgeRow, drain};
use graph_model::{Direction, LabelId, VertexId};

pub(super) use numbered::{Neighbour, Sought};

use super::feed::Feed;
use crate::Result;
use crate::eval::Cx;
use crate::eval::{Operator, Source};
use crate::limits::BATCH;
use crate::row::Row;
use cypher_plan::{Expand, Labels, Slot};

/// Rows whose nodes are looked at together.
const NODES: usize = 64;

/// The labels of relationships that types mean; none: all.
pub(super) fn edge_labels(cx: &Cx<'_, '_>, types: Option<&Labels>, row: &mut Row) -> Result<Option<Vec<LabelId>>> {
    types.map(|types| cx.edge_labels(types, row)).transpose()
}

/// The relationships of some nodes, each with the other end; those of one node in a fixed order.
pub(super) fn neighbours(cx: &Cx<'_, '_>, owners: &[&Arc<Node>], sought: Sought<'_>) -> Result<Vec<Vec<Neighbour>>> {
    let Sought { direction, labels, has_properties } = sought;
    let mut all: Vec<Vec<Neighbour>> = owners.iter().map(|_| Vec::new()).collect();
    if labels.is_some_and(<[LabelId]>::is_empty) {
        return Ok(all);
    }
    if let Some(all) = numbered::neighbours(cx, owners, sought)? {
        return Ok(all);
    }
    let ids: Vec<VertexId> = owners.iter().map(|owner| vertex_id(&owner.id)).collect();
    let ids: Vec<&VertexId> = ids.iter().collect();
    let read = EdgeRead { direction, labels, limit: None, properties: has_properties };
    let mut rows: Vec<EdgeRow> = Vec::new();
    cx.store.with_read(|graph| {
        let mut cursor = graph.edges_of(&ids, read)?;
        drain(&mut *cursor, |row| {
            rows.push(row);
            Ok(())
        })
    })?;
    cx.store.tick(rows.len())?;
    let is_checked = cx.store.has_deleted();
    for row in rows {
        let (Some(owner), Some(id)) = (owners.get(row.owner), ids.get(row.owner)) else { continue };
        // A relationship of a node with itself is read from both of its ends.
        if direction == Direction::Both && !row.outgoing && row.other == **id {
            continue;
        }
        let at = row.owner;
        let other = if row.other == **id { Arc::clone(owner) } else { node(&row.other) };
        let is_outgoing = row.outgoing;
        let edge = row.into_edge((*id).clone());
        let relationship = cx.store.relationship_between(&edge.id, owner, &other, is_outgoing);
        if is_checked
            && (cx.store.is_deleted_relationship(&relationship.id) || cx.store.is_deleted_node(&vertex_id(&other.id)))
        {
            continue;
        }
        if has_properties {
            cx.store.keep_edge(relationship.id.clone(), edge);
        }
        if let Some(own) = all.get_mut(at) {
            own.push((relationship, other));
        }
    }
    Ok(all)
}

/// Whether a relationship is among those of a row.
pub(super) fn is_used(relationship: &Relationship, row: &Row, others: &[Slot]) -> bool {
    others.iter().any(|slot| match row.get(*slot) {
        Value::Relationship(own) => **own == *relationship,
        Value::List(items) => {
            items.iter().any(|item| matches!(item, Value::Relationship(own) if **own == *relationship))
        }
        _ => false,
    })
}

pub(super) struct Expanding<'g> {
    input: Feed<'g>,
    expand: Arc<Expand>,
    /// Whether what follows reads properties of the relationships.
    has_properties: bool,
    waiting: VecDeque<(Row, VecDeque<Neighbour>)>,
}

impl<'g> Expanding<'g> {
    pub(super) fn new(input: Source<'g>, expand: &Arc<Expand>, has_properties: bool) -> Self {
        Self { input: Feed::new(input), expand: Arc::clone(expand), has_properties, waiting: VecDeque::new() }
    }

    fn fill(&mut self, cx: &Cx<'_, 'g>) -> Result<bool> {
        let is_dynamic = self.expand.types.as_ref().is_some_and(|types| !types.is_constant());
        let mut rows = self.input.rows(cx, if is_dynamic { 1 } else { NODES })?;
        let Some(first) = rows.first_mut() else { return Ok(false) };
        let labels = edge_labels(cx, self.expand.types.as_ref(), first)?;
        let from = |row: &Row| match row.get(self.expand.from) {
            Value::Node(node) => Some(Arc::clone(node)),
            _ => None,
        };
        let rows: Vec<(Row, Arc<Node>)> =
            rows.into_iter().filter_map(|row| from(&row).map(|node| (row, node))).collect();
        let owners: Vec<&Arc<Node>> = rows.iter().map(|(_, node)| node).collect();
        let (direction, has_properties) = (self.expand.direction, self.has_properties);
        let all = neighbours(cx, &owners, Sought { direction, labels: labels.as_deref(), has_properties })?;
        self.waiting.extend(rows.into_iter().map(|(row, _)| row).zip(all.into_iter().map(VecDeque::from)));
        Ok(true)
    }
}

impl<'g> Operator<'g> for Expanding<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        while out.len() < BATCH {
            let Some((row, found)) = self.waiting.front_mut() else {
                if !self.fill(cx)? {
                    return Ok(false);
                }
                continue;
            };
            let Some((relationship, other)) = found.pop_front() else {
                self.waiting.pop_front();
                continue;
            };
            let expand = &*self.expand;
            if expand.is_into && !matches!(row.get(expand.to), Value::Node(node) if *node == other) {
                continue;
            }
            if is_used(&relationship, row, &expand.others) {
                continue;
            }
            let mut next = row.clone();
            next.set(expand.relationship, Value::Relationship(relationship));
            if !expand.is_into {
                next.set(expand.to, Value::Node(other));
            }
            out.push(next);
        }
        Ok(true)
    }
}

/// The ends of relationships that are known.
pub(super) struct Ending<'g> {
    input: Feed<'g>,
    expand: Arc<Expand>,
}

impl<'g> Ending<'g> {
    pub(super) fn new(input: Source<'g>, expand: &Arc<Expand>) -> Self {
        Self { input: Feed::new(input), expand: Arc::clone(expand) }
    }
}

impl<'g> Operator<'g> for Ending<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        let Some(mut row) = self.input.row(cx)? else { return Ok(false) };
        let expand = &*self.expand;
        let Value::Relationship(relationship) = row.get(expand.relationship).clone() else { return Ok(true) };
        if let Some(types) = &expand.types
            && !cx.has(types, std::slice::from_ref(&relationship.kind), &mut row)?
        {
            return Ok(true);
        }
        if is_used(&relationship, &row, &expand.others) {
            return Ok(true);
        }
        let ways: &[bool] = match expand.direction {
            Direction::Out => &[true],
            Direction::In => &[false],
            Direction::Both if relationship.start == relationship.end => &[true],
            Direction::Both => &[true, false],
        };
        for is_forward in ways {
            let (from, to) = if *is_forward {
                (&relationship.start, &relationship.end)
            } else {
                (&relationship.end, &relationship.start)
            };
            let is_at = |slot: Slot, node: &Arc<Node>| matches!(row.get(slot), Value::Node(own) if own == node);
            if expand.is_from_known && !is_at(expand.from, from) {
                continue;
            }
            if expand.from == expand.to && from != to {
                continue;
            }
            if expand.is_into && expand.from != expand.to && !is_at(expand.to, to) {
                continue;
            }
            let mut next = row.clone();
            next.set(expand.from, Value::Node(Arc::clone(from)));
            next.set(expand.to, Value::Node(Arc::clone(to)));
            out.push(next);
        }
        Ok(true)
    }
}
