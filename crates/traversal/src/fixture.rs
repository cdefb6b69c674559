//! Graphs in memory for tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use adjacency::{Cache, Column, ColumnOf, Found, NumberLists, Pool, State, Table, Ticket, Wanted};
use graph_access::{AccessError, Batches, Cursor, EdgeRead, EdgeRow, NumberedEdge, NumberedRead, WalkRead, drain};
use graph_model::{Direction, ErrorKind, LabelId, Properties, PropertyKeyId, Value, Vertex, VertexId};

use crate::{Traversal, limits};

/// The property that holds an edge's weight.
pub(crate) const WEIGHT: PropertyKeyId = PropertyKeyId(1);

/// The property that holds the number of a vertex.
pub(crate) const NUMBER: PropertyKeyId = PropertyKeyId(2);

/// A list of edges between numbered vertices; edges have label 1 unless given.
#[derive(Default)]
pub(crate) struct TestGraph {
    pub(crate) edges: Vec<TestEdge>,
    /// Checks left before the caller is gone; 0: never.
    pub(crate) checks_left: AtomicU64,
    /// Where vertices have numbers: half of the graphs, so that tests of many graphs see both.
    table: Option<Arc<Table>>,
}

pub(crate) struct TestEdge {
    pub(crate) source: i64,
    pub(crate) target: i64,
    pub(crate) label: u32,
    pub(crate) weight: Option<f64>,
}

impl TestGraph {
    /// A graph of edges of label 1.
    pub(crate) fn of(edges: impl IntoIterator<Item = (i64, i64)>) -> Self {
        Self::weighted(edges.into_iter().map(|(source, target)| (source, target, None)))
    }

    /// A graph of edges of label 1 with weights.
    pub(crate) fn weighted(edges: impl IntoIterator<Item = (i64, i64, Option<f64>)>) -> Self {
        let edge = |(source, target, weight)| TestEdge { source, target, label: 1, weight };
        let mut edges: Vec<_> = edges.into_iter().map(edge).collect();
        edges.sort_by_key(|edge| (edge.label, edge.source, edge.target));
        let by_numbers = edges.iter().map(|edge| edge.target).sum::<i64>() % 2 == 0;
        Self { edges, ..Self::default() }.by_numbers(by_numbers)
    }

    /// The same graph, read by numbers or by ids.
    pub(crate) fn by_numbers(mut self, by_numbers: bool) -> Self {
        self.table = by_numbers.then(|| Cache::new(Arc::new(Pool::new(1 << 20)), false).table(0, || true).unwrap());
        self
    }

    fn table(&self) -> &Table {
        self.table.as_deref().unwrap()
    }

    /// Keeps the whole lists of a vertex.
    fn keep(&self, owner: u32) {
        let id = self.table().id(owner).unwrap().clone();
        let mut labels: Vec<LabelId> = self.edges.iter().map(|edge| LabelId(edge.label)).collect();
        labels.sort_unstable();
        labels.dedup();
        for outgoing in [true, false] {
            let ticket = self.table().ticket(owner).unwrap();
            let direction = if outgoing { Direction::Out } else { Direction::In };
            let mut found = Found::new();
            for label in &labels {
                let read =
                    EdgeRead { direction, labels: Some(std::slice::from_ref(label)), limit: None, properties: false };
                drain(&mut *self.edges_of(&[&id], read).unwrap(), |edge| {
                    found.push(self.table().number(&edge.other).unwrap());
                    Ok::<_, AccessError>(())
                })
                .unwrap();
                found.end_segment(*label, State::Whole);
            }
            self.table().publish(owner, outgoing, ticket, &found, Some(&labels));
        }
    }

    pub(crate) fn traversal(&self) -> Traversal<'_> {
        Traversal::new(self, "things", limits::MEMORY_BYTES_MAX_DEFAULT)
    }

    fn has(&self, id: &VertexId) -> bool {
        let VertexId::Number(id) = id else { return false };
        self.edges.iter().any(|edge| edge.source == *id || edge.target == *id)
    }
}

impl WalkRead for TestGraph {
    fn edges_of<'a>(
        &'a self,
        owners: &'a [&'a VertexId],
        read: EdgeRead<'a>,
    ) -> Result<Box<dyn Cursor<EdgeRow> + 'a>, AccessError> {
        self.check()?;
        let mut rows = Vec::new();
        let mut taken = vec![0; owners.len()];
        for outgoing in [true, false] {
            if (read.direction == Direction::Out && !outgoing) || (read.direction == Direction::In && outgoing) {
                continue;
            }
            for (owner, id) in owners.iter().enumerate() {
                for edge in &self.edges {
                    let (at, other) = if outgoing { (edge.source, edge.target) } else { (edge.target, edge.source) };
                    let wanted = read.labels.is_none_or(|labels| labels.contains(&LabelId(edge.label)));
                    if **id != VertexId::Number(at) || !wanted || read.limit.is_some_and(|limit| taken[owner] >= limit)
                    {
                        continue;
                    }
                    taken[owner] += 1;
                    let mut properties = Properties::new();
                    if let Some(weight) = edge.weight.filter(|_| read.properties) {
                        properties.insert(WEIGHT, Value::Double(weight));
                    }
                    let (other, label) = (VertexId::Number(other), LabelId(edge.label));
                    let (sort_values, expires_at_ms) = ("".into(), None);
                    rows.push(EdgeRow { owner, other, label, outgoing, sort_values, properties, expires_at_ms });
                }
            }
        }
        // In batches that are small, so that tests meet their borders.
        let mut rows = rows.into_iter();
        Ok(Box::new(Batches::new(move |batch: &mut Vec<EdgeRow>, rows_max: usize| {
            batch.extend(rows.by_ref().take(rows_max.min(3)));
            Ok(())
        })))
    }

    fn vertices(&self, ids: &[VertexId]) -> Result<Vec<Option<Vertex>>, AccessError> {
        let vertex = |id: &VertexId| {
            let mut properties = Properties::new();
            if let VertexId::Number(number) = id {
                properties.insert(NUMBER, Value::Long(*number));
            }
            Vertex { id: id.clone(), label: LabelId(1), properties, expires_at_ms: None }
        };
        Ok(ids.iter().map(|id| self.has(id).then(|| vertex(id))).collect())
    }

    fn check(&self) -> Result<(), AccessError> {
        if self.checks_left.load(Ordering::Relaxed) > 0 && self.checks_left.fetch_sub(1, Ordering::Relaxed) == 1 {
            return Err(AccessError::new(ErrorKind::Cancelled, "gone"));
        }
        Ok(())
    }

    fn numbered(&self) -> Option<&dyn NumberedRead> {
        self.table.as_ref().map(|_| -> &dyn NumberedRead { self })
    }
}

