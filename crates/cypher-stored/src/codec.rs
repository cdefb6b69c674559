//! Values of properties as they are stored, and back.
//!
//! What a tagged value has no form for is stored as a map of one entry whose key says what it is: `{"~date":
//! "2015-07-21"}`. Other languages see that map.

use std::borrow::Cow;
use std::sync::Arc;

use cypher_value::{DateTime, Detail, Duration, Error, ErrorKind, Map, Point, Text, Value, function, to_text};
use graph_model::Cardinality;
use graph_schema::{Literal, PropertyKey};
use tagged_value::{Builder, TaggedError, Token, entries};

use crate::Result;

/// What cannot be stored.
fn not_storable(value: &Value) -> Error {
    let what = match value {
        Value::List(_) => "a LIST with nulls, lists, maps or values of different types".to_owned(),
        other => format!("a {}", other.type_name()),
    };
    Error::type_error(
        Detail::InvalidPropertyType,
        format!(
            "{what} cannot be the value of a property: numbers, texts, booleans, bytes, times, points and lists of one \
             of these can"
        ),
    )
}

/// A value as a property holds it: in a list all values are of one type, integers beside floats become floats.
///
/// # Errors
/// A value that no property can have.
pub fn storable(value: &Value) -> Result<Cow<'_, Value>> {
    match value {
        Value::List(items) => {
            let is_simple = |item: &Value| !matches!(item, Value::List(_) | Value::Bytes(_)) && is_simple(item);
            if !items.iter().all(is_simple) {
                return Err(not_storable(value));
            }
            let first = items.first().map(std::mem::discriminant);
            if items.iter().all(|item| Some(std::mem::discriminant(item)) == first) {
                return Ok(Cow::Borrowed(value));
            }
            let floats = items.iter().map(|item| match item {
                #[expect(clippy::cast_precision_loss, reason = "a list holds one type of numbers")]
                Value::Integer(number) => Some(Value::Float(*number as f64)),
                Value::Float(_) => Some(item.clone()),
                _ => None,
            });
            let floats = floats.collect::<Option<Vec<_>>>().map(Value::list);
            floats.map(Cow::Owned).ok_or_else(|| not_storable(value))
        }
        other if is_simple(other) => Ok(Cow::Borrowed(other)),
        other => Err(not_storable(other)),
    }
}

fn is_simple(value: &Value) -> bool {
    !matches!(
        value,
        Value::Null | Value::Map(_) | Value::Node(_) | Value::Relationship(_) | Value::Path(_) | Value::List(_)
    )
}

/// The encoding of a value for an auto graph.
///
/// # Errors
/// A value that is too large or too deep.
pub fn encode(value: &Value) -> Result<Box<[u8]>> {
    let mut builder = Builder::new();
    let refused = |error: TaggedError| {
        Error::argument(Detail::InvalidArgumentValue, format!("the value of a property cannot be stored: {error}"))
    };
    put(&mut builder, value).map_err(refused)?;
    builder.finish().map_err(refused)
}

fn put(builder: &mut Builder, value: &Value) -> std::result::Result<(), TaggedError> {
    match value {
        Value::Null => builder.put(Token::Null),
        Value::Boolean(fact) => builder.put(Token::Bool(*fact)),
        Value::Integer(number) => builder.put(Token::Long(*number)),
        Value::Float(number) => builder.put(Token::Double(*number)),
        Value::String(text) => builder.put(Token::String(text)),
        Value::Bytes(bytes) => builder.put(Token::Bytes(bytes)),
        Value::List(items) => builder.list(|inner| items.iter().try_for_each(|item| put(inner, item))),
        Value::DateTime(moment) if moment.zone.is_none() => builder.put(Token::DateTime {
            seconds: moment.seconds,
            nanos: moment.nanoseconds,
            offset_seconds: moment.offset,
        }),
        Value::Point(point) => builder.map(|inner| {
            inner.put(Token::String("~point"))?;
            inner.list(|coordinates| {
                coordinates.put(Token::Long(i64::from(point.srid)))?;
                coordinates.put(Token::Double(point.x))?;
                coordinates.put(Token::Double(point.y))?;
                point.z.map_or(Ok(()), |z| coordinates.put(Token::Double(z)))
            })
        }),
        other => builder.map(|inner| {
            let key = match other {
                Value::Date(_) => "~date",
                Value::LocalTime(_) => "~localtime",
                Value::Time(_) => "~time",
                Value::LocalDateTime(_) => "~localdatetime",
                Value::DateTime(_) => "~datetime",
                _ => "~duration",
            };
            inner.put(Token::String(key))?;
            inner.put(Token::String(&text_of(other)))
        }),
    }
}

fn text_of(value: &Value) -> String {
    to_text(value).map(|text| text.to_string()).unwrap_or_default()
}

