//! The text of a value, as `asString()` and `format()` write it: what the JVM's `toString()` gives for the same value.

use std::fmt::{self, Write};

use super::room::Room;
use crate::error::ValueError;
use crate::value::{Tree, Value};

/// Characters of a property's value in the text of the property.
const PROPERTY_CHARACTERS: usize = 20;

/// The text of a value: `marko`, `1.0E10`, `[1, 2]`, `{name=[marko]}`, `v[1]`.
///
/// # Errors
/// It does not fit into the room.
pub fn text(value: &Value, room: &mut Room) -> Result<String, ValueError> {
    let mut writer = Writer { text: String::new(), room };
    write(&mut writer, value).map_err(|_| ValueError::NoRoom)?;
    Ok(writer.text)
}

/// A text that ends where the room does.
struct Writer<'r> {
    text: String,
    room: &'r mut Room,
}

impl Write for Writer<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.room.take(part.len()).map_err(|_| fmt::Error)?;
        self.text.push_str(part);
        Ok(())
    }
}

fn write(out: &mut Writer<'_>, value: &Value) -> fmt::Result {
    match value {
        Value::Null => out.write_str("null"),
        Value::Bool(flag) => write!(out, "{flag}"),
        Value::Byte(number) => write!(out, "{number}"),
        Value::Short(number) => write!(out, "{number}"),
        Value::Int(number) => write!(out, "{number}"),
        Value::Long(number) => write!(out, "{number}"),
        Value::BigInteger(number) => write!(out, "{number}"),
        Value::BigDecimal(number) => write!(out, "{number}"),
        Value::Float(number) => float(out, (*number).into(), &format!("{number:?}"), &format!("{number:e}")),
        Value::Double(number) => float(out, *number, &format!("{number:?}"), &format!("{number:e}")),
        Value::Char(character) => write!(out, "{character}"),
        Value::String(text) => out.write_str(text),
        Value::Bytes(bytes) => write!(out, "bytes[{}]", bytes.len()),
        Value::Uuid(bits) => {
            let digits = format!("{bits:032x}");
            for (at, digit) in digits.chars().enumerate() {
                if matches!(at, 8 | 12 | 16 | 20) {
                    out.write_char('-')?;
                }
                out.write_char(digit)?;
            }
            Ok(())
        }
        Value::DateTime(moment) => write!(out, "{moment}"),
        Value::Duration(duration) => write!(out, "{duration}"),
        Value::List(items) => many(out, "[", items.iter(), "]"),
        Value::Set(items) => many(out, "[", items.iter(), "]"),
        Value::Path(path) => many(out, "path[", path.objects.iter(), "]"),
        Value::Map(map) => pairs(out, map.iter(), write),
        Value::BulkSet(items) => pairs(out, items.iter(), |out, count| write!(out, "{count}")),
        Value::Tree(tree) => write_tree(out, tree),
        Value::Entry(pair) => {
            write(out, &pair.0)?;
            out.write_char('=')?;
            write(out, &pair.1)
        }
        Value::Vertex(vertex) => bracketed(out, "v", &vertex.id),
        Value::Edge(edge) => {
            bracketed(out, "e", &edge.id)?;
            out.write_char('[')?;
            write(out, &edge.source.id)?;
            write!(out, "-{}->", edge.label)?;
            write(out, &edge.target.id)?;
            out.write_char(']')
        }
        Value::VertexProperty(property) => write_property(out, "vp", &property.key, &property.value),
        Value::Property(property) => write_property(out, "p", &property.key, &property.value),
        Value::Graph(graph) => write!(out, "graph[vertices:{} edges:{}]", graph.vertices.len(), graph.edges.len()),
        Value::Enum(constant) => out.write_str(constant.name()),
        Value::Metrics(_) => out.write_str(value.class_name()),
    }
}

