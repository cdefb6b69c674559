//! Nodes: all, those of labels, those with ids.

use std::collections::VecDeque;
use std::sync::Arc;

use adjacency::Ticket;
use cypher_graph::{Accessed, node, numbered_node, vertex_id};
use cypher_value::{ElementId, Node, Text, Value, compare};
use graph_access::{Cursor, Lookup, NumberedRead};
use graph_model::{LabelId, PropertyKeyId, Vertex, VertexId};

use super::feed::Feed;
use super::table::{ROWS_MIN, Table, by_index, by_index_of_many, index_cursor, takes_many, wanted};
use crate::Result;
use crate::eval::Cx;
use crate::eval::{Operator, Source};
use crate::limits::{AHEAD_FIRST, AHEAD_NODES_MAX, BATCH, FIRST_BATCH};
use crate::row::Row;
use cypher_plan::{Labels, Scan};

/// Where nodes come from.
enum Found<'g> {
    Cursor(Box<dyn Cursor<Vertex> + 'g>),
    Nodes(VecDeque<Arc<Node>>),
    /// Numbers in memory, and how many of them were taken.
    Members(&'g dyn NumberedRead, Arc<[u32]>, usize),
}

/// The numbers of the vertices of a label, gathered while they are read, to be kept.
struct Gathering<'g> {
    graph: &'g dyn NumberedRead,
    label: LabelId,
    ticket: Ticket,
    numbers: Vec<u32>,
}

/// What an index leads to; none: there is no index.
type Indexed = Option<Vec<Arc<Node>>>;

pub(super) struct Scanning<'g> {
    input: Feed<'g>,
    scan: Arc<Scan>,
    open: Option<(Row, VecDeque<Option<LabelId>>, Option<Found<'g>>)>,
    batch: usize,
    read: Vec<Vertex>,
    /// How many rows were looked at, and the table that is made once they are many.
    begun: usize,
    table: Option<Table>,
    /// The values that nodes of the scan that is open must have under keys, so that no row is made for others.
    tested: Vec<(PropertyKeyId, Value)>,
    /// The values that an index was asked for last, and what it led to.
    last: Option<(Vec<Value>, Indexed)>,
    /// What an index leads to for the values of rows that wait; none: there is no such index.
    ahead: Option<Table>,
    ahead_rows: usize,
    /// Whether a join takes the nodes by their numbers.
    begins_join: bool,
    gathering: Option<Gathering<'g>>,
}

impl<'g> Scanning<'g> {
    /// `begins_join`: the next step is a join.
    pub(super) fn new(input: Source<'g>, scan: &Arc<Scan>, begins_join: bool) -> Self {
        Self {
            input: Feed::new(input),
            scan: Arc::clone(scan),
            open: None,
            batch: FIRST_BATCH,
            read: Vec::new(),
            begun: 0,
            table: None,
            tested: Vec::new(),
            last: None,
            ahead: Some(Table::default()),
            ahead_rows: AHEAD_FIRST,
            begins_join,
            gathering: None,
        }
    }

    /// The nodes with the ids that a value says.
    fn by_ids(cx: &Cx<'_, 'g>, ids: &Value) -> Result<VecDeque<Arc<Node>>> {
        let mut wanted: Vec<VertexId> = Vec::new();
        let items: &[Value] = if let Value::List(items) = ids { items } else { std::slice::from_ref(ids) };
        for item in items {
            match item {
                Value::Integer(number) => wanted.push(VertexId::Number(*number)),
                Value::String(text) => {
                    wanted.push(vertex_id(&ElementId::Text(text.clone())));
                    wanted.extend(text.parse().ok().map(VertexId::Number));
                    wanted.extend(VertexId::parse_uuid(text).ok());
                }
                _ => {}
            }
        }
        let mut seen = rustc_hash::FxHashSet::default();
        wanted.retain(|id| seen.insert(id.clone()));
        wanted.retain(|id| !matches!(id, VertexId::String(text) if text.is_empty()));
        let found = cx.store.with_read(|graph| graph.vertices(&wanted))?;
        Ok(found.into_iter().flatten().map(|vertex| keep(cx, vertex)).collect())
    }

