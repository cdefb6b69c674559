//! Values as clients write them: [`Literal`].

use std::borrow::Cow;
use std::fmt;

use graph_schema::Literal;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::compact::copy_object;

/// A value of any kind.
pub(crate) struct AnyLiteral<'a>(pub(crate) Literal<'a>);

impl<'de> Deserialize<'de> for AnyLiteral<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LiteralVisitor).map(Self)
    }
}

struct LiteralVisitor;

impl<'de> Visitor<'de> for LiteralVisitor {
    type Value = Literal<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Literal<'de>, E> {
        Ok(Literal::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Literal<'de>, E> {
        Ok(Literal::Boolean(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Literal<'de>, E> {
        Ok(Literal::Integer(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Literal<'de>, E> {
        Ok(i64::try_from(value).map_or(Literal::Float(value as f64), Literal::Integer))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Literal<'de>, E> {
        Ok(Literal::Float(value))
    }

    fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<Literal<'de>, E> {
        Ok(Literal::Text(Cow::Borrowed(value)))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Literal<'de>, E> {
        Ok(Literal::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Literal<'de>, A::Error> {
        let mut items = Vec::new();
        while let Some(AnyLiteral(item)) = seq.next_element()? {
            items.push(item);
        }
        Ok(Literal::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Literal<'de>, A::Error> {
        Ok(Literal::Object(Cow::Owned(copy_object(map)?)))
    }
}

/// The same value without borrowed texts.
pub(crate) fn into_owned(literal: Literal<'_>) -> Literal<'static> {
    match literal {
        Literal::Null => Literal::Null,
        Literal::Boolean(value) => Literal::Boolean(value),
        Literal::Integer(value) => Literal::Integer(value),
        Literal::Float(value) => Literal::Float(value),
        Literal::Text(text) => Literal::Text(Cow::Owned(text.into_owned())),
        Literal::Array(items) => Literal::Array(items.into_iter().map(into_owned).collect()),
        Literal::Object(json) => Literal::Object(Cow::Owned(json.into_owned())),
        Literal::Tagged(bytes) => Literal::Tagged(Cow::Owned(bytes.into_owned())),
    }
}
