//! Reads GraphSON of any version. The parser of JSON bounds the nesting, the message's length the rest.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gremlin::{Bytecode, Instruction, Text, Value};
use query_value::{DateTime, Duration, Enum};
use serde_json::{Map, Value as Json};

use crate::error::CodecError;
use crate::graph_binary::{bytecode, predicate, strategy};
use crate::item::{Edge, Item, Path, Property, Tree, Vertex, VertexProperty};

type Read<V> = Result<V, CodecError>;

pub(super) fn item(json: Json) -> Read<Item> {
    Ok(match json {
        Json::Null => Item::Value(Value::Null),
        Json::Bool(flag) => Item::Value(Value::Boolean(flag)),
        Json::Number(number) => Item::Value(plain_number(&number)?),
        Json::String(text) => Item::text(&text),
        Json::Array(array) => Item::List(items(array)?),
        Json::Object(mut object) => match (object.remove("@type"), object.remove("@value")) {
            (Some(Json::String(name)), value) => typed(&name, value.unwrap_or(Json::Null))?,
            (None, None) => Item::Map(pairs(object)?),
            _ => return Err(CodecError::value("@type", "a string")),
        },
    })
}

fn items(array: Vec<Json>) -> Read<Vec<Item>> {
    array.into_iter().map(item).collect()
}

fn pairs(object: Map<String, Json>) -> Read<Vec<(Item, Item)>> {
    object.into_iter().map(|(key, value)| Ok((Item::text(&key), item(value)?))).collect()
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

fn value(json: Json) -> Read<Value> {
    item(json)?.into_value()
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
        "g:List" | "g:Set" | "g:BulkSet" | "g:Tree" => "an array",
        "g:Map" => "an array of keys and values",
        "g:Bytecode" => "bytecode",
        "gx:OffsetDateTime" | "gx:Instant" | "gx:ZonedDateTime" => "a date and time of ISO 8601",
        "gx:Duration" => "a duration of ISO 8601",
        _ => "a value of its type",
    }
}

fn typed(name: &str, json: Json) -> Read<Item> {
    let wrong_value = wrong(name, &Json::Null);
    Ok(match (name, json) {
        ("g:List", Json::Array(array)) => Item::List(items(array)?),
        ("g:Set", Json::Array(array)) => Item::Set(items(array)?),
        ("g:Map", Json::Array(array)) => Item::Map(alternating(items(array)?).ok_or(wrong_value)?),
        ("g:BulkSet", Json::Array(array)) => {
            let pairs = alternating(items(array)?).ok_or(wrong_value)?;
            Item::BulkSet(pairs.into_iter().map(|(item, bulk)| Ok((item, long(bulk)?))).collect::<Read<_>>()?)
        }
        ("g:Tree", Json::Array(array)) => Item::Tree(tree(array)?),
        ("g:Traverser", Json::Object(mut object)) => {
            let bulk = long(item(take(&mut object, "bulk"))?)?;
            Item::Traverser { bulk, item: Box::new(item(take(&mut object, "value"))?) }
        }
        ("g:Binding", Json::Object(mut object)) => item(take(&mut object, "value"))?,
        ("g:Lambda", _) => return Err(CodecError::Lambda),
        ("g:Vertex" | "g:Edge" | "g:VertexProperty" | "g:Property" | "g:Path", Json::Object(object)) => {
            element(name, object)?
        }
        ("g:Bytecode", Json::Object(mut object)) => {
            let source = calls(take(&mut object, "source"))?;
            let steps = calls(take(&mut object, "step"))?;
            Item::Value(bytecode(Bytecode { source, steps }))
        }
        ("g:P" | "g:TextP", Json::Object(mut object)) => {
            let predicate_name = take(&mut object, "predicate");
            let predicate_name = predicate_name.as_str().unwrap_or_default();
            let argument = value(take(&mut object, "value"))?;
            Item::Value(named_predicate(predicate_name, argument)?)
        }
        ("g:Class", Json::String(class)) => Item::Value(strategy(&class, Vec::new())),
        (_, Json::String(constant)) if enumeration(name).is_some() => {
            let constant =
                enumeration(name).and_then(|class| Enum::from_script(class, &constant)).ok_or(wrong_value)?;
            Item::Value(Value::Enum(constant))
        }
        (_, json) if name.ends_with("Strategy") => Item::Value(strategy_of(name, json)?),
        (_, json) => Item::Value(scalar(name, &json)?),
    })
}

/// The class of an enumeration's type.
fn enumeration(name: &str) -> Option<&'static str> {
    let class = name.strip_prefix("g:")?;
    Enum::CLASSES.iter().find(|known| **known == class).copied()
}

