//! Paths of variable length: trails, depth first.

mod spread;

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use cypher_graph::{limits::CACHED_MAX, vertex_id};
use cypher_value::{Node, Relationship, Value};
use graph_model::{LabelId, VertexId};
use rustc_hash::FxHashMap;

use super::different::Different;
use super::expand::{Neighbour, Sought, edge_labels, is_used, neighbours};
use super::feed::{Feed, Given};
use crate::Result;
use crate::eval::Cx;
use crate::eval::{Operator, Source};
use crate::limits::BATCH;
use crate::row::Row;
use cypher_plan::{Slot, Walk};

/// Neighbours of nodes that were looked at before.
#[derive(Default)]
pub(super) struct Seen {
    nodes: FxHashMap<VertexId, Rc<Vec<Neighbour>>>,
    count: usize,
}

impl Seen {
    /// The relationships of a node that meet the condition of each.
    pub(super) fn of(
        &mut self,
        cx: &Cx<'_, '_>,
        walk: &Walk,
        labels: Option<&[LabelId]>,
        owner: &Arc<Node>,
        row: &mut Row,
    ) -> Result<Rc<Vec<Neighbour>>> {
        let id = vertex_id(&owner.id);
        if let Some(known) = self.nodes.get(&id) {
            return Ok(Rc::clone(known));
        }
        let sought = Sought { direction: walk.expand.direction, labels, has_properties: walk.each.is_some() };
        let mut found = neighbours(cx, &[owner], sought)?.pop().unwrap_or_default();
        if let Some((slot, ex)) = &walk.each {
            cx.store.load_relationships(found.iter().map(|(relationship, _)| relationship))?;
            let mut kept = Vec::with_capacity(found.len());
            for neighbour in found {
                row.set(*slot, Value::Relationship(Arc::clone(&neighbour.0)));
                if cx.holds(ex, row)? {
                    kept.push(neighbour);
                }
            }
            found = kept;
        }
        if self.count > CACHED_MAX {
            self.clear();
        }
        self.count += found.len() + 1;
        let found = Rc::new(found);
        self.nodes.insert(id, Rc::clone(&found));
        Ok(found)
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.count = 0;
    }
}

/// A walk from one row.
struct Trail {
    row: Row,
    labels: Option<Vec<LabelId>>,
    /// For each node of the path its neighbours and which is next.
    levels: Vec<(Rc<Vec<Neighbour>>, usize)>,
    path: Vec<Arc<Relationship>>,
    start: Option<Arc<Node>>,
}

pub(super) struct Walking<'g> {
    input: Feed<'g>,
    walk: Arc<Walk>,
    seen: Seen,
    open: Option<Trail>,
    /// A row and the nodes that are left to be given for it, where each is wanted once.
    ends: Option<(Row, VecDeque<Arc<Node>>)>,
}

impl<'g> Walking<'g> {
    pub(super) fn new(input: Source<'g>, walk: &Arc<Walk>) -> Self {
        Self { input: Feed::new(input), walk: Arc::clone(walk), seen: Seen::default(), open: None, ends: None }
    }

    /// The row of a path that ends at a node.
    fn give(walk: &Walk, trail: &Trail, end: &Arc<Node>, out: &mut Vec<Row>) {
        let expand = &walk.expand;
        if expand.is_into && !matches!(trail.row.get(expand.to), Value::Node(node) if node == end) {
            return;
        }
        let list = trail.path.iter().map(|relationship| Value::Relationship(Arc::clone(relationship)));
        let list = if walk.is_reversed { list.rev().collect() } else { list.collect() };
        let mut row = trail.row.clone();
        row.set(expand.relationship, Value::list(list));
        if !expand.is_into {
            row.set(expand.to, Value::Node(Arc::clone(end)));
        }
        out.push(row);
    }

    fn enter(&mut self, cx: &Cx<'_, 'g>, trail: &mut Trail, node: &Arc<Node>) -> Result<()> {
        let depth = u64::try_from(trail.path.len()).unwrap_or(u64::MAX);
        let found = if depth < self.walk.max {
            self.seen.of(cx, &self.walk, trail.labels.as_deref(), node, &mut trail.row)?
        } else {
            Rc::default()
        };
        trail.levels.push((found, 0));
        Ok(())
    }

