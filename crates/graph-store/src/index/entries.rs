//! The entries of an element: a pure function of an index label and the element.

use std::collections::BTreeSet;

use graph_model::{ElementRef, Properties, Value};
use graph_schema::{IndexLabel, IndexType};
use key_codec::{GraphNumber, index_key, tables};
use kv::{Key, TableId};

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
pub(crate) fn values<'a>(index: &IndexLabel, properties: &'a Properties) -> Vec<Option<&'a Value>> {
    index.fields.iter().map(|field| properties.get(*field)).collect()
}

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
        let mut bytes = Vec::new();
        partition(&mut bytes);
        let partition_len = bytes.len();
        row(&mut bytes);
        Entry { table: tables::of_index(index.index_type), bytes: bytes.into(), partition_len }
    };
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

/// How many values come before the element's id in a row of an index label's entries.
pub fn values_in_row(index: &IndexLabel) -> usize {
    match index.index_type {
        IndexType::Secondary => index.fields.len().saturating_sub(1),
        IndexType::Range | IndexType::Shard => index.fields.len(),
        IndexType::Search | IndexType::Unique => 0,
    }
}
