//! Writes GraphBinary.

use gremlin::{Bytecode, Instruction, Predicate, TypeName, Value};

use super::code;
use crate::error::CodecError;
use crate::item::{Edge, Item, Metrics, Property, Tree, Vertex, VertexProperty};

type Written = Result<(), CodecError>;

pub(super) struct Writer<'o> {
    pub(super) out: &'o mut Vec<u8>,
}

/// The name of a predicate and its arguments, as messages have them.
pub(crate) fn predicate_parts(predicate: &Predicate) -> (&'static str, Vec<Value>) {
    let nested = |inner: &[Predicate]| inner.iter().cloned().map(|p| Value::Predicate(Box::new(p))).collect();
    match predicate {
        Predicate::Compare(comparison, value) => (comparison.name(), vec![value.clone()]),
        Predicate::Range(interval, low, high) => (interval.name(), vec![low.clone(), high.clone()]),
        Predicate::Within(values) => ("within", values.clone()),
        Predicate::Without(values) => ("without", values.clone()),
        Predicate::Text(test, value) => (test.name(), vec![value.clone()]),
        Predicate::TypeOf(TypeName::Known(gtype)) => ("typeOf", vec![Value::Enum((*gtype).into())]),
        Predicate::TypeOf(TypeName::Named(name)) => ("typeOf", vec![Value::Text(name.clone())]),
        Predicate::Not(inner) => ("not", vec![Value::Predicate(inner.clone())]),
        Predicate::And(inner) => ("and", nested(inner)),
        Predicate::Or(inner) => ("or", nested(inner)),
    }
}

