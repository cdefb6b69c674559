//! Values of `vertex` and the edge tables: a head, then the properties.
//!
//! Head: one byte of flags (bit 0: an expiry follows); for a vertex the label's number; the expiry as eight bytes,
//! milliseconds since 1970 UTC, little-endian. Then, to the end, each property as its key's number, a tag and the
//! value. Numbers are LEB128; a reader can step over a property without decoding it.

use graph_model::{LabelId, Properties, PropertyKeyId, Value};

use crate::reader::Reader;
use crate::{CodecError, varint};

const FLAG_EXPIRY: u8 = 0b1;

const TAG_FALSE: u8 = 0;
const TAG_TRUE: u8 = 1;
const TAG_BYTE: u8 = 2;
const TAG_INT: u8 = 3;
const TAG_LONG: u8 = 4;
const TAG_FLOAT: u8 = 5;
const TAG_DOUBLE: u8 = 6;
const TAG_TEXT: u8 = 7;
const TAG_BLOB: u8 = 8;
const TAG_DATE: u8 = 9;
const TAG_UUID: u8 = 10;
const TAG_OBJECT: u8 = 11;
const TAG_LIST: u8 = 12;
const TAG_SET: u8 = 13;
const TAG_ANY: u8 = 14;

/// The head of a vertex value: all that a check needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexHead {
    /// The vertex's label.
    pub label: LabelId,
    /// When it ceases to exist, in milliseconds since 1970 UTC.
    pub expires_at_ms: Option<i64>,
}

/// Appends a vertex value.
pub fn put_vertex(out: &mut Vec<u8>, label: LabelId, expires_at_ms: Option<i64>, properties: &Properties) {
    out.push(if expires_at_ms.is_some() { FLAG_EXPIRY } else { 0 });
    varint::put(out, u64::from(label.0));
    put_expiry(out, expires_at_ms);
    put_properties(out, properties);
}

/// Appends an edge value.
pub fn put_edge(out: &mut Vec<u8>, expires_at_ms: Option<i64>, properties: &Properties) {
    out.push(if expires_at_ms.is_some() { FLAG_EXPIRY } else { 0 });
    put_expiry(out, expires_at_ms);
    put_properties(out, properties);
}

/// Reads the head of a vertex value, not its properties.
pub fn read_vertex_head(bytes: &[u8]) -> Result<VertexHead, CodecError> {
    vertex_head(&mut Reader::new(bytes, "vertex value"))
}

/// Reads a vertex value.
pub fn read_vertex(bytes: &[u8]) -> Result<(VertexHead, Properties), CodecError> {
    let mut reader = Reader::new(bytes, "vertex value");
    let head = vertex_head(&mut reader)?;
    Ok((head, read_properties(&mut reader)?))
}

/// Reads some properties of a vertex value, those of `keys`. What is not read is not checked.
pub fn read_vertex_part(bytes: &[u8], keys: &[PropertyKeyId]) -> Result<Properties, CodecError> {
    let mut reader = Reader::new(bytes, "vertex value");
    vertex_head(&mut reader)?;
    let mut properties = Properties::new();
    let mut left = keys.len();
    while left > 0 && !reader.is_at_end() {
        let key = PropertyKeyId(reader.varint_u32()?);
        if keys.contains(&key) {
            properties.insert(key, read_value(&mut reader, true)?);
            left -= 1;
        } else {
            skip_value(&mut reader)?;
        }
    }
    Ok(properties)
}

/// Reads the expiry of an edge value, not its properties.
pub fn read_edge_expiry(bytes: &[u8]) -> Result<Option<i64>, CodecError> {
    let mut reader = Reader::new(bytes, "edge value");
    let flags = read_flags(&mut reader)?;
    read_expiry(&mut reader, flags)
}

/// Reads an edge value: when it ceases to exist, and its properties.
pub fn read_edge(bytes: &[u8]) -> Result<(Option<i64>, Properties), CodecError> {
    let mut reader = Reader::new(bytes, "edge value");
    let flags = read_flags(&mut reader)?;
    let expires_at_ms = read_expiry(&mut reader, flags)?;
    Ok((expires_at_ms, read_properties(&mut reader)?))
}

fn vertex_head(reader: &mut Reader<'_>) -> Result<VertexHead, CodecError> {
    let flags = read_flags(reader)?;
    let label = LabelId(reader.varint_u32()?);
    Ok(VertexHead { label, expires_at_ms: read_expiry(reader, flags)? })
}

fn read_flags(reader: &mut Reader<'_>) -> Result<u8, CodecError> {
    let flags = reader.byte()?;
    if flags & !FLAG_EXPIRY != 0 {
        return Err(reader.error("unknown flags"));
    }
    Ok(flags)
}

fn put_expiry(out: &mut Vec<u8>, expires_at_ms: Option<i64>) {
    if let Some(moment) = expires_at_ms {
        out.extend_from_slice(&moment.to_le_bytes());
    }
}

