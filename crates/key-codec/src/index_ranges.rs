//! Which ranges of the table of an index label hold the entries of the elements that meet conditions: a pure function
//! of both.

use std::ops::Bound;

use graph_model::Value;
use graph_schema::{IndexLabel, Interval, Predicate};
use kv::{Key, prefix_end};

use crate::{GraphNumber, index_key, tables, tagged_key};

/// Rows of one partition of an index table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyRange {
    /// The partition.
    pub partition: Vec<u8>,
    /// Its first row.
    pub start: Vec<u8>,
    /// The row after its last; `None`: to the end.
    pub end: Option<Vec<u8>>,
}

impl KeyRange {
    fn first_key(&self) -> Vec<u8> {
        [&*self.partition, &*self.start].concat()
    }

    fn is_empty(&self) -> bool {
        self.end.as_ref().is_some_and(|end| *end <= self.start)
    }

    /// Whether a key is one of these.
    #[must_use]
    pub fn contains(&self, key: Key<'_>) -> bool {
        let row = key.row();
        key.partition() == self.partition && row >= &*self.start && self.end.as_ref().is_none_or(|end| row < &**end)
    }
}

/// The ranges for predicates on the first fields of an index label: one for each combination of values, or for each
/// word of a text, where the last field may be an interval or two. They come in the order of their keys and do not
/// meet. None where they would be more than `ranges_max`.
#[must_use]
pub fn ranges(
    graph: GraphNumber,
    index: &IndexLabel,
    predicates: &[&Predicate],
    ranges_max: usize,
) -> Option<Vec<KeyRange>> {
    let mut ranges = vec![KeyRange::default()];
    let in_range_table = tables::of_index(index.index_type) == tables::INDEX_RANGE;
    if in_range_table {
        for range in &mut ranges {
            index_key::index_partition(&mut range.partition, graph, index.id);
        }
    }
    for (at, predicate) in predicates.iter().enumerate() {
        let parts = parts(index, predicate);
        if ranges.len().saturating_mul(parts.len()) > ranges_max {
            return None;
        }
        let is_partition = at == 0 && !in_range_table;
        let mut longer = Vec::with_capacity(ranges.len() * parts.len());
        for range in &ranges {
            for part in &parts {
                let mut range = range.clone();
                match part {
                    Part::Token(token) => {
                        index_key::token_partition(&mut range.partition, graph, index.id, token);
                    }
                    Part::Value(value) if is_partition => {
                        index_key::equal_partition(&mut range.partition, graph, index.id, value);
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
    Some(ranges)
}

/// One piece of what a predicate accepts.
enum Part<'a> {
    Value(&'a Value),
    Interval(Interval),
    Token(String),
}

fn parts<'a>(index: &IndexLabel, predicate: &'a Predicate) -> Vec<Part<'a>> {
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
        Predicate::TextContains(words) => index.analyzer.tokens(words).into_iter().map(Part::Token).collect(),
    }
}

fn below<'a>(value: &Value) -> Part<'a> {
    Part::Interval(Interval { low: Bound::Unbounded, high: Bound::Excluded(value.clone()) })
}

fn above<'a>(value: &Value) -> Part<'a> {
    Part::Interval(Interval { low: Bound::Excluded(value.clone()), high: Bound::Unbounded })
}

/// Narrows a range, whose start holds the values before, to an interval: of numbers or dates, whose keys are of one
/// length, or of values of an auto graph.
fn narrow(range: &mut KeyRange, interval: &Interval) {
    let prefix = std::mem::take(&mut range.start);
    let bounds = [&interval.low, &interval.high];
    if bounds.iter().any(|bound| matches!(bound, Bound::Included(Value::Any(_)) | Bound::Excluded(Value::Any(_)))) {
        let within = |key: Vec<u8>| [&*prefix, &*key].concat();
        match tagged_key::places(&interval.low, &interval.high) {
            Some((low, high)) => {
                range.end = high.map(within).or_else(|| prefix_end(&prefix));
                range.start = within(low);
            }
            None => range.end = Some(Vec::new()),
        }
        return;
    }
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
