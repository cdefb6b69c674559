//! The nodes within a number of steps, each once: breadth first, by numbers.

use std::collections::VecDeque;
use std::sync::Arc;

use adjacency::{NumberLists, NumberMap, Wanted};
use cypher_graph::{Accessed, numbered_node, vertex_id};
use cypher_value::Node;
use graph_access::NumberedRead;
use graph_model::{Direction, LabelId};

use crate::Result;
use crate::eval::Cx;
use crate::limits::JOINED_OWNERS_MAX;
use cypher_plan::Walk;

/// Bytes that a node reached counts as.
const NODE_BYTES: u64 = 16;

/// The ends of all trails from a node; none where the graph has no numbers.
pub(super) fn ends(
    cx: &Cx<'_, '_>,
    walk: &Walk,
    labels: Option<&[LabelId]>,
    start: &Arc<Node>,
) -> Result<Option<VecDeque<Arc<Node>>>> {
    let Some(found) = numbers(cx, walk, labels, start)? else { return Ok(None) };
    let Some(graph) = cx.store.reader().and_then(graph_access::WalkRead::numbered) else { return Ok(None) };
    let node = |number: &u32| graph.id(*number).map(|id| numbered_node(id, *number));
    Ok(Some(found.iter().filter_map(node).collect()))
}

/// The numbers of the ends of all trails from a node, each once; none where the graph has no numbers. What is reached
/// in some steps is reached by a trail of as many or fewer, since a shortest way repeats nothing; only the node itself
/// must be come back to by a trail, which [`Spread::returns`] says.
pub(super) fn numbers(
    cx: &Cx<'_, '_>,
    walk: &Walk,
    labels: Option<&[LabelId]>,
    start: &Arc<Node>,
) -> Result<Option<Vec<u32>>> {
    let Some(graph) = cx.store.reader().and_then(graph_access::WalkRead::numbered) else { return Ok(None) };
    let Some(number) = graph.number(&vertex_id(&start.id)) else { return Ok(None) };
    let wanted = Wanted { direction: walk.expand.direction, labels, limit: None };
    let mut spread = Spread { graph, wanted, branches: NumberMap::default(), order: vec![number], held: 0 };
    if walk.max > 0 && !labels.is_some_and(<[LabelId]>::is_empty) {
        spread.run(cx, number, walk.max)?;
    }
    let is_itself = walk.min == 0 || spread.returns(cx, number, walk.max)?;
    cx.store.release(spread.held);
    let mut found = spread.order;
    if !is_itself {
        found.swap_remove(0);
    }
    Ok(Some(found))
}

struct Spread<'g, 'w> {
    graph: &'g dyn NumberedRead,
    wanted: Wanted<'w>,
    /// Of each node reached its place in `order`.
    branches: NumberMap,
    /// The nodes reached, the start first, nearer ones before.
    order: Vec<u32>,
    held: u64,
}

impl Spread<'_, '_> {
    fn run(&mut self, cx: &Cx<'_, '_>, start: u32, max: u64) -> Result<()> {
        self.branches.get_or_insert(start, 0);
        let (mut from, mut depth) = (0, 0);
        let mut lists = NumberLists::default();
        while from < self.order.len() && depth < max {
            depth += 1;
            let frontier = self.order.get(from..).unwrap_or_default().to_vec();
            from = self.order.len();
            for chunk in frontier.chunks(JOINED_OWNERS_MAX) {
                self.read(cx, chunk, &mut lists)?;
                for number in &lists.numbers {
                    let place = u32::try_from(self.order.len()).unwrap_or(u32::MAX - 1);
                    if self.branches.get_or_insert(*number, place).1 {
                        self.order.push(*number);
                    }
                }
                let held = u64::try_from(self.order.len()).unwrap_or(u64::MAX).saturating_mul(NODE_BYTES);
                cx.store.hold(held - self.held)?;
                self.held = held;
            }
        }
        Ok(())
    }

    fn read(&self, cx: &Cx<'_, '_>, owners: &[u32], lists: &mut NumberLists) -> Result<()> {
        lists.clear();
        lists.numbers_max = usize::try_from(cx.store.left() / 8).unwrap_or(usize::MAX).max(1);
        self.graph.read(owners, self.wanted, lists).accessed()?;
        if lists.is_full() {
            cx.store.hold(cx.store.left().saturating_add(1))?;
        }
        cx.store.tick(lists.numbers.len() + 1)
    }

    /// Whether a trail of so many steps leads back to the start: a loop, two relationships with one node, or a ring.
    /// Along directions any way back is one. Else two ways from the start that begin with different relationships must
    /// meet: each node is given the first relationship of the way it was reached by, and a relationship between nodes
    /// of different ones closes a ring, whose length is that of both ways and one.
    fn returns(&self, cx: &Cx<'_, '_>, start: u32, max: u64) -> Result<bool> {
        let mut lists = NumberLists::default();
        self.read(cx, &[start], &mut lists)?;
        let first = std::mem::take(&mut lists.numbers);
        if max == 0 || first.is_empty() {
            return Ok(false);
        }
        if first.contains(&start) {
            return Ok(true);
        }
        let is_both = self.wanted.direction == Direction::Both;
        // By place in the order: the first relationship, as the place of its end, and the distance.
        let mut branch: Vec<u32> = vec![0; self.order.len()];
        let mut depth: Vec<u64> = vec![u64::MAX; self.order.len()];
        if let Some(own) = depth.first_mut() {
            *own = 0;
        }
        let mut frontier: Vec<u32> = Vec::new();
        for number in &first {
            let Some(place) = self.branches.get(*number) else { continue };
            let Some(own) = depth.get_mut(place as usize) else { continue };
            if *own != u64::MAX {
                if is_both && max >= 2 {
                    return Ok(true);
                }
                continue;
            }
            *own = 1;
            if let Some(branch) = branch.get_mut(place as usize) {
                *branch = place;
            }
            frontier.push(place);
        }
        let mut nearest = u64::MAX;
        let mut reached = 1;
        while !frontier.is_empty() && reached < max {
            let mut next = Vec::new();
            for chunk in frontier.chunks(JOINED_OWNERS_MAX) {
                let owners: Vec<u32> =
                    chunk.iter().filter_map(|place| self.order.get(*place as usize)).copied().collect();
                self.read(cx, &owners, &mut lists)?;
                for (place, list) in chunk.iter().zip(lists.iter()) {
                    let own = branch.get(*place as usize).copied().unwrap_or_default();
                    for number in list {
                        if *number == start {
                            if !is_both {
                                return Ok(true);
                            }
                            continue;
                        }
                        let Some(other) = self.branches.get(*number) else { continue };
                        let Some(known) = depth.get_mut(other as usize) else { continue };
                        if *known == u64::MAX {
                            *known = reached + 1;
                            if let Some(branch) = branch.get_mut(other as usize) {
                                *branch = own;
                            }
                            next.push(other);
                        } else if is_both && branch.get(other as usize).is_some_and(|other| *other != own) {
                            nearest = nearest.min(reached.saturating_add(*known).saturating_add(1));
                        }
                    }
                }
            }
            if nearest <= max {
                return Ok(true);
            }
            reached += 1;
            frontier = next;
        }
        Ok(false)
    }
}
