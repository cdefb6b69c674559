//! Values in keys of the index tables: a tag, and bytes that sort like the value and delimit themselves.

use graph_model::Value;
use sha2::{Digest, Sha256};

use crate::CodecError;
use crate::ordered::{TEXT_END, TEXT_ESCAPE, put_i64};
use crate::reader::Reader;

/// Bytes of a text, a BLOB, an OBJECT or a whole collection up to which its key holds all of it. Part of the format.
pub const VALUE_BYTES_MAX: usize = 512;

pub(crate) const TAG_NULL: u8 = 0x08;
const TAG_BOOLEAN: u8 = 0x10;
const TAG_BYTE: u8 = 0x18;
const TAG_INT: u8 = 0x20;
const TAG_LONG: u8 = 0x28;
const TAG_FLOAT: u8 = 0x30;
const TAG_DOUBLE: u8 = 0x38;
/// An exact number of an auto graph.
pub(crate) const TAG_NUMBER: u8 = 0x3C;
const TAG_DATE: u8 = 0x40;
pub(crate) const TAG_MOMENT: u8 = 0x42;
pub(crate) const TAG_LENGTH: u8 = 0x44;
const TAG_UUID: u8 = 0x48;
pub(crate) const TAG_TEXT: u8 = 0x50;
const TAG_BLOB: u8 = 0x58;
const TAG_OBJECT: u8 = 0x60;
const TAG_LIST: u8 = 0x68;
const TAG_SET: u8 = 0x70;
pub(crate) const TAG_ANY: u8 = 0x78;

/// After [`TEXT_ESCAPE`]: the text was cut here, its hash follows.
const CUT: u8 = 0x03;
const HASH_BYTES: usize = 16;

/// Appends a value of a type of its own, or that there is none.
pub(crate) fn put_typed(out: &mut Vec<u8>, value: Option<&Value>) {
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
            put_typed(&mut bytes, Some(item));
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
        Value::List(items) => write(TAG_LIST, &collection(items, false)),
        Value::Set(items) => write(TAG_SET, &collection(items, true)),
        _ => {}
    }
}

pub(crate) fn put_bounded(out: &mut Vec<u8>, bytes: &[u8]) {
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
pub(crate) fn put_escaped(out: &mut Vec<u8>, bytes: &[u8]) {
    for byte in bytes {
        if *byte > TEXT_ESCAPE {
            out.push(*byte);
        } else {
            out.extend_from_slice(&[TEXT_ESCAPE, byte + 1]);
        }
    }
}

/// Reads over a value.
pub(crate) fn skip_value(reader: &mut Reader<'_>) -> Result<(), CodecError> {
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
        TAG_MOMENT | TAG_LENGTH => drop(reader.take(12)?),
        TAG_UUID => drop(reader.take(16)?),
        TAG_NUMBER | TAG_TEXT | TAG_BLOB | TAG_OBJECT | TAG_LIST | TAG_SET | TAG_ANY => skip_bytes(reader)?,
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
