//! Ids made of primary keys, and the joined values of sort keys: `1:ann!1T`.
//!
//! Values are joined with `!`; a `!` inside a value is written `` `! ``. In a primary-key id a `:` inside the joined
//! values is written `` `: ``. The backquote itself is not escaped: that is HugeGraph's format, and ids must stay the
//! same.

use compact_str::CompactString;

use crate::number_code::{encode_double, encode_float, encode_number};
use crate::{IdError, LabelId, Value, VertexId};

/// The text of a value inside an id. With `encode_numbers` numbers and dates are written in their sortable code, else
/// plainly.
pub fn value_text(value: &Value, encode_numbers: bool) -> Result<CompactString, IdError> {
    let integer =
        |number: i64| CompactString::from(if encode_numbers { encode_number(number) } else { number.to_string() });
    Ok(match value {
        Value::Text(text) => {
            if text.starts_with(|first: char| first <= '\u{3}') {
                return Err(IdError::ReservedStart);
            }
            text.clone()
        }
        Value::Object(text) => CompactString::from(&**text),
        Value::Boolean(value) => CompactString::from(if *value { "true" } else { "false" }),
        Value::Byte(number) => integer(i64::from(*number)),
        Value::Int(number) => integer(i64::from(*number)),
        Value::Long(number) | Value::Date(number) => integer(*number),
        Value::Float(number) => {
            CompactString::from(if encode_numbers { encode_float(*number) } else { number.to_string() })
        }
        Value::Double(number) => {
            CompactString::from(if encode_numbers { encode_double(*number) } else { number.to_string() })
        }
        Value::Uuid(bits) => CompactString::from(uuid::Uuid::from_u128(*bits).hyphenated().to_string()),
        Value::Blob(bytes) | Value::Any(bytes) => {
            use base64::Engine as _;
            CompactString::from(base64::engine::general_purpose::STANDARD.encode(bytes))
        }
        Value::List(items) | Value::Set(items) => {
            let texts = items.iter().map(|item| value_text(item, encode_numbers)).collect::<Result<Vec<_>, _>>()?;
            CompactString::from(texts.join(";"))
        }
    })
}

/// Values of a label's sort keys or primary keys, joined with `!`.
pub fn join_values<'a>(
    values: impl IntoIterator<Item = &'a Value>,
    encode_numbers: bool,
) -> Result<CompactString, IdError> {
    let mut joined = CompactString::default();
    for (at, value) in values.into_iter().enumerate() {
        if at > 0 {
            joined.push('!');
        }
        push_escaped(&mut joined, &value_text(value, encode_numbers)?, '!');
    }
    Ok(joined)
}

/// The id of a vertex whose label has primary keys: the label's number and the values in the order of the keys.
pub fn join_primary_key<'a>(
    label: LabelId,
    values: impl IntoIterator<Item = &'a Value>,
    encode_numbers: bool,
) -> Result<VertexId, IdError> {
    let joined = join_values(values, encode_numbers)?;
    let mut id = compact_str::format_compact!("{}:", label.0);
    push_escaped(&mut id, &joined, ':');
    VertexId::from_text(&id)
}

/// The label's number and the rest of a text that has the form of a primary-key id; `None` otherwise.
#[must_use]
pub fn split_primary_key_label(text: &str) -> Option<(LabelId, &str)> {
    let (label, rest) = text.split_once(':')?;
    let canonical = !label.is_empty() && !label.starts_with('0') && label.bytes().all(|b| b.is_ascii_digit());
    if !canonical {
        return None;
    }
    Some((LabelId(label.parse().ok()?), rest))
}

fn push_escaped(out: &mut CompactString, text: &str, separator: char) {
    if !text.contains(separator) {
        out.push_str(text);
        return;
    }
    for c in text.chars() {
        if c == separator {
            out.push('`');
        }
        out.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> Value {
        Value::Text(value.into())
    }

    #[test]
    fn ids_are_hugegraphs() {
        let id = |values: &[Value]| join_primary_key(LabelId(1), values, true);
        assert_eq!(id(&[text("ann"), Value::Int(29)]), VertexId::from_text("1:ann!1T"));
        assert_eq!(id(&[text("a!b:c")]), VertexId::from_text("1:a`!b`:c"));
        assert_eq!(id(&[text("x"), Value::Boolean(true)]), VertexId::from_text("1:x!true"));
        assert_eq!(id(&[text("\u{1}x")]), Err(IdError::ReservedStart));
        assert_eq!(join_primary_key(LabelId(2), &[Value::Int(2017)], false), VertexId::from_text("2:2017"));
        assert!(matches!(id(&[text(&"x".repeat(20_000))]), Err(IdError::TooLong { .. })));
    }

    #[test]
    fn only_canonical_numbers_are_labels() {
        assert_eq!(split_primary_key_label("12:ann:x"), Some((LabelId(12), "ann:x")));
        for other in ["ann", ":ann", "01:ann", "0:x", "a1:ann", "99999999999:x"] {
            assert_eq!(split_primary_key_label(other), None, "{other}");
        }
    }

    #[test]
    fn an_empty_first_value_keeps_its_separator() {
        assert_ne!(
            join_primary_key(LabelId(1), &[text(""), text("x")], true),
            join_primary_key(LabelId(1), &[text("x")], true)
        );
    }
}
