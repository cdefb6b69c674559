//! Order-preserving, self-delimiting encodings: the bytes sort like what they stand for, and say where they end.

use compact_str::ToCompactString as _;
use graph_model::{LabelId, VertexId, VertexIdRef, split_primary_key_label};

use crate::CodecError;
use crate::reader::Reader;

/// Tags of vertex ids. Numbers sort before UUIDs before strings before ids made of primary keys.
const TAG_NUMBER: u8 = 0x10;
const TAG_UUID: u8 = 0x20;
const TAG_STRING: u8 = 0x30;
const TAG_PRIMARY_KEY: u8 = 0x40;

/// Ends a text. Texts never hold it: see [`put_text`].
pub(crate) const TEXT_END: u8 = 0x00;
pub(crate) const TEXT_ESCAPE: u8 = 0x01;

/// Appends an unsigned number in 1 to 5 bytes; fewer for smaller ones (SQLite4's variable-length integers: one byte
/// below 241).
pub(crate) fn put_u32(out: &mut Vec<u8>, number: u32) {
    let low = |n: u32, bytes: usize| n.to_be_bytes().into_iter().skip(4 - bytes);
    match number {
        0..=240 => out.extend(low(number, 1)),
        241..=2287 => {
            let rest = number - 240;
            out.extend(low(rest / 256 + 241, 1));
            out.extend(low(rest, 1));
        }
        2288..=67_823 => {
            out.push(249);
            out.extend(low(number - 2288, 2));
        }
        67_824..=0xFF_FFFF => {
            out.push(250);
            out.extend(low(number, 3));
        }
        _ => {
            out.push(251);
            out.extend(low(number, 4));
        }
    }
}

/// Reads what [`put_u32`] wrote; refuses longer forms of the same number.
pub(crate) fn read_u32(reader: &mut Reader<'_>) -> Result<u32, CodecError> {
    let first = reader.byte()?;
    let number = match first {
        0..=240 => return Ok(u32::from(first)),
        241..=248 => 240 + 256 * (u32::from(first) - 241) + u32::from(reader.byte()?),
        249 => 2288 + be(reader.take(2)?),
        250 => be(reader.take(3)?),
        251 => be(reader.take(4)?),
        _ => return Err(reader.error("not a number")),
    };
    let shortest = match first {
        241 => number > 240,
        250 => number >= 67_824,
        251 => number > 0xFF_FFFF,
        _ => true,
    };
    if shortest { Ok(number) } else { Err(reader.error("a number in a longer form than needed")) }
}

fn be(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, byte| (number << 8) | u32::from(*byte))
}

/// Appends a signed 64-bit number: eight bytes, big-endian, sign bit flipped.
pub(crate) fn put_i64(out: &mut Vec<u8>, number: i64) {
    out.extend_from_slice(&(number.cast_unsigned() ^ (1 << 63)).to_be_bytes());
}

/// Appends a text and its end. The bytes 0x00 and 0x01 inside are written as 0x01 0x01 and 0x01 0x02.
pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    if bytes.iter().all(|byte| *byte > TEXT_ESCAPE) {
        out.extend_from_slice(bytes);
    } else {
        for byte in bytes {
            if *byte > TEXT_ESCAPE {
                out.push(*byte);
            } else {
                out.extend_from_slice(&[TEXT_ESCAPE, byte + 1]);
            }
        }
    }
    out.push(TEXT_END);
}

/// Reads what [`put_text`] wrote.
pub(crate) fn read_text(reader: &mut Reader<'_>) -> Result<compact_str::CompactString, CodecError> {
    let raw = reader.until(TEXT_END)?;
    text_of(raw, &mut Vec::new(), reader).map(Into::into)
}

/// The text that is stored as `raw`, put together in `bytes` where it has escapes.
fn text_of<'a>(raw: &'a [u8], bytes: &'a mut Vec<u8>, reader: &Reader<'_>) -> Result<&'a str, CodecError> {
    let unescaped = if raw.contains(&TEXT_ESCAPE) {
        put_unescaped(raw, bytes, reader)?;
        bytes
    } else {
        raw
    };
    std::str::from_utf8(unescaped).map_err(|_| reader.error("text is not UTF-8"))
}

/// Passes over what [`put_text`] wrote.
pub(crate) fn pass_text(reader: &mut Reader<'_>) -> Result<(), CodecError> {
    reader.until(TEXT_END).map(|_| ())
}

/// Appends a text as it was before [`put_text`].
fn put_unescaped(raw: &[u8], bytes: &mut Vec<u8>, reader: &Reader<'_>) -> Result<(), CodecError> {
    let mut rest = raw.iter();
    while let Some(byte) = rest.next() {
        if *byte == TEXT_ESCAPE {
            match rest.next() {
                Some(escaped @ (1 | 2)) => bytes.push(escaped - 1),
                _ => return Err(reader.error("unknown escape in a text")),
            }
        } else {
            bytes.push(*byte);
        }
    }
    Ok(())
}

