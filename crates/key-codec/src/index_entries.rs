//! The entries of an element: a pure function of an index label and the element.

use std::collections::BTreeSet;

use graph_model::{ElementRef, Properties, Value};
use graph_schema::{IndexLabel, IndexType};
use kv::{Key, TableId};

use crate::index_value::TAG_NULL;
use crate::{GraphNumber, index_key, tables, tagged_key};

/// Entries of one element of an auto graph in one index label that are made at most: whoever finds more than this minus
/// one refuses the element.
pub const ENTRIES_MAX: usize = 65_536;

/// A key of an index table. In `index_unique` its value is the element's id, elsewhere it has none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entry {
    /// The table it is in.
    pub table: TableId,
    bytes: Box<[u8]>,
    partition_len: usize,
}

impl Entry {
    /// An entry that was read.
    #[must_use]
    pub fn of_key(table: TableId, key: Key<'_>) -> Self {
        Self { table, bytes: key.as_bytes().into(), partition_len: key.partition().len() }
    }

    /// Its key there.
    #[must_use]
    pub fn key(&self) -> Key<'_> {
        Key::new(&self.bytes, self.partition_len)
    }
}

/// The values of the fields of an index label, in their order.
#[must_use]
pub fn values<'a>(index: &IndexLabel, properties: &'a Properties) -> Vec<Option<&'a Value>> {
    index.fields.iter().map(|field| properties.get(*field)).collect()
}

/// Room for the key of most entries, so that it is not copied while it grows.
const ENTRY_BYTES: usize = 64;

/// Adds the entries an element has in an index label.
pub fn add_entries(
    entries: &mut BTreeSet<Entry>,
    graph: GraphNumber,
    index: &IndexLabel,
    element: ElementRef<'_>,
    properties: &Properties,
) {
    let values = values(index, properties);
    let entry = |partition: &mut dyn FnMut(&mut Vec<u8>), row: &mut dyn FnMut(&mut Vec<u8>)| {
        let mut bytes = Vec::with_capacity(ENTRY_BYTES);
        partition(&mut bytes);
        let partition_len = bytes.len();
        row(&mut bytes);
        Entry { table: tables::of_index(index.index_type), bytes: bytes.into(), partition_len }
    };
    if values.iter().flatten().any(|value| matches!(value, Value::Any(_))) {
        let all = combinations(index, &values).into_iter();
        entries.extend(all.map(|keys| tagged_entry(graph, index, element, &keys)));
        return;
    }
    let first = values.first().copied().flatten();
    let rest = values.get(1..).unwrap_or_default();
    let put_rest = |b: &mut Vec<u8>| {
        for value in rest {
            index_key::put_value(b, *value);
        }
        index_key::put_element(b, element);
    };
    match (index.index_type, first) {
        (IndexType::Unique, _) => {
            if values.iter().any(Option::is_some) {
                let partition = &mut |b: &mut Vec<u8>| index_key::unique_partition(b, graph, index.id, &values);
                entries.insert(entry(partition, &mut |_| ()));
            }
        }
        (_, None) => {}
        (IndexType::Search, Some(text)) => {
            let mut tokens = BTreeSet::new();
            for item in text.items() {
                if let Value::Text(text) = item {
                    index.analyzer.add_tokens(text, &mut tokens);
                }
            }
            entries.extend(tokens.iter().map(|token| {
                let partition = &mut |b: &mut Vec<u8>| index_key::token_partition(b, graph, index.id, token);
                entry(partition, &mut |b| index_key::put_element(b, element))
            }));
        }
        (IndexType::Secondary, Some(first)) => entries.extend(first.items().iter().map(|item| {
            let partition = &mut |b: &mut Vec<u8>| index_key::equal_partition(b, graph, index.id, item);
            entry(partition, &mut |b| put_rest(b))
        })),
        (IndexType::Range | IndexType::Shard, Some(first)) => entries.extend(first.items().iter().map(|item| {
            let partition = &mut |b: &mut Vec<u8>| index_key::index_partition(b, graph, index.id);
            let row = &mut |b: &mut Vec<u8>| {
                index_key::put_value(b, Some(item));
                put_rest(b);
            };
            entry(partition, row)
        })),
    }
}

/// The keys of the fields of an element of an auto graph, in all combinations of what it has under each: none where it
/// lacks the first, or of a unique index any. Those of other fields that it lacks say so.
fn combinations(index: &IndexLabel, values: &[Option<&Value>]) -> Vec<Vec<Vec<u8>>> {
    let is_unique = index.index_type == IndexType::Unique;
    let mut all: Vec<Vec<Vec<u8>>> = vec![Vec::new()];
    for (at, value) in values.iter().enumerate() {
        let mut keys = BTreeSet::new();
        if let Some(Value::Any(cell)) = value {
            for entry in tagged_value::entries(cell).map_while(Result::ok) {
                let mut key = Vec::new();
                if !is_unique {
                    tagged_key::put_place(&mut key, entry.value);
                    keys.insert(key);
                } else if tagged_key::put_exact(&mut key, entry.value) {
                    keys.insert(key);
                }
            }
        }
        if keys.is_empty() {
            if is_unique || at == 0 {
                return Vec::new();
            }
            keys.insert(vec![TAG_NULL]);
        }
        let longer = all.iter().flat_map(|before| {
            keys.iter().map(|key| {
                let mut more = before.clone();
                more.push(key.clone());
                more
            })
        });
        all = longer.take(ENTRIES_MAX).collect();
    }
    all
}

fn tagged_entry(graph: GraphNumber, index: &IndexLabel, element: ElementRef<'_>, keys: &[Vec<u8>]) -> Entry {
    let mut bytes = Vec::new();
    index_key::index_partition(&mut bytes, graph, index.id);
    let in_partition = match index.index_type {
        IndexType::Unique => {
            bytes.push(u8::try_from(keys.len()).unwrap_or(u8::MAX));
            keys.len()
        }
        IndexType::Secondary | IndexType::Search => 1,
        IndexType::Range | IndexType::Shard => 0,
    };
    let (partition, row) = keys.split_at_checked(in_partition).unwrap_or((keys, &[]));
    partition.iter().for_each(|key| bytes.extend_from_slice(key));
    let partition_len = bytes.len();
    if index.index_type != IndexType::Unique {
        row.iter().for_each(|key| bytes.extend_from_slice(key));
        index_key::put_element(&mut bytes, element);
    }
    Entry { table: tables::of_index(index.index_type), bytes: bytes.into(), partition_len }
}

/// How many bytes of digits a number of an element of an auto graph has that is too long for a place in an index
/// ([`tagged_key::NUMBER_BYTES_MAX`]); none where there is no such number.
#[must_use]
pub fn digits_beyond(index: &IndexLabel, properties: &Properties) -> Option<usize> {
    let cells = index.fields.iter().filter_map(|field| match properties.get(*field) {
        Some(Value::Any(cell)) => Some(cell),
        _ => None,
    });
    let mut entries = cells.flat_map(|cell| tagged_value::entries(cell).map_while(Result::ok));
    entries.find_map(|entry| tagged_key::digits_beyond(entry.value))
}

/// How many values come before the element's id in a row of an index label's entries.
#[must_use]
pub fn values_in_row(index: &IndexLabel) -> usize {
    match index.index_type {
        IndexType::Secondary => index.fields.len().saturating_sub(1),
        IndexType::Range | IndexType::Shard => index.fields.len(),
        IndexType::Search | IndexType::Unique => 0,
    }
}
