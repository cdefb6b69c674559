//! From literals to values of a property key's type.
//!
//! What clients may write for each type is HugeGraph's; where Java would silently change a number (a fraction cut, a
//! float that overflows) it is refused here. It is on the path of every inserted property: nothing is allocated but the
//! value itself.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use compact_str::CompactString;
use graph_model::{Cardinality, DataType, Value, parse_date};
use jiff::tz::TimeZone;
use tagged_value::{Builder, TaggedError, Token, entries};

use crate::definition::PropertyKey;
use crate::error::ValueError;
use crate::input::Literal;
use crate::limits;

/// Base64 as Java's decoder takes it: the padding may be missing.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The value of a literal, of the key's type and cardinality. For a LIST or SET key an array is taken item by item (a
/// SET keeps the first of equal items) and anything else as the only item.
pub fn coerce(key: &PropertyKey, literal: &Literal<'_>, zone: &TimeZone) -> Result<Value, ValueError> {
    match key.cardinality {
        Cardinality::Single => coerce_one(key, literal, zone),
        Cardinality::List => Ok(Value::List(coerce_items(key, literal, zone)?)),
        Cardinality::Set => {
            let mut items = coerce_items(key, literal, zone)?;
            keep_first_of_same(&mut items);
            Ok(Value::Set(items))
        }
    }
}

