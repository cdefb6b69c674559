//! Parameters: plain JSON, and JSON with types, `{"$type": .., "_value": ..}`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cypher_session::Failure;
use cypher_value::{Carried, Context, Map, Point, Text, Value, function};
use serde_json::Value as Json;

use crate::status::invalid;

/// Reads a value. Plain integers beyond 64 bits are refused.
pub(crate) fn plain(json: Json) -> Result<Value, Failure> {
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => flag.into(),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => integer.into(),
            (None, Some(float)) if !number.is_u64() => float.into(),
            _ => return Err(invalid(format!("the parameter {number} is no number of 64 bits"))),
        },
        Json::String(text) => text.into(),
        Json::Array(items) => Value::list(items.into_iter().map(plain).collect::<Result<_, _>>()?),
        Json::Object(entries) => {
            let entries = entries.into_iter().map(|(key, value)| Ok((Text::from(key), plain(value)?)));
            Value::map(entries.collect::<Result<Map, Failure>>()?)
        }
    })
}

/// Reads a value with its type.
pub(crate) fn typed(json: Json) -> Result<Value, Failure> {
    let Json::Object(mut fields) = json else {
        return Err(invalid("a typed parameter must be an object with '$type' and '_value'"));
    };
    let value = fields.remove("_value").unwrap_or(Json::Null);
    let Some(Json::String(kind)) = fields.remove("$type") else {
        return Err(invalid("a typed parameter has no '$type'"));
    };
    let wrong = || invalid(format!("the '_value' of a parameter is no {kind}"));
    Ok(match (kind.as_str(), value) {
        ("Null", _) => Value::Null,
        ("Boolean", Json::Bool(flag)) => flag.into(),
        ("Integer", Json::String(text)) => Value::Integer(text.parse().map_err(|_| wrong())?),
        ("Integer", Json::Number(number)) => number.as_i64().ok_or_else(wrong)?.into(),
        ("Float", Json::String(text)) => Value::Float(text.parse().map_err(|_| wrong())?),
        ("Float", Json::Number(number)) => number.as_f64().ok_or_else(wrong)?.into(),
        ("String", Json::String(text)) => text.into(),
        ("Base64", Json::String(text)) => Value::Bytes(STANDARD.decode(text).map_err(|_| wrong())?.into()),
        ("List", Json::Array(items)) => Value::list(items.into_iter().map(typed).collect::<Result<_, _>>()?),
        ("Map", Json::Object(entries)) => {
            let entries = entries.into_iter().map(|(key, value)| Ok((Text::from(key), typed(value)?)));
            Value::map(entries.collect::<Result<Map, Failure>>()?)
        }
        ("Date", Json::String(text)) => temporal("date", text)?,
        ("Time" | "ZonedTime", Json::String(text)) => temporal("time", text)?,
        ("LocalTime", Json::String(text)) => temporal("localtime", text)?,
        ("OffsetDateTime" | "ZonedDateTime", Json::String(text)) => temporal("datetime", text)?,
        ("LocalDateTime", Json::String(text)) => temporal("localdatetime", text)?,
        ("Duration", Json::String(text)) => temporal("duration", text)?,
        ("Point", Json::String(text)) => point(&text).ok_or_else(wrong)?.into(),
        ("Node" | "Relationship" | "Path", _) => return Err(invalid(format!("a {kind} cannot be a parameter"))),
        _ => return Err(wrong()),
    })
}

/// A temporal value as the function of its name reads it.
fn temporal(name: &str, text: String) -> Result<Value, Failure> {
    let function = function::find(name).ok_or_else(|| invalid(format!("there is no function {name}()")))?;
    Ok(function.call(&[text.into()], &Context::new(&Carried))?)
}

/// A point such as `SRID=7203;POINT (1 2)` or `SRID=9157;POINT Z (1 2 3)`.
fn point(text: &str) -> Option<Point> {
    let (srid, rest) = text.strip_prefix("SRID=")?.split_once(';')?;
    let rest = rest.trim_start_matches("POINT").trim_start_matches([' ', 'Z']);
    let inner = rest.trim().strip_prefix('(')?.strip_suffix(')')?;
    let numbers: Vec<f64> = inner.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    let srid = srid.trim().parse().ok()?;
    match *numbers {
        [x, y] => Some(Point { srid, x, y, z: None }),
        [x, y, z] => Some(Point { srid, x, y, z: Some(z) }),
        _ => None,
    }
}
