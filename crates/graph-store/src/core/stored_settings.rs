//! Rows of `meta` that belong to the store itself or are settings of a graph.

use key_codec::key::{self, MetaKind};
use key_codec::{CodecError, GraphNumber, setting_value, tables};
use kv::{Engine, KeyBuf, Read, WriteBatch};

use crate::limits;
use store_error::StoreError;

/// Appends a setting: numbers under a name. `graph`: [`GraphNumber::STORE`] for those of the store itself.
pub fn put_setting(batch: &mut WriteBatch, graph: GraphNumber, name: &str, numbers: &[u64]) {
    batch.put(
        tables::META,
        |b| key::meta_partition(b, graph, MetaKind::Setting),
        |b| key::meta_row_name(b, name),
        |v| setting_value::put_numbers(v, numbers),
    );
}

/// The bytes of a setting, as [`put_setting`] wrote them.
///
/// # Errors
/// Those of storage.
pub fn read_setting(engine: &dyn Read, graph: GraphNumber, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
    read_row(engine, graph, MetaKind::Setting, name)
}

/// Replaces a number that only grows and that several processes take from, and returns what it was (`None`: it is new)
/// and has become. It is never written otherwise.
pub fn advance_setting(
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
pub fn swap(
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
pub fn read_named(engine: &dyn Read, kind: MetaKind, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
    read_row(engine, GraphNumber::STORE, kind, name)
}

/// A named row of `meta`.
pub fn read_row(
    engine: &dyn Read,
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

/// Takes a graph's number from a list of the store.
pub fn delete_number(batch: &mut WriteBatch, kind: MetaKind, number: GraphNumber) {
    batch.delete(
        tables::META,
        |b| key::meta_partition(b, GraphNumber::STORE, kind),
        |b| key::meta_row_number(b, number.0),
    );
}

/// A stored number, unless it is beyond its range.
///
/// # Errors
/// That the store is damaged.
pub fn number_up_to(max: u64, [stored]: [u64; 1]) -> Result<u64, CodecError> {
    if stored > max {
        return Err(CodecError { what: "setting", problem: "a number beyond its range", at: 0 });
    }
    Ok(stored)
}
