//! The use of one index: which ranges of its table hold the entries of the elements that meet its conditions.

use std::collections::BTreeSet;
use std::sync::Arc;

use graph_model::{ElementId, ElementRef, Properties};
use graph_schema::{Conditions, IndexLabel, IndexType, Predicate};
use key_codec::index_entries::{Entry, add_entries, values_in_row};
use key_codec::index_ranges::{self, KeyRange};
use key_codec::{GraphNumber, index_key, tables};
use kv::{Cursor, Key, Read, RowRange, TableId, successor};

use crate::{Graph, StoreError, limits};

/// One index and the ranges of its table to walk, in the order of their keys; none meets another.
pub(crate) struct Access {
    pub(crate) index: Arc<IndexLabel>,
    table: TableId,
    /// Values before the element in a row.
    values_in_row: usize,
    ranges: Vec<KeyRange>,
    graph: GraphNumber,
    /// Whether an element can have several entries in the ranges.
    has_several: bool,
}

impl Access {
    /// The access to the elements that meet the conditions on the first `fields` fields of an index.
    pub(crate) fn new(
        graph: &Graph,
        index: &Arc<IndexLabel>,
        fields: usize,
        conditions: &Conditions,
    ) -> Result<Self, StoreError> {
        let fields = index.fields.iter().take(fields);
        let predicates: Vec<&Predicate> = fields.filter_map(|field| Some(&conditions.get(*field)?.predicate)).collect();
        let limit = limits::INDEX_RANGES_MAX;
        let ranges = index_ranges::ranges(graph.number, index, &predicates, limit);
        let has_several =
            graph.is_auto() || matches!(&*predicates, [Predicate::TextContains(_) | Predicate::ContainsAny(_)]);
        Ok(Self {
            index: Arc::clone(index),
            table: tables::of_index(index.index_type),
            values_in_row: values_in_row(index),
            ranges: ranges.ok_or(StoreError::TooManyRanges { limit })?,
            graph: graph.number,
            has_several,
        })
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

    /// Whether an element has an entry before the one with `key`: it has been met there. Also where it has none: it was
    /// changed since that entry was made.
    pub(crate) fn was_met(&self, key: Key<'_>, element: ElementRef<'_>, properties: &Properties) -> bool {
        self.has_several
            && self.first_entry(element, properties).is_none_or(|first| first.key().as_bytes() != key.as_bytes())
    }

    /// Whether an element has one of the tokens this index is asked for; true of other indexes. The entry says so, the
    /// element must too.
    pub(crate) fn has_token(&self, element: ElementRef<'_>, properties: &Properties) -> bool {
        self.index.index_type != IndexType::Search || self.first_entry(element, properties).is_some()
    }

    /// The first of an element's entries in the ranges.
    fn first_entry(&self, element: ElementRef<'_>, properties: &Properties) -> Option<Entry> {
        let mut own = BTreeSet::new();
        add_entries(&mut own, self.graph, &self.index, element, properties);
        own.into_iter().find(|own| self.ranges.iter().any(|range| range.contains(own.key())))
    }
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
    /// Gives the next entry to `take`: its key and the element it leads to. False at the end.
    pub(crate) fn next(&mut self, take: impl FnOnce(Key<'_>, ElementId)) -> Result<bool, StoreError> {
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
                take(entry.key, element);
                return Ok(true);
            }
            self.cursor = None;
            self.at += 1;
        }
    }
}
