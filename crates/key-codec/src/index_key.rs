//! Keys of the index tables: values that sort like what they stand for, tokens, and the element an entry leads to.
//!
//! A value is a tag and bytes that delimit themselves. A text (or other bytes) of more than [`VALUE_BYTES_MAX`] bytes
//! is cut there and ended by a hash of the whole, so that keys are bounded, equal keys still mean equal values, and the
//! order holds up to the cut. An entry can therefore lead to an element that does not fit a comparison of long texts:
//! readers compare with the element itself.
//!
//! Entries hold no value of their own, except in `index_unique`: see [`read_element`].

use graph_model::{EdgeId, ElementId, ElementRef, LabelId, Value};

pub use crate::index_value::VALUE_BYTES_MAX;
use crate::index_value::{TAG_TEXT, put_bounded, put_typed, skip_value};
use crate::ordered::{put_text, put_u32, put_vertex_id, read_text, read_u32, read_vertex_id};
use crate::reader::Reader;
use crate::tagged_key::put_place;
use crate::{CodecError, GraphNumber};

/// Fields of an index label: `index_unique` counts them in one byte, and keys must stay below the engine's limit. Part
/// of the format.
pub const FIELDS_MAX: usize = 16;

/// Begins the id of an edge; vertex ids begin with other tags.
const TAG_EDGE: u8 = 0x50;

/// Appends what all keys of an index label begin with, in every index table; the partition of `index_range`.
pub fn index_partition(out: &mut Vec<u8>, graph: GraphNumber, index: LabelId) {
    put_u32(out, graph.0);
    put_u32(out, index.0);
}

/// Appends a partition of `index_equal`: the entries of a secondary index with this first value.
pub fn equal_partition(out: &mut Vec<u8>, graph: GraphNumber, index: LabelId, first: &Value) {
    index_partition(out, graph, index);
    put_value(out, Some(first));
}

/// Appends a partition of `index_equal`: the entries of a search index with this token.
pub fn token_partition(out: &mut Vec<u8>, graph: GraphNumber, index: LabelId, token: &str) {
    index_partition(out, graph, index);
    out.push(TAG_TEXT);
    put_bounded(out, token.as_bytes());
}

/// Appends the partition of `index_unique`, which is the whole key: all values of the index label, absent ones
/// included.
pub fn unique_partition(out: &mut Vec<u8>, graph: GraphNumber, index: LabelId, values: &[Option<&Value>]) {
    index_partition(out, graph, index);
    out.push(u8::try_from(values.len()).unwrap_or(u8::MAX));
    for value in values {
        put_value(out, *value);
    }
}

/// Appends a value (`None`: absent, before all others) as it is in a row of `index_equal` or `index_range`. Rows are
/// such values (of `index_equal` those after the first), then [`put_element`].
///
/// Zeros of either sign are one value, and so are all NaN, after infinity. A SET has one form whatever the order of its
/// items. Of a value of an auto graph it is its place ([`crate::tagged_key`]).
pub fn put_value(out: &mut Vec<u8>, value: Option<&Value>) {
    match value {
        Some(Value::Any(tagged)) => put_place(out, tagged),
        value => put_typed(out, value),
    }
}

/// Appends the id of an element: the end of a row, or the value of `index_unique`.
pub fn put_element(out: &mut Vec<u8>, element: ElementRef<'_>) {
    match element {
        ElementRef::Vertex(id) => put_vertex_id(out, id),
        ElementRef::Edge(id) => {
            out.push(TAG_EDGE);
            put_u32(out, id.label.0);
            put_vertex_id(out, &id.source);
            put_text(out, &id.sort_values);
            put_vertex_id(out, &id.target);
        }
    }
}

/// Reads the id of an element: the value of `index_unique`.
pub fn read_element(bytes: &[u8]) -> Result<ElementId, CodecError> {
    let mut reader = Reader::new(bytes, "index entry");
    let element = element(&mut reader)?;
    reader.end()?;
    Ok(element)
}

/// Reads the id of the element from a row that holds `values` values before it: of `index_range` as many as the index
/// label has fields, of `index_equal` one less (of a search index none).
pub fn read_row(row: &[u8], values: usize) -> Result<ElementId, CodecError> {
    let mut reader = Reader::new(row, "index row");
    for _ in 0..values {
        skip_value(&mut reader)?;
    }
    let element = element(&mut reader)?;
    reader.end()?;
    Ok(element)
}

/// Reads the index label's number from a key of any index table.
pub fn read_index(key: &[u8]) -> Result<LabelId, CodecError> {
    let mut reader = Reader::new(key, "index key");
    read_u32(&mut reader)?;
    read_u32(&mut reader).map(LabelId)
}

fn element(reader: &mut Reader<'_>) -> Result<ElementId, CodecError> {
    if reader.peek() != Some(TAG_EDGE) {
        return read_vertex_id(reader).map(ElementId::Vertex);
    }
    reader.byte()?;
    Ok(ElementId::Edge(EdgeId {
        label: LabelId(read_u32(reader)?),
        source: read_vertex_id(reader)?,
        sort_values: read_text(reader)?,
        target: read_vertex_id(reader)?,
    }))
}

/// Length in bytes of the first `count` values `bytes` begins with.
pub(crate) fn values_len(bytes: &[u8], count: usize) -> Option<usize> {
    let mut reader = Reader::new(bytes, "index value");
    for _ in 0..count {
        skip_value(&mut reader).ok()?;
    }
    Some(bytes.len() - reader.remaining())
}

#[cfg(test)]
mod tests;
