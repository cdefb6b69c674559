//! Keys of the index tables: values that sort like what they stand for, tokens, and the element an entry leads to.
//!
//! A value is a tag and bytes that delimit themselves. A text (or other bytes) of more than [`VALUE_BYTES_MAX`] bytes
//! is cut there and ended by a hash of the whole, so that keys are bounded, equal keys still mean equal values, and the
//! order holds up to the cut. An entry can therefore lead to an element that does not fit a comparison of long texts:
//! readers compare with the element itself.
//!
//! Entries hold no value of their own, except in `index_unique`: see [`read_element`].

use graph_model::{EdgeId, ElementId, ElementRef, LabelId, Value};
use sha2::{Digest, Sha256};

use crate::ordered::{
    TEXT_END, TEXT_ESCAPE, put_i64, put_text, put_u32, put_vertex_id, read_text, read_u32, read_vertex_id,
};
use crate::reader::Reader;
use crate::{CodecError, GraphNumber};

/// Bytes of a text, a BLOB, an OBJECT or a whole collection up to which its key holds all of it. Part of the format.
pub const VALUE_BYTES_MAX: usize = 512;

/// Fields of an index label: `index_unique` counts them in one byte, and keys must stay below the engine's limit. Part
/// of the format.
pub const FIELDS_MAX: usize = 16;

const TAG_NULL: u8 = 0x08;
const TAG_BOOLEAN: u8 = 0x10;
const TAG_BYTE: u8 = 0x18;
const TAG_INT: u8 = 0x20;
const TAG_LONG: u8 = 0x28;
const TAG_FLOAT: u8 = 0x30;
const TAG_DOUBLE: u8 = 0x38;
const TAG_DATE: u8 = 0x40;
const TAG_UUID: u8 = 0x48;
const TAG_TEXT: u8 = 0x50;
const TAG_BLOB: u8 = 0x58;
const TAG_OBJECT: u8 = 0x60;
const TAG_LIST: u8 = 0x68;
const TAG_SET: u8 = 0x70;
const TAG_ANY: u8 = 0x78;

/// Begins the id of an edge; vertex ids begin with other tags.
const TAG_EDGE: u8 = 0x50;

/// After [`TEXT_ESCAPE`]: the text was cut here, its hash follows.
const CUT: u8 = 0x03;
const HASH_BYTES: usize = 16;

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
/// items.
pub fn put_value(out: &mut Vec<u8>, value: Option<&Value>) {
    match value {
        None => out.push(TAG_NULL),
        Some(Value::Boolean(value)) => out.extend_from_slice(&[TAG_BOOLEAN, u8::from(*value)]),
        Some(Value::Byte(number)) => {
            out.push(TAG_BYTE);
            out.push(number.cast_unsigned() ^ (1 << 7));
        }
        Some(Value::Int(number)) => {
            out.push(TAG_INT);
            out.extend_from_slice(&(number.cast_unsigned() ^ (1 << 31)).to_be_bytes());
        }
        Some(Value::Long(number)) => {
            out.push(TAG_LONG);
            put_i64(out, *number);
        }
        Some(Value::Date(moment)) => {
            out.push(TAG_DATE);
            put_i64(out, *moment);
        }
        Some(Value::Float(number)) => {
            let number = if number.is_nan() { f32::NAN.copysign(1.0) } else { number + 0.0 };
            let bits = number.to_bits();
            out.push(TAG_FLOAT);
            out.extend_from_slice(&(if bits >> 31 == 0 { bits | (1 << 31) } else { !bits }).to_be_bytes());
        }
        Some(Value::Double(number)) => {
            let number = if number.is_nan() { f64::NAN.copysign(1.0) } else { number + 0.0 };
            let bits = number.to_bits();
            out.push(TAG_DOUBLE);
            out.extend_from_slice(&(if bits >> 63 == 0 { bits | (1 << 63) } else { !bits }).to_be_bytes());
        }
        Some(Value::Uuid(bits)) => {
            out.push(TAG_UUID);
            out.extend_from_slice(&bits.to_be_bytes());
        }
        Some(bytes) => with_bytes(bytes, |tag, bytes| {
            out.push(tag);
            put_bounded(out, bytes);
        }),
    }
}

/// Calls `write` with the tag and the bytes of a value that is a run of bytes.
fn with_bytes(value: &Value, mut write: impl FnMut(u8, &[u8])) {
    let collection = |items: &[Value], sorted: bool| {
        let mut encoded: Vec<Vec<u8>> = Vec::with_capacity(items.len());
        for item in items {
            let mut bytes = Vec::new();
            put_value(&mut bytes, Some(item));
            encoded.push(bytes);
        }
        if sorted {
            encoded.sort_unstable();
        }
        encoded.concat()
    };
    match value {
        Value::Text(text) => write(TAG_TEXT, text.as_bytes()),
        Value::Blob(blob) => write(TAG_BLOB, blob),
        Value::Object(json) => write(TAG_OBJECT, json.as_bytes()),
        Value::Any(tagged) => write(TAG_ANY, tagged),
        Value::List(items) => write(TAG_LIST, &collection(items, false)),
        Value::Set(items) => write(TAG_SET, &collection(items, true)),
        _ => {}
    }
}

fn put_bounded(out: &mut Vec<u8>, bytes: &[u8]) {
    match bytes.get(..VALUE_BYTES_MAX) {
        Some(head) if bytes.len() > VALUE_BYTES_MAX => {
            put_escaped(out, head);
            out.extend_from_slice(&[TEXT_ESCAPE, CUT]);
            out.extend(Sha256::digest(bytes).into_iter().take(HASH_BYTES));
        }
        _ => {
            put_escaped(out, bytes);
            out.push(TEXT_END);
        }
    }
}

/// Texts and their escapes are those of vertex ids.
fn put_escaped(out: &mut Vec<u8>, bytes: &[u8]) {
    for byte in bytes {
        if *byte > TEXT_ESCAPE {
            out.push(*byte);
        } else {
            out.extend_from_slice(&[TEXT_ESCAPE, byte + 1]);
        }
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

fn skip_value(reader: &mut Reader<'_>) -> Result<(), CodecError> {
    match reader.byte()? {
        TAG_NULL => {}
        TAG_BOOLEAN => {
            if reader.byte()? > 1 {
                return Err(reader.error("a boolean that is neither true nor false"));
            }
        }
        TAG_BYTE => drop(reader.byte()?),
        TAG_INT | TAG_FLOAT => drop(reader.take(4)?),
        TAG_LONG | TAG_DOUBLE | TAG_DATE => drop(reader.take(8)?),
        TAG_UUID => drop(reader.take(16)?),
        TAG_TEXT | TAG_BLOB | TAG_OBJECT | TAG_LIST | TAG_SET | TAG_ANY => skip_bytes(reader)?,
        _ => return Err(reader.error("unknown kind of index value")),
    }
    Ok(())
}

fn skip_bytes(reader: &mut Reader<'_>) -> Result<(), CodecError> {
    let mut length = 0usize;
    loop {
        match reader.byte()? {
            TEXT_END => break,
            TEXT_ESCAPE => match reader.byte()? {
                1 | 2 => {}
                CUT if length == VALUE_BYTES_MAX => return reader.take(HASH_BYTES).map(drop),
                _ => return Err(reader.error("unknown escape in an index value")),
            },
            _ => {}
        }
        length += 1;
        if length > VALUE_BYTES_MAX {
            return Err(reader.error("an index value beyond its bound"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
