//! Relationships of nodes out of lists of neighbours in memory.

use std::sync::Arc;

use adjacency::{NumberLists, Wanted};
use cypher_graph::{Accessed, numbered_node, vertex_id};
use cypher_value::{Node, Relationship};
use graph_model::{Direction, EdgeId, LabelId};

use crate::Result;
use crate::eval::Cx;

/// A relationship with the node at its other end.
pub(crate) type Neighbour = (Arc<Relationship>, Arc<Node>);

/// Which relationships are looked for.
#[derive(Clone, Copy)]
pub(crate) struct Sought<'l> {
    pub(crate) direction: Direction,
    /// None: all.
    pub(crate) labels: Option<&'l [LabelId]>,
    /// Whether their properties are read too.
    pub(crate) has_properties: bool,
}

/// As [`super::neighbours`]; none where lists of neighbours do not say all: in a graph without numbers, or where
/// relationships have ids or sort values, expire, or are to be read with their properties.
pub(super) fn neighbours(
    cx: &Cx<'_, '_>,
    owners: &[&Arc<Node>],
    sought: Sought<'_>,
) -> Result<Option<Vec<Vec<Neighbour>>>> {
    let Sought { direction, labels, has_properties } = sought;
    if has_properties || !are_plain(cx, labels) {
        return Ok(None);
    }
    let Some(graph) = cx.store.reader().and_then(|reader| reader.numbered()) else { return Ok(None) };
    let number = |owner: &&Arc<Node>| owner.number.or_else(|| graph.number(&vertex_id(&owner.id)));
    let Some(numbers) = owners.iter().map(number).collect::<Option<Vec<u32>>>() else { return Ok(None) };
    let wanted = Wanted { direction, labels, limit: None };
    let numbers_max = usize::try_from(cx.store.left() / 8).unwrap_or(usize::MAX).max(1);
    let mut lists = NumberLists { numbers_max, ..NumberLists::default() };
    // All of them in one round, so that what follows finds them in memory.
    cx.store.with_read(|_| graph.read(&numbers, wanted, &mut lists))?;
    if lists.is_full() {
        cx.store.hold(cx.store.left().saturating_add(1))?;
    }
    cx.store.tick(lists.numbers.len() + 1)?;
    let mut all = Vec::with_capacity(owners.len());
    let mut edges = Vec::new();
    for (owner, number) in owners.iter().zip(numbers) {
        edges.clear();
        graph.edges_between(number, wanted, &|_| true, &mut edges).accessed()?;
        let id = vertex_id(&owner.id);
        let mut own = Vec::with_capacity(edges.len());
        for edge in &edges {
            let is_loop = edge.other == number;
            // A relationship of a node with itself is read from both of its ends.
            if is_loop && direction == Direction::Both && !edge.outgoing {
                continue;
            }
            let Some(other_id) = graph.id(edge.other) else { continue };
            let other = if is_loop { Arc::clone(owner) } else { numbered_node(other_id, edge.other) };
            let (source, target) = if edge.outgoing { (&id, other_id) } else { (other_id, &id) };
            let (source, target) = (source.clone(), target.clone());
            let edge_id = EdgeId { label: edge.label, source, sort_values: edge.sort_values.clone(), target };
            own.push((cx.store.relationship_between(&edge_id, owner, &other, edge.outgoing), other));
        }
        all.push(own);
    }
    Ok(Some(all))
}

/// Whether relationships of labels are told by their label and their ends, and stay.
fn are_plain(cx: &Cx<'_, '_>, labels: Option<&[LabelId]>) -> bool {
    let catalogue = cx.store.catalogue();
    !catalogue.is_auto()
        && catalogue
            .edge_labels()
            .filter(|label| labels.is_none_or(|labels| labels.contains(&label.id)))
            .all(|label| label.sort_keys.is_empty() && label.ttl_ms == 0)
}
