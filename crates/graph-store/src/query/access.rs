//! The use of one index: which ranges of its table hold the entries of the elements that meet its conditions.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::Arc;

use graph_model::{ElementId, Properties, PropertyKeyId, Value};
use graph_schema::{Conditions, IndexLabel, IndexType, Interval, Predicate, equal};
use key_codec::{index_key, tables};
use kv::{Cursor, Key, Read, RowRange, TableId, prefix_end, successor};

use crate::index::entries::values_in_row;
use crate::{Graph, StoreError, limits};

/// Rows of one partition of an index table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct KeyRange {
    partition: Vec<u8>,
    start: Vec<u8>,
    end: Option<Vec<u8>>,
}

impl KeyRange {
    fn first_key(&self) -> Vec<u8> {
        [&*self.partition, &*self.start].concat()
    }

    fn is_empty(&self) -> bool {
        self.end.as_ref().is_some_and(|end| *end <= self.start)
    }
}

/// Where an element can have entries in several ranges: what each range stands for, in the order of the ranges.
enum Several {
    /// It has at most one.
    No,
    /// Items of a collection.
    Items(PropertyKeyId, Vec<Value>),
    /// Tokens of a text.
    Tokens(PropertyKeyId, Vec<String>),
}

/// One index and the ranges of its table to walk, in the order of their keys; none meets another.
pub(crate) struct Access {
    pub(crate) index: Arc<IndexLabel>,
    table: TableId,
    /// Values before the element in a row.
    values_in_row: usize,
    ranges: Vec<KeyRange>,
    several: Several,
}

impl Access {
    /// The access to the elements that meet the conditions on the first `fields` fields of an index.
    pub(crate) fn new(
        graph: &Graph,
        index: &Arc<IndexLabel>,
        fields: usize,
        conditions: &Conditions,
    ) -> Result<Self, StoreError> {
        let table = tables::of_index(index.index_type);
        let values_in_row = values_in_row(index);
        let mut access =
            Self { index: Arc::clone(index), table, values_in_row, ranges: Vec::new(), several: Several::No };
        let predicates: Vec<(PropertyKeyId, &Predicate)> = index
            .fields
            .iter()
            .take(fields)
            .filter_map(|field| Some((*field, &conditions.get(*field)?.predicate)))
            .collect();
        match (index.index_type, &*predicates) {
            (IndexType::Search, [(key, Predicate::TextContains(words))]) => access.search(graph, *key, words),
            (IndexType::Secondary, [(key, Predicate::ContainsAny(items))]) => access.items(graph, *key, items),
            _ => access.tuples(graph, &predicates)?,
        }
        Ok(access)
    }

    fn search(&mut self, graph: &Graph, key: PropertyKeyId, words: &str) {
        let tokens = self.index.analyzer.tokens(words).into_iter();
        let mut ranges: Vec<(KeyRange, String)> = tokens
            .map(|token| {
                let mut range = KeyRange::default();
                index_key::token_partition(&mut range.partition, graph.number, self.index.id, &token);
                (range, token)
            })
            .collect();
        ranges.sort_by(|(a, _), (b, _)| a.partition.cmp(&b.partition));
        ranges.dedup_by(|(a, _), (b, _)| a == b);
        let (ranges, tokens) = ranges.into_iter().unzip();
        self.ranges = ranges;
        self.several = Several::Tokens(key, tokens);
    }

    fn items(&mut self, graph: &Graph, key: PropertyKeyId, items: &[Value]) {
        let mut ranges: Vec<(KeyRange, Value)> = items
            .iter()
            .map(|item| {
                let mut range = KeyRange::default();
                index_key::equal_partition(&mut range.partition, graph.number, self.index.id, item);
                (range, item.clone())
            })
            .collect();
        ranges.sort_by(|(a, _), (b, _)| a.partition.cmp(&b.partition));
        ranges.dedup_by(|(a, _), (b, _)| a == b);
        let (ranges, items) = ranges.into_iter().unzip();
        self.ranges = ranges;
        self.several = Several::Items(key, items);
    }

    /// One range for each combination of values; the last field may be an interval or two.
    fn tuples(&mut self, graph: &Graph, predicates: &[(PropertyKeyId, &Predicate)]) -> Result<(), StoreError> {
        let mut ranges = vec![KeyRange::default()];
        let in_range_table = self.table == tables::INDEX_RANGE;
        if in_range_table {
            for range in &mut ranges {
                index_key::index_partition(&mut range.partition, graph.number, self.index.id);
            }
        }
        for (at, (_, predicate)) in predicates.iter().enumerate() {
            let parts = parts(predicate);
            if ranges.len().saturating_mul(parts.len()) > limits::INDEX_RANGES_MAX {
                return Err(StoreError::TooManyRanges { limit: limits::INDEX_RANGES_MAX });
            }
            let is_partition = at == 0 && !in_range_table;
            let mut longer = Vec::with_capacity(ranges.len() * parts.len());
            for range in &ranges {
                for part in &parts {
                    let mut range = range.clone();
                    match part {
                        Part::Value(value) if is_partition => {
                            index_key::equal_partition(&mut range.partition, graph.number, self.index.id, value);
                        }
                        Part::Value(value) => {
                            index_key::put_value(&mut range.start, Some(value));
                            range.end = prefix_end(&range.start);
                        }
                        Part::Interval(interval) => narrow(&mut range, interval),
                    }
                    longer.push(range);
                }
            }
            ranges = longer;
        }
        ranges.retain(|range| !range.is_empty());
        ranges.sort_by_cached_key(KeyRange::first_key);
        ranges.dedup();
        self.ranges = ranges;
        Ok(())
    }