/// Keys and values in turns.
fn alternating(items: Vec<Item>) -> Option<Vec<(Item, Item)>> {
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

fn take_text(object: &mut Map<String, Json>, key: &str, default: &str) -> Text {
    object.get(key).and_then(Json::as_str).unwrap_or(default).into()
}

fn long(item: Item) -> Read<i64> {
    item.into_value()?.as_i64().ok_or_else(|| CodecError::value("a count", "an integer"))
}

fn tree(array: Vec<Json>) -> Read<Tree> {
    let entries = array.into_iter().map(|entry| {
        let Json::Object(mut object) = entry else { return Err(wrong("g:Tree", &entry)) };
        let key = item(take(&mut object, "key"))?;
        let Item::Tree(subtree) = item(take(&mut object, "value"))? else {
            return Err(CodecError::value("a subtree", "a tree"));
        };
        Ok((key, subtree))
    });
    entries.collect::<Read<_>>().map(Tree)
}

/// Comparisons with several values have them in a list.
fn named_predicate(name: &str, argument: Value) -> Read<Value> {
    let is_several = matches!(name, "within" | "without" | "and" | "or" | "between" | "inside" | "outside");
    let arguments = match argument {
        Value::List(items) | Value::Set(items) if is_several => items,
        single => vec![single],
    };
    predicate(name, arguments)
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
fn strategy_of(name: &str, json: Json) -> Read<Value> {
    let class = name.trim_start_matches("g:").to_owned();
    let options = match json {
        Json::Object(mut object) if object.contains_key("conf") => take(&mut object, "conf"),
        Json::Object(mut object) => {
            object.remove("fqcn");
            Json::Object(object)
        }
        _ => Json::Null,
    };
    let options = match item(options)? {
        Item::Map(pairs) => pairs,
        _ => Vec::new(),
    };
    let options = options.into_iter().filter_map(|(key, item)| Some((Text::from(key.as_text()?), item)));
    let options = options.map(|(key, item)| Ok((key, item.into_value()?))).collect::<Read<_>>()?;
    Ok(strategy(&class, options))
}

fn element(name: &str, mut object: Map<String, Json>) -> Read<Item> {
    let object = &mut object;
    Ok(match name {
        "g:Vertex" => {
            let id = item(take(object, "id"))?;
            let label = take_text(object, "label", "vertex");
            let mut properties = Vec::new();
            if let Json::Object(keys) = take(object, "properties") {
                for values in keys.into_iter().map(|(_, values)| values) {
                    let Json::Array(values) = values else { return Err(wrong(name, &values)) };
                    for value in values {
                        match item(value)? {
                            Item::VertexProperty(property) => properties.push(*property),
                            _ => return Err(CodecError::value("a property", "a g:VertexProperty")),
                        }
                    }
                }
            }
            Item::Vertex(Box::new(Vertex { id, label, properties }))
        }
        "g:Edge" => Item::Edge(Box::new(Edge {
            id: item(take(object, "id"))?,
            label: take_text(object, "label", "edge"),
            out_id: item(take(object, "outV"))?,
            out_label: take_text(object, "outVLabel", "vertex"),
            in_id: item(take(object, "inV"))?,
            in_label: take_text(object, "inVLabel", "vertex"),
            properties: properties(take(object, "properties"))?,
        })),
        "g:VertexProperty" => Item::VertexProperty(Box::new(VertexProperty {
            id: item(take(object, "id"))?,
            label: take_text(object, "label", ""),
            value: item(take(object, "value"))?,
            properties: properties(take(object, "properties"))?,
        })),
        "g:Property" => {
            let key = take_text(object, "key", "");
            Item::Property(Box::new(Property { key, value: item(take(object, "value"))? }))
        }
        _ => {
            let (labels, objects) = (item(take(object, "labels"))?, item(take(object, "objects"))?);
            let path: Path = crate::graph_binary::path(labels, objects)?;
            Item::Path(Box::new(path))
        }
    })
}

/// Properties by their keys: typed ones, or plain values.
fn properties(json: Json) -> Read<Vec<Property>> {
    let Json::Object(keys) = json else { return Ok(Vec::new()) };
    let all = keys.into_iter().map(|(key, value)| {
        Ok(match item(value)? {
            Item::Property(property) => *property,
            value => Property { key: key.into(), value },
        })
    });
    all.collect()
}

fn scalar(name: &str, json: &Json) -> Read<Value> {
    let text = json.as_str();
    let value = match name {
        "g:Int32" => json.as_i64().and_then(|number| i32::try_from(number).ok()).map(Value::Int),
        "g:Int64" => json.as_i64().map(Value::Long),
        "g:Double" => double(json).map(Value::Double),
        "g:Float" => float(json).map(Value::Float),
        "g:UUID" => text.and_then(super::text::uuid).map(Value::Uuid),
        "g:Date" | "g:Timestamp" => json.as_i64().and_then(|milliseconds| {
            let nanoseconds = milliseconds.rem_euclid(1000) * 1_000_000;
            DateTime::from_epoch(milliseconds.div_euclid(1000), nanoseconds).map(Value::DateTime)
        }),
        "gx:BigInteger" => match (text, json.as_i64(), json.as_u64()) {
            (Some(text), ..) if text.len() <= gremlin::limits::NUMBER_DIGITS_MAX => {
                text.parse().ok().map(Value::BigInteger)
            }
            (None, Some(number), _) => Some(Value::BigInteger(number.into())),
            (None, None, Some(number)) => Some(Value::BigInteger(number.into())),
            _ => None,
        },
        "gx:BigDecimal" => {
            let digits = text.map_or_else(|| json.to_string(), ToOwned::to_owned);
            let is_short = digits.len() <= gremlin::limits::NUMBER_DIGITS_MAX;
            is_short.then(|| digits.parse().ok().map(Value::BigDecimal)).flatten()
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

/// A number, or the name of a special one.
fn double(json: &Json) -> Option<f64> {
    match json.as_str() {
        None => json.as_f64(),
        Some("NaN") => Some(f64::NAN),
        Some("Infinity") => Some(f64::INFINITY),
        Some("-Infinity") => Some(f64::NEG_INFINITY),
        Some(_) => None,
    }
}

/// The same for 32 bits: the text of the number is read, so that it is rounded once.
fn float(json: &Json) -> Option<f32> {
    match json.as_str() {
        None => json.to_string().parse().ok(),
        Some(name @ ("NaN" | "Infinity" | "-Infinity")) => name.parse().ok(),
        Some(_) => None,
    }
}
