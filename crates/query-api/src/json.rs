//! Values as JSON, plain or with their types.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cypher_value::{Map, Node, Point, Relationship, Value, float_text, to_text};

/// How values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As JSON has them; what it has not is text.
    Plain,
    /// Each with the name of its type.
    Typed,
}

/// Appends a text in quotes.
pub(crate) fn text(out: &mut String, text: &str) {
    out.push('"');
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(text.get(from..at).unwrap_or_default());
        from = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            // Writing to a text cannot fail.
            _ => drop(write!(out, "\\u{byte:04x}")),
        }
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out.push('"');
}

/// Appends a value.
pub(crate) fn value(out: &mut String, value: &Value, form: Form) {
    match form {
        Form::Plain => plain(out, value),
        Form::Typed => {
            out.push_str("{\"$type\":");
            text(out, kind(value));
            out.push_str(",\"_value\":");
            typed(out, value);
            out.push('}');
        }
    }
}

/// The name of a type.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "Null",
        Value::Boolean(_) => "Boolean",
        Value::Integer(_) => "Integer",
        Value::Float(_) => "Float",
        Value::String(_) => "String",
        Value::Bytes(_) => "Base64",
        Value::List(_) => "List",
        Value::Map(_) => "Map",
        Value::Date(_) => "Date",
        Value::LocalTime(_) => "LocalTime",
        Value::Time(_) => "Time",
        Value::LocalDateTime(_) => "LocalDateTime",
        Value::DateTime(moment) if moment.zone.is_some() => "ZonedDateTime",
        Value::DateTime(_) => "OffsetDateTime",
        Value::Duration(_) => "Duration",
        Value::Point(_) => "Point",
        Value::Node(_) => "Node",
        Value::Relationship(_) => "Relationship",
        Value::Path(_) => "Path",
    }
}

fn list<'v>(out: &mut String, values: impl Iterator<Item = &'v Value>, form: Form) {
    out.push('[');
    for (at, each) in values.enumerate() {
        if at > 0 {
            out.push(',');
        }
        value(out, each, form);
    }
    out.push(']');
}

fn map(out: &mut String, entries: Option<&Map>, form: Form) {
    out.push('{');
    for (at, (key, each)) in entries.into_iter().flatten().enumerate() {
        if at > 0 {
            out.push(',');
        }
        text(out, key);
        out.push(':');
        value(out, each, form);
    }
    out.push('}');
}

/// What has a text of its own; a float as the shortest text that means it.
fn as_text(out: &mut String, value: &Value) {
    match value {
        Value::Bytes(bytes) => text(out, &STANDARD.encode(bytes)),
        Value::Point(point) => text(out, &point_text(point)),
        other => text(out, &to_text(other).unwrap_or_default()),
    }
}

fn point_text(point: &Point) -> String {
    let (x, y) = (float_text(point.x), float_text(point.y));
    match point.z {
        None => format!("SRID={};POINT ({x} {y})", point.srid),
        Some(z) => format!("SRID={};POINT Z ({x} {y} {})", point.srid, float_text(z)),
    }
}

fn plain(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Boolean(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Integer(number) => drop(write!(out, "{number}")),
        Value::Float(number) if number.is_finite() => out.push_str(&float_text(*number)),
        Value::List(values) => list(out, values.iter(), Form::Plain),
        Value::Map(entries) => map(out, Some(entries), Form::Plain),
        Value::Node(node) => self::node(out, node, Form::Plain),
        Value::Relationship(relationship) => self::relationship(out, relationship, Form::Plain),
        Value::Path(path) => {
            let elements: Vec<Value> = path.elements().collect();
            list(out, elements.iter(), Form::Plain);
        }
        other => as_text(out, other),
    }
}

fn typed(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Boolean(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::List(values) => list(out, values.iter(), Form::Typed),
        Value::Map(entries) => map(out, Some(entries), Form::Typed),
        Value::Node(node) => self::node(out, node, Form::Typed),
        Value::Relationship(relationship) => self::relationship(out, relationship, Form::Typed),
        Value::Path(path) => {
            let elements: Vec<Value> = path.elements().collect();
            list(out, elements.iter(), Form::Typed);
        }
        other => as_text(out, other),
    }
}