impl Writer<'_> {
    fn typed(&mut self, code: u8, bytes: &[u8]) -> Written {
        self.out.extend([code, 0]);
        self.out.extend(bytes);
        Ok(())
    }

    fn null(&mut self) {
        self.out.extend([code::NULL, 1]);
    }

    fn count(&mut self, count: usize) -> Written {
        let count = i32::try_from(count).map_err(|_| CodecError::TooLarge {
            what: "items or bytes",
            limit: "the format's",
            max: usize::try_from(i32::MAX).unwrap_or_default(),
        })?;
        self.out.extend(count.to_be_bytes());
        Ok(())
    }

    fn bytes(&mut self, bytes: &[u8]) -> Written {
        self.count(bytes.len())?;
        self.out.extend(bytes);
        Ok(())
    }

    pub(super) fn text(&mut self, text: &str) -> Written {
        self.bytes(text.as_bytes())
    }

    fn typed_text(&mut self, text: &str) -> Written {
        self.out.extend([code::STRING, 0]);
        self.text(text)
    }

    pub(super) fn text_map<K: AsRef<str>>(&mut self, pairs: &[(K, Item)]) -> Written {
        self.count(pairs.len())?;
        for (key, item) in pairs {
            self.typed_text(key.as_ref())?;
            self.item(item)?;
        }
        Ok(())
    }

    fn list<'i, I: 'i>(
        &mut self,
        code: u8,
        items: &'i [I],
        mut write: impl FnMut(&mut Self, &'i I) -> Written,
    ) -> Written {
        self.out.extend([code, 0]);
        self.count(items.len())?;
        items.iter().try_for_each(|item| write(self, item))
    }

    pub(super) fn item(&mut self, item: &Item) -> Written {
        match item {
            Item::Value(value) => self.value(value),
            Item::List(items) => self.list(code::LIST, items, Self::item),
            Item::Set(items) => self.list(code::SET, items, Self::item),
            Item::Map(pairs) => self.list(code::MAP, pairs, |writer, (key, value)| {
                writer.item(key)?;
                writer.item(value)
            }),
            Item::Vertex(vertex) => self.vertex(vertex),
            Item::Edge(edge) => self.edge(edge),
            Item::VertexProperty(property) => self.vertex_property(property),
            Item::Property(property) => self.property(property),
            Item::Path(path) => {
                self.out.extend([code::PATH, 0]);
                self.list(code::LIST, &path.labels, |writer, labels| {
                    writer.list(code::SET, labels, |writer, label| writer.typed_text(label))
                })?;
                self.list(code::LIST, &path.objects, Self::item)
            }
            Item::Traverser { bulk, item } => {
                self.typed(code::TRAVERSER, &bulk.to_be_bytes())?;
                self.item(item)
            }
            Item::BulkSet(items) => self.list(code::BULK_SET, items, |writer, (item, bulk)| {
                writer.item(item)?;
                writer.out.extend(bulk.to_be_bytes());
                Ok(())
            }),
            Item::Tree(tree) => {
                self.out.extend([code::TREE, 0]);
                self.tree(tree)
            }
            Item::Metrics(metrics) => self.metrics(metrics),
            Item::TraversalMetrics(metrics) => {
                self.typed(code::TRAVERSAL_METRICS, &metrics.nanoseconds.to_be_bytes())?;
                self.list(code::LIST, &metrics.steps, Self::metrics)
            }
        }
    }

    fn vertex(&mut self, vertex: &Vertex) -> Written {
        self.out.extend([code::VERTEX, 0]);
        self.item(&vertex.id)?;
        self.text(&vertex.label)?;
        if vertex.properties.is_empty() {
            self.null();
            return Ok(());
        }
        self.list(code::LIST, &vertex.properties, Self::vertex_property)
    }

    fn edge(&mut self, edge: &Edge) -> Written {
        self.out.extend([code::EDGE, 0]);
        self.item(&edge.id)?;
        self.text(&edge.label)?;
        self.item(&edge.in_id)?;
        self.text(&edge.in_label)?;
        self.item(&edge.out_id)?;
        self.text(&edge.out_label)?;
        // The parent is never sent.
        self.null();
        self.properties(&edge.properties)
    }

    fn vertex_property(&mut self, property: &VertexProperty) -> Written {
        self.out.extend([code::VERTEX_PROPERTY, 0]);
        self.item(&property.id)?;
        self.text(&property.label)?;
        self.item(&property.value)?;
        self.null();
        self.properties(&property.properties)
    }

    fn properties(&mut self, properties: &[Property]) -> Written {
        if properties.is_empty() {
            self.null();
            return Ok(());
        }
        self.list(code::LIST, properties, Self::property)
    }

    fn property(&mut self, property: &Property) -> Written {
        self.out.extend([code::PROPERTY, 0]);
        self.text(&property.key)?;
        self.item(&property.value)?;
        self.null();
        Ok(())
    }

    fn tree(&mut self, tree: &Tree) -> Written {
        self.count(tree.0.len())?;
        for (key, subtree) in &tree.0 {
            self.item(key)?;
            self.tree(subtree)?;
        }
        Ok(())
    }

    fn metrics(&mut self, metrics: &Metrics) -> Written {
        self.out.extend([code::METRICS, 0]);
        self.text(&metrics.id)?;
        self.text(&metrics.name)?;
        self.out.extend(metrics.nanoseconds.to_be_bytes());
        self.list(code::MAP, &metrics.counts, |writer, (key, count)| {
            writer.typed_text(key)?;
            writer.typed(code::LONG, &count.to_be_bytes())
        })?;
        self.list(code::MAP, &metrics.annotations, |writer, (key, item)| {
            writer.typed_text(key)?;
            writer.item(item)
        })?;
        self.list(code::LIST, &metrics.nested, Self::metrics)
    }

    fn value(&mut self, value: &Value) -> Written {
        match value {
            Value::Null => {
                self.null();
                Ok(())
            }
            Value::Boolean(flag) => self.typed(code::BOOLEAN, &[u8::from(*flag)]),
            Value::Byte(number) => self.typed(code::BYTE, &number.to_be_bytes()),
            Value::Short(number) => self.typed(code::SHORT, &number.to_be_bytes()),
            Value::Int(number) => self.typed(code::INT, &number.to_be_bytes()),
            Value::Long(number) => self.typed(code::LONG, &number.to_be_bytes()),
            Value::BigInteger(number) => {
                self.out.extend([code::BIG_INTEGER, 0]);
                self.bytes(&number.to_signed_bytes_be())
            }
            Value::Float(number) => self.typed(code::FLOAT, &number.to_be_bytes()),
            Value::Double(number) => self.typed(code::DOUBLE, &number.to_be_bytes()),
            Value::BigDecimal(number) => {
                let (digits, scale) = number.as_bigint_and_exponent();
                let scale = i32::try_from(scale).map_err(|_| CodecError::value(scale, "a scale of 32 bits"))?;
                self.typed(code::BIG_DECIMAL, &scale.to_be_bytes())?;
                self.bytes(&digits.to_signed_bytes_be())
            }
            Value::Char(character) => self.typed(code::CHAR, character.encode_utf8(&mut [0; 4]).as_bytes()),
            Value::Text(text) => self.typed_text(text),
            Value::Binary(bytes) => {
                self.out.extend([code::BYTE_BUFFER, 0]);
                self.bytes(bytes)
            }
            Value::Uuid(bits) => self.typed(code::UUID, &bits.to_be_bytes()),
            Value::DateTime(moment) => {
                self.typed(code::OFFSET_DATE_TIME, &moment.year.to_be_bytes())?;
                self.out.extend([moment.month, moment.day]);
                self.out.extend(moment.nanosecond.to_be_bytes());
                self.out.extend(moment.offset_seconds.to_be_bytes());
                Ok(())
            }
            Value::Duration(duration) => {
                self.typed(code::DURATION, &duration.seconds.to_be_bytes())?;
                self.out.extend(duration.nanoseconds.to_be_bytes());
                Ok(())
            }
            Value::List(items) => self.list(code::LIST, items, Self::value),
            Value::Set(items) => self.list(code::SET, items, Self::value),
            Value::Map(pairs) => self.list(code::MAP, pairs, |writer, (key, value)| {
                writer.value(key)?;
                writer.value(value)
            }),
            other => self.of_the_language(other),
        }
    }

    /// Values that only traversals have.
    fn of_the_language(&mut self, value: &Value) -> Written {
        match value {
            Value::Enum(constant) => {
                let code = code::ENUMS.iter().find(|(_, class)| *class == constant.class());
                self.out.extend([code.map_or(code::NULL, |(code, _)| *code), 0]);
                self.typed_text(constant.name())
            }
            Value::Predicate(predicate) => {
                let code = if matches!(**predicate, Predicate::Text(..)) { code::TEXT_P } else { code::P };
                let (name, values) = predicate_parts(predicate);
                self.out.extend([code, 0]);
                self.text(name)?;
                self.values(&values)
            }
            Value::Strategy(strategy) => {
                self.out.extend([code::STRATEGY, 0]);
                self.text(&strategy.name)?;
                self.count(strategy.options.len())?;
                for (key, value) in &strategy.options {
                    self.typed_text(key)?;
                    self.value(value)?;
                }
                Ok(())
            }
            Value::Element(element) => self.item(&crate::item::reference(element)),
            Value::Traversal(traversal) => self.bytecode(&traversal.to_bytecode()),
            Value::Bytecode(bytecode) => self.bytecode(bytecode),
            Value::WithCardinality(cardinality, value) => {
                let arguments = vec![Value::Enum((*cardinality).into()), (**value).clone()];
                let source = vec![Instruction::new("CardinalityValueTraversal", arguments)];
                self.bytecode(&Bytecode { source, steps: Vec::new() })
            }
            other => Err(CodecError::Misplaced { what: other.kind(), done: "sent before it is evaluated" }),
        }
    }

    fn values(&mut self, values: &[Value]) -> Written {
        self.count(values.len())?;
        values.iter().try_for_each(|value| self.value(value))
    }

    fn bytecode(&mut self, bytecode: &Bytecode) -> Written {
        self.out.extend([code::BYTECODE, 0]);
        for calls in [&bytecode.steps, &bytecode.source] {
            self.count(calls.len())?;
            for call in calls {
                self.text(&call.name)?;
                self.values(&call.arguments)?;
            }
        }
        Ok(())
    }
}
