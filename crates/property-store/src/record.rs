//! The bytes of a record, version 1.
//!
//! ```text
//! record  = 1 fields
//! fields  = count { name-length name value-length } values      the values in the order of their names
//! value   = 0 null | 1 false | 2 true | 3 integer (zigzag) | 4 integer above i64 | 5 IEEE 754 double, little-endian
//!         | 6 text, to the end | 7 count { value-length value } | 8 fields
//! ```
//! Numbers without further word are LEB128. All lengths stand before the first value, so that reading some fields skips
//! the others without looking at them. Fields keep their order; the last of two fields with one name wins, as
//! everywhere in JSON.

use serde_json::{Map, Number, Value};

use crate::RecordError;
use crate::limits::NESTING_MAX;

/// A record: names and JSON values.
pub type Record = Map<String, Value>;

/// The version of the format, a record's first byte.
pub const VERSION: u8 = 1;

const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const INTEGER: u8 = 3;
const UNSIGNED: u8 = 4;
const DOUBLE: u8 = 5;
const TEXT: u8 = 6;
const ARRAY: u8 = 7;
const OBJECT: u8 = 8;

/// Appends the bytes of a record.
///
/// # Errors
/// [`RecordError::TooDeep`]; `out` is then as it was.
pub fn encode_into(record: &Record, out: &mut Vec<u8>) -> Result<(), RecordError> {
    let start = out.len();
    out.push(VERSION);
    put_fields(record, out, 0).inspect_err(|_| out.truncate(start))
}

/// The bytes of a record.
///
/// # Errors
/// [`RecordError::TooDeep`].
pub fn encode(record: &Record) -> Result<Vec<u8>, RecordError> {
    let mut out = Vec::with_capacity(16 + record.len() * 16);
    encode_into(record, &mut out)?;
    Ok(out)
}

/// The record that bytes stand for.
///
/// # Errors
/// [`RecordError`] where they stand for none.
pub fn decode(bytes: &[u8]) -> Result<Record, RecordError> {
    read_fields(&mut Reader::of_record(bytes)?, 0, &|_| true)
}

/// Only the named fields of a record; the others are not decoded. A name the record does not have is left out.
///
/// # Errors
/// [`RecordError`] where the bytes, as far as they were read, stand for no record.
pub fn decode_fields(bytes: &[u8], names: &[&str]) -> Result<Record, RecordError> {
    read_fields(&mut Reader::of_record(bytes)?, 0, &|name| names.contains(&name))
}

/// Checks that bytes stand for a record.
///
/// # Errors
/// [`RecordError`] where they do not.
pub fn validate(bytes: &[u8]) -> Result<(), RecordError> {
    decode(bytes).map(|_| ())
}

/// Makes the bytes of records field by field, without a [`Record`] and without an allocation for each: what bulk loads
/// need.
///
/// ```
/// use property_store::record::{Encoder, decode};
///
/// let mut encoder = Encoder::default();
/// encoder.text("name", "Ann").integer("born", 1990).texts("tags", ["a", "b"]);
/// let mut bytes = Vec::new();
/// encoder.finish_into(&mut bytes);
/// assert_eq!(decode(&bytes)?["born"], 1990);
/// # Ok::<(), property_store::RecordError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Encoder {
    fields: u64,
    lengths: Vec<u8>,
    values: Vec<u8>,
}

impl Encoder {
    /// Adds a text.
    pub fn text(&mut self, name: &str, text: &str) -> &mut Self {
        self.field(name, |values| put_text(text, values))
    }

    /// Adds a whole number.
    pub fn integer(&mut self, name: &str, number: i64) -> &mut Self {
        self.field(name, |values| put_integer(number, values))
    }

    /// Adds an array of texts.
    pub fn texts<'t>(&mut self, name: &str, texts: impl IntoIterator<Item = &'t str, IntoIter: Clone>) -> &mut Self {
        let texts = texts.into_iter();
        self.field(name, |values| {
            values.push(ARRAY);
            put_number(values, texts.clone().count() as u64);
            for text in texts {
                put_number(values, text.len() as u64 + 1);
                put_text(text, values);
            }
        })
    }

    /// Appends the record of all fields since the last one, and begins another.
    pub fn finish_into(&mut self, out: &mut Vec<u8>) {
        out.push(VERSION);
        put_number(out, self.fields);
        out.extend_from_slice(&self.lengths);
        out.extend_from_slice(&self.values);
        self.fields = 0;
        self.lengths.clear();
        self.values.clear();
    }

    fn field(&mut self, name: &str, write: impl FnOnce(&mut Vec<u8>)) -> &mut Self {
        let start = self.values.len();
        write(&mut self.values);
        self.fields += 1;
        put_number(&mut self.lengths, name.len() as u64);
        self.lengths.extend_from_slice(name.as_bytes());
        put_number(&mut self.lengths, (self.values.len() - start) as u64);
        self
    }
}