    /// The nodes that an index leads to, with which those of the rows that wait are looked up, too; none where that
    /// must be done one by one.
    fn by_index_ahead(&mut self, cx: &Cx<'_, 'g>, values: &[Value], row: &mut Row) -> Result<Indexed> {
        if let Some(known) = self.ahead.as_ref().and_then(|ahead| ahead.known(values)) {
            return Ok(Some(known.to_vec()));
        }
        let waiting = self.input.waiting(self.ahead_rows - 1);
        if self.ahead.is_none() || waiting.len() == 0 || !takes_many(cx, &self.scan, values) {
            return Ok(None);
        }
        let scan = Arc::clone(&self.scan);
        // What cannot be computed fails when it is the row's turn.
        let ahead = waiting.filter_map(|row| wanted(cx, &scan.equal, row).ok()?);
        let asked: Vec<Vec<Value>> = std::iter::once(values.to_vec()).chain(ahead).collect();
        let few = asked.len().saturating_mul(AHEAD_NODES_MAX);
        let Some((table, found)) = by_index_of_many(cx, &scan, asked.into_iter(), row)? else {
            self.ahead = None;
            return Ok(None);
        };
        let known = table.known(values).map(<[_]>::to_vec);
        self.ahead = (found <= few).then_some(table);
        self.ahead_rows = (self.ahead_rows * 4).min(BATCH);
        Ok(known)
    }

    /// The nodes that an index leads to; none where there is no such index. Rows that ask for the same values as the
    /// one before get the same nodes, where the query only reads.
    fn by_index(&mut self, cx: &Cx<'_, 'g>, values: &[Value], row: &mut Row) -> Result<Indexed> {
        if let Some((last, found)) = &self.last
            && last == values
        {
            return Ok(found.clone());
        }
        if let Some(found) = self.by_index_ahead(cx, values, row)? {
            return Ok(Some(found));
        }
        let scan = Arc::clone(&self.scan);
        let found = by_index(cx, &scan, values, row)?;
        let is_constant = scan.labels.as_ref().is_none_or(Labels::is_constant);
        if cx.store.reader().is_some() && scan.within.is_empty() && scan.bounds.is_empty() && is_constant {
            self.last = Some((values.to_vec(), found.clone()));
        }
        Ok(found)
    }