fn read_expiry(reader: &mut Reader<'_>, flags: u8) -> Result<Option<i64>, CodecError> {
    if flags & FLAG_EXPIRY == 0 {
        return Ok(None);
    }
    Ok(Some(i64::from_le_bytes(reader.array()?)))
}

fn put_properties(out: &mut Vec<u8>, properties: &Properties) {
    for (key, value) in properties.iter() {
        varint::put(out, u64::from(key.0));
        put_value(out, value);
    }
}

fn read_properties(reader: &mut Reader<'_>) -> Result<Properties, CodecError> {
    let mut properties = Properties::new();
    let mut last = None;
    while !reader.is_at_end() {
        let key = PropertyKeyId(reader.varint_u32()?);
        if last.is_some_and(|last| last >= key) {
            return Err(reader.error("properties out of order"));
        }
        last = Some(key);
        properties.insert(key, read_value(reader, true)?);
    }
    Ok(properties)
}

/// Appends one property value with its tag.
pub(crate) fn put_value(out: &mut Vec<u8>, value: &Value) {
    let bytes = |out: &mut Vec<u8>, tag: u8, bytes: &[u8]| {
        out.push(tag);
        varint::put(out, u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        out.extend_from_slice(bytes);
    };
    let integer = |out: &mut Vec<u8>, tag: u8, number: i64| {
        out.push(tag);
        varint::put_signed(out, number);
    };
    match value {
        Value::Boolean(value) => out.push(if *value { TAG_TRUE } else { TAG_FALSE }),
        Value::Byte(number) => integer(out, TAG_BYTE, i64::from(*number)),
        Value::Int(number) => integer(out, TAG_INT, i64::from(*number)),
        Value::Long(number) => integer(out, TAG_LONG, *number),
        Value::Date(moment) => integer(out, TAG_DATE, *moment),
        Value::Float(number) => {
            out.push(TAG_FLOAT);
            out.extend_from_slice(&number.to_bits().to_le_bytes());
        }
        Value::Double(number) => {
            out.push(TAG_DOUBLE);
            out.extend_from_slice(&number.to_bits().to_le_bytes());
        }
        Value::Uuid(bits) => {
            out.push(TAG_UUID);
            out.extend_from_slice(&bits.to_be_bytes());
        }
        Value::Text(text) => bytes(out, TAG_TEXT, text.as_bytes()),
        Value::Blob(blob) => bytes(out, TAG_BLOB, blob),
        Value::Object(json) => bytes(out, TAG_OBJECT, json.as_bytes()),
        Value::Any(tagged) => bytes(out, TAG_ANY, tagged),
        Value::List(items) => put_items(out, TAG_LIST, items),
        Value::Set(items) => put_items(out, TAG_SET, items),
    }
}

fn put_items(out: &mut Vec<u8>, tag: u8, items: &[Value]) {
    let mut body = Vec::with_capacity(items.len() * 8);
    for item in items {
        put_value(&mut body, item);
    }
    out.push(tag);
    varint::put(out, u64::try_from(body.len()).unwrap_or(u64::MAX));
    out.extend_from_slice(&body);
}

/// Reads one property value. Collections hold simple values only.
pub(crate) fn read_value(reader: &mut Reader<'_>, collections: bool) -> Result<Value, CodecError> {
    let tag = reader.byte()?;
    Ok(match tag {
        TAG_FALSE => Value::Boolean(false),
        TAG_TRUE => Value::Boolean(true),
        TAG_BYTE => {
            let number = reader.signed_varint()?;
            Value::Byte(i8::try_from(number).map_err(|_| reader.error("a BYTE out of range"))?)
        }
        TAG_INT => {
            let number = reader.signed_varint()?;
            Value::Int(i32::try_from(number).map_err(|_| reader.error("an INT out of range"))?)
        }
        TAG_LONG => Value::Long(reader.signed_varint()?),
        TAG_DATE => Value::Date(reader.signed_varint()?),
        TAG_FLOAT => Value::Float(f32::from_bits(u32::from_le_bytes(reader.array()?))),
        TAG_DOUBLE => Value::Double(f64::from_bits(u64::from_le_bytes(reader.array()?))),
        TAG_UUID => Value::Uuid(u128::from_be_bytes(reader.array()?)),
        TAG_TEXT => Value::Text(reader.text()?.into()),
        TAG_OBJECT => Value::Object(reader.text()?.into()),
        TAG_BLOB => {
            let length = reader.length()?;
            Value::Blob(reader.take(length)?.into())
        }
        TAG_ANY => {
            let length = reader.length()?;
            Value::Any(reader.take(length)?.into())
        }
        TAG_LIST if collections => Value::List(read_items(reader)?),
        TAG_SET if collections => Value::Set(read_items(reader)?),
        TAG_LIST | TAG_SET => return Err(reader.error("a collection inside a collection")),
        _ => return Err(reader.error("unknown kind of value")),
    })
}

/// Reads over a value.
fn skip_value(reader: &mut Reader<'_>) -> Result<(), CodecError> {
    match reader.byte()? {
        TAG_FALSE | TAG_TRUE => {}
        TAG_BYTE | TAG_INT | TAG_LONG | TAG_DATE => {
            reader.signed_varint()?;
        }
        TAG_FLOAT => {
            reader.take(4)?;
        }
        TAG_DOUBLE => {
            reader.take(8)?;
        }
        TAG_UUID => {
            reader.take(16)?;
        }
        TAG_TEXT | TAG_OBJECT | TAG_BLOB | TAG_ANY | TAG_LIST | TAG_SET => {
            let length = reader.length()?;
            reader.take(length)?;
        }
        _ => return Err(reader.error("unknown kind of value")),
    }
    Ok(())
}

fn read_items(reader: &mut Reader<'_>) -> Result<Vec<Value>, CodecError> {
    let length = reader.length()?;
    let mut body = Reader::new(reader.take(length)?, "collection");
    let mut items = Vec::new();
    while !body.is_at_end() {
        items.push(read_value(&mut body, false)?);
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn simple() -> impl Strategy<Value = Value> {
        prop_oneof![
            any::<bool>().prop_map(Value::Boolean),
            any::<i8>().prop_map(Value::Byte),
            any::<i32>().prop_map(Value::Int),
            any::<i64>().prop_map(Value::Long),
            any::<i64>().prop_map(Value::Date),
            any::<u32>().prop_map(|bits| Value::Float(f32::from_bits(bits))),
            any::<u64>().prop_map(|bits| Value::Double(f64::from_bits(bits))),
            any::<u128>().prop_map(Value::Uuid),
            ".{0,30}".prop_map(|text| Value::Text(text.into())),
            ".{0,30}".prop_map(|text| Value::Object(text.into())),
            any::<Vec<u8>>().prop_map(|bytes| Value::Blob(bytes.into())),
            any::<Vec<u8>>().prop_map(|bytes| Value::Any(bytes.into())),
        ]
    }

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            4 => simple(),
            1 => prop::collection::vec(simple(), 0..6).prop_map(Value::List),
            1 => prop::collection::vec(simple(), 0..6).prop_map(Value::Set),
        ]
    }

    fn properties() -> impl Strategy<Value = Properties> {
        prop::collection::btree_map(any::<u32>().prop_map(PropertyKeyId), value(), 0..8)
            .prop_map(|map| map.into_iter().collect())
    }

    fn same(a: &Properties, b: &Properties) -> bool {
        a.len() == b.len() && a.iter().zip(b.iter()).all(|((k, v), (l, w))| k == l && v.same(w))
    }

    proptest! {
        #[test]
        fn vertices_round_trip(label in any::<u32>(), expiry in any::<Option<i64>>(), properties in properties()) {
            let mut bytes = Vec::new();
            put_vertex(&mut bytes, LabelId(label), expiry, &properties);
            let head = VertexHead { label: LabelId(label), expires_at_ms: expiry };
            prop_assert_eq!(read_vertex_head(&bytes), Ok(head));
            let (read_head, read) = read_vertex(&bytes)?;
            prop_assert_eq!(read_head, head);
            prop_assert!(same(&read, &properties));
            let some: Vec<PropertyKeyId> = properties.iter().map(|(key, _)| key).step_by(2).collect();
            let part = properties.iter().filter(|(key, _)| some.contains(key));
            let part: Properties = part.map(|(key, value)| (key, value.clone())).collect();
            prop_assert!(same(&read_vertex_part(&bytes, &some)?, &part));
        }

        #[test]
        fn edges_round_trip(expiry in any::<Option<i64>>(), properties in properties()) {
            let mut bytes = Vec::new();
            put_edge(&mut bytes, expiry, &properties);
            prop_assert_eq!(read_edge_expiry(&bytes), Ok(expiry));
            let (read_expiry, read) = read_edge(&bytes)?;
            prop_assert_eq!(read_expiry, expiry);
            prop_assert!(same(&read, &properties));
        }

        #[test]
        fn reading_any_bytes_never_panics(bytes in any::<Vec<u8>>()) {
            drop(read_vertex(&bytes));
            drop(read_vertex_part(&bytes, &[PropertyKeyId(1), PropertyKeyId(7)]));
            drop(read_edge(&bytes));
        }

        #[test]
        fn a_truncated_value_is_an_error_or_a_shorter_value(
            properties in properties(), cut in any::<prop::sample::Index>(),
        ) {
            let mut bytes = Vec::new();
            put_edge(&mut bytes, None, &properties);
            let cut = cut.index(bytes.len());
            if let Ok((_, read)) = read_edge(&bytes[..cut]) {
                prop_assert!(read.len() < properties.len() || properties.is_empty());
            }
        }
    }
}