fn put_fields(record: &Record, out: &mut Vec<u8>, depth: usize) -> Result<(), RecordError> {
    if depth >= NESTING_MAX {
        return Err(RecordError::TooDeep { limit: NESTING_MAX });
    }
    let mut values = Vec::with_capacity(record.len() * 8);
    put_number(out, record.len() as u64);
    for (name, value) in record {
        let start = values.len();
        put_value(value, &mut values, depth)?;
        put_number(out, name.len() as u64);
        out.extend_from_slice(name.as_bytes());
        put_number(out, (values.len() - start) as u64);
    }
    out.extend_from_slice(&values);
    Ok(())
}

fn put_value(value: &Value, out: &mut Vec<u8>, depth: usize) -> Result<(), RecordError> {
    match value {
        Value::Null => out.push(NULL),
        Value::Bool(false) => out.push(FALSE),
        Value::Bool(true) => out.push(TRUE),
        Value::Number(number) => put_json_number(number, out),
        Value::String(text) => put_text(text, out),
        Value::Array(items) => {
            if depth + 1 >= NESTING_MAX {
                return Err(RecordError::TooDeep { limit: NESTING_MAX });
            }
            out.push(ARRAY);
            put_number(out, items.len() as u64);
            let mut bytes = Vec::new();
            for item in items {
                bytes.clear();
                put_value(item, &mut bytes, depth + 1)?;
                put_number(out, bytes.len() as u64);
                out.extend_from_slice(&bytes);
            }
        }
        Value::Object(fields) => {
            out.push(OBJECT);
            put_fields(fields, out, depth + 1)?;
        }
    }
    Ok(())
}

fn put_text(text: &str, out: &mut Vec<u8>) {
    out.push(TEXT);
    out.extend_from_slice(text.as_bytes());
}

fn put_integer(number: i64, out: &mut Vec<u8>) {
    out.push(INTEGER);
    put_number(out, ((number << 1) ^ (number >> 63)).cast_unsigned());
}

fn put_json_number(number: &Number, out: &mut Vec<u8>) {
    if let Some(number) = number.as_i64() {
        put_integer(number, out);
    } else if let Some(number) = number.as_u64() {
        out.push(UNSIGNED);
        put_number(out, number);
    } else {
        out.push(DOUBLE);
        out.extend_from_slice(&number.as_f64().unwrap_or_default().to_le_bytes());
    }
}

fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(u8::try_from(number & 0x7F).unwrap_or_default() | 0x80);
        number >>= 7;
    }
    out.push(u8::try_from(number).unwrap_or_default());
}

/// Reads `fields` up to the end of the reader's bytes.
fn read_fields(reader: &mut Reader<'_>, depth: usize, wanted: &dyn Fn(&str) -> bool) -> Result<Record, RecordError> {
    if depth >= NESTING_MAX {
        return Err(RecordError::TooDeep { limit: NESTING_MAX });
    }
    let count = reader.count()?;
    let mut header = *reader;
    for _ in 0..count {
        reader.text()?;
        reader.number()?;
    }
    let mut record = Record::new();
    for _ in 0..count {
        let name = header.text()?;
        let length = header.number()?;
        let bytes = reader.take(length)?;
        if wanted(name) {
            let mut value = Reader { at: 0, bytes, base: reader.base + reader.at - bytes.len() };
            record.insert(name.to_owned(), read_value(&mut value, depth)?);
        }
    }
    reader.end()?;
    Ok(record)
}

