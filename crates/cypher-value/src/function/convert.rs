//! Functions that make a value of one type of one of another.

use crate::arithmetic::as_float;
use crate::context::Context;
use crate::error::{Detail, Error, Result};
use crate::number;
use crate::print::to_text;
use crate::value::Value;

/// Declares the three functions of a type: for one value, for any value, for the elements of a list.
macro_rules! of_type {
    ($($convert:ident: $one:ident, $any:ident, $each:ident;)*) => {
        $(pub(super) fn $one(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
            arguments.first().map_or(Ok(Value::Null), $convert)
        }

        pub(super) fn $any(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
            Ok(arguments.first().and_then(|value| $convert(value).ok()).unwrap_or_default())
        }

        pub(super) fn $each(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
            Ok(match arguments {
                [Value::List(list)] => {
                    let each = list.iter().map(|value| $convert(value).unwrap_or_default());
                    Value::list(each.collect())
                }
                _ => Value::Null,
            })
        })*
    };
}

of_type! {
    to_boolean: boolean, boolean_or_null, boolean_list;
    to_integer: integer, integer_or_null, integer_list;
    to_float: float, float_or_null, float_list;
    to_string: string, string_or_null, string_list;
}

/// A value as a boolean.
fn to_boolean(value: &Value) -> Result<Value> {
    Ok(match value {
        Value::Boolean(_) => value.clone(),
        Value::Integer(integer) => Value::Boolean(*integer != 0),
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" => Value::Boolean(true),
            "false" => Value::Boolean(false),
            _ => Value::Null,
        },
        _ => Value::Null,
    })
}

/// A value as an integer.
fn to_integer(value: &Value) -> Result<Value> {
    let beyond = |text: String| Error::arithmetic(Detail::IntegerOverflow, format!("{text} is beyond 64 bits"));
    Ok(match value {
        Value::Integer(_) => value.clone(),
        Value::Boolean(fact) => Value::Integer(i64::from(*fact)),
        Value::Float(float) => match number::whole(float.trunc()) {
            Some(whole) => Value::Integer(whole),
            None => return Err(beyond(float.to_string())),
        },
        Value::String(text) => match text.parse() {
            Ok(integer) => Value::Integer(integer),
            Err(_) => match parse_float(text) {
                Some(float) if float.is_finite() => match number::whole(float.trunc()) {
                    Some(whole) => Value::Integer(whole),
                    None => return Err(beyond(text.to_string())),
                },
                _ => Value::Null,
            },
        },
        _ => Value::Null,
    })
}

/// Reads a float; none for the names that Rust takes and Java does not.
fn parse_float(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ if text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte)) => text.parse().ok(),
        _ => None,
    }
}

/// A value as a float.
fn to_float(value: &Value) -> Result<Value> {
    Ok(match value {
        Value::Integer(_) | Value::Float(_) => as_float(value).into(),
        Value::String(text) => parse_float(text).into(),
        _ => Value::Null,
    })
}

/// A value as text.
fn to_string(value: &Value) -> Result<Value> {
    Ok(to_text(value).into())
}
