//! Results of Cypher in the form of HugeGraph's `{G}/cypher`.

use std::fmt::Display;
use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cypher_value::{ElementId, LocalDateTime, Map, Text, Value, to_text};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

/// An answer that is written row by row: each an object of its columns.
pub struct CypherAnswer {
    out: Vec<u8>,
    /// What comes after the last row.
    end: &'static str,
    columns: Vec<Text>,
    zone: TimeZone,
    is_first: bool,
}

impl CypherAnswer {
    /// An answer without rows yet; moments are written in a zone, as HugeGraph does.
    #[must_use]
    pub fn new(zone: &TimeZone) -> Self {
        let mut out = Vec::with_capacity(512);
        put(&mut out, format_args!("{{\"requestId\":\"{}\"", Uuid::new_v4().hyphenated()));
        put(&mut out, ",\"status\":{\"message\":\"\",\"code\":200,\"attributes\":{}},\"result\":{\"data\":[");
        Self { out, end: "],\"meta\":{}}}", columns: Vec::new(), zone: zone.clone(), is_first: true }
    }

    /// The rows alone, as a list.
    #[must_use]
    pub fn rows(zone: &TimeZone) -> Self {
        Self { out: b"[".to_vec(), end: "]", columns: Vec::new(), zone: zone.clone(), is_first: true }
    }

    /// Sets the names of the columns.
    pub fn set_columns(&mut self, columns: &[Text]) {
        self.columns = columns.to_vec();
    }

    /// Adds a row.
    pub fn row(&mut self, row: &[Value]) {
        comma(&mut self.out, &mut self.is_first);
        let mut writer = Writer { out: &mut self.out, zone: &self.zone };
        writer.out.push(b'{');
        let mut is_first = true;
        for (column, value) in self.columns.iter().zip(row) {
            comma(writer.out, &mut is_first);
            writer.text(column);
            writer.out.push(b':');
            writer.value(value);
        }
        writer.out.push(b'}');
    }

    /// Bytes so far.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.out.len()
    }

    /// The whole answer.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        put(&mut self.out, self.end);
        self.out
    }
}

/// A parameter of a query: integers that have 64 bits are integers, other numbers are floats.
#[must_use]
pub fn cypher_parameter(json: serde_json::Value) -> Value {
    use serde_json::Value as Json;
    match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => flag.into(),
        Json::Number(number) => match number.as_i64() {
            Some(integer) => integer.into(),
            None => number.as_f64().map_or(Value::Null, Value::Float),
        },
        Json::String(text) => text.into(),
        Json::Array(items) => Value::list(items.into_iter().map(cypher_parameter).collect()),
        Json::Object(entries) => {
            Value::map(entries.into_iter().map(|(key, value)| (Text::from(key), cypher_parameter(value))).collect())
        }
    }
}

/// The answer that a query failed; like HugeGraph's it has the class of TinkerPop's driver, by which its server asks
/// itself.
#[must_use]
pub fn cypher_failure(message: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    put(&mut out, format_args!("{{\"requestId\":\"{}\",\"status\":{{\"message\":", Uuid::new_v4().hyphenated()));
    let message = format!("org.apache.tinkerpop.gremlin.driver.exception.ResponseException: {message}");
    // A text is always written.
    drop(serde_json::to_writer(&mut out, &message));
    put(&mut out, ",\"code\":400,\"attributes\":{}},\"result\":{\"data\":null,\"meta\":{}}}");
    out
}

/// Writing to memory does not fail.
fn put(out: &mut Vec<u8>, text: impl Display) {
    drop(write!(out, "{text}"));
}

fn comma(out: &mut Vec<u8>, is_first: &mut bool) {
    if !std::mem::replace(is_first, false) {
        out.push(b',');
    }
}

struct Writer<'o> {
    out: &'o mut Vec<u8>,
    zone: &'o TimeZone,
}

