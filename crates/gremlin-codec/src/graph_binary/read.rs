//! Reads GraphBinary.

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;
use gremlin::{Bytecode, Instruction, Text, Value};
use query_value::{DateTime, Duration, ElementKind, Enum};

use super::code;
use crate::error::CodecError;
use crate::form;
use crate::limits::{ITEMS_MAX, NESTING_MAX};

type Read<V> = Result<V, CodecError>;

pub(super) struct Reader<'b> {
    bytes: &'b [u8],
    depth: usize,
    items: usize,
    /// How many elements' properties are being read: those of edges and properties may stand only there.
    elements: usize,
}

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, depth: 0, items: 0, elements: 0 }
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
    pub(super) fn text_map(&mut self) -> Read<Vec<(Text, Value)>> {
        self.list(|reader| {
            let Value::Text(key) = reader.value()? else { return Err(CodecError::value("a key", "a string")) };
            Ok((key, reader.value()?))
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
            return Err(form::too_many());
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// A value with its type.
    pub(super) fn value(&mut self) -> Read<Value> {
        self.deeper(|reader| {
            let code = reader.byte()?;
            if reader.is_null()? { Ok(Value::Null) } else { reader.of_type(code) }
        })
    }

    fn of_type(&mut self, code: u8) -> Read<Value> {
        Ok(match code {
            code::LIST => Value::List(self.list(Self::value)?),
            code::SET => Value::Set(self.list(Self::value)?),
            code::MAP => Value::Map(self.list(|reader| Ok((reader.value()?, reader.value()?)))?),
            code::BINDING => {
                self.text()?;
                self.value()?
            }
            code::BYTECODE => self.bytecode()?,
            code::P | code::TEXT_P => {
                let name = self.text()?;
                form::predicate(&name, self.list(Self::value)?)?
            }
            code::CLASS => form::strategy(&self.text()?, Vec::new()),
            code::STRATEGY => {
                let name = self.text()?;
                form::strategy(&name, self.text_map()?)
            }
            code::LAMBDA => return Err(CodecError::Lambda),
            code::VERTEX | code::EDGE | code::VERTEX_PROPERTY | code::PROPERTY => self.element(code)?,
            // The number of times a result occurred says nothing where it is an argument.
            code::TRAVERSER => {
                self.long()?;
                self.value()?
            }
            code::BULK_SET => return Err(form::result("a bulk set")),
            code::PATH => return Err(form::result("a path")),
            code::TREE => return Err(form::result("a tree")),
            code::GRAPH => return Err(form::result("a graph")),
            code::METRICS | code::TRAVERSAL_METRICS => return Err(form::result("a profile")),
            _ => match code::ENUMS.iter().find(|(known, _)| *known == code) {
                Some((_, class)) => {
                    let name = self.value()?;
                    let name = name.as_text().unwrap_or_default();
                    let constant = Enum::from_script(class, name);
                    Value::Enum(constant.ok_or_else(|| CodecError::value(name, "a constant of its enumeration"))?)
                }
                None => self.scalar(code)?,
            },
        })
    }

    /// An element; its properties are read and left out.
    fn element(&mut self, code: u8) -> Read<Value> {
        if code == code::PROPERTY {
            if self.elements == 0 {
                return Err(form::result("a property"));
            }
            self.text()?;
            self.value()?;
            self.inside()?;
            return Ok(Value::Null);
        }
        let (id, label) = (self.value()?, self.text()?);
        let kind = match code {
            code::VERTEX => ElementKind::Vertex,
            code::EDGE => {
                for _ends in 0..2 {
                    self.value()?;
                    self.text()?;
                }
                self.inside()?;
                ElementKind::Edge
            }
            _ => {
                self.value()?;
                self.inside()?;
                ElementKind::VertexProperty
            }
        };
        self.inside()?;
        Ok(form::element(kind, id, label))
    }

    /// What an element belongs to, or its properties.
    fn inside(&mut self) -> Read<()> {
        self.elements += 1;
        self.value()?;
        self.elements -= 1;
        Ok(())
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
                form::big_decimal(BigDecimal::new(BigInt::from_signed_bytes_be(self.bytes()?), scale.into()))?
            }
            code::BIG_INTEGER => form::big_integer(BigInt::from_signed_bytes_be(self.bytes()?))?,
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
                let wrong =
                    || CodecError::value("a datetime", "a day of the years -9999 to 9999, at most 18 hours off");
                let nanosecond = u64::try_from(nanosecond).map_err(|_| wrong())?;
                let in_range = (-9999..=9999).contains(&year)
                    && (1..=days_of(year, month)).contains(&day)
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
        Ok(form::bytecode(Bytecode { source, steps }))
    }
}

/// Days of a month of the proleptic calendar; none of a month that does not exist.
fn days_of(year: i32, month: u8) -> u8 {
    let is_leap = year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0);
    match month {
        2 => 28 + u8::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}

/// A moment in UTC.
fn moment(seconds: i64, nanoseconds: i64) -> Read<Value> {
    let moment = DateTime::from_epoch(seconds, nanoseconds);
    moment.map(Value::DateTime).ok_or_else(|| CodecError::value(seconds, "a moment in range"))
}