    /// Takes one step; false at the end of the walk.
    fn step(&mut self, cx: &Cx<'_, 'g>, trail: &mut Trail, out: &mut Vec<Row>) -> Result<bool> {
        if let Some(start) = trail.start.take() {
            if self.walk.min == 0 {
                Self::give(&self.walk, trail, &start, out);
            }
            self.enter(cx, trail, &start)?;
            return Ok(true);
        }
        let Some((found, at)) = trail.levels.last_mut() else { return Ok(false) };
        let Some((relationship, other)) = found.get(*at).cloned() else {
            trail.levels.pop();
            trail.path.pop();
            return Ok(!trail.levels.is_empty());
        };
        *at += 1;
        if trail.path.contains(&relationship) || is_used(&relationship, &trail.row, &self.walk.expand.others) {
            return Ok(true);
        }
        cx.store.tick(1)?;
        trail.path.push(relationship);
        let depth = u64::try_from(trail.path.len()).unwrap_or(u64::MAX);
        if depth >= self.walk.min && depth <= self.walk.max {
            Self::give(&self.walk, trail, &other, out);
        }
        self.enter(cx, trail, &other)?;
        Ok(true)
    }
}

impl<'g> Operator<'g> for Walking<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        while out.len() < BATCH {
            if let Some((row, ends)) = &mut self.ends {
                while out.len() < BATCH
                    && let Some(end) = ends.pop_front()
                {
                    let mut next = row.clone();
                    next.set(self.walk.expand.to, Value::Node(end));
                    out.push(next);
                }
                if ends.is_empty() {
                    self.ends = None;
                }
                continue;
            }
            let Some(mut trail) = self.open.take() else {
                let Some(mut row) = self.input.row(cx)? else { return Ok(false) };
                let Value::Node(start) = row.get(self.walk.expand.from).clone() else { continue };
                let labels = edge_labels(cx, self.walk.expand.types.as_ref(), &mut row)?;
                if self.walk.is_pruned
                    && let Some(ends) = spread::ends(cx, &self.walk, labels.as_deref(), &start)?
                {
                    self.ends = Some((row, ends));
                    continue;
                }
                // Conditions and types can depend on the row.
                if self.walk.each.is_some() || self.walk.expand.types.is_some() {
                    self.seen.clear();
                }
                self.open = Some(Trail { row, labels, levels: Vec::new(), path: Vec::new(), start: Some(start) });
                continue;
            };
            while out.len() < BATCH {
                if !self.step(cx, &mut trail, out)? {
                    break;
                }
            }
            if trail.start.is_some() || !trail.levels.is_empty() {
                self.open = Some(trail);
            }
        }
        Ok(true)
    }
}

/// How many different nodes walks end at.
pub(super) struct Reaching<'g> {
    input: Option<Feed<'g>>,
    walk: Arc<Walk>,
    counted: Slot,
}

impl<'g> Reaching<'g> {
    pub(super) fn new(input: Source<'g>, walk: &Arc<Walk>) -> Self {
        Self { input: Some(Feed::new(input)), walk: Arc::clone(walk), counted: walk.counted.unwrap_or(Slot::MAX) }
    }
}

impl<'g> Operator<'g> for Reaching<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        let Some(mut input) = self.input.take() else { return Ok(false) };
        let mut nodes = Different::default();
        while let Some(mut row) = input.row(cx)? {
            let Value::Node(start) = row.get(self.walk.expand.from).clone() else { continue };
            let labels = edge_labels(cx, self.walk.expand.types.as_ref(), &mut row)?;
            match spread::numbers(cx, &self.walk, labels.as_deref(), &start)? {
                Some(found) => found.iter().try_for_each(|number| nodes.insert(cx, *number))?,
                None => {
                    let rows = Box::new(Given::new(vec![row]));
                    let mut source: Source<'g> = Box::new(Walking::new(rows, &self.walk));
                    while nodes.gather(cx, &mut source, self.walk.expand.to)? {}
                }
            }
        }
        let graph = cx.store.reader().and_then(graph_access::WalkRead::numbered);
        out.push(nodes.row(cx, graph, self.counted)?);
        Ok(true)
    }
}
