//! Groups of nodes by a property, counted without a row for each node: one pass over the property alone, and over the
//! neighbours in memory where their relationships are counted.

use std::sync::Arc;

use cypher_graph::{Accessed, node};
use cypher_plan::GroupCount;
use cypher_value::{Elements as _, Value, memory};
use graph_access::{GraphRead, Lookup, NumberedRead};
use graph_model::{Direction, IdStrategy, LabelId, Vertex, VertexId};
use rustc_hash::FxHashMap;

use super::degree::{degrees, of_numbers};
use super::expand::edge_labels;
use super::feed::Feed;
use super::rows::{Waiting, bound};
use crate::Result;
use crate::eval::{Cx, Operator, Source};
use crate::limits::JOINED_OWNERS_MAX;
use crate::row::Row;

pub(super) struct GroupCounting<'g> {
    input: Feed<'g>,
    group: Arc<GroupCount>,
    done: Option<Waiting>,
    /// The steps it stands for, where the graph may change under a cursor.
    detour: Option<Source<'g>>,
}

impl<'g> GroupCounting<'g> {
    pub(super) fn new(input: Source<'g>, group: &Arc<GroupCount>) -> Self {
        Self { input: Feed::new(input), group: Arc::clone(group), done: None, detour: None }
    }

    fn counted(&self, cx: &Cx<'_, 'g>, graph: &'g dyn GraphRead, row: &mut Row) -> Result<Waiting> {
        let group = &*self.group;
        let labels: Vec<Option<LabelId>> = match &group.scan.labels {
            Some(labels) => cx
                .vertex_labels(labels, row)?
                .map_or_else(|| vec![None], |labels| labels.into_iter().map(Some).collect()),
            None => vec![None],
        };
        let types = match &group.expand {
            Some(expand) => edge_labels(cx, expand.types.as_ref(), row)?,
            None => None,
        };
        // A label that all nodes have is meant by none above.
        let meant = group.scan.labels.as_ref().map_or(Ok(Vec::new()), |labels| cx.each_vertex_label(labels, row))?;
        if let ([label], Some(expand), Some(numbered)) = (meant.as_slice(), &group.expand, graph.numbered())
            && !types.as_ref().is_some_and(Vec::is_empty)
            && self.is_alone(cx, *label)
            && let Some(rows) = self.each_alone(cx, numbered, (*label, expand.direction), types.as_deref())?
        {
            return Ok(Waiting(rows.into()));
        }
        let mut groups: FxHashMap<Value, i64> = FxHashMap::default();
        if group.expand.is_none() || !types.as_ref().is_some_and(Vec::is_empty) {
            for label in labels {
                self.count(cx, graph, (label, types.as_deref()), &mut groups)?;
            }
        }
        let least = self.least(cx, groups.values().copied().collect())?;
        let rows = groups.into_iter().filter(|(_, count)| *count >= least).map(|(key, count)| self.row(key, count));
        Ok(Waiting(rows.collect()))
    }

    fn row(&self, key: Value, count: i64) -> Row {
        let group = &*self.group;
        let mut row = Row::empty(group.counts.iter().chain([&group.key_slot]).max().map_or(0, |slot| slot + 1));
        row.set(group.key_slot, key);
        group.counts.iter().for_each(|slot| row.set(*slot, Value::Integer(count)));
        row
    }

    /// Whether each node of a label is a group of its own.
    fn is_alone(&self, cx: &Cx<'_, 'g>, label: LabelId) -> bool {
        let catalogue = cx.store.catalogue();
        let key = catalogue.property_key_named(&self.group.key).map(|key| key.id);
        catalogue.vertex_label(label).is_some_and(|label| {
            label.id_strategy == IdStrategy::PrimaryKey
                && matches!(label.primary_keys.as_slice(), [own] if Some(*own) == key)
        })
    }