/// Reads a value that takes all of the reader's bytes.
fn read_value(reader: &mut Reader<'_>, depth: usize) -> Result<Value, RecordError> {
    let value = match reader.byte()? {
        NULL => Value::Null,
        FALSE => Value::Bool(false),
        TRUE => Value::Bool(true),
        INTEGER => {
            let zigzag = reader.number()?;
            Value::from((zigzag >> 1).cast_signed() ^ -((zigzag & 1).cast_signed()))
        }
        UNSIGNED => Value::from(reader.number()?),
        DOUBLE => {
            let bytes = reader.take(8)?.try_into().unwrap_or_default();
            let number = Number::from_f64(f64::from_le_bytes(bytes));
            Value::Number(number.ok_or_else(|| reader.error("a number that is not finite"))?)
        }
        TEXT => {
            let rest = reader.rest();
            let text = std::str::from_utf8(rest).map_err(|_| reader.error("text that is not UTF-8"))?;
            Value::String(text.to_owned())
        }
        ARRAY => {
            if depth + 1 >= NESTING_MAX {
                return Err(RecordError::TooDeep { limit: NESTING_MAX });
            }
            let count = reader.count()?;
            let mut items = Vec::with_capacity(count);
            for _ in 0..count {
                let length = reader.number()?;
                let bytes = reader.take(length)?;
                let mut item = Reader { at: 0, bytes, base: reader.base + reader.at - bytes.len() };
                items.push(read_value(&mut item, depth + 1)?);
            }
            Value::Array(items)
        }
        OBJECT => Value::Object(read_fields(reader, depth + 1, &|_| true)?),
        _ => return Err(reader.error("an unknown kind of value")),
    };
    reader.end()?;
    Ok(value)
}

/// A cursor over bytes whose every step can fail.
#[derive(Clone, Copy)]
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where the bytes begin within the record, for errors.
    base: usize,
}

impl<'a> Reader<'a> {
    fn of_record(bytes: &'a [u8]) -> Result<Self, RecordError> {
        let mut reader = Self { bytes, at: 0, base: 0 };
        match reader.byte()? {
            VERSION => Ok(reader),
            found => Err(RecordError::Version { found, supported: VERSION }),
        }
    }

    fn error(&self, problem: &'static str) -> RecordError {
        RecordError::Malformed { problem, at: self.base + self.at }
    }

    fn byte(&mut self) -> Result<u8, RecordError> {
        let byte = self.bytes.get(self.at).copied().ok_or_else(|| self.error("ends too early"))?;
        self.at += 1;
        Ok(byte)
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8], RecordError> {
        let end = usize::try_from(length).ok().and_then(|length| self.at.checked_add(length));
        let end = end.filter(|end| *end <= self.bytes.len()).ok_or_else(|| self.error("ends too early"))?;
        let taken = self.bytes.get(self.at..end).unwrap_or_default();
        self.at = end;
        Ok(taken)
    }

