//! Stored bytes: whatever they are, every reader gives a value or an error. A key that is read is written as the same
//! bytes, and so is a value without a second encoding of the same content.

use graph_model::Value;
use graph_schema::{SchemaKind, edge_id_text, read_edge_id_text};
use key_codec::{GraphNumber, index_key, key, schema_value, setting_value, tables, task_value, value};
use kv::Key;
use tagged_value::{Builder, Token, entries, put_entries};

/// The graph all keys are written for; its number takes one byte.
const GRAPH: GraphNumber = GraphNumber(7);

/// Stored bytes: every reader gives a value or an error.
pub(crate) fn keys(bytes: &[u8]) {
    read_keys(bytes);
    read_values(bytes);
}

fn read_keys(bytes: &[u8]) {
    for table in tables::TABLES {
        if let Some(len) = (table.partition_len)(bytes) {
            assert!(len <= bytes.len(), "{}: a partition beyond its key", table.name);
        }
    }
    let mut in_graph = Vec::new();
    key::graph_prefix(&mut in_graph, GRAPH);
    in_graph.extend_from_slice(bytes);
    let whole = Key::new(&in_graph, 0);
    let mut written = Vec::new();
    if let Ok(id) = key::read_edge_out_key(whole) {
        key::edge_partition(&mut written, GRAPH, id.label, &id.source);
        let partition_len = (tables::TABLES[tables::EDGE_OUT.index()].partition_len)(&in_graph);
        assert_eq!(partition_len, Some(written.len()));
        key::edge_row(&mut written, &id.sort_values, &id.target);
        assert_eq!(written, in_graph);
        let reversed = key::read_edge_in_key(whole).expect("both tables have the same keys");
        assert_eq!((reversed.source, reversed.target), (id.target, id.source));
    }
    written.clear();
    if let Ok(id) = key::read_vertex_key(whole) {
        key::vertex_partition(&mut written, GRAPH, &id);
        assert_eq!(written, in_graph);
    }
    written.clear();
    if let Ok(id) = key::read_label_index_row(bytes) {
        key::label_index_row(&mut written, &id);
        assert_eq!(written, bytes);
    }
    written.clear();
    if let Ok(element) = index_key::read_element(bytes) {
        index_key::put_element(&mut written, element.as_ref());
        assert_eq!(written, bytes);
        assert_eq!(index_key::read_row(bytes, 0).as_ref(), Ok(&element));
    }
    drop(index_key::read_row(bytes, 2));
    drop(index_key::read_index(bytes));
    written.clear();
    if let Ok(name) = key::read_meta_row_name(bytes) {
        key::meta_row_name(&mut written, &name);
        assert_eq!(written, bytes);
    }
    written.clear();
    if let Ok(number) = key::read_meta_row_number(bytes) {
        key::meta_row_number(&mut written, number);
        assert_eq!(written, bytes);
    }
    written.clear();
    if let Ok(number) = key::read_task_row(bytes) {
        key::task_row(&mut written, number);
        assert_eq!(written, bytes);
    }
}

fn read_values(bytes: &[u8]) {
    let head = value::read_vertex_head(bytes);
    if let Ok((whole, _)) = value::read_vertex(bytes) {
        assert_eq!(head, Ok(whole));
    }
    let expiry = value::read_edge_expiry(bytes);
    if let Ok((whole, properties)) = value::read_edge(bytes) {
        assert_eq!(expiry, Ok(whole));
        let mut written = Vec::new();
        value::put_edge(&mut written, whole, &properties);
        assert_eq!(written, bytes);
    }
    for kind in [SchemaKind::PropertyKey, SchemaKind::VertexLabel, SchemaKind::EdgeLabel, SchemaKind::IndexLabel] {
        drop(schema_value::read_element(kind, 1, bytes));
    }
    drop(task_value::read_task(1, bytes));
    drop(setting_value::read_numbers::<4>(bytes));
    drop(setting_value::read_first_number(bytes));
}

/// What an auto graph has under a key: whatever it is, reading gives values or an error; what is read is written as the
/// same bytes, JSON can be made of it, and comparing agrees with itself.
pub(crate) fn tagged_value(bytes: &[u8]) {
    let mut json = Vec::new();
    rest_json::write_value(&mut json, &Value::Any(bytes.into()), &jiff::tz::TimeZone::UTC);
    std::str::from_utf8(&json).expect("JSON is UTF-8");
    let Ok(all) = entries(bytes).collect::<Result<Vec<_>, _>>() else { return };
    for entry in &all {
        let token = entry.token().expect("what was read over can be read");
        assert_eq!(&*Builder::encode(token).expect("what was read can be written"), entry.value);
        assert!(tagged_value::equal(entry.value, entry.value) || contains_nan(entry.value));
        if let Ok(text) = edge_id_text(token).ok_or(()) {
            assert_eq!(read_edge_id_text(&text).as_deref(), Some(entry.value));
        }
        for other in &all {
            let order = tagged_value::order(entry.value, other.value);
            assert_eq!(order, tagged_value::order(other.value, entry.value).map(std::cmp::Ordering::reverse));
        }
        assert!(entry.meta.iter().all(|property| property.is_ok()), "properties were read over");
    }
    if all.len() > 1 {
        assert_eq!(&*put_entries(all).expect("what was read can be written"), bytes);
    }
}

fn contains_nan(value: &[u8]) -> bool {
    match tagged_value::read(value) {
        Ok(Token::Double(number)) => number.is_nan(),
        Ok(Token::Float(number)) => number.is_nan(),
        _ => false,
    }
}
