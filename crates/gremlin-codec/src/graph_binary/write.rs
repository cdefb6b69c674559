//! Writes GraphBinary.

use query_value::{Edge, Metrics, Property, Subgraph, Text, Tree, Value, Vertex, VertexProperty};

use super::code;
use crate::error::CodecError;
use crate::form;
use crate::message::Response;

type Written = Result<(), CodecError>;

pub(super) struct Writer<'o> {
    pub(super) out: &'o mut Vec<u8>,
    pub(super) has_dates: bool,
}

impl Writer<'_> {
    /// A type's code, for a value that is not null.
    fn code(&mut self, code: u8) {
        self.out.extend([code, 0]);
    }

    fn typed(&mut self, code: u8, bytes: &[u8]) -> Written {
        self.code(code);
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
        self.code(code::STRING);
        self.text(text)
    }

    /// A map without its type, whose keys are texts.
    pub(super) fn text_map(&mut self, pairs: &[(Text, Value)]) -> Written {
        self.count(pairs.len())?;
        for (key, value) in pairs {
            self.typed_text(key)?;
            self.value(value)?;
        }
        Ok(())
    }

    /// A count, and so many items.
    fn items<I>(
        &mut self,
        items: impl ExactSizeIterator<Item = I>,
        write: impl Fn(&mut Self, I) -> Written,
    ) -> Written {
        self.count(items.len())?;
        for item in items {
            write(self, item)?;
        }
        Ok(())
    }

    fn list<I>(
        &mut self,
        code: u8,
        items: impl ExactSizeIterator<Item = I>,
        write: impl Fn(&mut Self, I) -> Written,
    ) -> Written {
        self.code(code);
        self.items(items, write)
    }

    /// The results of an answer.
    pub(super) fn results(&mut self, response: &Response) -> Written {
        self.code(code::LIST);
        self.count(response.len())?;
        if !response.is_bulked {
            return response.repeated().try_for_each(|value| self.value(value));
        }
        for (value, times) in &response.rows {
            self.typed(code::TRAVERSER, &long(*times).to_be_bytes())?;
            self.value(value)?;
        }
        Ok(())
    }

    /// A value with its type.
    pub(super) fn value(&mut self, value: &Value) -> Written {
        let pair = |writer: &mut Self, (key, value): (&Value, &Value)| {
            writer.value(key)?;
            writer.value(value)
        };
        match value {
            Value::List(items) => self.list(code::LIST, items.iter(), Self::value),
            Value::Set(items) => self.list(code::SET, items.iter(), Self::value),
            Value::Map(pairs) => self.list(code::MAP, pairs.iter(), pair),
            Value::Entry(entry) => self.list(code::MAP, std::iter::once((&entry.0, &entry.1)), pair),
            Value::BulkSet(items) => self.list(code::BULK_SET, items.iter(), |writer, (item, times)| {
                writer.value(item)?;
                writer.out.extend(long(*times).to_be_bytes());
                Ok(())
            }),
            Value::Vertex(vertex) => self.vertex(vertex),
            Value::Edge(edge) => self.edge(edge),
            Value::VertexProperty(property) => self.vertex_property(property),
            Value::Property(property) => self.property(property),
            Value::Path(path) => {
                self.code(code::PATH);
                self.list(code::LIST, path.labels.iter(), |writer, labels| {
                    writer.list(code::SET, labels.iter(), |writer, label| writer.typed_text(label))
                })?;
                self.list(code::LIST, path.objects.iter(), Self::value)
            }
            Value::Tree(tree) => {
                self.code(code::TREE);
                self.tree(tree)
            }
            Value::Graph(graph) => self.graph(graph),
            Value::Metrics(metrics) => {
                self.typed(code::TRAVERSAL_METRICS, &metrics.nanoseconds.to_be_bytes())?;
                self.list(code::LIST, metrics.steps.iter(), Self::metrics)
            }
            Value::Enum(constant) => {
                let class = constant.class();
                let code = code::ENUMS.iter().find(|(_, known)| *known == class).map(|(code, _)| *code);
                self.code(code.ok_or_else(|| CodecError::UnknownType { name: class.to_owned() })?);
                self.typed_text(constant.name())
            }
            scalar => self.scalar(scalar),
        }
    }

    fn vertex(&mut self, vertex: &Vertex) -> Written {
        self.code(code::VERTEX);
        self.value(&vertex.id)?;
        self.text(&vertex.label)?;
        match vertex.properties.as_deref().filter(|properties| !properties.is_empty()) {
            Some(properties) => self.list(code::LIST, properties.iter(), Self::vertex_property),
            None => {
                self.null();
                Ok(())
            }
        }
    }

    fn edge(&mut self, edge: &Edge) -> Written {
        self.code(code::EDGE);
        self.value(&edge.id)?;
        self.text(&edge.label)?;
        for end in [&edge.target, &edge.source] {
            self.value(&end.id)?;
            self.text(&end.label)?;
        }
        // The parent is never sent.
        self.null();
        self.properties(edge.properties.as_deref().map(Vec::as_slice).unwrap_or_default())
    }

    fn vertex_property(&mut self, property: &VertexProperty) -> Written {
        self.code(code::VERTEX_PROPERTY);
        self.value(&property.id)?;
        self.text(&property.key)?;
        self.value(&property.value)?;
        self.null();
        self.properties(&property.meta)
    }

    fn properties(&mut self, properties: &[Property]) -> Written {
        if properties.is_empty() {
            self.null();
            return Ok(());
        }
        self.list(code::LIST, properties.iter(), Self::property)
    }

    fn property(&mut self, property: &Property) -> Written {
        self.code(code::PROPERTY);
        self.text(&property.key)?;
        self.value(&property.value)?;
        self.null();
        Ok(())
    }

    fn tree(&mut self, tree: &Tree) -> Written {
        self.items(tree.0.iter(), |writer, (key, subtree)| {
            writer.value(key)?;
            writer.tree(subtree)
        })
    }

    /// Vertices and edges in forms of their own, with places for what is never sent: parents, and labels of ends.
    fn graph(&mut self, graph: &Subgraph) -> Written {
        self.code(code::GRAPH);
        self.items(graph.vertices.values(), |writer, vertex| {
            writer.value(&vertex.id)?;
            writer.text(&vertex.label)?;
            let properties = vertex.properties.as_deref().map(Vec::as_slice).unwrap_or_default();
            writer.items(properties.iter(), |writer, property| {
                writer.value(&property.id)?;
                writer.text(&property.key)?;
                writer.value(&property.value)?;
                writer.null();
                writer.items(property.meta.iter(), Self::property)
            })
        })?;
        self.items(graph.edges.values(), |writer, edge| {
            writer.value(&edge.id)?;
            writer.text(&edge.label)?;
            for end in [&edge.target, &edge.source] {
                writer.value(&end.id)?;
                writer.null();
            }
            writer.null();
            let properties = edge.properties.as_deref().map(Vec::as_slice).unwrap_or_default();
            writer.items(properties.iter(), Self::property)
        })
    }

    fn metrics(&mut self, metrics: &Metrics) -> Written {
        self.code(code::METRICS);
        self.text(&metrics.id)?;
        self.text(&metrics.name)?;
        self.out.extend(metrics.nanoseconds.to_be_bytes());
        self.list(code::MAP, metrics.counts.iter(), |writer, (key, count)| {
            writer.typed_text(key)?;
            writer.typed(code::LONG, &count.to_be_bytes())
        })?;
        self.list(code::MAP, metrics.annotations.iter(), |writer, (key, value)| {
            writer.typed_text(key)?;
            writer.value(value)
        })?;
        self.list(code::LIST, metrics.nested.iter(), Self::metrics)
    }

    fn scalar(&mut self, value: &Value) -> Written {
        match value {
            Value::Bool(flag) => self.typed(code::BOOLEAN, &[u8::from(*flag)]),
            Value::Byte(number) => self.typed(code::BYTE, &number.to_be_bytes()),
            Value::Short(number) => self.typed(code::SHORT, &number.to_be_bytes()),
            Value::Int(number) => self.typed(code::INT, &number.to_be_bytes()),
            Value::Long(number) => self.typed(code::LONG, &number.to_be_bytes()),
            Value::BigInteger(number) => {
                self.code(code::BIG_INTEGER);
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
            Value::String(text) => self.typed_text(text),
            Value::Bytes(bytes) => {
                self.code(code::BYTE_BUFFER);
                self.bytes(bytes)
            }
            Value::Uuid(bits) => self.typed(code::UUID, &bits.to_be_bytes()),
            Value::DateTime(moment) if self.has_dates => {
                self.typed(code::DATE, &form::milliseconds(moment).to_be_bytes())
            }
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
            // Collections and elements have been written above: what is left is null.
            _ => {
                self.null();
                Ok(())
            }
        }
    }
}

/// A count as the format has it.
fn long(times: u64) -> i64 {
    i64::try_from(times).unwrap_or(i64::MAX)
}
