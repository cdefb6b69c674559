//! Reads PackStream. Every length is checked against the bytes that are there, nesting and the number of values against
//! [`crate::limits`].

use std::sync::Arc;

use cypher_value::{
    Date, DateTime, Duration, ElementId, LocalDateTime, LocalTime, Map, Node, NodeContent, Path, Point, Relationship,
    Text, Time, Value, Zone,
};

use super::{Dialect, structure};
use crate::error::CodecError;
use crate::limits::{NESTING_MAX, VALUES_MAX};

type Read<V> = Result<V, CodecError>;

/// Nanoseconds of a second.
const SECOND_NANOSECONDS: i64 = 1_000_000_000;

/// Nanoseconds of a day.
const DAY_NANOSECONDS: i64 = 86_400_000_000_000;

/// The largest distance of a clock from UTC, in seconds.
const OFFSET_MAX: i32 = 18 * 3_600;

/// Reads values from bytes.
pub struct Reader<'b> {
    bytes: &'b [u8],
    dialect: Dialect,
    depth: usize,
    values: usize,
    takes_elements: bool,
}

impl<'b> Reader<'b> {
    /// Reads what a client sends: nodes, relationships and paths are refused.
    #[must_use]
    pub fn of_client(bytes: &'b [u8], dialect: Dialect) -> Self {
        Self { bytes, dialect, depth: 0, values: 0, takes_elements: false }
    }

    /// Reads what a server sends.
    #[must_use]
    pub fn of_server(bytes: &'b [u8], dialect: Dialect) -> Self {
        Self { takes_elements: true, ..Self::of_client(bytes, dialect) }
    }

    /// Checks that everything has been read.
    ///
    /// # Errors
    /// Bytes are left.
    pub fn finish(&self) -> Read<()> {
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
        self.array().map(|[byte]| byte)
    }

    /// A length of as many bytes as the low bits of the marker say: 0, 1 or 2 for one, two or four.
    fn length(&mut self, size: u8) -> Read<usize> {
        Ok(match size {
            0 => usize::from(self.byte()?),
            1 => usize::from(u16::from_be_bytes(self.array()?)),
            _ => usize::try_from(u32::from_be_bytes(self.array()?)).unwrap_or(usize::MAX),
        })
    }

    /// The tag of a structure and how many fields follow.
    ///
    /// # Errors
    /// Something else is there.
    pub fn structure(&mut self) -> Read<(u8, usize)> {
        match self.byte()? {
            marker @ 0xB0..=0xBF => Ok((self.byte()?, usize::from(marker & 0x0F))),
            marker => Err(CodecError::value(format!("a value that begins with 0x{marker:02X}"), "a structure")),
        }
    }

    /// Reads a value.
    ///
    /// # Errors
    /// Bytes that are no value, or one that is too large or not taken.
    pub fn value(&mut self) -> Read<Value> {
        self.values += 1;
        if self.values > VALUES_MAX {
            return Err(CodecError::TooLarge { what: "values in a message", limit: "VALUES_MAX", max: VALUES_MAX });
        }
        let marker = self.byte()?;
        match marker {
            0x00..=0x7F | 0xF0..=0xFF => Ok(Value::Integer(i64::from(i8::from_be_bytes([marker])))),
            0xC0 => Ok(Value::Null),
            0xC1 => Ok(Value::Float(f64::from_be_bytes(self.array()?))),
            0xC2 => Ok(Value::Boolean(false)),
            0xC3 => Ok(Value::Boolean(true)),
            0xC8 => Ok(Value::Integer(i64::from(i8::from_be_bytes(self.array()?)))),
            0xC9 => Ok(Value::Integer(i64::from(i16::from_be_bytes(self.array()?)))),
            0xCA => Ok(Value::Integer(i64::from(i32::from_be_bytes(self.array()?)))),
            0xCB => Ok(Value::Integer(i64::from_be_bytes(self.array()?))),
            0xCC..=0xCE => {
                let length = self.length(marker - 0xCC)?;
                Ok(Value::Bytes(Arc::from(self.take(length)?)))
            }
            0x80..=0x8F => Ok(Value::String(self.characters(usize::from(marker & 0x0F))?)),
            0xD0..=0xD2 => {
                let length = self.length(marker - 0xD0)?;
                Ok(Value::String(self.characters(length)?))
            }
            0x90..=0x9F => self.list(usize::from(marker & 0x0F)),
            0xD4..=0xD6 => {
                let length = self.length(marker - 0xD4)?;
                self.list(length)
            }
            0xA0..=0xAF => Ok(Value::map(self.map(usize::from(marker & 0x0F))?)),
            0xD8..=0xDA => {
                let length = self.length(marker - 0xD8)?;
                Ok(Value::map(self.map(length)?))
            }
            0xB0..=0xBF => {
                let tag = self.byte()?;
                self.deeper(|reader| reader.structured(tag, usize::from(marker & 0x0F)))
            }
            _ => Err(CodecError::Marker { marker }),
        }
    }

