//! Values as texts for people, and where JSON takes nothing else: keys of objects, and decimal numbers.

use std::fmt::{self, Display, Formatter};

use bigdecimal::BigDecimal;
use query_value::Value;

/// A value as a text for people: elements and paths as TinkerPop's console shows them.
#[must_use]
pub fn text(value: &Value) -> String {
    Key(value).to_string()
}

/// A value as the key of an object.
pub(crate) struct Key<'v>(pub(crate) &'v Value);

impl Display for Key<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("null"),
            Value::Bool(flag) => flag.fmt(f),
            Value::Byte(number) => number.fmt(f),
            Value::Short(number) => number.fmt(f),
            Value::Int(number) => number.fmt(f),
            Value::Long(number) => number.fmt(f),
            Value::BigInteger(number) => number.fmt(f),
            Value::Float(number) => write!(f, "{number:?}"),
            Value::Double(number) => write!(f, "{number:?}"),
            Value::BigDecimal(number) => Decimal(number).fmt(f),
            Value::Char(character) => character.fmt(f),
            Value::String(text) => text.fmt(f),
            Value::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
            Value::Uuid(bits) => uuid::Uuid::from_u128(*bits).fmt(f),
            Value::DateTime(moment) => moment.fmt(f),
            Value::Duration(duration) => duration.fmt(f),
            Value::Enum(constant) => f.write_str(constant.name()),
            Value::List(items) => all(f, "[", items.iter(), "]"),
            Value::Set(items) => all(f, "[", items.iter(), "]"),
            Value::BulkSet(items) => all(f, "[", items.keys(), "]"),
            Value::Map(pairs) => {
                f.write_str("{")?;
                for (index, (key, value)) in pairs.iter().enumerate() {
                    let comma = if index > 0 { ", " } else { "" };
                    write!(f, "{comma}{}={}", Key(key), Key(value))?;
                }
                f.write_str("}")
            }
            Value::Entry(entry) => write!(f, "{}={}", Key(&entry.0), Key(&entry.1)),
            Value::Vertex(vertex) => write!(f, "v[{}]", Key(&vertex.id)),
            Value::Edge(edge) => {
                let (from, to) = (Key(&edge.source.id), Key(&edge.target.id));
                write!(f, "e[{}][{from}-{}->{to}]", Key(&edge.id), edge.label)
            }
            Value::VertexProperty(property) => write!(f, "vp[{}->{}]", property.key, Key(&property.value)),
            Value::Property(property) => write!(f, "p[{}->{}]", property.key, Key(&property.value)),
            Value::Path(path) => all(f, "path[", path.objects.iter(), "]"),
            Value::Tree(_) | Value::Graph(_) | Value::Metrics(_) => f.write_str(self.0.kind()),
        }
    }
}

fn all<'v>(f: &mut Formatter<'_>, open: &str, items: impl Iterator<Item = &'v Value>, close: &str) -> fmt::Result {
    f.write_str(open)?;
    for (index, item) in items.enumerate() {
        let comma = if index > 0 { ", " } else { "" };
        write!(f, "{comma}{}", Key(item))?;
    }
    f.write_str(close)
}

/// A decimal number with its digits and exponent, so that its scale is kept and its length is bounded by its digits.
pub(crate) struct Decimal<'v>(pub(crate) &'v BigDecimal);

impl Display for Decimal<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (digits, scale) = self.0.as_bigint_and_exponent();
        digits.fmt(f)?;
        if scale == 0 { Ok(()) } else { write!(f, "E{}", scale.saturating_neg()) }
    }
}

#[cfg(test)]
mod tests {
    use query_value::{ElementKind, Path, Reference};

    use super::*;

    #[test]
    fn texts_are_those_of_the_console() {
        let vertex = Reference { kind: ElementKind::Vertex, id: Value::Int(1), label: "person".into() }.to_value();
        let path = Path { objects: vec![vertex.clone(), "lop".into()], labels: vec![Vec::new(), Vec::new()] };
        let map = Value::map([("k".into(), Value::list([Value::Int(1), Value::Null]))]);
        for (value, expected) in [
            (vertex, "v[1]"),
            (path.into(), "path[v[1], lop]"),
            (map, "{k=[1, null]}"),
            (Value::Double(1.0), "1.0"),
            ("text".into(), "text"),
        ] {
            assert_eq!(text(&value), expected);
        }
    }
}