    fn rest(&mut self) -> &'a [u8] {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at = self.bytes.len();
        rest
    }

    fn number(&mut self) -> Result<u64, RecordError> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            if shift == 63 && bits > 1 {
                break;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(self.error("a number of more than 64 bits"))
    }

    /// A number of things of at least one byte each, so that nobody is made to reserve room for more than there can be.
    fn count(&mut self) -> Result<usize, RecordError> {
        let left = self.bytes.len().saturating_sub(self.at);
        let number = self.number()?;
        usize::try_from(number).ok().filter(|count| *count <= left).ok_or_else(|| self.error("more things than bytes"))
    }

    fn text(&mut self) -> Result<&'a str, RecordError> {
        let length = self.number()?;
        let bytes = self.take(length)?;
        std::str::from_utf8(bytes).map_err(|_| self.error("a name that is not UTF-8"))
    }

    fn end(&self) -> Result<(), RecordError> {
        if self.at == self.bytes.len() { Ok(()) } else { Err(self.error("bytes beyond the end")) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (i64::MAX as u64 + 1..).prop_map(Value::from),
            proptest::num::f64::NORMAL.prop_map(Value::from),
            ".{0,20}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((".{0,6}", inner), 0..6)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    fn record() -> impl Strategy<Value = Record> {
        prop::collection::vec((".{0,8}", value()), 0..8).prop_map(|fields| fields.into_iter().collect())
    }

    proptest! {
        #[test]
        fn records_round_trip(record in record()) {
            let bytes = encode(&record).unwrap();
            prop_assert_eq!(validate(&bytes), Ok(()));
            prop_assert_eq!(decode(&bytes), Ok(record));
        }

        #[test]
        fn some_fields_are_those_of_all(record in record(), picks in any::<u8>()) {
            let bytes = encode(&record).unwrap();
            let names: Vec<&str> =
                record.keys()
                    .enumerate()
                    .filter(|(at, _)| picks >> at & 1 == 1)
                    .map(|(_, name)| name.as_str())
                    .collect();
            let mut expected = record.clone();
            expected.retain(|name, _| names.contains(&name.as_str()));
            prop_assert_eq!(decode_fields(&bytes, &names), Ok(expected));
        }

        #[test]
        fn no_bytes_make_it_panic(
            bytes in any::<Vec<u8>>(), record in record(), at in any::<prop::sample::Index>(), byte in any::<u8>(),
        ) {
            let _ = decode(&bytes);
            let mut damaged = encode(&record).unwrap();
            let at = at.index(damaged.len());
            damaged[at] = byte;
            let _ = decode(&damaged);
            let _ = decode_fields(&damaged, &["a"]);
            damaged.truncate(at);
            prop_assert!(decode(&damaged).is_err());
        }
    }

    #[test]
    fn the_bytes_are_those_of_the_description() {
        let record = json!({"a": 1, "b": "x"});
        let bytes = encode(record.as_object().unwrap()).unwrap();
        assert_eq!(bytes, [1, 2, 1, b'a', 2, 1, b'b', 2, INTEGER, 2, TEXT, b'x']);
    }

    proptest! {
        #[test]
        fn the_encoder_makes_the_same_bytes(
            texts in prop::collection::btree_map("[a-f]{1,3}", ".{0,20}", 0..4),
            number in any::<i64>(),
            several in prop::collection::vec(".{0,8}", 0..4),
        ) {
            let mut record = Record::new();
            let mut encoder = Encoder::default();
            for (name, text) in &texts {
                record.insert(name.clone(), Value::from(text.as_str()));
                encoder.text(name, text);
            }
            record.insert("number".to_owned(), Value::from(number));
            record.insert("several".to_owned(), Value::from(several.clone()));
            encoder.integer("number", number).texts("several", several.iter().map(String::as_str));
            let mut bytes = Vec::new();
            encoder.finish_into(&mut bytes);
            prop_assert_eq!(&bytes, &encode(&record).unwrap());
            // Nothing of a record is left for the next.
            encoder.integer("number", number).finish_into(&mut bytes);
            let next = encode(&Record::from_iter([("number".to_owned(), Value::from(number))])).unwrap();
            prop_assert!(bytes.ends_with(&next));
        }
    }

    #[test]
    fn an_unwanted_field_is_not_decoded() {
        // "b" holds an unknown kind of value, which matters only if "b" is requested.
        let bytes = [1, 2, 1, b'a', 1, 1, b'b', 1, TRUE, 99];
        assert_eq!(decode_fields(&bytes, &["a"]), Ok(json!({"a": true}).as_object().unwrap().clone()));
        assert_eq!(
            decode_fields(&bytes, &["b"]),
            Err(RecordError::Malformed { problem: "an unknown kind of value", at: 10 })
        );
    }

    #[test]
    fn depth_is_bounded_both_ways() {
        let nested = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!([inner]));
        let record = |value| Record::from_iter([("deep".to_owned(), value)]);
        let deepest = record(nested(NESTING_MAX - 1));
        assert_eq!(decode(&encode(&deepest).unwrap()), Ok(deepest));
        assert_eq!(encode(&record(nested(NESTING_MAX))), Err(RecordError::TooDeep { limit: NESTING_MAX }));
        // The same, as bytes nobody of ours wrote: objects around objects.
        let mut bytes = vec![NULL];
        for _ in 0..=NESTING_MAX {
            let mut outer = vec![OBJECT, 1, 1, b'x'];
            put_number(&mut outer, bytes.len() as u64);
            outer.append(&mut bytes);
            bytes = outer;
        }
        bytes[0] = VERSION;
        assert_eq!(decode(&bytes), Err(RecordError::TooDeep { limit: NESTING_MAX }));
    }

    #[test]
    fn another_version_is_refused() {
        assert_eq!(decode(&[2, 0]), Err(RecordError::Version { found: 2, supported: VERSION }));
        assert_eq!(decode(&[]), Err(RecordError::Malformed { problem: "ends too early", at: 0 }));
        assert!(matches!(decode(b"{\"i\":1}"), Err(RecordError::Version { .. })));
    }
}