    fn characters(&mut self, length: usize) -> Read<Text> {
        let bytes = self.take(length)?;
        std::str::from_utf8(bytes).map(Text::new).map_err(|_| CodecError::Utf8)
    }

    fn deeper<V>(&mut self, read: impl FnOnce(&mut Self) -> Read<V>) -> Read<V> {
        if self.depth >= NESTING_MAX {
            return Err(CodecError::TooLarge { what: "nested values", limit: "NESTING_MAX", max: NESTING_MAX });
        }
        self.depth += 1;
        let outcome = read(self);
        self.depth -= 1;
        outcome
    }

    fn list(&mut self, length: usize) -> Read<Value> {
        self.deeper(|reader| {
            // Each value takes a byte at least.
            let mut values = Vec::with_capacity(length.min(reader.bytes.len()).min(1_024));
            for _ in 0..length {
                values.push(reader.value()?);
            }
            Ok(Value::list(values))
        })
    }

    fn map(&mut self, length: usize) -> Read<Map> {
        self.deeper(|reader| {
            let mut entries = Map::with_capacity(length.min(reader.bytes.len()).min(1_024));
            for _ in 0..length {
                let key = reader.text("a text as a key")?;
                let value = reader.value()?;
                entries.insert(key, value);
            }
            Ok(entries)
        })
    }

    /// Reads a text.
    ///
    /// # Errors
    /// Something else is there; `expected` tells what should be.
    pub fn text(&mut self, expected: &'static str) -> Read<Text> {
        match self.value()? {
            Value::String(text) => Ok(text),
            other => Err(CodecError::value(other.type_name(), expected)),
        }
    }

    /// Reads an integer.
    ///
    /// # Errors
    /// Something else is there; `expected` tells what should be.
    pub fn integer(&mut self, expected: &'static str) -> Read<i64> {
        match self.value()? {
            Value::Integer(number) => Ok(number),
            other => Err(CodecError::value(other.type_name(), expected)),
        }
    }

    /// Reads a map.
    ///
    /// # Errors
    /// Something else is there; `expected` tells what should be.
    pub fn dictionary(&mut self, expected: &'static str) -> Read<Map> {
        match self.value()? {
            Value::Map(entries) => Ok(Arc::unwrap_or_clone(entries)),
            other => Err(CodecError::value(other.type_name(), expected)),
        }
    }

    fn float(&mut self) -> Read<f64> {
        match self.value()? {
            Value::Float(number) => Ok(number),
            other => Err(CodecError::value(other.type_name(), "a coordinate as a float")),
        }
    }

    fn number<T: TryFrom<i64>>(&mut self, expected: &'static str) -> Read<T> {
        let number = self.integer(expected)?;
        T::try_from(number).map_err(|_| CodecError::value(number, expected))
    }

