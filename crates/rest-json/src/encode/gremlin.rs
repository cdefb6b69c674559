//! Results of Gremlin as HugeGraph's server writes them: JSON without types.

use std::fmt::Display;
use std::io::Write as _;

use graph_model::format_date;
use jiff::tz::TimeZone;
use query_value::{DateTime, Edge, Metrics, Property, Tree, Value, Vertex, VertexProperty};
use uuid::Uuid;

use super::element::UNDEFINED;

/// Appends the answer to a query: its results, each as often as it occurs, with dates in a zone.
pub fn write_gremlin_answer(out: &mut Vec<u8>, rows: &[(Value, u64)], zone: &TimeZone) {
    put(out, format_args!("{{\"requestId\":\"{}\"", Uuid::new_v4().hyphenated()));
    put(out, ",\"status\":{\"message\":\"\",\"code\":200,\"attributes\":{}},\"result\":{\"data\":[");
    let mut writer = Writer { out, zone };
    let mut is_first = true;
    for (value, times) in rows {
        for _ in 0..*times {
            writer.comma(&mut is_first);
            writer.value(value);
        }
    }
    put(out, "],\"meta\":{}}}");
}

/// Writing to memory does not fail.
fn put(out: &mut Vec<u8>, text: impl Display) {
    drop(write!(out, "{text}"));
}

struct Writer<'o> {
    out: &'o mut Vec<u8>,
    zone: &'o TimeZone,
}