    /// The nodes with the values that are asked for, where they need not be looked for among all.
    fn by_values(&mut self, cx: &Cx<'_, 'g>, row: &mut Row) -> Result<Option<Found<'g>>> {
        let scan = Arc::clone(&self.scan);
        let nodes = |nodes: Vec<Arc<Node>>| Ok(Some(Found::Nodes(nodes.into())));
        let Some(values) = wanted(cx, &scan.equal, row)? else { return nodes(Vec::new()) };
        if let Some(cursor) = index_cursor(cx, &scan, &values, row)? {
            return Ok(Some(Found::Cursor(cursor)));
        }
        if let Some(found) = self.by_index(cx, &values, row)? {
            return nodes(found);
        }
        if scan.equal.is_empty()
            || self.begun < ROWS_MIN
            || scan.labels.as_ref().is_some_and(|labels| !labels.is_constant())
        {
            return Ok(None);
        }
        if self.table.is_none() {
            self.table = Some(Table::read(cx, &scan, row)?);
        }
        nodes(self.table.as_ref().map_or(Vec::new(), |table| table.get(&values).to_vec()))
    }

    /// Which values nodes are tested for while they are read, where the query only reads.
    fn test(&mut self, cx: &Cx<'_, 'g>, row: &mut Row) -> Result<()> {
        self.tested.clear();
        let keys = self.scan.equal.iter().map(|(key, _)| cx.store.catalogue().shown_key_named(key).map(|key| key.id));
        let keys: Option<Vec<PropertyKeyId>> = keys.collect();
        if let (Some(keys), true) = (keys, cx.store.reader().is_some())
            && let Some(values) = wanted(cx, &self.scan.equal, row)?
        {
            self.tested.extend(keys.into_iter().zip(values));
        }
        Ok(())
    }

    /// The nodes of a label by numbers in memory, where nothing else is read of them and a join asks for numbers.
    /// Where they are not there, they are gathered while the nodes are read.
    fn members(&mut self, cx: &Cx<'_, 'g>, label: Option<LabelId>) -> Option<Found<'g>> {
        self.gathering = None;
        let is_bare = self.scan.keys.as_ref().is_some_and(Vec::is_empty) && self.tested.is_empty();
        let graph = cx.store.reader().filter(|_| is_bare && self.begins_join)?.numbered()?;
        let label = match (label, &self.scan.labels, &mut self.open) {
            (Some(label), ..) => label,
            // All nodes have the label that is meant, if the graph has no other one.
            (None, Some(labels), Some((row, ..))) => match cx.each_vertex_label(labels, row).ok()?.as_slice() {
                [only] => *only,
                _ => return None,
            },
            _ => return None,
        };
        if let Some(members) = graph.members_at_hand(label) {
            return Some(Found::Members(graph, members, 0));
        }
        let ticket = graph.members_ticket(label)?;
        self.gathering = Some(Gathering { graph, label, ticket, numbers: Vec::new() });
        None
    }

    /// Ends the nodes of a label or a look-up.
    fn end_found(&mut self, cx: &Cx<'_, 'g>) {
        if let Some(Gathering { graph, label, ticket, numbers }) = self.gathering.take() {
            graph.keep_members(label, ticket, &numbers);
            cx.store.release(bytes_of(numbers.len()));
        }
        if let Some((_, _, found)) = &mut self.open {
            *found = None;
        }
    }

    /// Whether only what is tested is read of the nodes of a scan: other values of the few that fit are read later, one
    /// by one.
    fn reads_tested(&self, cx: &Cx<'_, 'g>) -> bool {
        self.scan.keys.is_none() && !self.tested.is_empty() && cx.store.has_columns()
    }

    fn begin(&mut self, cx: &Cx<'_, 'g>, mut row: Row) -> Result<()> {
        if let Some(ids) = &self.scan.ids {
            let nodes = Self::by_ids(cx, &cx.eval(ids, &mut row)?)?;
            self.open = Some((row, VecDeque::new(), Some(Found::Nodes(nodes))));
            return Ok(());
        }
        self.begun += 1;
        let is_any = self.scan.equal.is_empty() && self.scan.within.is_empty() && self.scan.bounds.is_empty();
        if !is_any && let Some(found) = self.by_values(cx, &mut row)? {
            self.open = Some((row, VecDeque::new(), Some(found)));
            return Ok(());
        }
        self.test(cx, &mut row)?;
        let labels = match &self.scan.labels {
            Some(labels) => cx.vertex_labels(labels, &mut row)?,
            None => None,
        };
        let labels = match labels {
            Some(labels) => labels.into_iter().map(Some).collect(),
            None => VecDeque::from([None]),
        };
        self.open = Some((row, labels, None));
        Ok(())
    }
}

/// Bytes of so many numbers.
fn bytes_of(numbers: usize) -> u64 {
    u64::try_from(numbers.saturating_mul(size_of::<u32>())).unwrap_or(u64::MAX)
}

fn keep(cx: &Cx<'_, '_>, vertex: Vertex) -> Arc<Node> {
    let node = node(&vertex.id);
    cx.store.keep(vertex);
    node
}