/// A value that an index of a key is asked for: of the key's type, or encoded where it has none. None where other
/// values could be equal that the index has elsewhere: lists, since several values of a key look like one; moments and
/// maps, which have several forms.
#[must_use]
pub fn looked_up(key: &PropertyKey, value: &Value) -> Option<graph_model::Value> {
    use graph_model::{DataType, Value as Stored};
    if key.cardinality != Cardinality::Single {
        return None;
    }
    match (key.data_type, value) {
        (DataType::Any, Value::Float(number)) if number.is_nan() => None,
        (DataType::Any, Value::String(_) | Value::Boolean(_) | Value::Integer(_) | Value::Float(_)) => {
            encode(value).ok().map(Stored::Any)
        }
        (DataType::Text, Value::String(text)) => Some(Stored::Text(text.as_str().into())),
        (DataType::Boolean, Value::Boolean(fact)) => Some(Stored::Boolean(*fact)),
        (DataType::Byte, Value::Integer(number)) => i8::try_from(*number).ok().map(Stored::Byte),
        (DataType::Int, Value::Integer(number)) => i32::try_from(*number).ok().map(Stored::Int),
        (DataType::Long, Value::Integer(number)) => Some(Stored::Long(*number)),
        (DataType::Double, Value::Float(number)) => Some(Stored::Double(*number)),
        _ => None,
    }
}

/// The value of an encoding of an auto graph.
fn decode(token: Token<'_>) -> Result<Value> {
    Ok(match token {
        Token::Null => Value::Null,
        Token::Bool(fact) => Value::Boolean(fact),
        Token::Byte(number) => Value::Integer(number.into()),
        Token::Short(number) => Value::Integer(number.into()),
        Token::Int(number) => Value::Integer(number.into()),
        Token::Long(number) => Value::Integer(number),
        Token::Float(number) => Value::Float(number.into()),
        Token::Double(number) => Value::Float(number),
        // Integers and decimal numbers of any size are texts here: no number of Cypher's holds them.
        Token::BigInteger(bytes) | Token::BigDecimal { unscaled: bytes, .. } => Value::Bytes(Arc::from(bytes)),
        Token::Char(letter) => Value::String(letter.to_string().as_str().into()),
        Token::String(text) => Value::String(text.into()),
        Token::Bytes(bytes) => Value::Bytes(Arc::from(bytes)),
        Token::Uuid(bits) => Value::String(cypher_value::ElementId::Uuid(bits).text()),
        Token::DateTime { seconds, nanos, offset_seconds } => {
            Value::DateTime(Arc::new(DateTime { seconds, nanoseconds: nanos, offset: offset_seconds, zone: None }))
        }
        Token::Duration { seconds, nanos } => {
            Value::Duration(Arc::new(Duration { seconds, nanoseconds: nanos, ..Duration::default() }))
        }
        Token::List(items) | Token::Set(items) => {
            let items = items.map(|item| decode(item.map_err(damaged)?));
            Value::list(items.collect::<Result<_>>()?)
        }
        Token::Map(mut items) => {
            let mut map = Map::default();
            while let Some((key, value)) = items.next().zip(items.next()) {
                let key = match decode(key.map_err(damaged)?)? {
                    Value::String(text) => text,
                    other => Text::from(text_of(&other).as_str()),
                };
                map.insert(key, decode(value.map_err(damaged)?)?);
            }
            tagged(&map).unwrap_or_else(|| Value::map(map))
        }
    })
}

/// The value of a property of an auto graph: of a vertex, whose keys can have several values, or of an edge.
fn auto_value(bytes: &[u8], is_vertex: bool) -> Result<Value> {
    if !is_vertex {
        return decode(tagged_value::read(bytes).map_err(damaged)?);
    }
    let mut values = Vec::new();
    for entry in entries(bytes) {
        let entry = entry.map_err(damaged)?;
        values.push(decode(tagged_value::read(entry.value).map_err(damaged)?)?);
    }
    Ok(match values.pop() {
        Some(only) if values.is_empty() => only,
        Some(last) => {
            values.push(last);
            Value::list(values)
        }
        None => Value::Null,
    })
}

