//! Values as people read them.

use query_value::Value;

/// A value as people read it.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Double(number) => number.to_string(),
        Value::Vertex(vertex) => format!("v[{}]", text(&vertex.id)),
        Value::Edge(edge) => format!("e[{}]", text(&edge.id)),
        Value::List(items) => format!("[{}]", joined(items.iter())),
        Value::Set(items) => format!("[{}]", joined(items.iter())),
        Value::Map(pairs) => {
            let pairs: Vec<_> = pairs.iter().map(|(key, value)| format!("{}:{}", text(key), text(value))).collect();
            if pairs.is_empty() { "[:]".to_owned() } else { format!("[{}]", pairs.join(", ")) }
        }
        Value::Null => "null".to_owned(),
        other => other.as_i64().map_or_else(|| other.kind().to_owned(), |number| number.to_string()),
    }
}

fn joined<'v>(values: impl Iterator<Item = &'v Value>) -> String {
    values.map(text).collect::<Vec<_>>().join(", ")
}
