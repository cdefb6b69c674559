//! Where the rows of a graph are: in every table, the keys that begin with its number.

use key_codec::key;
use key_codec::{GraphNumber, tables};
use kv::TableId;

/// All tables.
pub(crate) fn tables() -> impl Iterator<Item = TableId> {
    (0u8..).zip(tables::TABLES).map(|(at, _)| TableId(at))
}

/// What the keys of a graph begin with.
pub(crate) fn prefix_of(number: GraphNumber) -> Vec<u8> {
    let mut prefix = Vec::new();
    key::graph_prefix(&mut prefix, number);
    prefix
}
