//! Reads GraphBinary.

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;
use gremlin::{Bytecode, Instruction, Predicate, Strategy, Text, Value};
use query_value::{Cardinality, DateTime, Duration, Enum};

use super::code;
use crate::error::CodecError;
use crate::item::{Edge, Item, Metrics, Path, Property, TraversalMetrics, Tree, Vertex, VertexProperty};
use crate::limits::{ITEMS_MAX, NESTING_MAX};

type Read<V> = Result<V, CodecError>;

pub(super) struct Reader<'b> {
    bytes: &'b [u8],
    depth: usize,
    items: usize,
}

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, depth: 0, items: 0 }
    }

    pub(super) fn finish(&self) -> Read<()> {
        if self.bytes.is_empty() { Ok(()) } else { Err(CodecError::Trailing { count: self.bytes.len() }) }
    }

    fn take(&mut self, count: usize) -> Read<&'b [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or(CodecError::End)?;
        self.bytes = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Read<[u8; N]> {
        let (taken, rest) = self.bytes.split_first_chunk().ok_or(CodecError::End)?;
        self.bytes = rest;
        Ok(*taken)
    }

    fn byte(&mut self) -> Read<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn int(&mut self) -> Read<i32> {
        self.array().map(i32::from_be_bytes)
    }

    fn long(&mut self) -> Read<i64> {
        self.array().map(i64::from_be_bytes)
    }

    pub(super) fn uuid(&mut self) -> Read<u128> {
        self.array().map(u128::from_be_bytes)
    }

    pub(super) fn version(&mut self, version: u8) -> Read<()> {
        let found = self.byte()?;
        if found == version { Ok(()) } else { Err(CodecError::value(found, "version 1 of GraphBinary (129)")) }
    }

    /// The flag of a value that may be null.
    pub(super) fn is_null(&mut self) -> Read<bool> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            // Ordered maps and bulked lists have a flag of their own and are read as any other.
            2 => Ok(false),
            other => Err(CodecError::value(other, "a flag")),
        }
    }

    /// A count of what takes at least a byte each.
    fn count(&mut self) -> Read<usize> {
        let count = self.int()?;
        let count = usize::try_from(count).map_err(|_| CodecError::value(count, "a length"))?;
        if count > self.bytes.len() { Err(CodecError::End) } else { Ok(count) }
    }

    pub(super) fn text(&mut self) -> Read<Text> {
        let length = self.count()?;
        let bytes = self.take(length)?;
        std::str::from_utf8(bytes).map(Text::from).map_err(|_| CodecError::value("a string", "UTF-8"))
    }

    fn bytes(&mut self) -> Read<&'b [u8]> {
        let length = self.count()?;
        self.take(length)
    }

    /// A map without its type, whose keys are texts.
    pub(super) fn text_map(&mut self) -> Read<Vec<(Text, Item)>> {
        self.list(|reader| {
            let key = reader.item()?;
            let key = key.as_text().map(Text::from).ok_or_else(|| CodecError::value("a key", "a string"))?;
            Ok((key, reader.item()?))
        })
    }

    fn list<V>(&mut self, mut read: impl FnMut(&mut Self) -> Read<V>) -> Read<Vec<V>> {
        let count = self.count()?;
        let mut all = Vec::with_capacity(count.min(1024));
        for _ in 0..count {
            all.push(read(self)?);
        }
        Ok(all)
    }

    fn deeper<V>(&mut self, read: impl FnOnce(&mut Self) -> Read<V>) -> Read<V> {
        if self.depth >= NESTING_MAX {
            return Err(CodecError::TooLarge { what: "nested values", limit: "NESTING_MAX", max: NESTING_MAX });
        }
        self.items += 1;
        if self.items > ITEMS_MAX {
            return Err(CodecError::TooLarge { what: "values", limit: "ITEMS_MAX", max: ITEMS_MAX });
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// A value with its type.
    pub(super) fn item(&mut self) -> Read<Item> {
        self.deeper(|reader| {
            let code = reader.byte()?;
            if reader.is_null()? {
                return Ok(Item::Value(Value::Null));
            }
            reader.of_type(code)
        })
    }

    fn value(&mut self) -> Read<Value> {
        self.item()?.into_value()
    }

    fn of_type(&mut self, code: u8) -> Read<Item> {
        let value = match code {
            code::LIST => return self.list(Self::item).map(Item::List),
            code::SET => return self.list(Self::item).map(Item::Set),
            code::MAP => return self.list(|reader| Ok((reader.item()?, reader.item()?))).map(Item::Map),
            code::VERTEX
            | code::EDGE
            | code::VERTEX_PROPERTY
            | code::PROPERTY
            | code::PATH
            | code::TRAVERSER
            | code::BULK_SET
            | code::TREE
            | code::METRICS
            | code::TRAVERSAL_METRICS => return self.result(code),
            code::BINDING => {
                self.text()?;
                return self.item();
            }
            code::BYTECODE => self.bytecode()?,
            code::P | code::TEXT_P => {
                let name = self.text()?;
                predicate(&name, self.list(Self::value)?)?
            }
            code::CLASS => strategy(&self.text()?, Vec::new()),
            code::STRATEGY => {
                let name = self.text()?;
                let options = self.text_map()?;
                let options = options.into_iter().map(|(key, item)| Ok((key, item.into_value()?)));
                strategy(&name, options.collect::<Read<_>>()?)
            }
            code::LAMBDA => return Err(CodecError::Lambda),
            _ => match code::ENUMS.iter().find(|(known, _)| *known == code) {
                Some((_, class)) => {
                    let name = self.item()?;
                    let name = name.as_text().unwrap_or_default();
                    let constant = Enum::from_script(class, name);
                    Value::Enum(constant.ok_or_else(|| CodecError::value(name, "a constant of its enumeration"))?)
                }
                None => self.scalar(code)?,
            },
        };
        Ok(Item::Value(value))
    }

    fn scalar(&mut self, code: u8) -> Read<Value> {
        Ok(match code {
            code::INT => Value::Int(self.int()?),
            code::LONG => Value::Long(self.long()?),
            code::STRING => Value::Text(self.text()?),
            code::DATE | code::TIMESTAMP => {
                let milliseconds = self.long()?;
                moment(milliseconds.div_euclid(1000), milliseconds.rem_euclid(1000) * 1_000_000)?
            }
            code::INSTANT => {
                let (seconds, nanoseconds) = (self.long()?, self.int()?);
                moment(seconds, nanoseconds.into())?
            }
            code::DOUBLE => Value::Double(f64::from_be_bytes(self.array()?)),
            code::FLOAT => Value::Float(f32::from_be_bytes(self.array()?)),
            code::UUID => Value::Uuid(self.uuid()?),
            code::BIG_DECIMAL => {
                let scale = self.int()?;
                Value::BigDecimal(BigDecimal::new(BigInt::from_signed_bytes_be(self.bytes()?), scale.into()))
            }
            code::BIG_INTEGER => Value::BigInteger(BigInt::from_signed_bytes_be(self.bytes()?)),
            code::BYTE => Value::Byte(i8::from_be_bytes(self.array()?)),
            code::BYTE_BUFFER => Value::Binary(self.bytes()?.into()),
            code::SHORT => Value::Short(i16::from_be_bytes(self.array()?)),
            code::BOOLEAN => match self.byte()? {
                0 => Value::Boolean(false),
                1 => Value::Boolean(true),
                other => return Err(CodecError::value(other, "a boolean")),
            },
            code::CHAR => self.character()?,
            code::DURATION => {
                let (seconds, nanoseconds) = (self.long()?, self.int()?);
                let nanoseconds = u32::try_from(nanoseconds).ok().filter(|part| *part < 1_000_000_000);
                let nanoseconds = nanoseconds.ok_or_else(|| CodecError::value("a duration", "in range"))?;
                Value::Duration(Duration { seconds, nanoseconds })
            }
            code::OFFSET_DATE_TIME => {
                let (year, month, day) = (self.int()?, self.byte()?, self.byte()?);
                let (nanosecond, offset_seconds) = (self.long()?, self.int()?);
                let wrong = || CodecError::value("a datetime", "in range");
                let nanosecond = u64::try_from(nanosecond).map_err(|_| wrong())?;
                let in_range = (1..=12).contains(&month)
                    && (1..=31).contains(&day)
                    && nanosecond < 86_400_000_000_000
                    && offset_seconds.abs_diff(0) <= 18 * 3600;
                if !in_range {
                    return Err(wrong());
                }
                Value::DateTime(DateTime { year, month, day, nanosecond, offset_seconds })
            }
            other => return Err(CodecError::UnknownType { name: format!("0x{other:02x}") }),
        })
    }

    /// A character of one to four bytes.
    fn character(&mut self) -> Read<Value> {
        let first = self.bytes.first().copied().ok_or(CodecError::End)?;
        let length = match first {
            0..=0x7f => 1,
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            _ => 4,
        };
        let text = std::str::from_utf8(self.take(length)?).ok().and_then(|text| text.chars().next());
        text.map(Value::Char).ok_or_else(|| CodecError::value("a character", "UTF-8"))
    }

    fn bytecode(&mut self) -> Read<Value> {
        let mut calls = || {
            self.list(|reader| {
                let name = reader.text()?;
                let arguments = reader.list(Self::value)?;
                Ok(Instruction { name, arguments, span: None })
            })
        };
        let steps = calls()?;
        let source = calls()?;
        Ok(bytecode(Bytecode { source, steps }))
    }

    /// Elements and results.
    fn result(&mut self, code: u8) -> Read<Item> {
        Ok(match code {
            code::VERTEX => {
                let (id, label) = (self.item()?, self.text()?);
                let properties = vertex_properties(self.item()?);
                Item::Vertex(Box::new(Vertex { id, label, properties }))
            }
            code::EDGE => {
                let (id, label) = (self.item()?, self.text()?);
                let (in_id, in_label) = (self.item()?, self.text()?);
                let (out_id, out_label) = (self.item()?, self.text()?);
                self.item()?;
                let properties = properties(self.item()?);
                Item::Edge(Box::new(Edge { id, label, out_id, out_label, in_id, in_label, properties }))
            }
            code::VERTEX_PROPERTY => {
                let (id, label, value) = (self.item()?, self.text()?, self.item()?);
                self.item()?;
                let properties = properties(self.item()?);
                Item::VertexProperty(Box::new(VertexProperty { id, label, value, properties }))
            }
            code::PROPERTY => {
                let (key, value) = (self.text()?, self.item()?);
                self.item()?;
                Item::Property(Box::new(Property { key, value }))
            }
            code::PATH => {
                let (labels, objects) = (self.item()?, self.item()?);
                Item::Path(Box::new(path(labels, objects)?))
            }
            code::TRAVERSER => Item::Traverser { bulk: self.long()?, item: Box::new(self.item()?) },
            code::BULK_SET => Item::BulkSet(self.list(|reader| Ok((reader.item()?, reader.long()?)))?),
            code::TREE => Item::Tree(self.tree()?),
            code::METRICS => Item::Metrics(Box::new(self.metrics()?)),
            _ => {
                let nanoseconds = self.long()?;
                let steps = step_metrics(self.item()?);
                Item::TraversalMetrics(Box::new(TraversalMetrics { nanoseconds, steps }))
            }
        })
    }

    fn tree(&mut self) -> Read<Tree> {
        self.deeper(|reader| Ok(Tree(reader.list(|reader| Ok((reader.item()?, reader.tree()?)))?)))
    }

    fn metrics(&mut self) -> Read<Metrics> {
        let (id, name, nanoseconds) = (self.text()?, self.text()?, self.long()?);
        let (counts, annotations) = (self.item()?, self.item()?);
        let nested = step_metrics(self.item()?);
        let counts = texts(counts).into_iter().map(|(key, item)| {
            let count = item.into_value().ok().and_then(|value| value.as_i64()).unwrap_or_default();
            (key, count)
        });
        Ok(Metrics { id, name, nanoseconds, counts: counts.collect(), annotations: texts(annotations), nested })
    }
}

/// A moment in UTC.
fn moment(seconds: i64, nanoseconds: i64) -> Read<Value> {
    let moment = DateTime::from_epoch(seconds, nanoseconds);
    moment.map(Value::DateTime).ok_or_else(|| CodecError::value(seconds, "a moment in range"))
}

/// A predicate; a collection as the only value of a comparison with two is both.
pub(crate) fn predicate(name: &str, mut values: Vec<Value>) -> Read<Value> {
    let is_interval = matches!(name, "between" | "inside" | "outside");
    if let ([Value::List(items)], true) = (values.as_mut_slice(), is_interval) {
        values = std::mem::take(items);
    }
    let predicate = Predicate::from_call(name, values);
    predicate
        .map(|predicate| Value::Predicate(Box::new(predicate)))
        .map_err(|error| CodecError::value(error, "a predicate"))
}

/// A strategy by the name of its class, whose package is dropped.
pub(crate) fn strategy(class: &str, options: Vec<(Text, Value)>) -> Value {
    let name = class.rsplit(['.', '$']).next().unwrap_or_default();
    Value::Strategy(Box::new(Strategy { name: name.into(), options }))
}

/// Bytecode, or the value with a cardinality that drivers write as such.
pub(crate) fn bytecode(mut bytecode: Bytecode) -> Value {
    let calls = bytecode.source.len() + bytecode.steps.len();
    let call = bytecode.source.first_mut().or(bytecode.steps.first_mut()).filter(|_| calls == 1);
    if let Some(Instruction { name, arguments, .. }) = call
        && let ("CardinalityValueTraversal", [Value::Enum(Enum::Cardinality(cardinality)), value]) =
            (name.as_str(), arguments.as_mut_slice())
    {
        let cardinality: Cardinality = *cardinality;
        return Value::WithCardinality(cardinality, Box::new(std::mem::replace(value, Value::Null)));
    }
    Value::Bytecode(Box::new(bytecode))
}

fn items(list: Item) -> Vec<Item> {
    if let Item::List(items) | Item::Set(items) = list { items } else { Vec::new() }
}

fn texts(map: Item) -> Vec<(Text, Item)> {
    let Item::Map(pairs) = map else { return Vec::new() };
    pairs.into_iter().filter_map(|(key, value)| Some((key.as_text()?.into(), value))).collect()
}

fn vertex_properties(list: Item) -> Vec<VertexProperty> {
    let all = items(list).into_iter();
    all.filter_map(|item| if let Item::VertexProperty(property) = item { Some(*property) } else { None }).collect()
}

fn properties(list: Item) -> Vec<Property> {
    let all = items(list).into_iter();
    all.filter_map(|item| if let Item::Property(property) = item { Some(*property) } else { None }).collect()
}

fn step_metrics(list: Item) -> Vec<Metrics> {
    let all = items(list).into_iter();
    all.filter_map(|item| if let Item::Metrics(metrics) = item { Some(*metrics) } else { None }).collect()
}

pub(crate) fn path(labels: Item, objects: Item) -> Read<Path> {
    let labels =
        items(labels).into_iter().map(|set| items(set).iter().filter_map(Item::as_text).map(Text::from).collect());
    let path = Path { labels: labels.collect(), objects: items(objects) };
    let is_whole = path.labels.len() == path.objects.len();
    if is_whole { Ok(path) } else { Err(CodecError::value("a path", "of as many objects as sets of labels")) }
}
