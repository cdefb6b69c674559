//! Writes GraphSON, typed or plain.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gremlin::{Bytecode, Instruction, Predicate, Strategy, Text, Value};

use super::version::Version;
use crate::error::CodecError;
use crate::graph_binary::predicate_parts;
use crate::item::{Edge, Item, Metrics, Path, Property, Tree, Vertex, VertexProperty, reference};

type Written = Result<(), CodecError>;

pub(super) struct Writer<'o> {
    pub(super) out: &'o mut String,
    pub(super) version: Version,
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
    fn typed(&mut self, name: &str, write: impl FnOnce(&mut Self) -> Written) -> Written {
        if !self.is_typed() {
            return write(self);
        }
        self.raw("{\"@type\":\"");
        self.raw(name);
        self.raw("\",\"@value\":");
        write(self)?;
        self.raw("}");
        Ok(())
    }

    fn typed_raw(&mut self, name: &str, value: &str) -> Written {
        self.typed(name, |writer| {
            writer.raw(value);
            Ok(())
        })
    }

    fn typed_text(&mut self, name: &str, value: &str) -> Written {
        self.typed(name, |writer| {
            writer.text(value);
            Ok(())
        })
    }

    /// Items with commas between them.
    fn sequence<I>(
        &mut self,
        items: impl IntoIterator<Item = I>,
        mut write: impl FnMut(&mut Self, I) -> Written,
    ) -> Written {
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.raw(",");
            }
            write(self, item)?;
        }
        Ok(())
    }

    fn array<I>(&mut self, items: impl IntoIterator<Item = I>, write: impl FnMut(&mut Self, I) -> Written) -> Written {
        self.raw("[");
        self.sequence(items, write)?;
        self.raw("]");
        Ok(())
    }

    /// An array, with a type in version 3.
    fn collection<I>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = I>,
        write: impl FnMut(&mut Self, I) -> Written,
    ) -> Written {
        if self.is_v3() { self.typed(name, |writer| writer.array(items, write)) } else { self.array(items, write) }
    }

    /// A map whose keys are texts.
    pub(super) fn text_map(&mut self, pairs: &[(Text, Item)]) -> Written {
        self.entries(pairs.iter().map(|(key, item)| (key.as_str(), item)), Self::item)
    }

    fn entries<'k, V>(
        &mut self,
        pairs: impl IntoIterator<Item = (&'k str, V)>,
        mut write: impl FnMut(&mut Self, V) -> Written,
    ) -> Written {
        let is_v3 = self.is_v3();
        let separator = if is_v3 { "," } else { ":" };
        let write_pair = move |writer: &mut Self, (key, value): (&str, V)| {
            writer.text(key);
            writer.raw(separator);
            write(writer, value)
        };
        if is_v3 {
            return self.typed("g:Map", |writer| writer.array(pairs, write_pair));
        }
        self.raw("{");
        self.sequence(pairs, write_pair)?;
        self.raw("}");
        Ok(())
    }

    pub(super) fn item(&mut self, item: &Item) -> Written {
        match item {
            Item::Value(value) => self.value(value),
            Item::List(items) => self.collection("g:List", items, Self::item),
            Item::Set(items) => self.collection("g:Set", items, Self::item),
            Item::Map(pairs) => self.map(pairs),
            Item::Vertex(vertex) => self.typed("g:Vertex", |writer| writer.vertex(vertex)),
            Item::Edge(edge) => self.typed("g:Edge", |writer| writer.edge(edge)),
            Item::VertexProperty(property) => {
                self.typed("g:VertexProperty", |writer| writer.vertex_property(property, true))
            }
            Item::Property(property) => self.typed("g:Property", |writer| writer.property(property)),
            Item::Path(path) => self.typed("g:Path", |writer| writer.path(path)),
            Item::Traverser { item, .. } if !self.is_typed() => self.item(item),
            Item::Traverser { bulk, item } => self.typed("g:Traverser", |writer| {
                writer.raw("{\"bulk\":");
                writer.typed_raw("g:Int64", &bulk.to_string())?;
                writer.raw(",\"value\":");
                writer.item(item)?;
                writer.raw("}");
                Ok(())
            }),
            Item::BulkSet(items) if self.is_v3() => self.typed("g:BulkSet", |writer| {
                writer.array(items, |writer, (item, bulk)| {
                    writer.item(item)?;
                    writer.raw(",");
                    writer.typed_raw("g:Int64", &bulk.to_string())
                })
            }),
            Item::BulkSet(items) => {
                let repeated = items
                    .iter()
                    .flat_map(|(item, bulk)| std::iter::repeat_n(item, usize::try_from(*bulk).unwrap_or_default()));
                self.array(repeated, Self::item)
            }
            Item::Tree(tree) => self.tree(tree),
            Item::Metrics(metrics) => self.metrics(metrics),
            Item::TraversalMetrics(metrics) => self.typed("g:TraversalMetrics", |writer| {
                let milliseconds = milliseconds(metrics.nanoseconds);
                writer.entries([("dur", None), ("metrics", Some(&metrics.steps))], |writer, steps| match steps {
                    None => writer.double(milliseconds),
                    Some(steps) => writer.collection("g:List", steps, Self::metrics),
                })
            }),
        }
    }

    fn map(&mut self, pairs: &[(Item, Item)]) -> Written {
        if self.is_v3() {
            return self.typed("g:Map", |writer| {
                writer.array(pairs, |writer, (key, value)| {
                    writer.item(key)?;
                    writer.raw(",");
                    writer.item(value)
                })
            });
        }
        self.raw("{");
        self.sequence(pairs, |writer, (key, value)| {
            writer.text(&key_text(key));
            writer.raw(":");
            writer.item(value)
        })?;
        self.raw("}");
        Ok(())
    }

    fn vertex(&mut self, vertex: &Vertex) -> Written {
        self.raw("{\"id\":");
        self.item(&vertex.id)?;
        self.raw(",\"label\":");
        self.text(&vertex.label);
        if !self.is_typed() {
            self.raw(",\"type\":\"vertex\"");
        }
        if !vertex.properties.is_empty() {
            self.raw(",\"properties\":{");
            // Values of one key are together, in the order of the keys' first appearance.
            let mut groups: Vec<(&Text, Vec<&VertexProperty>)> = Vec::new();
            for property in &vertex.properties {
                match groups.iter_mut().find(|(key, _)| **key == property.label) {
                    Some((_, group)) => group.push(property),
                    None => groups.push((&property.label, vec![property])),
                }
            }
            self.sequence(groups, |writer, (key, group)| {
                writer.text(key);
                writer.raw(":");
                writer.array(group, |writer, property| {
                    let is_typed = writer.is_typed();
                    writer.typed("g:VertexProperty", |writer| writer.vertex_property(property, is_typed))
                })
            })?;
            self.raw("}");
        }
        self.raw("}");
        Ok(())
    }

    fn vertex_property(&mut self, property: &VertexProperty, with_label: bool) -> Written {
        self.raw("{\"id\":");
        self.item(&property.id)?;
        self.raw(",\"value\":");
        self.item(&property.value)?;
        if with_label {
            self.raw(",\"label\":");
            self.text(&property.label);
        }
        if !property.properties.is_empty() {
            self.raw(",\"properties\":{");
            self.sequence(&property.properties, |writer, meta| {
                writer.text(&meta.key);
                writer.raw(":");
                writer.item(&meta.value)
            })?;
            self.raw("}");
        }
        self.raw("}");
        Ok(())
    }

    fn edge(&mut self, edge: &Edge) -> Written {
        self.raw("{\"id\":");
        self.item(&edge.id)?;
        self.raw(",\"label\":");
        self.text(&edge.label);
        if !self.is_typed() {
            self.raw(",\"type\":\"edge\"");
        }
        self.raw(",\"inVLabel\":");
        self.text(&edge.in_label);
        self.raw(",\"outVLabel\":");
        self.text(&edge.out_label);
        self.raw(",\"inV\":");
        self.item(&edge.in_id)?;
        self.raw(",\"outV\":");
        self.item(&edge.out_id)?;
        if !edge.properties.is_empty() {
            self.raw(",\"properties\":{");
            self.sequence(&edge.properties, |writer, property| {
                writer.text(&property.key);
                writer.raw(":");
                if writer.is_typed() {
                    writer.typed("g:Property", |writer| writer.property(property))
                } else {
                    writer.item(&property.value)
                }
            })?;
            self.raw("}");
        }
        self.raw("}");
        Ok(())
    }

    fn property(&mut self, property: &Property) -> Written {
        self.raw("{\"key\":");
        self.text(&property.key);
        self.raw(",\"value\":");
        self.item(&property.value)?;
        self.raw("}");
        Ok(())
    }

    fn path(&mut self, path: &Path) -> Written {
        self.raw("{\"labels\":");
        self.collection("g:List", &path.labels, |writer, labels| {
            writer.collection("g:Set", labels, |writer, label| {
                writer.text(label);
                Ok(())
            })
        })?;
        self.raw(",\"objects\":");
        self.collection("g:List", &path.objects, Self::item)?;
        self.raw("}");
        Ok(())
    }

    /// Typed: an array of keys and subtrees. Plain: an object by the keys' texts.
    fn tree(&mut self, tree: &Tree) -> Written {
        if self.is_typed() {
            return self.typed("g:Tree", |writer| {
                writer.array(&tree.0, |writer, (key, subtree)| {
                    writer.raw("{\"key\":");
                    writer.item(key)?;
                    writer.raw(",\"value\":");
                    writer.tree(subtree)?;
                    writer.raw("}");
                    Ok(())
                })
            });
        }
        self.raw("{");
        self.sequence(&tree.0, |writer, (key, subtree)| {
            let id = match key {
                Item::Vertex(vertex) => &vertex.id,
                Item::Edge(edge) => &edge.id,
                other => other,
            };
            writer.text(&key_text(id));
            writer.raw(":{\"key\":");
            writer.item(key)?;
            writer.raw(",\"value\":");
            writer.tree(subtree)?;
            writer.raw("}");
            Ok(())
        })?;
        self.raw("}");
        Ok(())
    }

    fn metrics(&mut self, metrics: &Metrics) -> Written {
        enum Part<'m> {
            Text(&'m Text),
            Duration(f64),
            Counts(&'m [(Text, i64)]),
            Annotations(&'m [(Text, Item)]),
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
                    Ok(())
                }
                Part::Duration(milliseconds) => writer.double(milliseconds),
                Part::Counts(counts) => {
                    let counts = counts.iter().map(|(key, count)| (key.as_str(), count));
                    writer.entries(counts, |writer, count| writer.typed_raw("g:Int64", &count.to_string()))
                }
                Part::Annotations(annotations) => writer.text_map(annotations),
                Part::Nested(nested) => writer.collection("g:List", nested, Self::metrics),
            })
        })
    }

    fn double(&mut self, number: f64) -> Written {
        self.typed("g:Double", |writer| {
            if number.is_finite() {
                writer.raw(&format!("{number:?}"));
            } else {
                writer.text(special(number));
            }
            Ok(())
        })
    }

    fn value(&mut self, value: &Value) -> Written {
        match value {
            Value::Null => self.raw("null"),
            Value::Boolean(flag) => self.raw(if *flag { "true" } else { "false" }),
            Value::Byte(number) => self.typed_raw("gx:Byte", &number.to_string())?,
            Value::Short(number) => self.typed_raw("gx:Int16", &number.to_string())?,
            Value::Int(number) => self.typed_raw("g:Int32", &number.to_string())?,
            Value::Long(number) => self.typed_raw("g:Int64", &number.to_string())?,
            Value::BigInteger(number) => self.typed_raw("gx:BigInteger", &number.to_string())?,
            Value::Float(number) if number.is_finite() => self.typed_raw("g:Float", &format!("{number:?}"))?,
            Value::Float(number) => self.typed_text("g:Float", special((*number).into()))?,
            Value::Double(number) => self.double(*number)?,
            Value::BigDecimal(number) => {
                let (digits, scale) = number.as_bigint_and_exponent();
                let text = if scale == 0 { digits.to_string() } else { format!("{digits}E{}", scale.saturating_neg()) };
                self.typed_raw("gx:BigDecimal", &text)?;
            }
            Value::Char(character) => self.typed_text("gx:Char", character.encode_utf8(&mut [0; 4]))?,
            Value::Text(text) => self.text(text),
            Value::Binary(bytes) => self.typed_text("gx:ByteBuffer", &STANDARD.encode(bytes))?,
            Value::Uuid(bits) => self.typed_text("g:UUID", &uuid::Uuid::from_u128(*bits).to_string())?,
            Value::DateTime(moment) => self.typed_text("gx:OffsetDateTime", &moment.to_string())?,
            Value::Duration(duration) => self.typed_text("gx:Duration", &duration.to_string())?,
            Value::List(items) => self.collection("g:List", items, Self::value)?,
            Value::Set(items) => self.collection("g:Set", items, Self::value)?,
            Value::Map(_) => self.item(&Item::from(value.clone()))?,
            Value::Enum(constant) => {
                let name = constant.name();
                self.typed_text(&format!("g:{}", constant.class()), name)?;
            }
            Value::Predicate(predicate) => self.predicate(predicate)?,
            Value::Strategy(strategy) => self.strategy(strategy)?,
            Value::Element(element) => self.item(&reference(element))?,
            Value::Traversal(traversal) => self.bytecode(&traversal.to_bytecode())?,
            Value::Bytecode(bytecode) => self.bytecode(bytecode)?,
            Value::WithCardinality(cardinality, value) => {
                let arguments = vec![Value::Enum((*cardinality).into()), (**value).clone()];
                let source = vec![Instruction::new("CardinalityValueTraversal", arguments)];
                self.bytecode(&Bytecode { source, steps: Vec::new() })?;
            }
            Value::Now | Value::NewUuid | Value::Deferred(_) => {
                return Err(CodecError::Misplaced { what: value.kind(), done: "sent before it is evaluated" });
            }
        }
        Ok(())
    }

    fn predicate(&mut self, predicate: &Predicate) -> Written {
        let name = if matches!(predicate, Predicate::Text(..)) { "g:TextP" } else { "g:P" };
        let (operator, values) = predicate_parts(predicate);
        self.typed(name, |writer| {
            writer.raw("{\"predicate\":");
            writer.text(operator);
            writer.raw(",\"value\":");
            match values.as_slice() {
                [single] if !matches!(operator, "within" | "without" | "and" | "or") => writer.value(single)?,
                // Only values that were a collection are one with a type.
                several if matches!(operator, "within" | "without") => {
                    writer.collection("g:List", several, Self::value)?;
                }
                several => writer.array(several, Self::value)?,
            }
            writer.raw("}");
            Ok(())
        })
    }

    fn strategy(&mut self, strategy: &Strategy) -> Written {
        self.typed(&format!("g:{}", strategy.name), |writer| {
            writer.raw("{");
            writer.sequence(&strategy.options, |writer, (key, value)| {
                writer.text(key);
                writer.raw(":");
                writer.value(value)
            })?;
            writer.raw("}");
            Ok(())
        })
    }

    fn bytecode(&mut self, bytecode: &Bytecode) -> Written {
        self.typed("g:Bytecode", |writer| {
            writer.raw("{");
            let parts = [("source", &bytecode.source), ("step", &bytecode.steps)];
            let parts = parts.into_iter().filter(|(_, calls)| !calls.is_empty());
            writer.sequence(parts, |writer, (name, calls)| {
                writer.text(name);
                writer.raw(":");
                writer.array(calls, |writer, call: &Instruction| {
                    writer.raw("[");
                    writer.text(&call.name);
                    for argument in &call.arguments {
                        writer.raw(",");
                        writer.value(argument)?;
                    }
                    writer.raw("]");
                    Ok(())
                })
            })?;
            writer.raw("}");
            Ok(())
        })
    }
}