/// Whether a vertex has values under keys.
fn fits(tested: &[(PropertyKeyId, Value)], vertex: &Vertex) -> Result<bool> {
    for (key, value) in tested {
        let Some(own) = vertex.properties.get(*key) else { return Ok(false) };
        if compare::equals(&cypher_stored::value(own, true)?, value) != Some(true) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The vertices of a label, or all.
fn open<'g>(cx: &Cx<'_, 'g>, label: Option<LabelId>, keys: Option<&[Text]>) -> Result<Found<'g>> {
    if let Some(reader) = cx.store.reader() {
        let properties = keys.map(|keys| {
            let catalogue = cx.store.catalogue();
            let keys = keys.iter().filter_map(|key| catalogue.property_key_named(key).map(|key| key.id));
            keys.collect()
        });
        let lookup = Lookup { label, properties, ..Lookup::default() };
        return Ok(Found::Cursor(reader.find_vertices(lookup).accessed()?));
    }
    // A cursor cannot stay open while the query writes: the ids are kept.
    let ids = cx.store.with_read(|graph| {
        let mut ids = Vec::new();
        let mut cursor = graph.scan_vertices(label)?;
        graph_access::drain(&mut *cursor, |vertex| {
            ids.push(vertex.id);
            Ok(())
        })?;
        Ok(ids)
    })?;
    cx.store.hold(u64::try_from(ids.len()).unwrap_or(u64::MAX).saturating_mul(64))?;
    Ok(Found::Nodes(ids.iter().map(node).collect()))
}

impl<'g> Operator<'g> for Scanning<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        // Something may have been written since.
        if cx.store.reader().is_none() && self.ahead.is_some() {
            self.ahead = Some(Table::default());
        }
        while out.len() < self.batch {
            let reads_tested = self.reads_tested(cx);
            let Some((row, labels, found)) = &mut self.open else {
                let Some(row) = self.input.row(cx)? else { return Ok(false) };
                self.begin(cx, row)?;
                continue;
            };
            let Some(source) = found else {
                let Some(label) = labels.pop_front() else {
                    self.open = None;
                    continue;
                };
                let next = match self.members(cx, label) {
                    Some(members) => members,
                    None => {
                        let tested: Vec<Text> = self.scan.equal.iter().map(|(key, _)| key.clone()).collect();
                        let keys = if reads_tested { Some(tested.as_slice()) } else { self.scan.keys.as_deref() };
                        open(cx, label, keys)?
                    }
                };
                if let Some((_, _, found)) = &mut self.open {
                    *found = Some(next);
                }
                continue;
            };
            let is_checked = cx.store.has_deleted();
            let (before, mut looked_at) = (out.len(), 0);
            let is_ended;
            match source {
                Found::Cursor(cursor) => {
                    cursor.next_batch(&mut self.read, self.batch).accessed()?;
                    is_ended = self.read.is_empty();
                    looked_at = self.read.len();
                    if !self.tested.is_empty() {
                        self.batch = (self.batch * 4).min(BATCH);
                    }
                    let is_kept = !reads_tested && self.scan.keys.as_ref().is_none_or(|keys| !keys.is_empty());
                    if self.gathering.is_some() {
                        cx.store.hold(bytes_of(looked_at))?;
                    }
                    for vertex in self.read.drain(..) {
                        if !fits(&self.tested, &vertex)? {
                            continue;
                        }
                        let mut next = row.clone();
                        // A label may have come since the query began, so that there are others.
                        let is_meant = |own: &&Gathering<'_>| own.label == vertex.label;
                        let gathering = self.gathering.as_ref().filter(is_meant);
                        let number = gathering.and_then(|own| own.graph.number(&vertex.id));
                        let node = match (&mut self.gathering, number) {
                            (Some(gathering), Some(number)) => {
                                gathering.numbers.push(number);
                                numbered_node(&vertex.id, number)
                            }
                            (Some(gathering), None) => {
                                cx.store.release(bytes_of(gathering.numbers.len()));
                                self.gathering = None;
                                node(&vertex.id)
                            }
                            _ if is_kept => keep(cx, vertex),
                            _ => node(&vertex.id),
                        };
                        next.set(self.scan.slot, Value::Node(node));
                        out.push(next);
                    }
                }
                Found::Members(graph, numbers, taken) => {
                    let rest = numbers.get(*taken..).unwrap_or_default();
                    let some = rest.get(..BATCH).unwrap_or(rest);
                    *taken += some.len();
                    is_ended = some.len() == rest.len();
                    for number in some {
                        let Some(id) = graph.id(*number) else { continue };
                        let mut next = row.clone();
                        next.set(self.scan.slot, Value::Node(numbered_node(id, *number)));
                        out.push(next);
                    }
                }
                Found::Nodes(nodes) => {
                    while let Some(node) = nodes.pop_front() {
                        if is_checked && cx.store.is_deleted_node(&vertex_id(&node.id)) {
                            continue;
                        }
                        let mut next = row.clone();
                        next.set(self.scan.slot, Value::Node(node));
                        out.push(next);
                        if out.len() >= BATCH {
                            break;
                        }
                    }
                    is_ended = nodes.is_empty();
                }
            }
            cx.store.tick(looked_at.max(out.len() - before))?;
            if is_ended {
                self.end_found(cx);
            }
        }
        self.batch = (self.batch * 4).min(BATCH);
        Ok(true)
    }
}
