//! What the store keeps for names of graphs, and its lists of graph numbers: those dropped, those unfinished.

use graph_store::StoreError;
use graph_store::stored_settings::number_up_to;
use key_codec::key::{self, MetaKind};
use key_codec::{CodecError, GraphNumber, setting_value, tables};
use kv::{Engine, Read, RowRange, WriteBatch};

/// Setting of the store: the number the next graph gets.
pub(crate) const NEXT_GRAPH: &str = "next_graph";

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

/// The graphs by name, as listed.
pub(crate) fn read_graphs(engine: &dyn Read) -> Result<Vec<(String, GraphNumber)>, StoreError> {
    let mut partition = Vec::new();
    key::meta_partition(&mut partition, GraphNumber::STORE, MetaKind::Graph);
    let mut graphs = Vec::new();
    let mut cursor = engine.scan(tables::META, RowRange::all(&partition))?;
    while let Some(entry) = cursor.next()? {
        let number = graph_number(setting_value::read_numbers::<1>(entry.value)?)?;
        let name = key::read_meta_row_name(entry.key.row())?;
        graphs.push((name.into(), number));
    }
    Ok(graphs)
}