fn coerce_items(key: &PropertyKey, literal: &Literal<'_>, zone: &TimeZone) -> Result<Vec<Value>, ValueError> {
    let items = match literal {
        Literal::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    check_count(key, items.len())?;
    items.iter().map(|item| coerce_one(key, item, zone)).collect()
}

/// Refuses more values than one property may hold.
pub(crate) fn check_count(key: &PropertyKey, count: usize) -> Result<(), ValueError> {
    let limit = limits::COLLECTION_ITEMS_MAX;
    if count > limit { Err(ValueError::TooManyValues { key: key.name.clone(), count, limit }) } else { Ok(()) }
}

/// One value of the key's type, whatever its cardinality.
pub(crate) fn coerce_one(key: &PropertyKey, literal: &Literal<'_>, zone: &TimeZone) -> Result<Value, ValueError> {
    let value = match (key.data_type, literal) {
        (_, Literal::Null) => return Err(ValueError::Null { key: key.name.clone() }),
        (DataType::Object, literal) => Some(Value::Object(json_text(literal).into())),
        (DataType::Boolean, Literal::Boolean(value)) => Some(Value::Boolean(*value)),
        (DataType::Byte, Literal::Integer(number)) => i8::try_from(*number).ok().map(Value::Byte),
        (DataType::Int, Literal::Integer(number)) => i32::try_from(*number).ok().map(Value::Int),
        (DataType::Long, Literal::Integer(number)) => Some(Value::Long(*number)),
        (DataType::Float, literal) => double(literal).and_then(narrow).map(Value::Float),
        (DataType::Double, literal) => double(literal).map(Value::Double),
        (DataType::Text, Literal::Text(text)) => Some(Value::Text(CompactString::from(&**text))),
        (DataType::Date, Literal::Integer(milliseconds)) => Some(Value::Date(*milliseconds)),
        (DataType::Date, Literal::Text(text)) => parse_date(text, zone).ok().map(Value::Date),
        (DataType::Uuid, Literal::Text(text)) => uuid_bits(text).map(Value::Uuid),
        (DataType::Blob, literal) => blob(literal).map(Value::Blob),
        (DataType::Any, literal) => any_value(literal).map(Value::Any),
        _ => None,
    };
    value.ok_or_else(|| wrong_type(key, literal))
}

fn double(literal: &Literal<'_>) -> Option<f64> {
    match literal {
        Literal::Float(number) => Some(*number),
        Literal::Integer(number) => Some(*number as f64),
        Literal::Text(text) => match &**text {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}

/// The nearest 32-bit float; `None` where a finite number would become infinite.
fn narrow(number: f64) -> Option<f32> {
    #[expect(clippy::cast_possible_truncation, reason = "rounding to the nearest float is meant, overflow is checked")]
    let narrowed = number as f32;
    if narrowed.is_infinite() && number.is_finite() { None } else { Some(narrowed) }
}

fn uuid_bits(text: &str) -> Option<u128> {
    let well_formed = text.len() == 36 || text.len() == 32;
    if well_formed { uuid::Uuid::try_parse(text).ok().map(|id| id.as_u128()) } else { None }
}

fn blob(literal: &Literal<'_>) -> Option<Box<[u8]>> {
    match literal {
        Literal::Text(text) => match text.strip_prefix("0x") {
            Some(digits) => hex(digits),
            None => BASE64.decode(&**text).ok().map(Vec::into_boxed_slice),
        },
        Literal::Array(items) => items.iter().map(byte).collect(),
        _ => None,
    }
}

/// A byte written signed, as Java does, or unsigned.
fn byte(literal: &Literal<'_>) -> Option<u8> {
    let Literal::Integer(number) = literal else { return None };
    u8::try_from(*number).ok().or_else(|| i8::try_from(*number).ok().map(i8::cast_unsigned))
}

/// A value that says its own type. A whole number is an INT where it fits, else a LONG.
fn any_value(literal: &Literal<'_>) -> Option<Box<[u8]>> {
    if let Literal::Tagged(bytes) = literal {
        let sound = bytes.len() <= tagged_value::limits::BYTES_MAX && entries(bytes).all(|entry| entry.is_ok());
        return sound.then(|| bytes.as_ref().into());
    }
    let mut builder = Builder::new();
    put_literal(&mut builder, literal).ok()?;
    builder.finish().ok()
}

fn put_literal(builder: &mut Builder, literal: &Literal<'_>) -> Result<(), Option<TaggedError>> {
    let token = match literal {
        Literal::Null => Token::Null,
        Literal::Boolean(value) => Token::Bool(*value),
        Literal::Integer(number) => i32::try_from(*number).map_or(Token::Long(*number), Token::Int),
        Literal::Float(number) => Token::Double(*number),
        Literal::Text(text) => Token::String(text),
        Literal::Array(items) => {
            return builder.list(|inner| items.iter().try_for_each(|item| put_literal(inner, item)));
        }
        Literal::Tagged(bytes) => tagged_value::read(bytes)?,
        // A JSON text; whoever reads JSON makes a tagged map of it.
        Literal::Object(_) => return Err(None),
    };
    Ok(builder.put(token)?)
}

fn hex(digits: &str) -> Option<Box<[u8]>> {
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    digits
        .as_bytes()
        .chunks_exact(2)
        .map(|pair| match pair {
            [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
            _ => None,
        })
        .collect()
}

/// Takes out every item that is the same as an earlier one. Sorts instead of comparing each with each: a client chooses
/// how many.
pub(crate) fn keep_first_of_same(items: &mut Vec<Value>) {
    if items.len() < 2 {
        return;
    }
    let mut sorted: Vec<(usize, &Value)> = items.iter().enumerate().collect();
    sorted.sort_by(|(_, a), (_, b)| compare(a, b));
    let mut repeated = vec![false; items.len()];
    for pair in sorted.windows(2) {
        if let [(_, first), (at, second)] = pair
            && compare(first, second).is_eq()
            && let Some(flag) = repeated.get_mut(*at)
        {
            *flag = true;
        }
    }
    let mut repeated = repeated.into_iter();
    items.retain(|_| !repeated.next().unwrap_or(false));
}

/// Some total order in which exactly the values that are [`Value::same`] are equal; of whole numbers and dates, theirs.
pub(crate) fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => a.cmp(b),
        (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
        (Value::Byte(a), Value::Byte(b)) => a.cmp(b),
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Long(a), Value::Long(b)) | (Value::Date(a), Value::Date(b)) => a.cmp(b),
        (Value::Float(a), Value::Float(b)) => a.to_bits().cmp(&b.to_bits()),
        (Value::Double(a), Value::Double(b)) => a.to_bits().cmp(&b.to_bits()),
        (Value::Text(a), Value::Text(b)) => a.cmp(b),
        (Value::Blob(a), Value::Blob(b)) | (Value::Any(a), Value::Any(b)) => a.cmp(b),
        (Value::Uuid(a), Value::Uuid(b)) => a.cmp(b),
        (Value::List(a), Value::List(b)) | (Value::Set(a), Value::Set(b)) => {
            let differing = a.iter().zip(b).map(|(a, b)| compare(a, b)).find(|order| order.is_ne());
            differing.unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        (a, b) => rank(a).cmp(&rank(b)),
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Object(_) => 0,
        Value::Boolean(_) => 1,
        Value::Byte(_) => 2,
        Value::Int(_) => 3,
        Value::Long(_) => 4,
        Value::Float(_) => 5,
        Value::Double(_) => 6,
        Value::Text(_) => 7,
        Value::Blob(_) => 8,
        Value::Date(_) => 9,
        Value::Uuid(_) => 10,
        Value::List(_) => 11,
        Value::Set(_) => 12,
        Value::Any(_) => 13,
    }
}

/// A literal as compact JSON text.
fn json_text(literal: &Literal<'_>) -> String {
    let mut text = String::new();
    push_json(&mut text, literal);
    text
}

fn push_json(out: &mut String, literal: &Literal<'_>) {
    match literal {
        Literal::Null => out.push_str("null"),
        Literal::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
        Literal::Integer(number) => push_display(out, format_args!("{number}")),
        Literal::Float(number) if number.is_finite() => push_display(out, format_args!("{number:?}")),
        Literal::Float(number) => push_display(out, format_args!("\"{number}\"")),
        Literal::Text(text) => push_json_string(out, text),
        Literal::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                push_json(out, item);
            }
            out.push(']');
        }
        Literal::Object(text) => out.push_str(text),
        Literal::Tagged(_) => out.push_str("null"),
    }
}

fn push_json_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => push_display(out, format_args!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn push_display(out: &mut String, text: std::fmt::Arguments<'_>) {
    let written = out.write_fmt(text);
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
}

fn wrong_type(key: &PropertyKey, literal: &Literal<'_>) -> ValueError {
    let expected = match key.data_type {
        DataType::Object => "any JSON value",
        DataType::Any => "a value of at most 4 MiB, in at most 64 collections",
        DataType::Boolean => "a BOOLEAN (true or false)",
        DataType::Byte => "a BYTE (whole number from -128 to 127)",
        DataType::Int => "an INT (whole number from -2147483648 to 2147483647)",
        DataType::Long => "a LONG (whole number of 64 bits)",
        DataType::Float => "a FLOAT (number up to 3.4e38, or \"NaN\", \"Infinity\", \"-Infinity\")",
        DataType::Double => "a DOUBLE (number, or \"NaN\", \"Infinity\", \"-Infinity\")",
        DataType::Text => "a TEXT (string)",
        DataType::Blob => "a BLOB (base64 string, 0x and hexadecimal digits, or an array of bytes)",
        DataType::Date => "a DATE (yyyy-MM-dd, yyyy-MM-dd HH:mm:ss[.SSS] or milliseconds since 1970)",
        DataType::Uuid => "a UUID (string of 36 characters with dashes or 32 hexadecimal digits)",
    };
    ValueError::WrongType { key: key.name.clone(), expected: expected.to_owned(), got: shown(literal).into_owned() }
}

/// A literal in an error: itself where it is short.
pub(crate) fn shown<'a>(literal: &'a Literal<'_>) -> Cow<'a, str> {
    match literal {
        Literal::Boolean(value) => Cow::Owned(value.to_string()),
        Literal::Integer(number) => Cow::Owned(number.to_string()),
        Literal::Float(number) => Cow::Owned(format!("{number:?}")),
        Literal::Text(text) if text.chars().nth(limits::SHOWN_CHARS_MAX).is_none() => {
            Cow::Owned(format!("the string '{text}'"))
        }
        Literal::Text(text) => {
            let start: String = text.chars().take(limits::SHOWN_CHARS_MAX).collect();
            Cow::Owned(format!("the string '{start}...'"))
        }
        other => Cow::Borrowed(other.kind()),
    }
}

#[cfg(test)]
mod tests;
