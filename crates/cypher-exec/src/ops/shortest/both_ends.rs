//! One shortest path, searched by numbers from both ends, always from the side with fewer nodes to look at.

use std::sync::Arc;

use adjacency::{NumberLists, NumberMap, Wanted};
use cypher_graph::{Accessed, defect, node, vertex_id};
use cypher_value::{Node, Value};
use graph_access::NumberedRead;
use graph_model::{EdgeId, LabelId};

use crate::Result;
use crate::eval::Cx;
use crate::limits::JOINED_OWNERS_MAX;
use cypher_plan::Walk;

/// Bytes that a node reached counts as.
const NODE_BYTES: u64 = 24;

/// The relationships of a path between two different nodes, from the first to the second; an inner none where there is
/// no path, an outer one where the graph has no numbers.
pub(super) fn path(
    cx: &Cx<'_, '_>,
    walk: &Walk,
    labels: Option<&[LabelId]>,
    (start, end): (&Arc<Node>, &Arc<Node>),
) -> Result<Option<Option<Vec<Value>>>> {
    let Some(graph) = cx.store.reader().and_then(graph_access::WalkRead::numbered) else { return Ok(None) };
    let (Some(source), Some(target)) = (graph.number(&vertex_id(&start.id)), graph.number(&vertex_id(&end.id))) else {
        return Ok(None);
    };
    if labels.is_some_and(<[LabelId]>::is_empty) {
        return Ok(Some(None));
    }
    let direction = walk.expand.direction;
    let mut forward = Side::new(graph, source, Wanted { direction, labels, limit: None });
    let mut backward = Side::new(graph, target, Wanted { direction: direction.reversed(), labels, limit: None });
    let mut depth = 0;
    let mut meeting = None;
    while depth < walk.max && !forward.frontier.is_empty() && !backward.frontier.is_empty() {
        depth += 1;
        let (side, other) = if forward.frontier.len() <= backward.frontier.len() {
            (&mut forward, &backward)
        } else {
            (&mut backward, &forward)
        };
        meeting = side.advance(cx, other)?;
        if meeting.is_some() {
            break;
        }
    }
    cx.store.release(forward.held + backward.held);
    let Some(meeting) = meeting else { return Ok(Some(None)) };
    let mut nodes = forward.way(meeting);
    nodes.reverse();
    nodes.extend(backward.way(meeting).into_iter().skip(1));
    let named = |number: &u32| match *number {
        number if number == source => Some(Arc::clone(start)),
        number if number == target => Some(Arc::clone(end)),
        number => graph.id(number).map(node),
    };
    let mut path = Vec::with_capacity(nodes.len());
    for pair in nodes.windows(2) {
        let [from, to] = pair else { continue };
        let mut edges = Vec::new();
        graph.edges_between(*from, forward.wanted, &|number| number == *to, &mut edges).accessed()?;
        let (Some(edge), Some(from), Some(to)) = (edges.into_iter().next(), named(from), named(to)) else {
            // It was removed since it was found: the path is not there any more.
            return Ok(Some(None));
        };
        let (from_id, to_id) = (vertex_id(&from.id), vertex_id(&to.id));
        let (source, target) = if edge.outgoing { (from_id, to_id) } else { (to_id, from_id) };
        let id = EdgeId { label: edge.label, source, sort_values: edge.sort_values, target };
        path.push(Value::Relationship(cx.store.relationship_between(&id, &from, &to, edge.outgoing)));
    }
    if path.is_empty() {
        return Err(defect("a path without relationships"));
    }
    Ok(Some(Some(path)))
}

/// What was reached from one end.
struct Side<'g, 'w> {
    graph: &'g dyn NumberedRead,
    wanted: Wanted<'w>,
    /// Of each node reached its place in `order`.
    places: NumberMap,
    /// Nodes, and the place of the one before.
    order: Vec<(u32, u32)>,
    frontier: Vec<u32>,
    held: u64,
}

impl<'g, 'w> Side<'g, 'w> {
    fn new(graph: &'g dyn NumberedRead, start: u32, wanted: Wanted<'w>) -> Self {
        let mut places = NumberMap::default();
        places.get_or_insert(start, 0);
        Self { graph, wanted, places, order: vec![(start, 0)], frontier: vec![start], held: 0 }
    }

    /// One step further; answers where that meets the other side.
    fn advance(&mut self, cx: &Cx<'_, '_>, other: &Self) -> Result<Option<u32>> {
        let mut lists = NumberLists::default();
        let mut next = Vec::new();
        for chunk in std::mem::take(&mut self.frontier).chunks(JOINED_OWNERS_MAX) {
            lists.clear();
            lists.numbers_max = usize::try_from(cx.store.left() / 8).unwrap_or(usize::MAX).max(1);
            self.graph.read(chunk, self.wanted, &mut lists).accessed()?;
            if lists.is_full() {
                cx.store.hold(cx.store.left().saturating_add(1))?;
            }
            cx.store.tick(lists.numbers.len() + 1)?;
            for (owner, list) in chunk.iter().zip(lists.iter()) {
                let before = self.places.get(*owner).unwrap_or_default();
                for number in list {
                    let place = u32::try_from(self.order.len()).unwrap_or(u32::MAX - 1);
                    if self.places.get_or_insert(*number, place).1 {
                        self.order.push((*number, before));
                        if other.places.get(*number).is_some() {
                            return Ok(Some(*number));
                        }
                        next.push(*number);
                    }
                }
            }
            let held = u64::try_from(self.order.len()).unwrap_or(u64::MAX).saturating_mul(NODE_BYTES);
            cx.store.hold(held - self.held)?;
            self.held = held;
        }
        self.frontier = next;
        Ok(None)
    }

    /// The nodes from one reached back to the start.
    fn way(&self, from: u32) -> Vec<u32> {
        let mut way = vec![from];
        let mut place = self.places.get(from).unwrap_or_default();
        while place != 0 {
            let Some((_, before)) = self.order.get(place as usize) else { break };
            place = *before;
            way.extend(self.order.get(place as usize).map(|(number, _)| *number));
        }
        way
    }
}
