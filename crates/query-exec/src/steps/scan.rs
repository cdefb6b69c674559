//! Sources: elements by id, by index or all, and given values.

mod find;
mod grouped;

use std::collections::VecDeque;

use graph_access::{Cursor, EdgeRead, EdgeRow, GraphRead, Lookup};
use graph_model::{Edge, Vertex};
use query_plan::{Op, Paths, Scan, Target};
use query_value::{T, Value};

use self::find::{find_edges, find_vertices, lookups, of_edge, of_vertex};
use super::each::keep;
use super::filter::target_passes;
use crate::context::{Access, Cx, Stage};
use crate::error::Result;
use crate::traverser::Traverser;
use crate::{semantics, storage};

/// Elements read at first: a query that wants few should not read many.
const FIRST_BATCH: usize = 64;

pub(super) fn stage<'g>(op: &Op) -> Box<dyn Stage<'g> + 'g> {
    match op {
        Op::Inject(values, is_first) => {
            Box::new(Inject { values: values.clone(), is_first: *is_first, is_given: false })
        }
        Op::Scan(scan) => Box::new(ScanStage { scan: scan.clone(), source: Source::New, batch: FIRST_BATCH, given: 0 }),
        _ => keep(false, |_, _| Ok(true)),
    }
}

/// Values before those that come in; at the beginning of a nested pipeline after them. Paths of those that come in stay
/// as they are.
struct Inject {
    values: Vec<Value>,
    is_first: bool,
    is_given: bool,
}

impl Inject {
    fn give(&mut self, cx: &Cx<'_>, out: &mut Vec<Traverser>) {
        if !self.is_given {
            self.is_given = true;
            out.extend(self.values.iter().map(|value| {
                let mut traverser = cx.fresh(value.clone());
                if cx.paths == Paths::Full {
                    traverser.push_path(None);
                }
                traverser
            }));
        }
    }
}

impl<'g> Stage<'g> for Inject {
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, out: &mut Vec<Traverser>) -> Result<()> {
        if self.is_first {
            out.extend(input.drain(..));
        }
        self.give(cx, out);
        out.extend(input.drain(..));
        Ok(())
    }

    fn finish(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<bool> {
        self.give(cx, out);
        Ok(false)
    }

    fn reset(&mut self) {
        self.is_given = false;
    }
}

/// Where elements come from.
enum Source<'g> {
    New,
    Vertices(Box<dyn Cursor<Vertex> + 'g>),
    Edges(Box<dyn Cursor<Edge> + 'g>),
    Rows(VecDeque<Traverser>),
    Groups(VecDeque<Traverser>),
}

struct ScanStage<'g> {
    scan: Scan,
    source: Source<'g>,
    batch: usize,
    given: u64,
}

impl<'g> Stage<'g> for ScanStage<'g> {
    /// In the middle of a query: all elements for each input.
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, out: &mut Vec<Traverser>) -> Result<()> {
        let mut found = Vec::new();
        read_all(cx, &self.scan, &mut found)?;
        for traverser in input.drain(..) {
            cx.tick(u64::try_from(found.len()).unwrap_or(u64::MAX))?;
            out.extend(
                found.iter().map(|element| Traverser {
                    stored: element.stored.clone(),
                    ..traverser.with(element.value.clone())
                }),
            );
        }
        Ok(())
    }

    fn finish(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<bool> {
        if !self.scan.is_start || self.scan.limit.is_some_and(|limit| self.given >= limit) {
            return Ok(false);
        }
        if self.scan.is_counted
            && matches!(self.source, Source::New)
            && let Some(count) = count(cx, &self.scan)?
        {
            self.source = Source::Rows(VecDeque::new());
            if count > 0 {
                out.push(Traverser { bulk: count, ..cx.fresh(Value::Null) });
            }
            return Ok(false);
        }
        if matches!(self.source, Source::New) {
            self.source = match &self.scan.grouped {
                Some(grouping) => Source::Groups(grouped::read(cx, &self.scan, grouping)?),
                None => open(cx, &self.scan)?,
            };
        }
        if let Source::Groups(groups) = &mut self.source {
            out.extend(groups.drain(..self.batch.min(groups.len())));
            return Ok(!groups.is_empty());
        }
        let mut found = Vec::new();
        let more = match &mut self.source {
            Source::New | Source::Groups(_) => false,
            Source::Vertices(cursor) => {
                let mut batch = Vec::new();
                cursor.next_batch(&mut batch, self.batch)?;
                found.extend(batch.into_iter().map(|vertex| of_vertex(cx, vertex)));
                !found.is_empty()
            }
            Source::Edges(cursor) => {
                let mut batch = Vec::new();
                cursor.next_batch(&mut batch, self.batch)?;
                found.extend(batch.into_iter().map(|edge| of_edge(cx, edge)));
                !found.is_empty()
            }
            Source::Rows(rows) => {
                let wanted = self.batch.min(rows.len());
                found.extend(rows.drain(..wanted));
                !rows.is_empty()
            }
        };
        self.batch = (self.batch * 4).min(cx.batch.max(1));
        cx.tick(u64::try_from(found.len()).unwrap_or(u64::MAX))?;
        for traverser in found {
            if passes(cx, &self.scan, &traverser)? {
                out.push(traverser);
            }
        }
        if let Some(limit) = self.scan.limit {
            out.truncate(usize::try_from(limit - self.given).unwrap_or(usize::MAX));
        }
        self.given += u64::try_from(out.len()).unwrap_or(u64::MAX);
        Ok(more)
    }

    fn reset(&mut self) {
        self.source = Source::New;
        self.batch = FIRST_BATCH;
        self.given = 0;
    }
}