    /// Walks the entries after `after`.
    pub(crate) fn entries<'a>(&'a self, read: &'a dyn Read, after: Option<Key<'_>>) -> Entries<'a> {
        let after = after.map(|key| (key.partition().to_vec(), successor(key.row())));
        let at = after.as_ref().map_or(0, |(partition, row)| {
            self.ranges.partition_point(|range| {
                let behind = range.partition.cmp(partition).then_with(|| match &range.end {
                    Some(end) => end.cmp(row),
                    None => std::cmp::Ordering::Greater,
                });
                behind.is_le()
            })
        });
        Entries { access: self, read, after, at, cursor: None }
    }

    /// Whether an element has an entry in a range before the one at `at`: it has been met there.
    pub(crate) fn was_met(&self, at: usize, properties: &Properties) -> bool {
        match &self.several {
            Several::No => false,
            Several::Items(key, items) => {
                let earlier = items.get(..at).unwrap_or_default();
                let own = properties.get(*key).map_or(&[][..], Value::items);
                earlier.iter().any(|item| own.iter().any(|own| equal(own, item)))
            }
            Several::Tokens(key, tokens) => {
                let earlier = tokens.get(..at).unwrap_or_default();
                !earlier.is_empty() && self.shares(*key, earlier, properties)
            }
        }
    }

    /// Whether an element has one of the tokens this index is asked for; true of other indexes. The entry says so, the
    /// element must too.
    pub(crate) fn has_token(&self, properties: &Properties) -> bool {
        match &self.several {
            Several::Tokens(key, tokens) => self.shares(*key, tokens, properties),
            _ => true,
        }
    }

    fn shares(&self, key: PropertyKeyId, tokens: &[String], properties: &Properties) -> bool {
        let mut own = BTreeSet::new();
        for item in properties.get(key).map_or(&[][..], Value::items) {
            if let Value::Text(text) = item {
                self.index.analyzer.add_tokens(text, &mut own);
            }
        }
        tokens.iter().any(|token| own.contains(token))
    }
}

/// One piece of what a predicate accepts.
enum Part<'a> {
    Value(&'a Value),
    Interval(Interval),
}

fn parts(predicate: &Predicate) -> Vec<Part<'_>> {
    match predicate {
        // The entries of a collection are those of its items; the element is compared with the whole.
        Predicate::Equal(Value::List(items) | Value::Set(items)) => {
            items.first().map(Part::Value).into_iter().collect()
        }
        Predicate::Equal(value) => vec![Part::Value(value)],
        Predicate::OneOf(values) | Predicate::ContainsAny(values) => values.iter().map(Part::Value).collect(),
        Predicate::Range(interval) => vec![Part::Interval(interval.clone())],
        Predicate::Outside(low, high) => vec![below(low), above(high)],
        Predicate::NotEqual(value) => vec![below(value), above(value)],
        Predicate::TextContains(_) => Vec::new(),
    }
}

fn below<'a>(value: &Value) -> Part<'a> {
    Part::Interval(Interval { low: Bound::Unbounded, high: Bound::Excluded(value.clone()) })
}

fn above<'a>(value: &Value) -> Part<'a> {
    Part::Interval(Interval { low: Bound::Excluded(value.clone()), high: Bound::Unbounded })
}

/// Narrows a range, whose start holds the values before, to an interval of numbers or dates: their keys are of one
/// length.
fn narrow(range: &mut KeyRange, interval: &Interval) {
    let prefix = std::mem::take(&mut range.start);
    let with = |value: &Value| {
        let mut key = prefix.clone();
        index_key::put_value(&mut key, Some(value));
        key
    };
    range.start = match &interval.low {
        Bound::Unbounded => prefix.clone(),
        Bound::Included(value) => with(value),
        Bound::Excluded(value) => prefix_end(&with(value)).unwrap_or_default(),
    };
    range.end = match &interval.high {
        Bound::Unbounded => prefix_end(&prefix),
        Bound::Included(value) => prefix_end(&with(value)),
        Bound::Excluded(value) => Some(with(value)),
    };
}

/// A walk over the entries of an access.
pub(crate) struct Entries<'a> {
    access: &'a Access,
    read: &'a dyn Read,
    after: Option<(Vec<u8>, Vec<u8>)>,
    at: usize,
    cursor: Option<Box<dyn Cursor + 'a>>,
}

impl Entries<'_> {
    /// Gives the next entry to `take`: the position of its range, its key and the element it leads to. False at the
    /// end.
    pub(crate) fn next(&mut self, take: impl FnOnce(usize, Key<'_>, ElementId)) -> Result<bool, StoreError> {
        loop {
            if self.cursor.is_none() {
                let Some(range) = self.access.ranges.get(self.at) else { return Ok(false) };
                let after = self.after.take().filter(|(partition, _)| *partition == range.partition);
                let start = after.map_or_else(|| range.start.clone(), |(_, row)| row.max(range.start.clone()));
                let rows = RowRange { partition: &range.partition, start: &start, end: range.end.as_deref() };
                self.cursor = Some(self.read.scan(self.access.table, rows)?);
            }
            if let Some(cursor) = &mut self.cursor
                && let Some(entry) = cursor.next()?
            {
                let element = index_key::read_row(entry.key.row(), self.access.values_in_row)?;
                take(self.at, entry.key, element);
                return Ok(true);
            }
            self.cursor = None;
            self.at += 1;
        }
    }
}