/// Appends a vertex id.
pub(crate) fn put_vertex_id(out: &mut Vec<u8>, id: &VertexId) {
    match id {
        VertexId::Number(number) => {
            out.push(TAG_NUMBER);
            put_i64(out, *number);
        }
        VertexId::Uuid(bits) => {
            out.push(TAG_UUID);
            out.extend_from_slice(&bits.to_be_bytes());
        }
        VertexId::String(text) => match split_primary_key_label(text) {
            Some((label, rest)) => {
                put_primary_key_prefix(out, label);
                put_text(out, rest);
            }
            None => {
                out.push(TAG_STRING);
                put_text(out, text);
            }
        },
    }
}

/// Appends what the ids of all vertices of a label with primary keys begin with.
pub(crate) fn put_primary_key_prefix(out: &mut Vec<u8>, label: LabelId) {
    out.push(TAG_PRIMARY_KEY);
    put_u32(out, label.0);
}

/// Reads what [`put_vertex_id`] wrote.
pub(crate) fn read_vertex_id(reader: &mut Reader<'_>) -> Result<VertexId, CodecError> {
    match reader.byte()? {
        TAG_NUMBER => {
            let bits = reader.take(8)?.iter().fold(0u64, |bits, byte| (bits << 8) | u64::from(*byte));
            Ok(VertexId::Number((bits ^ (1 << 63)).cast_signed()))
        }
        TAG_UUID => {
            Ok(VertexId::Uuid(reader.take(16)?.iter().fold(0u128, |bits, byte| (bits << 8) | u128::from(*byte))))
        }
        TAG_STRING => {
            let text = read_text(reader)?;
            if text.is_empty() || split_primary_key_label(&text).is_some() {
                return Err(reader.error("a string id under the wrong tag"));
            }
            Ok(VertexId::String(text))
        }
        TAG_PRIMARY_KEY => {
            let label = read_u32(reader)?;
            if label == 0 {
                return Err(reader.error("a primary-key id of label 0"));
            }
            // Without formatting, which would take longer than the rest.
            let mut id = label.to_compact_string();
            id.push(':');
            let raw = reader.until(TEXT_END)?;
            id.push_str(text_of(raw, &mut Vec::new(), reader)?);
            Ok(VertexId::String(id))
        }
        _ => Err(reader.error("unknown kind of vertex id")),
    }
}

/// As [`read_vertex_id`], without copying the text where that is stored as it stands; else it is put together in
/// `text`. Whether it is UTF-8 is not checked.
pub(crate) fn read_vertex_id_ref<'a>(
    reader: &mut Reader<'a>,
    text: &'a mut Vec<u8>,
) -> Result<VertexIdRef<'a>, CodecError> {
    match reader.peek() {
        Some(TAG_STRING) => {
            reader.byte()?;
            let raw = reader.until(TEXT_END)?;
            if !raw.contains(&TEXT_ESCAPE) {
                return Ok(VertexIdRef::String(raw));
            }
            text.clear();
            put_unescaped(raw, text, reader)?;
        }
        Some(TAG_PRIMARY_KEY) => {
            reader.byte()?;
            text.clear();
            put_decimal(text, read_u32(reader)?);
            text.push(b':');
            let raw = reader.until(TEXT_END)?;
            if raw.contains(&TEXT_ESCAPE) {
                put_unescaped(raw, text, reader)?;
            } else {
                text.extend_from_slice(raw);
            }
        }
        _ => {
            return match read_vertex_id(reader)? {
                VertexId::Number(number) => Ok(VertexIdRef::Number(number)),
                VertexId::Uuid(bits) => Ok(VertexIdRef::Uuid(bits)),
                VertexId::String(_) => Err(reader.error("unknown kind of vertex id")),
            };
        }
    }
    Ok(VertexIdRef::String(text))
}

/// Appends a number as text; this is done for each edge of a scan, where formatting would take longer than the rest.
fn put_decimal(out: &mut Vec<u8>, number: u32) {
    let start = out.len();
    let mut rest = number;
    loop {
        out.push(b'0' + u8::try_from(rest % 10).unwrap_or_default());
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.get_mut(start..).unwrap_or_default().reverse();
}

/// Length in bytes of the vertex id `bytes` begins with, without decoding it.
pub(crate) fn vertex_id_len(bytes: &[u8]) -> Option<usize> {
    let text_len = |skip: usize| Some(skip + bytes.get(skip..)?.iter().position(|byte| *byte == TEXT_END)? + 1);
    let len = match *bytes.first()? {
        TAG_NUMBER => 9,
        TAG_UUID => 17,
        TAG_STRING => text_len(1)?,
        TAG_PRIMARY_KEY => text_len(1 + u32_len(bytes.get(1..)?)?)?,
        _ => return None,
    };
    (len <= bytes.len()).then_some(len)
}

/// Length in bytes of what the vertex id `bytes` begins with has in common with all ids of its kind: the tag, and for
/// ids made of primary keys the label's number.
pub(crate) fn vertex_id_kind_len(bytes: &[u8]) -> Option<usize> {
    match *bytes.first()? {
        TAG_PRIMARY_KEY => Some(1 + u32_len(bytes.get(1..)?)?).filter(|len| *len <= bytes.len()),
        _ => Some(1),
    }
}

/// Length in bytes of the number `bytes` begins with.
pub(crate) fn u32_len(bytes: &[u8]) -> Option<usize> {
    match *bytes.first()? {
        0..=240 => Some(1),
        241..=248 => Some(2),
        249 => Some(3),
        250 => Some(4),
        251 => Some(5),
        _ => None,
    }
}