    /// The groups of nodes that are alone in theirs: ids and properties are read of those only that can be among the
    /// first ones. None where the nodes cannot be had as numbers.
    fn each_alone(
        &self,
        cx: &Cx<'_, 'g>,
        numbered: &'g dyn NumberedRead,
        (label, direction): (LabelId, Direction),
        types: Option<&[LabelId]>,
    ) -> Result<Option<Vec<Row>>> {
        let Some(members) = numbered.members(label).accessed()? else { return Ok(None) };
        let held = u64::try_from(size_of::<(u32, i64)>().saturating_mul(members.len())).unwrap_or(u64::MAX);
        cx.store.hold(held)?;
        let mut found: Vec<(u32, i64)> = Vec::with_capacity(members.len());
        for chunk in members.chunks(JOINED_OWNERS_MAX) {
            cx.store.tick(chunk.len())?;
            let counts = of_numbers(numbered, chunk, direction, types)?;
            found.extend(chunk.iter().copied().zip(counts).filter(|(_, count)| *count > 0));
        }
        let least = self.least(cx, found.iter().map(|(_, count)| *count).collect())?;
        found.retain(|(_, count)| *count >= least);
        let mut rows = Vec::with_capacity(found.len());
        for chunk in found.chunks(JOINED_OWNERS_MAX) {
            let known = chunk.iter().filter_map(|(number, count)| Some((node(numbered.id(*number)?), count)));
            let nodes: Vec<_> = known.collect();
            cx.store.load_nodes(nodes.iter().map(|(node, _)| node))?;
            for (node, count) in &nodes {
                rows.push(self.row(cx.store.node_property(node, &self.group.key)?, **count));
            }
        }
        cx.store.release(held);
        Ok(Some(rows))
    }

    /// Counts the groups of the nodes of a label, or of all.
    fn count(
        &self,
        cx: &Cx<'_, 'g>,
        graph: &'g dyn GraphRead,
        (label, types): (Option<LabelId>, Option<&[LabelId]>),
        groups: &mut FxHashMap<Value, i64>,
    ) -> Result<()> {
        let key = cx.store.catalogue().property_key_named(&self.group.key).map(|key| key.id);
        let (properties, without_ids) = (Some(key.into_iter().collect()), self.group.expand.is_none());
        let lookup = Lookup { label, properties, without_ids, ..Lookup::default() };
        let mut cursor = graph.find_vertices(lookup).accessed()?;
        let mut batch: Vec<Vertex> = Vec::new();
        loop {
            batch.clear();
            cursor.next_batch(&mut batch, JOINED_OWNERS_MAX).accessed()?;
            if batch.is_empty() {
                return Ok(());
            }
            cx.store.tick(batch.len())?;
            let counts = match &self.group.expand {
                None => vec![1; batch.len()],
                Some(expand) => {
                    let ids: Vec<VertexId> = batch.iter().map(|vertex| vertex.id.clone()).collect();
                    degrees(cx, graph.numbered(), &ids, expand.direction, types)?
                }
            };
            for (vertex, count) in batch.iter().zip(counts).filter(|(_, count)| *count > 0) {
                let value = match key.and_then(|key| vertex.properties.get(key)) {
                    Some(stored) => cypher_stored::value(stored, true)?,
                    None => Value::Null,
                };
                match groups.get_mut(&value) {
                    Some(own) => *own = own.saturating_add(count),
                    None => {
                        cx.store.hold(u64::try_from(memory(&value) + 64).unwrap_or(u64::MAX))?;
                        groups.insert(value, count);
                    }
                }
            }
        }
    }

    /// The least count of the groups that can be among the first ones, where only those are wanted.
    fn least(&self, cx: &Cx<'_, 'g>, mut counts: Vec<i64>) -> Result<i64> {
        if self.group.first.is_empty() {
            return Ok(0);
        }
        let mut wanted = 0_usize;
        for ex in &self.group.first {
            wanted = wanted.saturating_add(bound(cx, ex, "LIMIT")?);
        }
        if wanted == 0 || wanted >= counts.len() {
            return Ok(0);
        }
        let place = counts.len() - wanted;
        Ok(*counts.select_nth_unstable(place).1)
    }
}

impl<'g> Operator<'g> for GroupCounting<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        if let Some(source) = &mut self.detour {
            return source.next(cx, out);
        }
        if self.done.is_none() {
            let mut rows = self.input.all(cx)?;
            match (cx.store.reader(), rows.as_mut_slice()) {
                (Some(graph), [row]) => self.done = Some(self.counted(cx, graph, row)?),
                _ => {
                    self.detour = Some((cx.build)(&self.group.steps, rows));
                    return Ok(true);
                }
            }
        }
        Ok(self.done.as_mut().is_some_and(|done| done.give(cx, out)))
    }
}
