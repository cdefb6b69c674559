//! Functions of any value.

use smol_str::format_smolstr;

use crate::compare;
use crate::context::Context;
use crate::error::Result;
use crate::text::Text;
use crate::value::Value;

/// Counts as an integer.
pub(super) fn count(size: usize) -> Value {
    Value::Integer(i64::try_from(size).unwrap_or(i64::MAX))
}

pub(super) fn coalesce(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(arguments.iter().find(|value| !value.is_null()).cloned().unwrap_or_default())
}

pub(super) fn null_if(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    let [first, second] = arguments else { return Ok(Value::Null) };
    Ok(if compare::equals(first, second) == Some(true) { Value::Null } else { first.clone() })
}

pub(super) fn exists(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(Value::Boolean(arguments.iter().any(|value| !value.is_null())))
}

pub(super) fn is_empty(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(match arguments {
        [Value::List(list)] => Value::Boolean(list.is_empty()),
        [Value::Map(map)] => Value::Boolean(map.is_empty()),
        [Value::String(text)] => Value::Boolean(text.is_empty()),
        _ => Value::Null,
    })
}

pub(super) fn size(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(match arguments {
        [Value::List(list)] => count(list.len()),
        [Value::String(text)] => count(text.chars().count()),
        _ => Value::Null,
    })
}

pub(super) fn random_uuid(_: &[Value], context: &Context<'_>) -> Result<Value> {
    let bits = (u128::from(context.random()) << 64) | u128::from(context.random());
    // Version 4, variant 1.
    let bits = (bits & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
    Ok(Value::String(crate::value::ElementId::Uuid(bits).text()))
}

pub(super) fn value_type(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(Value::String(arguments.first().map(type_text).unwrap_or_default()))
}

/// The type of a value, with the types of the elements of lists.
fn type_text(value: &Value) -> Text {
    match value {
        Value::Null => Text::new_static("NULL"),
        Value::List(list) => {
            let mut types: Vec<Text> = list.iter().map(type_text).collect();
            types.sort_unstable();
            types.dedup();
            let nullable = types.iter().any(|name| name == "NULL");
            let mut names: Vec<_> = types.iter().filter(|name| *name != "NULL").map(Text::as_str).collect();
            if nullable {
                names = names.iter().map(|name| name.strip_suffix(" NOT NULL").unwrap_or(name)).collect();
            }
            let inner = match (names.is_empty(), nullable) {
                (true, true) => "NULL".into(),
                (true, false) => "NOTHING".into(),
                _ => names.join(" | "),
            };
            format_smolstr!("LIST<{inner}> NOT NULL")
        }
        other => format_smolstr!("{} NOT NULL", other.type_name()),
    }
}
