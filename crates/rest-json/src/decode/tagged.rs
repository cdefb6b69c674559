//! JSON objects as maps of auto graphs, whose values say their own types.

use std::borrow::Cow;

use graph_schema::Literal;
use serde_json::Value as Json;
use tagged_value::{Builder, TaggedError, Token};

use crate::DecodeError;

/// Makes values that say their own types of the properties that are objects or have such in their arrays; leaves all
/// others as they are.
///
/// # Errors
/// [`DecodeError::Untaggable`]: collections in too many others, or too large.
pub fn tag_objects(properties: &mut [(Cow<'_, str>, Literal<'_>)]) -> Result<(), DecodeError> {
    for (name, literal) in properties.iter_mut().filter(|(_, literal)| has_object(literal)) {
        let untaggable =
            |error: TaggedError| DecodeError::Untaggable { key: name.to_string(), reason: error.to_string() };
        let mut builder = Builder::new();
        put_literal(&mut builder, literal).map_err(untaggable)?;
        let bytes = builder.finish().map_err(untaggable)?;
        *literal = Literal::Tagged(Cow::Owned(bytes.into()));
    }
    Ok(())
}

fn has_object(literal: &Literal<'_>) -> bool {
    match literal {
        Literal::Object(_) => true,
        Literal::Array(items) => items.iter().any(has_object),
        _ => false,
    }
}

fn put_literal(builder: &mut Builder, literal: &Literal<'_>) -> Result<(), TaggedError> {
    match literal {
        Literal::Null => builder.put(Token::Null),
        Literal::Boolean(value) => builder.put(Token::Bool(*value)),
        Literal::Integer(number) => put_integer(builder, *number),
        Literal::Float(number) => builder.put(Token::Double(*number)),
        Literal::Text(text) => builder.put(Token::String(text)),
        Literal::Array(items) => builder.list(|inner| items.iter().try_for_each(|item| put_literal(inner, item))),
        Literal::Tagged(bytes) => builder.put(tagged_value::read(bytes)?),
        // The text was made of JSON that was read before; the parser bounds its depth.
        Literal::Object(text) => put_json(builder, &serde_json::from_str(text).unwrap_or_default()),
    }
}

fn put_json(builder: &mut Builder, json: &Json) -> Result<(), TaggedError> {
    match json {
        Json::Null => builder.put(Token::Null),
        Json::Bool(value) => builder.put(Token::Bool(*value)),
        Json::Number(number) => match number.as_i64() {
            Some(number) => put_integer(builder, number),
            None => builder.put(Token::Double(number.as_f64().unwrap_or(f64::NAN))),
        },
        Json::String(text) => builder.put(Token::String(text)),
        Json::Array(items) => builder.list(|inner| items.iter().try_for_each(|item| put_json(inner, item))),
        Json::Object(fields) => builder.map(|inner| {
            fields.iter().try_for_each(|(key, value)| {
                inner.put(Token::String(key))?;
                put_json(inner, value)
            })
        }),
    }
}

/// An INT where it fits, else a LONG, as of numbers that are not in objects.
fn put_integer(builder: &mut Builder, number: i64) -> Result<(), TaggedError> {
    builder.put(i32::try_from(number).map_or(Token::Long(number), Token::Int))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_become_maps_and_all_else_stays() {
        let object = Literal::Object(Cow::Borrowed(r#"{"b":[1,5000000000,2.5,null,{"c":true}]}"#));
        let mut given =
            vec![("a".into(), Literal::Array(vec![Literal::Integer(1), object])), ("b".into(), Literal::Integer(7))];
        tag_objects(&mut given).unwrap();
        assert_eq!(given[1].1, Literal::Integer(7));
        let Literal::Tagged(bytes) = &given[0].1 else { panic!("{:?}", given[0].1) };
        let mut out = Vec::new();
        crate::write_value(&mut out, &graph_model::Value::Any(bytes.as_ref().into()), &jiff::tz::TimeZone::UTC);
        assert_eq!(String::from_utf8(out).unwrap(), r#"[1,{"b":[1,5000000000,2.5,null,{"c":true}]}]"#);
    }

    #[test]
    fn too_deep_an_object_is_refused() {
        let deep = format!("{}1{}", r#"{"a":"#.repeat(70), "}".repeat(70));
        let mut given = vec![("x".into(), Literal::Object(Cow::Owned(deep)))];
        let error = tag_objects(&mut given).unwrap_err();
        assert!(error.to_string().contains("'x'") && error.to_string().contains("deeply"), "{error}");
    }
}