/// Whether an element is one of those wanted.
fn passes(cx: &mut Cx<'_>, scan: &Scan, traverser: &Traverser) -> Result<bool> {
    if let Some(labels) = &scan.labels {
        let label = storage::label_of(cx, &traverser.value, traverser.stored.as_ref())?;
        if !label.is_some_and(|label| labels.contains(&label)) {
            return Ok(false);
        }
    }
    for (target, predicate) in &scan.conditions {
        if !target_passes(cx, target, predicate, traverser)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Everything that passes, at once.
pub(super) fn read_all(cx: &mut Cx<'_>, scan: &Scan, out: &mut Vec<Traverser>) -> Result<()> {
    let mut found = Vec::new();
    if scan.ids.is_some() {
        by_ids(cx, scan, &mut found)?;
    } else {
        for lookup in lookups(cx, scan) {
            drain(cx, scan, &lookup, &mut found)?;
        }
    }
    for traverser in found {
        cx.tick(1)?;
        if passes(cx, scan, &traverser)? {
            out.push(traverser);
        }
    }
    Ok(())
}

/// The edges that start or end at a vertex and pass, at once.
pub(super) fn edges_at(
    cx: &mut Cx<'_>,
    scan: &Scan,
    vertex: &Value,
    direction: query_value::Direction,
    out: &mut Vec<Traverser>,
) -> Result<()> {
    let Some(owner) = storage::vertex_id(vertex) else { return Ok(()) };
    let is_out = direction == query_value::Direction::Out;
    let direction = if is_out { graph_model::Direction::Out } else { graph_model::Direction::In };
    let labels = scan.labels.as_ref().map(|labels| {
        let known = labels.iter().filter_map(|name| cx.catalogue.edge_label_named(name));
        known.flat_map(|label| cx.catalogue.edge_labels_under(label.id)).collect::<Vec<_>>()
    });
    if labels.as_ref().is_some_and(Vec::is_empty) {
        return Ok(());
    }
    let read = EdgeRead { direction, labels: labels.as_deref(), limit: None, properties: true };
    let mut found = Vec::new();
    {
        let owners = [&owner];
        let mut cursor = cx.read().edges_of(&owners, read)?;
        let mut batch = Vec::new();
        loop {
            cursor.next_batch(&mut batch, cx.batch)?;
            if batch.is_empty() {
                break;
            }
            found.extend(batch.drain(..).map(|row: EdgeRow| of_edge(cx, row.into_edge(owner.clone()))));
            cx.may_hold(u64::try_from(found.len()).unwrap_or(u64::MAX))?;
        }
    }
    for traverser in found {
        cx.tick(1)?;
        if passes(cx, scan, &traverser)? {
            out.push(traverser);
        }
    }
    Ok(())
}

fn open<'g>(cx: &mut Cx<'g>, scan: &Scan) -> Result<Source<'g>> {
    if let (Access::Read(graph), None) = (&cx.graph, &scan.ids) {
        let graph: &'g dyn GraphRead = *graph;
        let lookups = lookups(cx, scan);
        if let [lookup] = lookups.as_slice() {
            return Ok(if scan.is_edges {
                Source::Edges(find_edges(graph, lookup)?)
            } else {
                Source::Vertices(find_vertices(graph, lookup)?)
            });
        }
    }
    let mut rows = Vec::new();
    read_all(cx, scan, &mut rows)?;
    Ok(Source::Rows(rows.into()))
}

/// How many elements a scan gives that has no conditions; none: they must be read, since an edge of a sub label has not
/// the name of its parent.
fn count(cx: &Cx<'_>, scan: &Scan) -> Result<Option<u64>> {
    let graph = cx.read();
    let mut sum = 0;
    for lookup in lookups(cx, scan) {
        if !scan.is_edges {
            semantics::add_bulk(&mut sum, graph.count_vertices(lookup.label)?)?;
            continue;
        }
        if lookup.label.is_some_and(|label| cx.catalogue.edge_labels_under(label) != [label]) {
            return Ok(None);
        }
        semantics::add_bulk(&mut sum, graph.count_edges(lookup.label)?)?;
    }
    Ok(Some(sum))
}

fn by_ids(cx: &Cx<'_>, scan: &Scan, out: &mut Vec<Traverser>) -> Result<()> {
    let ids = scan.ids.as_deref().unwrap_or_default();
    let is_once = scan.conditions.iter().any(|(target, _)| *target == Target::Token(T::Id));
    if scan.is_edges {
        out.extend(storage::edges_by_ids(cx, ids, is_once)?.into_iter().map(|edge| of_edge(cx, edge)));
    } else {
        out.extend(storage::vertices_by_ids(cx, ids, is_once)?.into_iter().map(|vertex| of_vertex(cx, vertex)));
    }
    Ok(())
}

/// Reads a whole answer, so that a query that writes does not see what it adds.
fn drain(cx: &Cx<'_>, scan: &Scan, lookup: &Lookup, out: &mut Vec<Traverser>) -> Result<()> {
    let graph = cx.read();
    if scan.is_edges {
        let mut batch = Vec::new();
        let mut cursor = find_edges(graph, lookup)?;
        loop {
            cursor.next_batch(&mut batch, cx.batch)?;
            if batch.is_empty() {
                return Ok(());
            }
            out.extend(batch.drain(..).map(|edge| of_edge(cx, edge)));
        }
    }
    let mut batch = Vec::new();
    let mut cursor = find_vertices(graph, lookup)?;
    loop {
        cursor.next_batch(&mut batch, cx.batch)?;
        if batch.is_empty() {
            return Ok(());
        }
        out.extend(batch.drain(..).map(|vertex| of_vertex(cx, vertex)));
    }
}