/// The names of the fields of an element.
fn name(form: Form, plain: &'static str, typed: &'static str) -> &'static str {
    if form == Form::Typed { typed } else { plain }
}

fn field(out: &mut String, name: &str) {
    out.push(if out.ends_with('{') { ' ' } else { ',' });
    text(out, name);
    out.push(':');
}

fn node(out: &mut String, node: &Node, form: Form) {
    out.push('{');
    field(out, name(form, "elementId", "_element_id"));
    text(out, &node.element_id);
    field(out, name(form, "labels", "_labels"));
    out.push('[');
    for (at, label) in node.labels().iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        text(out, label);
    }
    out.push(']');
    field(out, name(form, "properties", "_properties"));
    map(out, node.properties(), form);
    out.push('}');
}

fn relationship(out: &mut String, relationship: &Relationship, form: Form) {
    out.push('{');
    field(out, name(form, "elementId", "_element_id"));
    text(out, &relationship.element_id);
    field(out, name(form, "startNodeElementId", "_start_node_element_id"));
    text(out, &relationship.start.element_id);
    field(out, name(form, "endNodeElementId", "_end_node_element_id"));
    text(out, &relationship.end.element_id);
    field(out, name(form, "type", "_type"));
    text(out, &relationship.kind);
    field(out, name(form, "properties", "_properties"));
    map(out, relationship.properties(), form);
    out.push('}');
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cypher_value::{ElementId, NodeContent};

    use super::*;

    fn both(value: &Value) -> (String, String) {
        let (mut plain, mut typed) = (String::new(), String::new());
        self::value(&mut plain, value, Form::Plain);
        self::value(&mut typed, value, Form::Typed);
        (plain, typed)
    }

    #[test]
    fn values_are_json_with_and_without_types() {
        for (value, plain, typed) in [
            (Value::Null, "null", r#"{"$type":"Null","_value":null}"#),
            (7.into(), "7", r#"{"$type":"Integer","_value":"7"}"#),
            (1e20.into(), "1.0E20", r#"{"$type":"Float","_value":"1.0E20"}"#),
            (f64::NAN.into(), r#""NaN""#, r#"{"$type":"Float","_value":"NaN"}"#),
            ("a\"\u{1}é".into(), "\"a\\\"\\u0001é\"", "{\"$type\":\"String\",\"_value\":\"a\\\"\\u0001é\"}"),
            (Value::Bytes(Arc::from([1, 2])), r#""AQI=""#, r#"{"$type":"Base64","_value":"AQI="}"#),
            (
                Point { srid: 7203, x: 1.0, y: 2.5, z: None }.into(),
                r#""SRID=7203;POINT (1.0 2.5)""#,
                r#"{"$type":"Point","_value":"SRID=7203;POINT (1.0 2.5)"}"#,
            ),
            (
                Value::list(vec![true.into()]),
                "[true]",
                r#"{"$type":"List","_value":[{"$type":"Boolean","_value":true}]}"#,
            ),
        ] {
            assert_eq!(both(&value), (plain.to_owned(), typed.to_owned()));
            // Both are JSON.
            assert!(serde_json::from_str::<serde_json::Value>(plain).is_ok(), "{plain}");
        }
    }

    #[test]
    fn elements_have_their_fields() {
        let properties = Arc::new(Map::from_iter([("x".into(), 1.into())]));
        let content = Some(NodeContent { labels: Arc::from(["A".into()]), properties });
        let node = Node { content, ..Node::reference(ElementId::Number(3)) };
        let (plain, typed) = both(&node.into());
        assert_eq!(plain, r#"{ "elementId":"3","labels":["A"],"properties":{"x":1}}"#);
        let expected = concat!(
            r#"{"$type":"Node","_value":{ "_element_id":"3","_labels":["A"],"#,
            r#""_properties":{"x":{"$type":"Integer","_value":"1"}}}}"#
        );
        assert_eq!(typed, expected);
    }
}
