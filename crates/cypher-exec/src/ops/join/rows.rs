//! The rows that a join gives.

use std::collections::VecDeque;
use std::sync::Arc;

use adjacency::NumberSet;
use cypher_graph::numbered_node;
use cypher_value::{Node, Value};
use graph_access::NumberedRead;
use rustc_hash::{FxHashMap, FxHashSet};

use super::hops::Bound;
use super::sieve::Sieve;
use crate::Result;
use crate::eval::Cx;
use crate::limits::{BATCH, JOINED_GROUPS_MAX, NODE_PLACES};
use crate::row::Row;
use cypher_plan::{Join, JoinRows, Slot};

/// The place of a row, and the wanted nodes of a way as numbers.
type Key = Box<[u32]>;

/// Bytes that a group counts as.
const GROUP_BYTES: u64 = 48;

/// The rows of the input that are worked on, and what is found for them.
pub(super) struct Rows {
    mode: JoinRows,
    /// The wanted nodes and their columns.
    wanted: Vec<(Slot, usize)>,
    rows: Vec<Row>,
    /// Whether all rows are the same to what is behind.
    forgets_rows: bool,
    counts: FxHashMap<Key, u64>,
    seen: FxHashSet<Key>,
    /// The nodes of all rows, where only their number is wanted.
    pub(super) different: NumberSet,
    held: u64,
    nodes: Nodes,
    /// Rows that are given several times, and how often still.
    repeated: VecDeque<(Row, u64)>,
    /// What rows must meet, where each is wanted.
    pub(super) sieve: Option<Sieve>,
}

/// Nodes that were made, a few of them, each in the place that its number says.
#[derive(Default)]
struct Nodes(Vec<Option<Arc<Node>>>);

impl Nodes {
    fn get(&mut self, graph: &dyn NumberedRead, number: u32) -> Option<Arc<Node>> {
        if self.0.is_empty() {
            self.0.resize(NODE_PLACES, None);
        }
        let slot = self.0.get_mut(number as usize % NODE_PLACES)?;
        if let Some(known) = slot.as_ref().filter(|known| known.number == Some(number)) {
            return Some(Arc::clone(known));
        }
        let node = numbered_node(graph.id(number)?, number);
        *slot = Some(Arc::clone(&node));
        Some(node)
    }
}

impl Rows {
    pub(super) fn new(join: &Join, bound: &Bound) -> Self {
        let wanted = join.nodes.iter().filter_map(|slot| bound.column(*slot).map(|column| (*slot, column)));
        Self {
            mode: join.rows,
            wanted: wanted.collect(),
            rows: Vec::new(),
            forgets_rows: join.forgets_rows,
            counts: FxHashMap::default(),
            seen: FxHashSet::default(),
            different: NumberSet::default(),
            held: 0,
            nodes: Nodes::default(),
            repeated: VecDeque::new(),
            sieve: None,
        }
    }

    /// Forgets what belongs to the rows it worked on.
    pub(super) fn clear(&mut self, cx: &Cx<'_, '_>) {
        self.rows.clear();
        self.counts.clear();
        self.seen.clear();
        self.different = NumberSet::default();
        self.repeated.clear();
        self.sieve = None;
        cx.store.release(std::mem::take(&mut self.held));
    }

    /// Hands on rows that are given several times, until there are enough; answers whether there are more.
    pub(super) fn repeat(&mut self, out: &mut Vec<Row>) -> bool {
        while let Some((row, times)) = self.repeated.front_mut() {
            if out.len() >= BATCH {
                return true;
            }
            out.push(row.clone());
            *times -= 1;
            if *times == 0 {
                self.repeated.pop_front();
            }
        }
        false
    }

    pub(super) fn begin(&mut self, rows: Vec<Row>) {
        if !self.forgets_rows {
            self.rows = rows;
        }
    }

    fn key(&self, tuple: &[u32]) -> Key {
        let columns = std::iter::once(0).chain(self.wanted.iter().map(|(_, column)| *column));
        columns.map(|column| tuple.get(column).copied().unwrap_or(u32::MAX)).collect()
    }

    fn row(&mut self, graph: &dyn NumberedRead, key: &[u32]) -> Row {
        let Some((place, key)) = key.split_first() else { return Row::default() };
        let mut row = self.rows.get(*place as usize).cloned().unwrap_or_default();
        for ((slot, _), number) in self.wanted.iter().zip(key) {
            row.set(*slot, self.nodes.get(graph, *number).map_or(Value::Null, Value::Node));
        }
        row
    }

    /// Takes a way of finding the nodes, found so many times.
    pub(super) fn give(
        &mut self,
        cx: &Cx<'_, '_>,
        graph: &dyn NumberedRead,
        tuple: &[u32],
        times: u64,
        out: &mut Vec<Row>,
    ) -> Result<()> {
        if let (JoinRows::DistinctCount(..), [(_, column)]) = (self.mode, self.wanted.as_slice()) {
            let is_new = tuple.get(*column).is_some_and(|number| self.different.insert(*number));
            return if is_new { cx.store.hold(1) } else { Ok(()) };
        }
        if let (JoinRows::Each, Some(sieve)) = (self.mode, &mut self.sieve) {
            sieve.add(&self.wanted, tuple, times);
            return if sieve.is_full() { self.sift(cx, graph, out) } else { Ok(()) };
        }
        let key = self.key(tuple);
        match self.mode {
            JoinRows::Each => {
                let row = self.row(graph, &key);
                if times == 1 {
                    out.push(row);
                } else {
                    self.repeated.push_back((row, times));
                }
            }
            JoinRows::Distinct => {
                if !self.seen.contains(&key) {
                    out.push(self.row(graph, &key));
                    self.hold(cx)?;
                    self.seen.insert(key);
                }
            }
            JoinRows::DistinctCount(..) => {}
            JoinRows::Counted(_) => match self.counts.get_mut(&key) {
                Some(count) => *count = count.saturating_add(times),
                None => {
                    self.hold(cx)?;
                    self.counts.insert(key, times);
                    if self.counts.len() > JOINED_GROUPS_MAX {
                        self.finish(cx, graph, out)?;
                    }
                }
            },
        }
        Ok(())
    }

    /// Makes rows of the ways that meet the conditions.
    pub(super) fn sift(&mut self, cx: &Cx<'_, '_>, graph: &dyn NumberedRead, out: &mut Vec<Row>) -> Result<()> {
        let Some(sieve) = &mut self.sieve else { return Ok(()) };
        let repeated = &mut self.repeated;
        sieve.sift(cx, graph, &self.wanted, &self.rows, |row, times| {
            if times == 1 {
                out.push(row.clone());
            } else {
                repeated.push_back((row.clone(), times));
            }
        })
    }

    fn hold(&mut self, cx: &Cx<'_, '_>) -> Result<()> {
        let bytes = GROUP_BYTES + 4 * u64::try_from(self.wanted.len()).unwrap_or(u64::MAX);
        self.held += bytes;
        cx.store.hold(bytes)
    }

    /// Hands on the groups of the rows, after which others begin.
    pub(super) fn finish(&mut self, cx: &Cx<'_, '_>, graph: &dyn NumberedRead, out: &mut Vec<Row>) -> Result<()> {
        self.seen.clear();
        if let JoinRows::Counted(slot) = self.mode {
            for (key, count) in std::mem::take(&mut self.counts) {
                let mut row = self.row(graph, &key);
                row.set(slot, Value::Integer(i64::try_from(count).unwrap_or(i64::MAX)));
                out.push(row);
            }
        }
        cx.store.release(std::mem::take(&mut self.held));
        Ok(())
    }
}