impl Writer<'_> {
    fn put(&mut self, text: impl Display) {
        put(self.out, text);
    }

    fn comma(&mut self, is_first: &mut bool) {
        if !std::mem::replace(is_first, false) {
            self.out.push(b',');
        }
    }

    fn text(&mut self, text: &str) {
        // A text is always written.
        drop(serde_json::to_writer(&mut *self.out, text));
    }

    fn list<'v>(&mut self, items: impl Iterator<Item = &'v Value>) {
        self.out.push(b'[');
        let mut is_first = true;
        for item in items {
            self.comma(&mut is_first);
            self.value(item);
        }
        self.out.push(b']');
    }

    fn float(&mut self, number: f64, text: impl Display) {
        if number.is_finite() {
            self.put(text);
        } else {
            // As Java's JSON library does.
            self.put(format_args!(
                "\"{}\"",
                if number.is_nan() {
                    "NaN"
                } else if number > 0.0 {
                    "Infinity"
                } else {
                    "-Infinity"
                }
            ));
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.put("null"),
            Value::Bool(flag) => self.put(flag),
            Value::Byte(number) => self.put(number),
            Value::Short(number) => self.put(number),
            Value::Int(number) => self.put(number),
            Value::Long(number) => self.put(number),
            Value::BigInteger(number) => self.put(number),
            Value::BigDecimal(number) => self.put(number),
            Value::Float(number) => self.float(f64::from(*number), format_args!("{number:?}")),
            Value::Double(number) => self.float(*number, format_args!("{number:?}")),
            Value::Char(character) => self.text(character.encode_utf8(&mut [0; 4])),
            Value::String(text) => self.text(text),
            Value::Bytes(bytes) => self.text(&base64(bytes)),
            Value::Uuid(bits) => self.put(format_args!("\"{}\"", Uuid::from_u128(*bits).hyphenated())),
            Value::DateTime(moment) => self.date(moment),
            Value::Duration(duration) => self.text(&duration.to_string()),
            Value::List(items) => self.list(items.iter()),
            Value::Set(items) => self.list(items.iter()),
            Value::BulkSet(items) => {
                let repeated = items.iter().flat_map(|(item, count)| (0..*count).map(move |_| item));
                self.list(repeated);
            }
            Value::Map(pairs) => self.map(pairs.iter()),
            Value::Entry(entry) => self.map(std::iter::once((&entry.0, &entry.1))),
            Value::Vertex(vertex) => self.vertex(vertex),
            Value::Edge(edge) => self.edge(edge),
            Value::VertexProperty(property) => self.vertex_property(property),
            Value::Property(property) => self.property(property),
            Value::Path(path) => {
                self.put("{\"labels\":[");
                let mut is_first = true;
                for labels in &path.labels {
                    self.comma(&mut is_first);
                    let labels: Vec<Value> = labels.iter().map(|label| Value::String(label.clone())).collect();
                    self.list(labels.iter());
                }
                self.put("],\"objects\":");
                self.list(path.objects.iter());
                self.put("}");
            }
            Value::Tree(tree) => self.tree(tree),
            Value::Graph(graph) => {
                self.put("{\"vertices\":[");
                let mut is_first = true;
                for vertex in graph.vertices.values() {
                    self.comma(&mut is_first);
                    self.vertex(vertex);
                }
                self.put("],\"edges\":[");
                is_first = true;
                for edge in graph.edges.values() {
                    self.comma(&mut is_first);
                    self.edge(edge);
                }
                self.put("]}");
            }
            Value::Enum(constant) => self.text(constant.name()),
            Value::Metrics(metrics) => {
                self.put(format_args!("{{\"dur\":{:?},\"metrics\":", milliseconds(metrics.nanoseconds)));
                self.metrics(&metrics.steps);
                self.put("}");
            }
        }
    }

    fn date(&mut self, moment: &DateTime) {
        let since = moment.since_epoch();
        let milliseconds = since.seconds.saturating_mul(1_000).saturating_add(i64::from(since.nanoseconds / 1_000_000));
        let text = format_date(milliseconds, self.zone);
        self.text(&text);
    }

    /// The name of an entry: the text of its key.
    fn key(&mut self, key: &Value) {
        match key {
            Value::String(text) => self.text(text),
            Value::Vertex(vertex) => self.key(&vertex.id),
            Value::Edge(edge) => self.key(&edge.id),
            Value::VertexProperty(property) => self.text(&property.key),
            Value::Enum(constant) => self.text(constant.name()),
            other => {
                let mut text = Vec::new();
                Writer { out: &mut text, zone: self.zone }.value(other);
                let text = String::from_utf8_lossy(&text);
                self.text(text.trim_matches('"'));
            }
        }
    }

    fn map<'v>(&mut self, pairs: impl Iterator<Item = (&'v Value, &'v Value)>) {
        self.out.push(b'{');
        let mut is_first = true;
        for (key, value) in pairs {
            self.comma(&mut is_first);
            self.key(key);
            self.out.push(b':');
            self.value(value);
        }
        self.out.push(b'}');
    }

    fn vertex(&mut self, vertex: &Vertex) {
        self.put("{\"id\":");
        self.value(&vertex.id);
        self.put(",\"label\":");
        if vertex.label.is_empty() {
            // The end of an edge that was inserted without looking at its ends.
            self.text(UNDEFINED);
            self.put(",\"type\":\"vertex\",\"properties\":{}}");
            return;
        }
        self.text(&vertex.label);
        self.put(",\"type\":\"vertex\"");
        if let Some(properties) = &vertex.properties {
            self.put(",\"properties\":{");
            // Values of one key stand together.
            let mut is_first = true;
            for group in properties.chunk_by(|one, other| one.key == other.key) {
                let Some(first) = group.first() else { continue };
                self.comma(&mut is_first);
                self.text(&first.key);
                self.out.push(b':');
                if group.len() == 1 {
                    self.value(&first.value);
                } else {
                    self.list(group.iter().map(|property| &property.value));
                }
            }
            self.put("}");
        }
        self.put("}");
    }

    fn edge(&mut self, edge: &Edge) {
        self.put("{\"id\":");
        self.value(&edge.id);
        self.put(",\"label\":");
        self.text(&edge.label);
        self.put(",\"type\":\"edge\"");
        for (name, end) in [("outV", &edge.source), ("inV", &edge.target)] {
            self.put(format_args!(",\"{name}\":"));
            self.value(&end.id);
            self.put(format_args!(",\"{name}Label\":"));
            self.text(&end.label);
        }
        if let Some(properties) = &edge.properties {
            self.put(",\"properties\":{");
            let mut is_first = true;
            for property in properties.iter() {
                self.comma(&mut is_first);
                self.text(&property.key);
                self.out.push(b':');
                self.value(&property.value);
            }
            self.put("}");
        }
        self.put("}");
    }

    fn vertex_property(&mut self, property: &VertexProperty) {
        self.put("{\"id\":");
        self.value(&property.id);
        self.put(",\"value\":");
        self.value(&property.value);
        self.put(",\"label\":");
        self.text(&property.key);
        self.put("}");
    }

    fn property(&mut self, property: &Property) {
        self.put("{\"key\":");
        self.text(&property.key);
        self.put(",\"value\":");
        self.value(&property.value);
        self.put("}");
    }

    fn tree(&mut self, tree: &Tree) {
        self.out.push(b'{');
        let mut is_first = true;
        for (key, below) in &tree.0 {
            self.comma(&mut is_first);
            self.key(key);
            self.put(":{\"key\":");
            self.value(key);
            self.put(",\"value\":");
            self.tree(below);
            self.put("}");
        }
        self.out.push(b'}');
    }

    fn metrics(&mut self, metrics: &[Metrics]) {
        self.out.push(b'[');
        let mut is_first = true;
        for step in metrics {
            self.comma(&mut is_first);
            self.put("{\"id\":");
            self.text(&step.id);
            self.put(",\"name\":");
            self.text(&step.name);
            self.put(format_args!(",\"dur\":{:?},\"counts\":{{", milliseconds(step.nanoseconds)));
            let mut is_first_count = true;
            for (name, count) in &step.counts {
                self.comma(&mut is_first_count);
                self.text(name);
                self.put(format_args!(":{count}"));
            }
            self.put("},\"annotations\":{");
            is_first_count = true;
            for (name, value) in &step.annotations {
                self.comma(&mut is_first_count);
                self.text(name);
                self.out.push(b':');
                self.value(value);
            }
            self.put("},\"metrics\":");
            self.metrics(&step.nested);
            self.put("}");
        }
        self.out.push(b']');
    }
}

#[expect(clippy::cast_precision_loss, reason = "a duration for people")]
fn milliseconds(nanoseconds: i64) -> f64 {
    nanoseconds as f64 / 1e6
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}
