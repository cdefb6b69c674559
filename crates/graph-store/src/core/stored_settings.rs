//! Rows of `meta` that belong to the store itself or are settings of a graph.

use key_codec::key::{self, MetaKind};
use key_codec::{CodecError, GraphNumber, setting_value, tables};
use kv::{Engine, KeyBuf, RowRange, WriteBatch};

use crate::{StoreError, limits};

/// Setting of the store: the number the next graph gets.
pub(crate) const NEXT_GRAPH: &str = "next_graph";

pub(crate) fn put_setting(batch: &mut WriteBatch, graph: GraphNumber, name: &str, numbers: &[u64]) {
    batch.put(
        tables::META,
        |b| key::meta_partition(b, graph, MetaKind::Setting),
        |b| key::meta_row_name(b, name),
        |v| setting_value::put_numbers(v, numbers),
    );
}

pub(crate) fn read_setting(engine: &dyn Engine, graph: GraphNumber, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
    read_row(engine, graph, MetaKind::Setting, name)
}

/// Replaces a number that only grows and that several processes take from, and returns what it was (`None`: it is new) and has become.
/// It is never written otherwise.
pub(crate) fn advance_setting(
    engine: &dyn Engine,
    graph: GraphNumber,
    name: &str,
    next: impl Fn(Option<u64>) -> Result<u64, StoreError>,
) -> Result<u64, StoreError> {
    for _ in 0..limits::SWAP_RETRIES_MAX {
        let stored = read_setting(engine, graph, name)?;
        let before = stored.as_deref().map(setting_value::read_numbers::<1>).transpose()?.map(|[number]| number);
        let new = next(before)?;
        let mut bytes = Vec::new();
        setting_value::put_numbers(&mut bytes, &[new]);
        if swap(engine, (graph, MetaKind::Setting, name), stored.as_deref(), Some(&bytes))? {
            return Ok(new);
        }
    }
    Err(StoreError::SchemaBusy)
}

/// Compares and swaps a named row of `meta`.
pub(crate) fn swap(
    engine: &dyn Engine,
    (graph, kind, name): (GraphNumber, MetaKind, &str),
    expected: Option<&[u8]>,
    new: Option<&[u8]>,
) -> Result<bool, StoreError> {
    let mut key = KeyBuf::new();
    key::meta_partition(key.bytes_mut(), graph, kind);
    key.end_partition();
    key::meta_row_name(key.bytes_mut(), name);
    Ok(engine.compare_and_swap(tables::META, key.as_key(), expected, new)?)
}

/// The value the store keeps for a graph's name.
pub(crate) fn read_named(engine: &dyn Engine, kind: MetaKind, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
    read_row(engine, GraphNumber::STORE, kind, name)
}

/// A named row of `meta`.
pub(crate) fn read_row(
    engine: &dyn Engine,
    graph: GraphNumber,
    kind: MetaKind,
    name: &str,
) -> Result<Option<Vec<u8>>, StoreError> {
    let mut key = KeyBuf::new();
    key::meta_partition(key.bytes_mut(), graph, kind);
    key.end_partition();
    key::meta_row_name(key.bytes_mut(), name);
    let mut found = None;
    engine.get(tables::META, key.as_key(), &mut |value| found = Some(value.to_vec()))?;
    Ok(found)
}

/// Appends the removal of what the store keeps for a graph's name.
pub(crate) fn delete_named(batch: &mut WriteBatch, kind: MetaKind, name: &str) {
    batch.delete(tables::META, |b| key::meta_partition(b, GraphNumber::STORE, kind), |b| key::meta_row_name(b, name));
}

/// Notes that the data of a number is to be removed.
pub(crate) fn put_dropped(batch: &mut WriteBatch, number: GraphNumber) {
    put_number(batch, MetaKind::Dropped, number);
}

/// Adds a graph's number to a list of the store, with the server that has to do with it (0: any).
pub(crate) fn put_owned_number(batch: &mut WriteBatch, kind: MetaKind, number: GraphNumber, owner: u64) {
    batch.put(
        tables::META,
        |b| key::meta_partition(b, GraphNumber::STORE, kind),
        |b| key::meta_row_number(b, number.0),
        |v| {
            if owner != 0 {
                setting_value::put_numbers(v, &[owner]);
            }
        },
    );
}

/// Adds a graph's number to a list of the store.
pub(crate) fn put_number(batch: &mut WriteBatch, kind: MetaKind, number: GraphNumber) {
    put_owned_number(batch, kind, number, 0);
}

/// Takes a graph's number from a list of the store.
pub(crate) fn delete_number(batch: &mut WriteBatch, kind: MetaKind, number: GraphNumber) {
    batch.delete(
        tables::META,
        |b| key::meta_partition(b, GraphNumber::STORE, kind),
        |b| key::meta_row_number(b, number.0),
    );
}

/// The graphs' numbers in a list of the store.
pub(crate) fn read_numbers(engine: &dyn Engine, kind: MetaKind) -> Result<Vec<GraphNumber>, StoreError> {
    Ok(read_owned_numbers(engine, kind)?.into_iter().map(|(number, _)| number).collect())
}

/// The same, each with its server (0: none).
pub(crate) fn read_owned_numbers(engine: &dyn Engine, kind: MetaKind) -> Result<Vec<(GraphNumber, u64)>, StoreError> {
    let mut partition = Vec::new();
    key::meta_partition(&mut partition, GraphNumber::STORE, kind);
    let mut numbers = Vec::new();
    let mut cursor = engine.scan(tables::META, RowRange::all(&partition))?;
    while let Some(entry) = cursor.next()? {
        let owner = if entry.value.is_empty() { 0 } else { setting_value::read_numbers::<1>(entry.value)?[0] };
        numbers.push((graph_number([key::read_meta_row_number(entry.key.row())?.into()])?, owner));
    }
    Ok(numbers)
}

/// The number of a graph, which is never that of the store.
pub(crate) fn graph_number([stored]: [u64; 1]) -> Result<GraphNumber, CodecError> {
    let number = u32::try_from(number_up_to(u32::MAX.into(), [stored])?).unwrap_or(u32::MAX);
    if number == 0 {
        return Err(CodecError { what: "setting", problem: "a graph without a number", at: 0 });
    }
    Ok(GraphNumber(number))
}

pub(crate) fn number_up_to(max: u64, [stored]: [u64; 1]) -> Result<u64, CodecError> {
    if stored > max {
        return Err(CodecError { what: "setting", problem: "a number beyond its range", at: 0 });
    }
    Ok(stored)
}