    fn structured(&mut self, tag: u8, fields: usize) -> Read<Value> {
        match (tag, fields) {
            (structure::DATE, 1) => Ok(Date { epoch_day: self.integer("a day's number")? }.into()),
            (structure::LOCAL_TIME, 1) => Ok(LocalTime { nanoseconds: self.time_of_day()? }.into()),
            (structure::TIME, 2) => Ok(Time { nanoseconds: self.time_of_day()?, offset: self.offset()? }.into()),
            (structure::LOCAL_DATE_TIME, 2) => {
                Ok(LocalDateTime { seconds: self.integer("seconds")?, nanoseconds: self.nanoseconds()? }.into())
            }
            (structure::DATE_TIME, 3) if self.dialect.is_utc => {
                let (seconds, nanoseconds) = (self.integer("seconds")?, self.nanoseconds()?);
                Ok(DateTime { seconds, nanoseconds, offset: self.offset()?, zone: None }.into())
            }
            (structure::CLOCK_DATE_TIME, 3) if !self.dialect.is_utc => {
                let (clock, nanoseconds, offset) = (self.integer("seconds")?, self.nanoseconds()?, self.offset()?);
                Ok(DateTime { seconds: clock.saturating_sub(i64::from(offset)), nanoseconds, offset, zone: None }
                    .into())
            }
            (structure::DATE_TIME_ZONE, 3) if self.dialect.is_utc => self.zoned(false),
            (structure::CLOCK_DATE_TIME_ZONE, 3) if !self.dialect.is_utc => self.zoned(true),
            (structure::DURATION, 4) => self.duration(),
            (structure::POINT_2D, 3) => {
                let srid = self.number("the number of a reference system")?;
                Ok(Point { srid, x: self.float()?, y: self.float()?, z: None }.into())
            }
            (structure::POINT_3D, 4) => {
                let srid = self.number("the number of a reference system")?;
                Ok(Point { srid, x: self.float()?, y: self.float()?, z: Some(self.float()?) }.into())
            }
            (structure::NODE | structure::RELATIONSHIP | structure::PATH | structure::UNBOUND, _) => {
                self.element(tag, fields)
            }
            _ => Err(self.unknown(tag, fields)),
        }
    }

    fn unknown(&self, tag: u8, fields: usize) -> CodecError {
        CodecError::Structure { tag, fields, version: self.dialect.version }
    }

    fn time_of_day(&mut self) -> Read<i64> {
        let expected = "nanoseconds of a day";
        let nanoseconds = self.integer(expected)?;
        let is_one = (0..DAY_NANOSECONDS).contains(&nanoseconds);
        if is_one { Ok(nanoseconds) } else { Err(CodecError::value(nanoseconds, expected)) }
    }

    fn nanoseconds(&mut self) -> Read<u32> {
        let nanoseconds = self.number("nanoseconds of a second")?;
        if nanoseconds < 1_000_000_000 {
            Ok(nanoseconds)
        } else {
            Err(CodecError::value(nanoseconds, "nanoseconds of a second"))
        }
    }

    /// A duration. Some drivers send nanoseconds below zero, which become a second less.
    fn duration(&mut self) -> Read<Value> {
        let (months, days) = (self.integer("months")?, self.integer("days")?);
        let (seconds, nanoseconds) = (self.integer("seconds")?, self.integer("nanoseconds")?);
        let carried = seconds.checked_add(nanoseconds.div_euclid(SECOND_NANOSECONDS));
        let seconds = carried.ok_or_else(|| CodecError::value(seconds, "seconds of a duration"))?;
        let nanoseconds = u32::try_from(nanoseconds.rem_euclid(SECOND_NANOSECONDS)).unwrap_or_default();
        Ok(Duration { months, days, seconds, nanoseconds }.into())
    }

    fn offset(&mut self) -> Read<i32> {
        let expected = "an offset of at most 18 hours, in seconds";
        let offset: i32 = self.number(expected)?;
        if (-OFFSET_MAX..=OFFSET_MAX).contains(&offset) { Ok(offset) } else { Err(CodecError::value(offset, expected)) }
    }

    /// A moment with a zone; its seconds are those of the clock there, or UTC.
    fn zoned(&mut self, is_clock: bool) -> Read<Value> {
        let (seconds, nanoseconds) = (self.integer("seconds")?, self.nanoseconds()?);
        let name = self.text("the name of a time zone")?;
        let zone = Zone::named(&name).map_err(|_| CodecError::value(&name, "the name of a known time zone"))?;
        let moment = match is_clock {
            false => zone.at(seconds, nanoseconds),
            true => zone.resolve(LocalDateTime { seconds, nanoseconds }),
        };
        Ok(DateTime { zone: Some(name), ..moment }.into())
    }

    fn element(&mut self, tag: u8, fields: usize) -> Read<Value> {
        let what = match tag {
            structure::NODE => "a node",
            structure::PATH => "a path",
            _ => "a relationship",
        };
        if !self.takes_elements {
            return Err(CodecError::Parameter { what });
        }
        let has_element_ids = self.dialect.version.has_element_ids();
        match (tag, fields, has_element_ids) {
            (structure::NODE, 4, true) | (structure::NODE, 3, false) => Ok(self.node()?.into()),
            (structure::RELATIONSHIP, 8, true) | (structure::RELATIONSHIP, 5, false) => Ok(self.relationship()?.into()),
            (structure::PATH, 3, _) => Ok(self.path()?.into()),
            _ => Err(self.unknown(tag, fields)),
        }
    }

