//! Reads GraphSON of any version. The parser of JSON bounds the nesting, the message's length the rest.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gremlin::{Bytecode, Instruction, Value};
use query_value::{DateTime, Duration, ElementKind, Enum};
use serde_json::{Map, Value as Json};

use crate::error::CodecError;
use crate::form;

type Read<V> = Result<V, CodecError>;

pub(super) fn value(json: Json) -> Read<Value> {
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Boolean(flag),
        Json::Number(number) => plain_number(&number)?,
        Json::String(text) => Value::Text(text.into()),
        Json::Array(array) => Value::List(values(array)?),
        Json::Object(mut object) => match (object.remove("@type"), object.remove("@value")) {
            (Some(Json::String(name)), value) => typed(&name, value.unwrap_or(Json::Null))?,
            (None, None) => {
                let pairs = object.into_iter().map(|(key, json)| Ok((Value::Text(key.into()), value(json)?)));
                Value::Map(pairs.collect::<Read<_>>()?)
            }
            _ => return Err(CodecError::value("@type", "a string")),
        },
    })
}

fn values(array: Vec<Json>) -> Read<Vec<Value>> {
    array.into_iter().map(value).collect()
}

/// A number without a type is as wide as it needs to be.
fn plain_number(number: &serde_json::Number) -> Read<Value> {
    match (number.as_i64(), number.as_u64(), number.as_f64()) {
        (Some(long), ..) => Ok(i32::try_from(long).map_or(Value::Long(long), Value::Int)),
        (None, Some(large), _) => Ok(Value::BigInteger(large.into())),
        (None, None, Some(double)) => Ok(Value::Double(double)),
        _ => Err(CodecError::value(number, "a number in range")),
    }
}

fn wrong(name: &str, json: &Json) -> CodecError {
    CodecError::Value { found: json.to_string().chars().take(60).collect(), expected: expected(name) }
}

/// What a type's value should be, for errors.
fn expected(name: &str) -> &'static str {
    match name {
        "g:Int32" => "an integer of 32 bits",
        "g:Int64" | "g:Date" | "g:Timestamp" => "an integer of 64 bits",
        "g:Double" | "g:Float" => "a number",
        "g:UUID" => "a UUID",
        "g:List" | "g:Set" => "an array",
        "g:Map" => "an array of keys and values",
        "g:Bytecode" => "bytecode",
        "gx:OffsetDateTime" | "gx:Instant" | "gx:ZonedDateTime" => "a date and time of ISO 8601",
        "gx:Duration" => "a duration of ISO 8601",
        _ => "a value of its type",
    }
}

fn typed(name: &str, json: Json) -> Read<Value> {
    Ok(match (name, json) {
        ("g:List", Json::Array(array)) => Value::List(values(array)?),
        ("g:Set", Json::Array(array)) => Value::Set(values(array)?),
        ("g:Map", Json::Array(array)) => {
            let pairs = alternating(values(array)?).ok_or_else(|| wrong(name, &Json::Null))?;
            Value::Map(pairs)
        }
        // The number of times a result occurred says nothing where it is an argument.
        ("g:Traverser" | "g:Binding", Json::Object(mut object)) => value(take(&mut object, "value"))?,
        ("g:Lambda", _) => return Err(CodecError::Lambda),
        ("g:Vertex" | "g:Edge" | "g:VertexProperty", Json::Object(object)) => element(name, object)?,
        ("g:Property", _) => return Err(form::result("a property")),
        ("g:Path", _) => return Err(form::result("a path")),
        ("g:Tree", _) => return Err(form::result("a tree")),
        ("g:BulkSet", _) => return Err(form::result("a bulk set")),
        ("tinker:graph", _) => return Err(form::result("a graph")),
        ("g:Metrics" | "g:TraversalMetrics", _) => return Err(form::result("a profile")),
        ("g:Bytecode", Json::Object(mut object)) => {
            let source = calls(take(&mut object, "source"))?;
            let steps = calls(take(&mut object, "step"))?;
            form::bytecode(Bytecode { source, steps })
        }
        ("g:P" | "g:TextP", Json::Object(mut object)) => {
            let predicate_name = take(&mut object, "predicate");
            let predicate_name = predicate_name.as_str().unwrap_or_default();
            named_predicate(predicate_name, value(take(&mut object, "value"))?)?
        }
        ("g:Class", Json::String(class)) => form::strategy(&class, Vec::new()),
        (_, Json::String(constant)) if enumeration(name).is_some() => {
            let found = enumeration(name).and_then(|class| Enum::from_script(class, &constant));
            Value::Enum(found.ok_or_else(|| wrong(name, &Json::String(constant)))?)
        }
        (_, json) if name.ends_with("Strategy") => strategy(name, json)?,
        (_, json) => scalar(name, &json)?,
    })
}

/// The class of an enumeration's type.
fn enumeration(name: &str) -> Option<&'static str> {
    let class = name.strip_prefix("g:")?;
    Enum::CLASSES.iter().find(|known| **known == class).copied()
}

/// Keys and values in turns.
fn alternating(items: Vec<Value>) -> Option<Vec<(Value, Value)>> {
    let mut items = items.into_iter();
    let mut pairs = Vec::with_capacity(items.len() / 2);
    while let Some(key) = items.next() {
        pairs.push((key, items.next()?));
    }
    Some(pairs)
}

