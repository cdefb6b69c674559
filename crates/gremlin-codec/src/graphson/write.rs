//! Writes GraphSON, typed or plain.

use std::fmt::{Display, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use query_value::{Edge, Metrics, Path, Property, Subgraph, Text, Tree, Value, Vertex, VertexProperty};

use super::version::Version;
use crate::form;
use crate::message::Response;
use crate::text::{Decimal, Key};

pub(super) struct Writer<'o> {
    pub(super) out: &'o mut String,
    pub(super) version: Version,
    pub(super) has_dates: bool,
}

impl Writer<'_> {
    pub(super) fn raw(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// A string with its quotes.
    pub(super) fn text(&mut self, text: &str) {
        self.out.push('"');
        for character in text.chars() {
            match character {
                '"' => self.raw("\\\""),
                '\\' => self.raw("\\\\"),
                '\n' => self.raw("\\n"),
                '\r' => self.raw("\\r"),
                '\t' => self.raw("\\t"),
                // Writing to a string does not fail.
                control if control < ' ' => {
                    let _ = write!(self.out, "\\u{:04x}", u32::from(control));
                }
                other => self.out.push(other),
            }
        }
        self.out.push('"');
    }

    fn is_typed(&self) -> bool {
        self.version != Version::Untyped
    }

    fn is_v3(&self) -> bool {
        self.version == Version::V3
    }

    /// `{"@type":..,"@value":` and what closes it.
    fn typed(&mut self, name: &str, write: impl FnOnce(&mut Self)) {
        if !self.is_typed() {
            return write(self);
        }
        self.raw("{\"@type\":\"");
        self.raw(name);
        self.raw("\",\"@value\":");
        write(self);
        self.raw("}");
    }

    /// What a type writes without quotes.
    fn typed_raw(&mut self, name: &str, value: impl Display) {
        self.typed(name, |writer| {
            // Writing to a string does not fail.
            let _ = write!(writer.out, "{value}");
        });
    }

    fn typed_text(&mut self, name: &str, value: &str) {
        self.typed(name, |writer| {
            writer.text(value);
        });
    }

    /// Items with commas between them.
    fn sequence<I>(&mut self, items: impl IntoIterator<Item = I>, mut write: impl FnMut(&mut Self, I)) {
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.raw(",");
            }
            write(self, item);
        }
    }

    fn array<I>(&mut self, items: impl IntoIterator<Item = I>, write: impl FnMut(&mut Self, I)) {
        self.raw("[");
        self.sequence(items, write);
        self.raw("]");
    }

    /// An array, with a type in version 3.
    fn collection<I>(&mut self, name: &str, items: impl IntoIterator<Item = I>, write: impl FnMut(&mut Self, I)) {
        if self.is_v3() { self.typed(name, |writer| writer.array(items, write)) } else { self.array(items, write) }
    }

    /// A map whose keys are texts.
    pub(super) fn text_map(&mut self, pairs: &[(Text, Value)]) {
        self.entries(pairs.iter().map(|(key, value)| (key.as_str(), value)), Self::value);
    }

    fn entries<'k, V>(&mut self, pairs: impl IntoIterator<Item = (&'k str, V)>, mut write: impl FnMut(&mut Self, V)) {
        let is_v3 = self.is_v3();
        let separator = if is_v3 { "," } else { ":" };
        let write_pair = move |writer: &mut Self, (key, value): (&str, V)| {
            writer.text(key);
            writer.raw(separator);
            write(writer, value);
        };
        if is_v3 {
            return self.typed("g:Map", |writer| writer.array(pairs, write_pair));
        }
        self.raw("{");
        self.sequence(pairs, write_pair);
        self.raw("}");
    }

    /// The results of an answer.
    pub(super) fn results(&mut self, response: &Response) {
        if !response.is_bulked {
            return self.collection("g:List", response.repeated(), Self::value);
        }
        self.collection("g:List", &response.rows, |writer, (value, times)| {
            writer.typed("g:Traverser", |writer| {
                writer.raw("{\"bulk\":");
                writer.typed_raw("g:Int64", times);
                writer.raw(",\"value\":");
                writer.value(value);
                writer.raw("}");
            });
        });
    }

    pub(super) fn value(&mut self, value: &Value) {
        match value {
            Value::List(items) => self.collection("g:List", items.iter(), Self::value),
            Value::Set(items) => self.collection("g:Set", items.iter(), Self::value),
            Value::Map(pairs) => self.map(pairs.iter()),
            Value::Entry(entry) => self.map(std::iter::once((&entry.0, &entry.1))),
            Value::Vertex(vertex) => self.typed("g:Vertex", |writer| writer.vertex(vertex)),
            Value::Edge(edge) => self.typed("g:Edge", |writer| writer.edge(edge)),
            Value::VertexProperty(property) => {
                self.typed("g:VertexProperty", |writer| writer.vertex_property(property, true));
            }
            Value::Property(property) => self.typed("g:Property", |writer| writer.property(property)),
            Value::Path(path) => self.typed("g:Path", |writer| writer.path(path)),
            Value::BulkSet(items) if self.is_v3() => self.typed("g:BulkSet", |writer| {
                writer.array(items.iter(), |writer, (item, times)| {
                    writer.value(item);
                    writer.raw(",");
                    writer.typed_raw("g:Int64", times);
                });
            }),
            Value::BulkSet(items) => {
                let repeated = items
                    .iter()
                    .flat_map(|(item, times)| std::iter::repeat_n(item, usize::try_from(*times).unwrap_or(usize::MAX)));
                self.array(repeated, Self::value);
            }
            Value::Tree(tree) => self.tree(tree),
            Value::Graph(graph) => self.typed("tinker:graph", |writer| writer.graph(graph)),
            Value::Metrics(metrics) => self.typed("g:TraversalMetrics", |writer| {
                let milliseconds = milliseconds(metrics.nanoseconds);
                writer.entries([("dur", None), ("metrics", Some(&metrics.steps))], |writer, steps| match steps {
                    None => writer.double(milliseconds),
                    Some(steps) => writer.collection("g:List", steps, Self::metrics),
                });
            }),
            scalar => self.scalar(scalar),
        }
    }

    fn map<'v>(&mut self, pairs: impl Iterator<Item = (&'v Value, &'v Value)>) {
        if self.is_v3() {
            return self.typed("g:Map", |writer| {
                writer.array(pairs, |writer, (key, value)| {
                    writer.value(key);
                    writer.raw(",");
                    writer.value(value);
                });
            });
        }
        self.raw("{");
        self.sequence(pairs, |writer, (key, value)| {
            writer.key(key);
            writer.raw(":");
            writer.value(value);
        });
        self.raw("}");
    }

    /// A map's key where only texts can be keys.
    fn key(&mut self, key: &Value) {
        match key {
            Value::String(text) => self.text(text),
            other => self.text(&Key(other).to_string()),
        }
    }

    fn vertex(&mut self, vertex: &Vertex) {
        self.raw("{\"id\":");
        self.value(&vertex.id);
        self.raw(",\"label\":");
        self.text(&vertex.label);
        if !self.is_typed() {
            self.raw(",\"type\":\"vertex\"");
        }
        let properties = vertex.properties.as_deref().map(Vec::as_slice).unwrap_or_default();
        if !properties.is_empty() {
            self.raw(",\"properties\":{");
            // The values of one key are together.
            self.sequence(properties.chunk_by(|left, right| left.key == right.key), |writer, group| {
                writer.text(group.first().map(|first| first.key.as_str()).unwrap_or_default());
                writer.raw(":");
                writer.array(group, |writer, property| {
                    let is_typed = writer.is_typed();
                    writer.typed("g:VertexProperty", |writer| writer.vertex_property(property, is_typed));
                });
            });
            self.raw("}");
        }
        self.raw("}");
    }

    fn vertex_property(&mut self, property: &VertexProperty, with_label: bool) {
        self.raw("{\"id\":");
        self.value(&property.id);
        self.raw(",\"value\":");
        self.value(&property.value);
        if with_label {
            self.raw(",\"label\":");
            self.text(&property.key);
        }
        if !property.meta.is_empty() {
            self.raw(",\"properties\":{");
            self.sequence(&property.meta, |writer, meta| {
                writer.text(&meta.key);
                writer.raw(":");
                writer.value(&meta.value);
            });
            self.raw("}");
        }
        self.raw("}");
    }

    fn edge(&mut self, edge: &Edge) {
        self.raw("{\"id\":");
        self.value(&edge.id);
        self.raw(",\"label\":");
        self.text(&edge.label);
        if !self.is_typed() {
            self.raw(",\"type\":\"edge\"");
        }
        self.raw(",\"inVLabel\":");
        self.text(&edge.target.label);
        self.raw(",\"outVLabel\":");
        self.text(&edge.source.label);
        self.raw(",\"inV\":");
        self.value(&edge.target.id);
        self.raw(",\"outV\":");
        self.value(&edge.source.id);
        let properties = edge.properties.as_deref().map(Vec::as_slice).unwrap_or_default();
        if !properties.is_empty() {
            self.raw(",\"properties\":{");
            self.sequence(properties, |writer, property| {
                writer.text(&property.key);
                writer.raw(":");
                if writer.is_typed() {
                    writer.typed("g:Property", |writer| writer.property(property));
                } else {
                    writer.value(&property.value);
                }
            });
            self.raw("}");
        }
        self.raw("}");
    }

    fn property(&mut self, property: &Property) {
        self.raw("{\"key\":");
        self.text(&property.key);
        self.raw(",\"value\":");
        self.value(&property.value);
        self.raw("}");
    }

    fn path(&mut self, path: &Path) {
        self.raw("{\"labels\":");
        self.collection("g:List", &path.labels, |writer, labels| {
            writer.collection("g:Set", labels, |writer, label| {
                writer.text(label);
            });
        });
        self.raw(",\"objects\":");
        self.collection("g:List", &path.objects, Self::value);
        self.raw("}");
    }

    /// Typed: an array of keys and subtrees. Plain: an object by the keys' texts.
    fn tree(&mut self, tree: &Tree) {
        if self.is_typed() {
            return self.typed("g:Tree", |writer| {
                writer.array(&tree.0, |writer, (key, subtree)| {
                    writer.raw("{\"key\":");
                    writer.value(key);
                    writer.raw(",\"value\":");
                    writer.tree(subtree);
                    writer.raw("}");
                });
            });
        }
        self.raw("{");
        self.sequence(&tree.0, |writer, (key, subtree)| {
            writer.key(key.element_id().unwrap_or(key));
            writer.raw(":{\"key\":");
            writer.value(key);
            writer.raw(",\"value\":");
            writer.tree(subtree);
            writer.raw("}");
        });
        self.raw("}");
    }

    fn graph(&mut self, graph: &Subgraph) {
        self.raw("{\"vertices\":");
        self.array(graph.vertices.values(), |writer, vertex| writer.typed("g:Vertex", |writer| writer.vertex(vertex)));
        self.raw(",\"edges\":");
        self.array(graph.edges.values(), |writer, edge| writer.typed("g:Edge", |writer| writer.edge(edge)));
        self.raw("}");
    }

    fn metrics(&mut self, metrics: &Metrics) {
        enum Part<'m> {
            Text(&'m Text),
            Duration(f64),
            Counts(&'m [(Text, i64)]),
            Annotations(&'m [(Text, Value)]),
            Nested(&'m [Metrics]),
        }
        self.typed("g:Metrics", |writer| {
            let mut parts = vec![("dur", Part::Duration(milliseconds(metrics.nanoseconds)))];
            parts.push(("counts", Part::Counts(&metrics.counts)));
            parts.push(("name", Part::Text(&metrics.name)));
            if !metrics.annotations.is_empty() {
                parts.push(("annotations", Part::Annotations(&metrics.annotations)));
            }
            parts.push(("id", Part::Text(&metrics.id)));
            if !metrics.nested.is_empty() {
                parts.push(("metrics", Part::Nested(&metrics.nested)));
            }
            writer.entries(parts, |writer, part| match part {
                Part::Text(text) => {
                    writer.text(text);
                }
                Part::Duration(milliseconds) => writer.double(milliseconds),
                Part::Counts(counts) => {
                    let counts = counts.iter().map(|(key, count)| (key.as_str(), count));
                    writer.entries(counts, |writer, count| writer.typed_raw("g:Int64", count));
                }
                Part::Annotations(annotations) => writer.text_map(annotations),
                Part::Nested(nested) => writer.collection("g:List", nested, Self::metrics),
            });
        });
    }

    fn double(&mut self, number: f64) {
        if number.is_finite() {
            self.typed_raw("g:Double", format_args!("{number:?}"));
        } else {
            self.typed_text("g:Double", special(number));
        }
    }

    fn scalar(&mut self, value: &Value) {
        match value {
            Value::Bool(flag) => {
                self.raw(if *flag { "true" } else { "false" });
            }
            Value::Byte(number) => self.typed_raw("gx:Byte", number),
            Value::Short(number) => self.typed_raw("gx:Int16", number),
            Value::Int(number) => self.typed_raw("g:Int32", number),
            Value::Long(number) => self.typed_raw("g:Int64", number),
            Value::BigInteger(number) => self.typed_raw("gx:BigInteger", number),
            Value::Float(number) if number.is_finite() => self.typed_raw("g:Float", format_args!("{number:?}")),
            Value::Float(number) => self.typed_text("g:Float", special((*number).into())),
            Value::Double(number) => self.double(*number),
            Value::BigDecimal(number) => self.typed_raw("gx:BigDecimal", Decimal(number)),
            Value::Char(character) => self.typed_text("gx:Char", character.encode_utf8(&mut [0; 4])),
            Value::String(text) => {
                self.text(text);
            }
            Value::Bytes(bytes) => self.typed_text("gx:ByteBuffer", &STANDARD.encode(bytes)),
            Value::Uuid(bits) => self.typed_text("g:UUID", &uuid::Uuid::from_u128(*bits).to_string()),
            Value::DateTime(moment) if self.has_dates => self.typed_raw("g:Date", form::milliseconds(moment)),
            Value::DateTime(moment) => self.typed_text("gx:OffsetDateTime", &moment.to_string()),
            Value::Duration(duration) => self.typed_text("gx:Duration", &duration.to_string()),
            Value::Enum(constant) => self.typed_text(&format!("g:{}", constant.class()), constant.name()),
            // Collections and elements have been written above: what is left is null.
            _ => {
                self.raw("null");
            }
        }
    }
}

fn milliseconds(nanoseconds: i64) -> f64 {
    std::time::Duration::from_nanos(nanoseconds.unsigned_abs()).as_secs_f64() * 1000.0
}

/// The name of a number that is not finite.
fn special(number: f64) -> &'static str {
    match number {
        _ if number.is_nan() => "NaN",
        _ if number < 0.0 => "-Infinity",
        _ => "Infinity",
    }
}