    /// The text of an id, which before 5.0 is the number's.
    fn element_id(&mut self, id: i64) -> Read<Text> {
        if self.dialect.version.has_element_ids() {
            self.text("an id as text")
        } else {
            Ok(ElementId::Number(id).text())
        }
    }

    fn node(&mut self) -> Read<Node> {
        let id = self.integer("a node's id")?;
        let labels = match self.value()? {
            Value::List(labels) => labels,
            other => return Err(CodecError::value(other.type_name(), "a list of labels")),
        };
        let labels = labels.iter().map(|label| match label {
            Value::String(label) => Ok(label.clone()),
            other => Err(CodecError::value(other.type_name(), "a label")),
        });
        let labels = labels.collect::<Read<Arc<[Text]>>>()?;
        let properties = Arc::new(self.dictionary("a node's properties")?);
        let element_id = self.element_id(id)?;
        Ok(Node {
            id: ElementId::Number(id),
            element_id,
            content: Some(NodeContent { labels, properties }),
            number: None,
        })
    }

    fn relationship(&mut self) -> Read<Relationship> {
        let (id, start) = (self.integer("a relationship's id")?, self.integer("a node's id")?);
        let end = self.integer("a node's id")?;
        let kind = self.text("a relationship's type")?;
        let properties = Arc::new(self.dictionary("a relationship's properties")?);
        let element_id = self.element_id(id)?;
        let mut reference = |id| {
            let element_id = self.element_id(id)?;
            Ok(Arc::new(Node { id: ElementId::Number(id), element_id, content: None, number: None }))
        };
        let (start, end) = (reference(start)?, reference(end)?);
        Ok(Relationship { id: ElementId::Number(id), element_id, kind, start, end, properties: Some(properties) })
    }

    /// The fields of a structure that has to be of a kind.
    fn part<V>(&mut self, tag: u8, read: impl FnOnce(&mut Self) -> Read<V>) -> Read<V> {
        self.values += 1;
        match self.structure()? {
            (found, _) if found == tag => read(self),
            (found, fields) => Err(self.unknown(found, fields)),
        }
    }

    fn parts<V>(&mut self, mut read: impl FnMut(&mut Self) -> Read<V>) -> Read<Vec<V>> {
        let marker = self.byte()?;
        let length = match marker {
            0x90..=0x9F => usize::from(marker & 0x0F),
            0xD4..=0xD6 => self.length(marker - 0xD4)?,
            _ => return Err(CodecError::value(format!("a value that begins with 0x{marker:02X}"), "a list")),
        };
        let mut all = Vec::new();
        for _ in 0..length {
            all.push(read(self)?);
        }
        Ok(all)
    }

    fn path(&mut self) -> Read<Path> {
        let nodes = self.parts(|reader| reader.part(structure::NODE, |reader| reader.node().map(Arc::new)))?;
        let unbound = self.parts(|reader| {
            reader.part(structure::UNBOUND, |reader| {
                let id = reader.integer("a relationship's id")?;
                let kind = reader.text("a relationship's type")?;
                let properties = Arc::new(reader.dictionary("a relationship's properties")?);
                Ok((id, kind, properties, reader.element_id(id)?))
            })
        })?;
        let walk = self.parts(|reader| reader.integer("a step of a path"))?;
        let wrong = || CodecError::value("a step that leads nowhere", "a step of a path");
        let mut at = nodes.first().cloned().ok_or_else(wrong)?;
        let mut path = Path::of(Arc::clone(&at));
        let (steps, _) = walk.as_chunks::<2>();
        for [relationship, node] in steps {
            let place = usize::try_from(relationship.unsigned_abs()).ok().and_then(|place| place.checked_sub(1));
            let (id, kind, properties, element_id) = place.and_then(|place| unbound.get(place)).ok_or_else(wrong)?;
            let next = usize::try_from(*node).ok().and_then(|node| nodes.get(node)).ok_or_else(wrong)?;
            let (start, end) = if *relationship > 0 { (&at, next) } else { (next, &at) };
            path.relationships.push(Arc::new(Relationship {
                id: ElementId::Number(*id),
                element_id: element_id.clone(),
                kind: kind.clone(),
                start: Arc::clone(start),
                end: Arc::clone(end),
                properties: Some(Arc::clone(properties)),
            }));
            path.nodes.push(Arc::clone(next));
            at = Arc::clone(next);
        }
        Ok(path)
    }
}