impl Writer<'_> {
    fn text(&mut self, text: &str) {
        // A text is always written.
        drop(serde_json::to_writer(&mut *self.out, text));
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => put(self.out, "null"),
            Value::Boolean(flag) => put(self.out, flag),
            Value::Integer(number) => put(self.out, number),
            Value::Float(number) if number.is_finite() => put(self.out, format_args!("{number:?}")),
            Value::Bytes(bytes) => self.text(&STANDARD.encode(bytes)),
            Value::List(values) => self.list(values.iter()),
            Value::Map(entries) => {
                self.out.push(b'{');
                self.entries(Some(entries), true);
                self.out.push(b'}');
            }
            Value::DateTime(moment) => self.moment(moment.seconds, moment.nanoseconds),
            Value::LocalDateTime(clock) => self.clock(*clock),
            Value::Node(node) => {
                put(self.out, "{\"_type\":\"node\",\"_id\":");
                self.id(&node.id);
                put(self.out, ",\"_label\":");
                match node.labels() {
                    [label] => self.text(label),
                    labels => {
                        let labels: Vec<Value> = labels.iter().cloned().map(Value::String).collect();
                        self.list(labels.iter());
                    }
                }
                self.entries(node.properties(), false);
                self.out.push(b'}');
            }
            Value::Relationship(relationship) => {
                put(self.out, "{\"_type\":\"relationship\",\"_id\":");
                self.id(&relationship.id);
                put(self.out, ",\"_label\":");
                self.text(&relationship.kind);
                put(self.out, ",\"_outV\":");
                self.id(&relationship.start.id);
                put(self.out, ",\"_inV\":");
                self.id(&relationship.end.id);
                self.entries(relationship.properties(), false);
                self.out.push(b'}');
            }
            Value::Path(path) => {
                let elements: Vec<Value> = path.elements().collect();
                self.list(elements.iter());
            }
            other => self.text(&to_text(other).unwrap_or_default()),
        }
    }

    fn list<'v>(&mut self, values: impl Iterator<Item = &'v Value>) {
        self.out.push(b'[');
        let mut is_first = true;
        for value in values {
            comma(self.out, &mut is_first);
            self.value(value);
        }
        self.out.push(b']');
    }

    fn entries(&mut self, entries: Option<&Map>, mut is_first: bool) {
        for (key, value) in entries.into_iter().flatten() {
            comma(self.out, &mut is_first);
            self.text(key);
            self.out.push(b':');
            self.value(value);
        }
    }

    fn id(&mut self, id: &ElementId) {
        match id {
            ElementId::Number(number) => put(self.out, number),
            other => self.text(&other.text()),
        }
    }

    /// A moment as HugeGraph writes dates: the clock of the zone, to the millisecond.
    fn moment(&mut self, seconds: i64, nanoseconds: u32) {
        let nanoseconds = i32::try_from(nanoseconds).unwrap_or_default();
        match Timestamp::new(seconds, nanoseconds) {
            Ok(moment) => {
                let text = moment.to_zoned(self.zone.clone()).strftime("%Y-%m-%d %H:%M:%S%.3f").to_string();
                self.text(&text);
            }
            Err(_) => put(self.out, "null"),
        }
    }

    fn clock(&mut self, clock: LocalDateTime) {
        let since = SignedDuration::new(clock.seconds, i32::try_from(clock.nanoseconds).unwrap_or_default());
        match Timestamp::UNIX_EPOCH.checked_add(since) {
            Ok(moment) => {
                let text = moment.to_zoned(TimeZone::UTC).strftime("%Y-%m-%d %H:%M:%S%.3f").to_string();
                self.text(&text);
            }
            Err(_) => put(self.out, "null"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cypher_value::{DateTime, Node, NodeContent, Path, Relationship};

    use super::*;

    fn node(id: &str, label: &str) -> Arc<Node> {
        let properties = Arc::new(Map::from_iter([("name".into(), id.into())]));
        let content = Some(NodeContent { labels: Arc::from([label.into()]), properties });
        Arc::new(Node { content, ..Node::reference(ElementId::Text(id.into())) })
    }

    #[test]
    fn rows_are_objects_in_hugegraphs_form() {
        let (a, b) = (node("1:a", "person"), node("1:b", "person"));
        let between = Arc::new(Relationship {
            id: ElementId::Text("S1:a>2>>S1:b".into()),
            element_id: "S1:a>2>>S1:b".into(),
            kind: "knows".into(),
            start: Arc::clone(&a),
            end: Arc::clone(&b),
            properties: None,
        });
        let path = Path { nodes: vec![Arc::clone(&a), b], relationships: vec![between] };
        let mut answer = CypherAnswer::new(&TimeZone::UTC);
        answer.set_columns(&["n".into(), "x.y".into(), "p".into(), "t".into()]);
        let moment = DateTime { seconds: 1, nanoseconds: 5_000_000, offset: 0, zone: None };
        answer.row(&[a.into(), 1.5.into(), path.into(), moment.into()]);
        let json: serde_json::Value = serde_json::from_slice(&answer.finish()).unwrap();
        let a = serde_json::json!({"_type": "node", "_id": "1:a", "_label": "person", "name": "1:a"});
        let b = serde_json::json!({"_type": "node", "_id": "1:b", "_label": "person", "name": "1:b"});
        let edge = serde_json::json!({
            "_type": "relationship", "_id": "S1:a>2>>S1:b", "_label": "knows", "_outV": "1:a", "_inV": "1:b"
        });
        let row = serde_json::json!({"n": a, "x.y": 1.5, "p": [a, edge, b], "t": "1970-01-01 00:00:01.005"});
        assert_eq!(json["result"]["data"], serde_json::json!([row]));
        assert_eq!(json["status"]["code"], 200);
    }

    #[test]
    fn failures_have_no_data() {
        let json: serde_json::Value = serde_json::from_slice(&cypher_failure("no \"label\"")).unwrap();
        assert_eq!(json["status"]["code"], 400);
        assert!(json["result"]["data"].is_null());
        let message = json["status"]["message"].as_str().unwrap();
        assert!(message.ends_with("ResponseException: no \"label\""), "{message}");
    }
}