/// Numbers from a thousandth to ten millions are written in full, others with an exponent.
fn float(out: &mut Writer<'_>, number: f64, plain: &str, exponential: &str) -> fmt::Result {
    let size = number.abs();
    if number.is_nan() {
        return out.write_str("NaN");
    }
    if number.is_infinite() {
        return out.write_str(if number > 0.0 { "Infinity" } else { "-Infinity" });
    }
    if number == 0.0 || (1e-3..1e7).contains(&size) {
        return out.write_str(plain);
    }
    let (digits, exponent) = exponential.split_once('e').unwrap_or((exponential, "0"));
    out.write_str(digits)?;
    if !digits.contains('.') {
        out.write_str(".0")?;
    }
    write!(out, "E{exponent}")
}

fn many<'v>(out: &mut Writer<'_>, open: &str, items: impl Iterator<Item = &'v Value>, close: &str) -> fmt::Result {
    out.write_str(open)?;
    for (at, item) in items.enumerate() {
        if at > 0 {
            out.write_str(", ")?;
        }
        write(out, item)?;
    }
    out.write_str(close)
}

fn pairs<'v, T: 'v>(
    out: &mut Writer<'_>,
    pairs: impl Iterator<Item = (&'v Value, &'v T)>,
    second: impl Fn(&mut Writer<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    out.write_char('{')?;
    for (at, (key, value)) in pairs.enumerate() {
        if at > 0 {
            out.write_str(", ")?;
        }
        write(out, key)?;
        out.write_char('=')?;
        second(out, value)?;
    }
    out.write_char('}')
}

fn write_tree(out: &mut Writer<'_>, tree: &Tree) -> fmt::Result {
    pairs(out, tree.0.iter(), write_tree)
}

fn bracketed(out: &mut Writer<'_>, name: &str, id: &Value) -> fmt::Result {
    write!(out, "{name}[")?;
    write(out, id)?;
    out.write_char(']')
}

fn write_property(out: &mut Writer<'_>, name: &str, key: &str, value: &Value) -> fmt::Result {
    let text = text(value, out.room).map_err(|_| fmt::Error)?;
    write!(out, "{name}[{key}->")?;
    if text.chars().count() > PROPERTY_CHARACTERS {
        out.write_str(&text.chars().take(PROPERTY_CHARACTERS - 3).collect::<String>())?;
        out.write_str("...]")
    } else {
        write!(out, "{text}]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Path, Property, Reference, Vertex};

    fn written(value: impl Into<Value>) -> String {
        text(&value.into(), &mut Room::new(1000)).unwrap()
    }

    #[test]
    fn numbers_are_written_as_the_jvm_does() {
        for (number, wanted) in [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.001, "0.001"),
            (0.000_12, "1.2E-4"),
            (9_999_999.0, "9999999.0"),
            (1e7, "1.0E7"),
            (1.25e300, "1.25E300"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(written(number), wanted);
        }
        assert_eq!(written(0.1_f32), "0.1");
        assert_eq!(written(3_i32), "3");
    }

    #[test]
    fn collections_and_elements_have_texts() {
        let list = Value::list([Value::from("a"), Value::Null, Value::Int(1)]);
        assert_eq!(written(list.clone()), "[a, null, 1]");
        assert_eq!(written(Value::map([(Value::from("name"), list)])), "{name=[a, null, 1]}");
        let vertex = Vertex { id: Value::Long(1), label: "person".into(), properties: None };
        assert_eq!(written(vertex), "v[1]");
        let end = |id| Reference::vertex(Value::Int(id), "".into());
        let edge =
            crate::Edge { id: Value::Int(7), label: "knows".into(), source: end(1), target: end(2), properties: None };
        assert_eq!(written(edge), "e[7][1-knows->2]");
        let property = |value: &str| Property { key: "name".into(), value: value.into(), owner: None };
        assert_eq!(written(property("marko")), "p[name->marko]");
        assert_eq!(written(property("0123456789012345678901")), "p[name->01234567890123456...]");
        assert_eq!(written(Path { objects: vec![1.into(), 2.into()], labels: vec![vec![], vec![]] }), "path[1, 2]");
        assert_eq!(written(Value::Uuid(5)), "00000000-0000-0000-0000-000000000005");
    }

    #[test]
    fn a_text_ends_where_the_room_does() {
        let value = Value::list(std::iter::repeat_n(Value::from("0123456789"), 100));
        assert_eq!(text(&value, &mut Room::new(500)), Err(ValueError::NoRoom));
    }
}
