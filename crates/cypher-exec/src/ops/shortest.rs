//! Shortest paths between two nodes: breadth first, level by level.

mod both_ends;

use std::sync::Arc;

use cypher_graph::vertex_id;
use cypher_value::{Node, Relationship, Value};
use graph_model::VertexId;
use rustc_hash::FxHashMap;

use super::expand::edge_labels;
use super::feed::Feed;
use super::walk::Seen;
use crate::Result;
use crate::eval::Cx;
use crate::eval::{Operator, Source};
use crate::row::Row;
use cypher_plan::Shortest;

/// How a node was reached for the first time: at which depth, and by which relationships from which nodes.
struct Reached {
    depth: u64,
    from: Vec<(Arc<Relationship>, VertexId)>,
}

pub(super) struct Searching<'g> {
    input: Feed<'g>,
    shortest: Arc<Shortest>,
    seen: Seen,
}

impl<'g> Searching<'g> {
    pub(super) fn new(input: Source<'g>, shortest: &Arc<Shortest>) -> Self {
        Self { input: Feed::new(input), shortest: Arc::clone(shortest), seen: Seen::default() }
    }

    fn search(&mut self, cx: &Cx<'_, 'g>, mut row: Row, out: &mut Vec<Row>) -> Result<()> {
        let shortest = Arc::clone(&self.shortest);
        let walk = &shortest.walk;
        let (Value::Node(start), Value::Node(end)) =
            (row.get(walk.expand.from).clone(), row.get(walk.expand.to).clone())
        else {
            return Ok(());
        };
        let labels = edge_labels(cx, walk.expand.types.as_ref(), &mut row)?;
        if walk.each.is_some() || walk.expand.types.is_some() {
            self.seen.clear();
        }
        let (source, target) = (vertex_id(&start.id), vertex_id(&end.id));
        if source == target {
            if walk.min == 0 {
                row.set(walk.expand.relationship, Value::list(Vec::new()));
                out.push(row);
            }
            return Ok(());
        }
        let is_one = !shortest.is_all && shortest.count == 1 && walk.each.is_none() && walk.min <= 1;
        if is_one && let Some(found) = both_ends::path(cx, walk, labels.as_deref(), (&start, &end))? {
            if let Some(path) = found {
                let path = if walk.is_reversed { path.into_iter().rev().collect() } else { path };
                row.set(walk.expand.relationship, Value::list(path));
                out.push(row);
            }
            return Ok(());
        }
        let mut reached: FxHashMap<VertexId, Reached> = FxHashMap::default();
        reached.insert(source, Reached { depth: 0, from: Vec::new() });
        let mut frontier: Vec<Arc<Node>> = vec![start];
        let mut depth = 0;
        while !frontier.is_empty() && depth < walk.max && !reached.contains_key(&target) {
            depth += 1;
            let mut next = Vec::new();
            for node in frontier {
                let own = vertex_id(&node.id);
                let found = self.seen.of(cx, walk, labels.as_deref(), &node, &mut row)?;
                cx.store.tick(found.len())?;
                for (relationship, other) in found.iter() {
                    let id = vertex_id(&other.id);
                    match reached.get_mut(&id) {
                        None => {
                            cx.store.hold(128)?;
                            let from = vec![(Arc::clone(relationship), own.clone())];
                            reached.insert(id, Reached { depth, from });
                            next.push(Arc::clone(other));
                        }
                        Some(known) if known.depth == depth && shortest.is_all => {
                            known.from.push((Arc::clone(relationship), own.clone()));
                        }
                        Some(_) => {}
                    }
                }
            }
            frontier = next;
        }
        cx.store.release(u64::try_from(reached.len()).unwrap_or(0) * 128);
        if depth < walk.min || !reached.contains_key(&target) {
            return Ok(());
        }
        let mut open: Vec<(VertexId, Vec<Value>)> = vec![(target, Vec::new())];
        let mut given = 0;
        while let Some((id, path)) = open.pop() {
            cx.store.tick(1)?;
            let Some(known) = reached.get(&id) else { continue };
            if known.from.is_empty() {
                let mut next = row.clone();
                next.set(walk.expand.relationship, Value::list(path.into_iter().rev().collect()));
                out.push(next);
                given += 1;
                if given >= shortest.count {
                    return Ok(());
                }
                continue;
            }
            for (relationship, from) in &known.from {
                let mut longer = path.clone();
                longer.push(Value::Relationship(Arc::clone(relationship)));
                open.push((from.clone(), longer));
            }
        }
        Ok(())
    }
}

impl<'g> Operator<'g> for Searching<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        match self.input.row(cx)? {
            Some(row) => {
                self.search(cx, row, out)?;
                Ok(true)
            }
            None => Ok(false),
        }
    }
}