/// A stored value; those of auto graphs differ for vertices, whose keys can have several values.
///
/// # Errors
/// Bytes that are damaged.
pub fn value(stored: &graph_model::Value, is_vertex: bool) -> Result<Value> {
    use graph_model::Value as Stored;
    Ok(match stored {
        Stored::Any(bytes) => auto_value(bytes, is_vertex)?,
        Stored::Object(text) => Value::String(text.as_ref().into()),
        Stored::Boolean(fact) => Value::Boolean(*fact),
        Stored::Byte(number) => Value::Integer((*number).into()),
        Stored::Int(number) => Value::Integer((*number).into()),
        Stored::Long(number) => Value::Integer(*number),
        Stored::Float(number) => Value::Float((*number).into()),
        Stored::Double(number) => Value::Float(*number),
        Stored::Text(text) => Value::String(text.as_str().into()),
        Stored::Blob(bytes) => Value::Bytes(Arc::from(bytes.as_ref())),
        Stored::Date(milliseconds) => {
            let nanoseconds = u32::try_from(milliseconds.rem_euclid(1000)).unwrap_or(0) * 1_000_000;
            let seconds = milliseconds.div_euclid(1000);
            Value::DateTime(Arc::new(DateTime { seconds, nanoseconds, offset: 0, zone: None }))
        }
        Stored::Uuid(bits) => Value::String(cypher_value::ElementId::Uuid(*bits).text()),
        Stored::List(items) | Stored::Set(items) => {
            Value::list(items.iter().map(|item| value(item, is_vertex)).collect::<Result<_>>()?)
        }
    })
}

fn damaged(error: TaggedError) -> Error {
    let message = format!("stored data is damaged ({error}); restore from a backup");
    Error::new(ErrorKind::Internal, Detail::None, message)
}

/// The value that a map with one key such as `~date` stands for.
fn tagged(map: &Map) -> Option<Value> {
    let (key, value) = map.first()?;
    if map.len() != 1 {
        return None;
    }
    let name = key.strip_prefix('~')?;
    match (name, value) {
        ("point", Value::List(parts)) => {
            let float = |at: usize| match parts.get(at) {
                Some(Value::Float(number)) => Some(*number),
                _ => None,
            };
            let Some(Value::Integer(srid)) = parts.first() else { return None };
            let point = Point { srid: u32::try_from(*srid).ok()?, x: float(1)?, y: float(2)?, z: float(3) };
            Some(Value::Point(Arc::new(point)))
        }
        ("date" | "localtime" | "time" | "localdatetime" | "datetime" | "duration", Value::String(_)) => {
            let carried = cypher_value::Carried;
            let context = cypher_value::Context::new(&carried);
            function::find(name)?.call(std::slice::from_ref(value), &context).ok()
        }
        _ => None,
    }
}

/// A value as a client of a strict graph would send it.
///
/// # Errors
/// A value that no property can have.
pub fn literal(value: &Value) -> Result<Literal<'_>> {
    Ok(match value {
        Value::Boolean(fact) => Literal::Boolean(*fact),
        Value::Integer(number) => Literal::Integer(*number),
        Value::Float(number) => Literal::Float(*number),
        Value::String(text) => Literal::Text(text.as_str().into()),
        Value::Bytes(bytes) => {
            Literal::Array(bytes.iter().map(|byte| Literal::Integer(i8::from_ne_bytes([*byte]).into())).collect())
        }
        Value::DateTime(moment) => Literal::Integer(milliseconds(moment.seconds, moment.nanoseconds)),
        Value::LocalDateTime(moment) => Literal::Integer(milliseconds(moment.seconds, moment.nanoseconds)),
        Value::Date(date) => Literal::Integer(date.epoch_day.saturating_mul(86_400_000)),
        Value::LocalTime(_) | Value::Time(_) | Value::Duration(_) => Literal::Text(text_of(value).into()),
        Value::List(items) => Literal::Array(items.iter().map(literal).collect::<Result<_>>()?),
        other => return Err(not_storable(other)),
    })
}

fn milliseconds(seconds: i64, nanoseconds: u32) -> i64 {
    seconds.saturating_mul(1000).saturating_add(i64::from(nanoseconds / 1_000_000))
}

/// A stored value as a client of a strict graph would send it.
#[must_use]
pub fn stored_literal(value: &graph_model::Value) -> Literal<'static> {
    use graph_model::Value as Stored;
    match value {
        Stored::Object(text) => Literal::Object(text.to_string().into()),
        Stored::Boolean(fact) => Literal::Boolean(*fact),
        Stored::Byte(number) => Literal::Integer((*number).into()),
        Stored::Int(number) => Literal::Integer((*number).into()),
        Stored::Long(number) | Stored::Date(number) => Literal::Integer(*number),
        Stored::Float(number) => Literal::Float((*number).into()),
        Stored::Double(number) => Literal::Float(*number),
        Stored::Text(text) => Literal::Text(text.to_string().into()),
        Stored::Blob(bytes) => {
            Literal::Array(bytes.iter().map(|byte| Literal::Integer(i8::from_ne_bytes([*byte]).into())).collect())
        }
        Stored::Uuid(bits) => Literal::Text(format!("{bits:032x}").into()),
        Stored::Any(bytes) => Literal::Tagged(bytes.to_vec().into()),
        Stored::List(items) | Stored::Set(items) => Literal::Array(items.iter().map(stored_literal).collect()),
    }
}