impl NumberedRead for TestGraph {
    fn number(&self, id: &VertexId) -> Option<u32> {
        self.table().number(id)
    }

    fn known_number(&self, id: &VertexId) -> Option<u32> {
        self.table().known_number(id)
    }

    fn id(&self, number: u32) -> Option<&VertexId> {
        self.table().id(number)
    }

    fn at_hand(&self, owners: &[u32], wanted: Wanted<'_>, lists: &mut NumberLists) -> Result<(), AccessError> {
        self.check()?;
        let last = self.edges.iter().map(|edge| edge.label).max().unwrap_or_default();
        self.table().at_hand(owners, wanted, LabelId(last), lists);
        Ok(())
    }

    fn read(&self, owners: &[u32], wanted: Wanted<'_>, lists: &mut NumberLists) -> Result<(), AccessError> {
        let Wanted { direction, labels, limit } = wanted;
        for owner in owners {
            let id = self.table().id(*owner).unwrap();
            let read = EdgeRead { direction, labels, limit, properties: false };
            drain(&mut *self.edges_of(&[id], read)?, |edge| {
                lists.numbers.push(self.table().number(&edge.other).unwrap());
                Ok::<_, AccessError>(())
            })?;
            lists.end_list();
            // Some are never in memory.
            if owner % 3 > 0 {
                let checks = self.checks_left.swap(0, Ordering::Relaxed);
                self.keep(*owner);
                self.checks_left.store(checks, Ordering::Relaxed);
            }
            if lists.is_full() {
                break;
            }
        }
        Ok(())
    }

    fn column(&self, of: ColumnOf) -> Option<Arc<Column>> {
        Some(self.table().column(of))
    }

    fn fill(
        &self,
        of: &[ColumnOf],
        numbers: &[u32],
        also: &mut dyn FnMut(usize, usize, Option<&Value>),
    ) -> Result<(), AccessError> {
        // No vertex has properties here.
        (0..numbers.len()).for_each(|place| (0..of.len()).for_each(|column| also(place, column, None)));
        Ok(())
    }

    fn degrees(
        &self,
        owners: &[u32],
        direction: Direction,
        labels: Option<&[LabelId]>,
        degrees: &mut Vec<usize>,
    ) -> Result<(), AccessError> {
        let mut lists = NumberLists::default();
        self.read(owners, Wanted { direction, labels, limit: None }, &mut lists)?;
        degrees.extend(lists.iter().zip(owners).map(|(list, owner)| {
            let loops = list.iter().filter(|other| *other == owner).count();
            list.len() - if direction == Direction::Both { loops / 2 } else { 0 }
        }));
        Ok(())
    }

    fn members(&self, _label: LabelId) -> Result<Option<Arc<[u32]>>, AccessError> {
        Ok(None)
    }

    fn members_at_hand(&self, _label: LabelId) -> Option<Arc<[u32]>> {
        None
    }

    fn members_ticket(&self, _label: LabelId) -> Option<Ticket> {
        None
    }

    fn keep_members(&self, _label: LabelId, _ticket: Ticket, _numbers: &[u32]) {}

    fn edges_between(
        &self,
        owner: u32,
        wanted: Wanted<'_>,
        is_wanted: &dyn Fn(u32) -> bool,
        edges: &mut Vec<NumberedEdge>,
    ) -> Result<(), AccessError> {
        let Wanted { direction, labels, limit } = wanted;
        let id = self.table().id(owner).unwrap();
        drain(&mut *self.edges_of(&[id], EdgeRead { direction, labels, limit, properties: false })?, |edge| {
            let EdgeRow { label, outgoing, sort_values, .. } = edge;
            let other = self.table().number(&edge.other).unwrap();
            edges.extend(is_wanted(other).then_some(NumberedEdge { other, label, outgoing, sort_values }));
            Ok::<_, AccessError>(())
        })
    }
}

/// Ids of numbered vertices.
pub(crate) fn id(number: i64) -> VertexId {
    VertexId::Number(number)
}

/// Numbers of ids.
pub(crate) fn numbers(ids: &[VertexId]) -> Vec<i64> {
    ids.iter().map(|id| if let VertexId::Number(number) = id { *number } else { i64::MIN }).collect()
}

/// Edges of small random graphs on vertices 1 to 9, loops and repetitions included.
pub(crate) fn edges() -> impl proptest::strategy::Strategy<Value = Vec<(i64, i64)>> {
    proptest::collection::vec((1i64..10, 1i64..10), 0..24)
}
