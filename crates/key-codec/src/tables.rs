//! The tables of a store. Every partition begins with the number of its graph.
//!
//! | table | partition | row | value |
//! |---|---|---|---|
//! | `meta` | graph, kind | number or name | schema element, counter, setting |
//! | `vertex` | graph, vertex id | (empty) | label, expiry, properties |
//! | `edge_out` | graph, edge label, source id | sort values, target id | expiry, properties |
//! | `edge_in` | graph, edge label, target id | sort values, source id | expiry, properties |
//! | `label_index` | graph, vertex label | vertex id | (empty) |
//! | `task` | graph | task number | task record |
//! | `index_equal` | graph, index label, first value or token | further values, element id | (empty) |
//! | `index_range` | graph, index label | values, element id | (empty) |
//! | `index_unique` | graph, index label, all values | (empty) | element id |
//! | `expiry` | graph | moment of expiry, element id | (empty) |
//!
//! Edges begin with their label, before the vertex that owns them: a label's edges are one range, so that listing,
//! counting and dropping a label need no index entry per edge, and a neighbourhood is one short range per edge label of
//! the schema. Vertices whose id is made of primary keys need no index entry either, since the id begins with the
//! label's number.
//!
//! Secondary and search indexes are in `index_equal`: every question to them names the first value, so a lookup of a
//! value that is not there ends at the filter. Range and shard indexes are in `index_range`, where the first value may
//! be a bound.

use graph_schema::IndexType;
use kv::{TableId, TableSpec};

use crate::index_key::values_len;
use crate::ordered::{u32_len, vertex_id_kind_len, vertex_id_len};

/// Schema, settings, counters, the list of graphs.
pub const META: TableId = TableId(0);
/// Vertices by id.
pub const VERTEX: TableId = TableId(1);
/// Edges by label and source.
pub const EDGE_OUT: TableId = TableId(2);
/// Edges by label and target.
pub const EDGE_IN: TableId = TableId(3);
/// Vertices by label, for labels whose ids do not begin with it.
pub const LABEL_INDEX: TableId = TableId(4);
/// Tasks.
pub const TASK: TableId = TableId(5);
/// Entries of secondary and search indexes.
pub const INDEX_EQUAL: TableId = TableId(6);
/// Entries of range and shard indexes.
pub const INDEX_RANGE: TableId = TableId(7);
/// Entries of unique indexes.
pub const INDEX_UNIQUE: TableId = TableId(8);

/// Elements that expire, by when.
pub const EXPIRY: TableId = TableId(9);

/// The table of an index label's entries.
#[must_use]
pub fn of_index(index_type: IndexType) -> TableId {
    match index_type {
        IndexType::Secondary | IndexType::Search => INDEX_EQUAL,
        IndexType::Range | IndexType::Shard => INDEX_RANGE,
        IndexType::Unique => INDEX_UNIQUE,
    }
}

/// All tables; a [`TableId`] is a position in this list, and both are part of the format.
pub static TABLES: &[TableSpec] = &[
    TableSpec { name: "meta", partition_len: meta_partition_len, ranged: true, reread: false },
    TableSpec { name: "vertex", partition_len: vertex_partition_len, ranged: false, reread: true },
    TableSpec { name: "edge_out", partition_len: edge_partition_len, ranged: true, reread: true },
    TableSpec { name: "edge_in", partition_len: edge_partition_len, ranged: true, reread: false },
    TableSpec { name: "label_index", partition_len: label_index_partition_len, ranged: true, reread: false },
    TableSpec { name: "task", partition_len: graph_partition_len, ranged: true, reread: false },
    TableSpec { name: "index_equal", partition_len: index_equal_partition_len, ranged: true, reread: false },
    TableSpec { name: "index_range", partition_len: label_index_partition_len, ranged: true, reread: false },
    TableSpec { name: "index_unique", partition_len: index_unique_partition_len, ranged: false, reread: false },
    TableSpec { name: "expiry", partition_len: graph_partition_len, ranged: true, reread: false },
];

/// Length of the part of a key that says which section of its table it lies in: the edges of a label, the vertices of a
/// label with primary keys or with ids of one kind, the entries of an index label, else all of a graph. Sections are
/// ranges of their table that do not overlap, in the order of these bytes, so they can be sorted and written side by
/// side. `None` where the bytes are no key of the table.
#[must_use]
pub fn section_len(table: TableId, key: &[u8]) -> Option<usize> {
    let graph = graph_partition_len(key)?;
    match table {
        VERTEX => Some(graph + vertex_id_kind_len(key.get(graph..)?)?),
        EDGE_OUT | EDGE_IN | LABEL_INDEX | INDEX_EQUAL | INDEX_RANGE | INDEX_UNIQUE => label_index_partition_len(key),
        _ => Some(graph),
    }
}

fn meta_partition_len(bytes: &[u8]) -> Option<usize> {
    let len = u32_len(bytes)? + 1;
    (len <= bytes.len()).then_some(len)
}

fn vertex_partition_len(bytes: &[u8]) -> Option<usize> {
    let graph = u32_len(bytes)?;
    Some(graph + vertex_id_len(bytes.get(graph..)?)?)
}

fn edge_partition_len(bytes: &[u8]) -> Option<usize> {
    let graph = u32_len(bytes)?;
    let label = graph + u32_len(bytes.get(graph..)?)?;
    Some(label + vertex_id_len(bytes.get(label..)?)?)
}

fn label_index_partition_len(bytes: &[u8]) -> Option<usize> {
    let graph = u32_len(bytes)?;
    let len = graph + u32_len(bytes.get(graph..)?)?;
    (len <= bytes.len()).then_some(len)
}

fn graph_partition_len(bytes: &[u8]) -> Option<usize> {
    u32_len(bytes).filter(|len| *len <= bytes.len())
}

fn index_equal_partition_len(bytes: &[u8]) -> Option<usize> {
    let start = label_index_partition_len(bytes)?;
    Some(start + values_len(bytes.get(start..)?, 1)?)
}

fn index_unique_partition_len(bytes: &[u8]) -> Option<usize> {
    let start = label_index_partition_len(bytes)?;
    let count = bytes.get(start)?;
    Some(start + 1 + values_len(bytes.get(start + 1..)?, usize::from(*count))?)
}
