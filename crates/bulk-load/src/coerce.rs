//! A value of a file as the type the schema gives: the rules of hugegraph-loader, with dates as epoch milliseconds.
//!
//! A TEXT is taken as it is, blanks at its ends included (hugegraph-loader drops them); values of other types are
//! trimmed. `true/1/yes/y` and `false/0/no/n` are booleans. Numbers must fit their type. Errors are reasons for the
//! rejects file and name the value and the type.

use api_client::{Cardinality, DataType, PropertyKey};
use jiff::tz::TimeZone;
use serde_json::{Number, Value};
use uuid::Uuid;

use crate::dates::{DateFormat, read_zone};
use crate::limits::SHOWN_CHARS_MAX;
use crate::mapping::{Input, ListFormat};

/// How values of one source are read.
#[derive(Debug)]
pub(crate) struct Coercion {
    formats: Vec<DateFormat>,
    zone: TimeZone,
    list: Option<ListFormat>,
}

impl Coercion {
    pub(crate) fn new(input: &Input) -> Result<Self, String> {
        let formats = std::iter::once(&input.date_format).chain(&input.extra_date_formats);
        let formats = formats.map(|format| DateFormat::compile(format)).collect::<Result<_, _>>()?;
        Ok(Self { formats, zone: read_zone(&input.time_zone)?, list: input.list_format.clone() })
    }

    /// Whether texts can be split into lists.
    pub(crate) fn splits_lists(&self) -> bool {
        self.list.is_some()
    }

    /// How lists are written, if it was said.
    pub(crate) fn list_format(&self) -> Option<&ListFormat> {
        self.list.as_ref()
    }

    /// A date as epoch milliseconds; `None` if it is of none of the formats.
    pub(crate) fn millis(&self, text: &str) -> Option<i64> {
        self.formats.iter().find_map(|format| format.read(text, &self.zone))
    }

    /// The value of a property, single or list.
    pub(crate) fn property(&self, key: &PropertyKey, raw: &Value) -> Result<Value, String> {
        if key.cardinality == Cardinality::Single {
            return self.single(key.data_type, raw);
        }
        let values = self.split(raw)?;
        let mut items: Vec<Value> = Vec::with_capacity(values.len());
        for value in &values {
            let item = self.single(key.data_type, value)?;
            if key.cardinality == Cardinality::List || !items.contains(&item) {
                items.push(item);
            }
        }
        Ok(Value::Array(items))
    }

    /// One value of a type.
    pub(crate) fn single(&self, data_type: DataType, raw: &Value) -> Result<Value, String> {
        let trimmed;
        let raw = match raw {
            Value::String(text) if data_type != DataType::Text => {
                trimmed = Value::from(text.trim_matches(|c| c <= ' '));
                &trimmed
            }
            other => other,
        };
        match data_type {
            DataType::Boolean => boolean(raw),
            DataType::Byte => whole(raw, i64::from(i8::MIN), i64::from(i8::MAX), "BYTE"),
            DataType::Int => whole(raw, i64::from(i32::MIN), i64::from(i32::MAX), "INT"),
            DataType::Long => whole(raw, i64::MIN, i64::MAX, "LONG"),
            DataType::Float => real(raw, "FLOAT"),
            DataType::Double => real(raw, "DOUBLE"),
            DataType::Text => text(raw),
            DataType::Date => self.date(raw),
            DataType::Uuid => uuid(raw),
            DataType::Blob | DataType::Object | DataType::Unknown => Ok(raw.clone()),
        }
    }

    /// The parts of a list: of a JSON array, or of a text cut as `list_format` says.
    pub(crate) fn split(&self, raw: &Value) -> Result<Vec<Value>, String> {
        let text = match raw {
            Value::Array(items) => return Ok(items.clone()),
            Value::String(text) => text.as_str(),
            other => return Ok(vec![other.clone()]),
        };
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let Some(list) = &self.list else {
            return Err(format!("{} must be split into a list; give \"list_format\" in the mapping", shown(raw)));
        };
        let inner =
            text.strip_prefix(list.start_symbol.as_str()).and_then(|t| t.strip_suffix(list.end_symbol.as_str()));
        let Some(inner) = inner else {
            return Err(format!(
                "the list {} does not begin with \"{}\" and end with \"{}\" as list_format says",
                shown(raw),
                list.start_symbol,
                list.end_symbol
            ));
        };
        let items = inner.split(list.elem_delimiter.as_str());
        Ok(items.filter(|item| !list.ignored_elems.contains(*item)).map(Value::from).collect())
    }

    fn date(&self, raw: &Value) -> Result<Value, String> {
        let text = match raw {
            Value::Number(number) if number.is_i64() => return Ok(raw.clone()),
            Value::String(text) => text,
            other => return Err(format!("{} is not a date", shown(other))),
        };
        match self.millis(text) {
            Some(millis) => Ok(Value::from(millis)),
            None => {
                let known: Vec<_> = self.formats.iter().map(|format| format!("\"{}\"", format.text())).collect();
                Err(format!("{} is not a date of the format {}", shown(raw), known.join(" or ")))
            }
        }
    }
}