fn milliseconds(nanoseconds: i64) -> f64 {
    std::time::Duration::from_nanos(nanoseconds.unsigned_abs()).as_secs_f64() * 1000.0
}

fn special(number: f64) -> &'static str {
    match number {
        _ if number.is_nan() => "NaN",
        _ if number < 0.0 => "-Infinity",
        _ => "Infinity",
    }
}

/// A map's key where only texts can be keys.
fn key_text(key: &Item) -> String {
    match key {
        Item::Value(Value::Text(text)) => text.to_string(),
        Item::Value(Value::Enum(constant)) => constant.name().to_owned(),
        Item::Value(Value::Byte(number)) => number.to_string(),
        Item::Value(Value::Short(number)) => number.to_string(),
        Item::Value(Value::Long(number)) => number.to_string(),
        Item::Value(Value::BigInteger(number)) => number.to_string(),
        Item::Value(Value::Float(number)) => format!("{number:?}"),
        Item::Value(Value::Double(number)) => format!("{number:?}"),
        Item::Value(Value::Char(character)) => character.to_string(),
        Item::Value(Value::Uuid(bits)) => uuid::Uuid::from_u128(*bits).to_string(),
        Item::Value(Value::DateTime(moment)) => moment.to_string(),
        Item::Value(Value::Duration(duration)) => duration.to_string(),
        Item::Value(value) => value.to_string(),
        Item::List(items) | Item::Set(items) => {
            format!("[{}]", items.iter().map(key_text).collect::<Vec<_>>().join(", "))
        }
        Item::Map(pairs) => {
            let pairs = pairs.iter().map(|(key, value)| format!("{}={}", key_text(key), key_text(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        Item::Vertex(vertex) => format!("v[{}]", key_text(&vertex.id)),
        Item::Edge(edge) => {
            let (id, from, to) = (key_text(&edge.id), key_text(&edge.out_id), key_text(&edge.in_id));
            format!("e[{id}][{from}-{}->{to}]", edge.label)
        }
        Item::VertexProperty(property) => format!("vp[{}->{}]", property.label, key_text(&property.value)),
        Item::Property(property) => format!("p[{}->{}]", property.key, key_text(&property.value)),
        Item::Path(path) => format!("path[{}]", path.objects.iter().map(key_text).collect::<Vec<_>>().join(", ")),
        Item::Traverser { item, .. } => key_text(item),
        Item::BulkSet(_) | Item::Tree(_) | Item::Metrics(_) | Item::TraversalMetrics(_) => "a result".to_owned(),
    }
}