fn take(object: &mut Map<String, Json>, key: &str) -> Json {
    object.remove(key).unwrap_or(Json::Null)
}

/// Comparisons with several values have them in a list.
fn named_predicate(name: &str, argument: Value) -> Read<Value> {
    let is_several = matches!(name, "within" | "without" | "and" | "or" | "between" | "inside" | "outside");
    let arguments = match argument {
        Value::List(items) | Value::Set(items) if is_several => items,
        single => vec![single],
    };
    form::predicate(name, arguments)
}

fn calls(json: Json) -> Read<Vec<Instruction>> {
    let Json::Array(calls) = json else { return Ok(Vec::new()) };
    let calls = calls.into_iter().map(|call| {
        let Json::Array(parts) = call else { return Err(wrong("g:Bytecode", &call)) };
        let mut parts = parts.into_iter();
        let Some(Json::String(name)) = parts.next() else { return Err(CodecError::value("a call", "named")) };
        Ok(Instruction { name: name.into(), arguments: parts.map(value).collect::<Read<_>>()?, span: None })
    });
    calls.collect()
}

/// Options are the value itself, or in `conf` with the class's name next to them.
fn strategy(name: &str, json: Json) -> Read<Value> {
    let options = match json {
        Json::Object(mut object) if object.contains_key("conf") => take(&mut object, "conf"),
        Json::Object(mut object) => {
            object.remove("fqcn");
            Json::Object(object)
        }
        _ => Json::Null,
    };
    Ok(form::strategy(name.trim_start_matches("g:"), form::named(value(options)?)))
}

/// An element; its properties are left out, as an argument keeps id and label.
fn element(name: &str, mut object: Map<String, Json>) -> Read<Value> {
    let (kind, label) = match name {
        "g:Vertex" => (ElementKind::Vertex, "vertex"),
        "g:Edge" => (ElementKind::Edge, "edge"),
        _ => (ElementKind::VertexProperty, ""),
    };
    let id = value(take(&mut object, "id"))?;
    let label = object.get("label").and_then(Json::as_str).unwrap_or(label);
    Ok(form::element(kind, id, label.into()))
}

fn scalar(name: &str, json: &Json) -> Read<Value> {
    let text = json.as_str();
    let value = match name {
        "g:Int32" => json.as_i64().and_then(|number| i32::try_from(number).ok()).map(Value::Int),
        "g:Int64" => json.as_i64().or_else(|| text?.parse().ok()).map(Value::Long),
        "g:Double" => double(json).map(Value::Double),
        "g:Float" => float(json).map(Value::Float),
        "g:UUID" => text.and_then(super::text::uuid).map(Value::Uuid),
        "g:Date" | "g:Timestamp" => json.as_i64().and_then(|milliseconds| {
            let nanoseconds = milliseconds.rem_euclid(1000) * 1_000_000;
            DateTime::from_epoch(milliseconds.div_euclid(1000), nanoseconds).map(Value::DateTime)
        }),
        "gx:BigInteger" | "gx:BigDecimal" => {
            let digits = text.map_or_else(|| json.to_string(), ToOwned::to_owned);
            let is_short = digits.len() <= gremlin::limits::NUMBER_DIGITS_MAX;
            return match (is_short, name) {
                (true, "gx:BigInteger") => digits.parse().ok().map(form::big_integer),
                (true, _) => digits.parse().ok().map(form::big_decimal),
                (false, _) => None,
            }
            .unwrap_or_else(|| Err(wrong(name, json)));
        }
        "gx:Byte" => json.as_i64().and_then(|number| i8::try_from(number).ok()).map(Value::Byte),
        "gx:Int16" => json.as_i64().and_then(|number| i16::try_from(number).ok()).map(Value::Short),
        "gx:Char" => text.and_then(single_char).map(Value::Char),
        "gx:ByteBuffer" => text.and_then(|text| STANDARD.decode(text).ok()).map(|bytes| Value::Binary(bytes.into())),
        "gx:OffsetDateTime" | "gx:Instant" | "gx:ZonedDateTime" => text.and_then(DateTime::parse).map(Value::DateTime),
        "gx:Duration" => text.and_then(Duration::parse).map(Value::Duration),
        _ => return Err(CodecError::UnknownType { name: name.chars().take(60).collect() }),
    };
    value.ok_or_else(|| wrong(name, json))
}

fn single_char(text: &str) -> Option<char> {
    let mut characters = text.chars();
    characters.next().filter(|_| characters.next().is_none())
}

/// A number, maybe in quotes, or the name of a special one.
fn double(json: &Json) -> Option<f64> {
    match json.as_str() {
        None => json.as_f64(),
        Some("NaN") => Some(f64::NAN),
        Some("Infinity") => Some(f64::INFINITY),
        Some("-Infinity") => Some(f64::NEG_INFINITY),
        Some(number) => Some(number).filter(|number| is_finite(number))?.parse().ok(),
    }
}

/// The same for 32 bits: the text of the number is read, so that it is rounded once.
fn float(json: &Json) -> Option<f32> {
    match json.as_str() {
        None => json.to_string().parse().ok(),
        Some(name @ ("NaN" | "Infinity" | "-Infinity")) => name.parse().ok(),
        Some(number) => Some(number).filter(|number| is_finite(number))?.parse().ok(),
    }
}

/// Whether a text is a number rather than one of the names that parsing takes too.
fn is_finite(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))
}