/// A value as it is shown in a reason: cut if long.
pub(crate) fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((at, _)) => format!("{}\u{2026}", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

fn boolean(raw: &Value) -> Result<Value, String> {
    if raw.is_boolean() {
        return Ok(raw.clone());
    }
    let word = raw.as_str().unwrap_or_default().to_lowercase();
    match word.as_str() {
        "true" | "1" | "yes" | "y" => Ok(Value::from(true)),
        "false" | "0" | "no" | "n" => Ok(Value::from(false)),
        _ => Err(format!("{} is not a BOOLEAN; write true, 1, yes, y or false, 0, no, n", shown(raw))),
    }
}

/// A whole number in a range.
pub(crate) fn whole(raw: &Value, least: i64, most: i64, name: &str) -> Result<Value, String> {
    let number = match raw {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.trim().parse::<i64>().ok(),
        _ => None,
    };
    match number {
        Some(number) if (least..=most).contains(&number) => Ok(Value::from(number)),
        _ => Err(format!("{} is not a whole number from {least} to {most} ({name})", shown(raw))),
    }
}

fn real(raw: &Value, name: &str) -> Result<Value, String> {
    let text = match raw {
        Value::Number(_) => return Ok(raw.clone()),
        Value::String(text) => text.as_str(),
        other => return Err(format!("{} is not a number ({name})", shown(other))),
    };
    if matches!(text, "NaN" | "Infinity" | "-Infinity") {
        return Ok(raw.clone());
    }
    let number = text.parse::<f64>().ok().and_then(Number::from_f64).map(Value::Number);
    number.ok_or_else(|| format!("{} is not a number ({name})", shown(raw)))
}

fn text(raw: &Value) -> Result<Value, String> {
    match raw {
        Value::String(_) => Ok(raw.clone()),
        Value::Number(_) | Value::Bool(_) => Ok(Value::from(raw.to_string())),
        other => Err(format!("{} is not a TEXT", shown(other))),
    }
}

/// A UUID in its dashed lower-case form.
pub(crate) fn uuid(raw: &Value) -> Result<Value, String> {
    let id = raw.as_str().and_then(|text| Uuid::try_parse(text.trim()).ok());
    match id {
        Some(id) => Ok(Value::from(id.to_string())),
        None => Err(format!("{} is not a UUID; write 36 characters with dashes or 32 hex digits", shown(raw))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn coercion(extra: &str) -> Coercion {
        Coercion::new(&serde_json::from_str(&format!("{{\"path\":\"p\"{extra}}}")).unwrap()).unwrap()
    }

    fn key(data_type: DataType, cardinality: Cardinality) -> PropertyKey {
        PropertyKey { name: "p".into(), data_type, cardinality }
    }

    #[test]
    fn single_values_of_every_type() {
        let c = coercion(r#","date_format":"yyyy-MM-dd","time_zone":"UTC","extra_date_formats":["timestamp"]"#);
        let cases = [
            (DataType::Text, json!(" a b "), json!(" a b ")),
            (DataType::Text, json!(12), json!("12")),
            (DataType::Boolean, json!("Yes"), json!(true)),
            (DataType::Boolean, json!("0"), json!(false)),
            (DataType::Byte, json!("-128"), json!(-128)),
            (DataType::Int, json!(" 29 "), json!(29)),
            (DataType::Long, json!("9223372036854775807"), json!(i64::MAX)),
            (DataType::Float, json!("1.5"), json!(1.5)),
            (DataType::Double, json!("NaN"), json!("NaN")),
            (DataType::Double, json!("1e3"), json!(1000.0)),
            (DataType::Date, json!("2020-01-02"), json!(1_577_923_200_000_i64)),
            (DataType::Date, json!("1577923200000"), json!(1_577_923_200_000_i64)),
            (DataType::Date, json!(5), json!(5)),
            (DataType::Uuid, json!("835E1153928149578691CF79258E90EB"), json!("835e1153-9281-4957-8691-cf79258e90eb")),
            (DataType::Blob, json!("AAEC"), json!("AAEC")),
        ];
        for (data_type, raw, expected) in cases {
            assert_eq!(c.single(data_type, &raw), Ok(expected), "{data_type:?} {raw}");
        }
    }

    #[test]
    fn wrong_values_say_what_was_expected() {
        let c = coercion("");
        let cases = [
            (DataType::Byte, json!("128"), "\"128\" is not a whole number from -128 to 127 (BYTE)"),
            (DataType::Int, json!(1.5), "1.5 is not a whole number"),
            (DataType::Long, json!("9223372036854775808"), "(LONG)"),
            (DataType::Boolean, json!("perhaps"), "write true, 1, yes, y"),
            (DataType::Date, json!("2020-01-02"), "not a date of the format \"yyyy-MM-dd HH:mm:ss\""),
            (DataType::Double, json!("1,5"), "not a number (DOUBLE)"),
            (DataType::Uuid, json!("xyz"), "32 hex digits"),
            (DataType::Text, json!({"a": 1}), "not a TEXT"),
        ];
        for (data_type, raw, expected) in cases {
            let reason = c.single(data_type, &raw).unwrap_err();
            assert!(reason.contains(expected), "{reason}");
        }
        let long = c.single(DataType::Int, &json!("x".repeat(1000))).unwrap_err();
        assert!(long.len() < 300, "{long}");
    }

    #[test]
    fn lists_and_sets() {
        let c = coercion(r#","list_format":{"start_symbol":"[","elem_delimiter":";","end_symbol":"]"}"#);
        let list = key(DataType::Int, Cardinality::List);
        assert_eq!(c.property(&list, &json!("[1;2;;2]")), Ok(json!([1, 2, 2])));
        assert_eq!(c.property(&key(DataType::Int, Cardinality::Set), &json!("[1;2;2]")), Ok(json!([1, 2])));
        assert_eq!(c.property(&list, &json!([3, "4"])), Ok(json!([3, 4])));
        assert_eq!(c.property(&list, &json!("")), Ok(json!([])));
        assert!(c.property(&list, &json!("1;2")).unwrap_err().contains("does not begin with \"[\""));
        assert!(c.property(&list, &json!("[a]")).unwrap_err().contains("(INT)"));
        assert!(coercion("").property(&list, &json!("1|2")).unwrap_err().contains("list_format"));
    }
}
