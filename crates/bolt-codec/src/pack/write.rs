//! Writes PackStream, each value in its smallest form.

use std::collections::HashMap;
use std::hash::Hash;

use cypher_value::{DateTime, ElementId, Map, Node, Path, Point, Relationship, Value};

use super::{Dialect, structure};

/// Appends null.
pub fn null(out: &mut Vec<u8>) {
    out.push(0xC0);
}

/// Appends true or false.
pub fn boolean(out: &mut Vec<u8>, value: bool) {
    out.push(if value { 0xC3 } else { 0xC2 });
}

/// Appends an integer.
pub fn integer(out: &mut Vec<u8>, value: i64) {
    if let Ok(small) = i8::try_from(value) {
        if small >= -16 {
            out.extend_from_slice(&small.to_be_bytes());
        } else {
            out.push(0xC8);
            out.extend_from_slice(&small.to_be_bytes());
        }
    } else if let Ok(value) = i16::try_from(value) {
        out.push(0xC9);
        out.extend_from_slice(&value.to_be_bytes());
    } else if let Ok(value) = i32::try_from(value) {
        out.push(0xCA);
        out.extend_from_slice(&value.to_be_bytes());
    } else {
        out.push(0xCB);
        out.extend_from_slice(&value.to_be_bytes());
    }
}

/// Appends a float.
pub fn float(out: &mut Vec<u8>, value: f64) {
    out.push(0xC1);
    out.extend_from_slice(&value.to_be_bytes());
}

/// Appends the length of what follows: in the marker `tiny` up to 15 if there is one, else behind one of the markers
/// for one, two and four bytes. A message has less than 4 GiB, so four bytes always do.
fn header(out: &mut Vec<u8>, length: usize, tiny: Option<u8>, markers: [u8; 3]) {
    let [one, two, four] = markers;
    match (u8::try_from(length), tiny) {
        (Ok(short @ 0..16), Some(tiny)) => out.push(tiny | short),
        (Ok(length), _) => out.extend_from_slice(&[one, length]),
        _ => match u16::try_from(length) {
            Ok(length) => {
                out.push(two);
                out.extend_from_slice(&length.to_be_bytes());
            }
            Err(_) => {
                out.push(four);
                out.extend_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes());
            }
        },
    }
}

/// Appends bytes.
pub fn bytes(out: &mut Vec<u8>, value: &[u8]) {
    header(out, value.len(), None, [0xCC, 0xCD, 0xCE]);
    out.extend_from_slice(value);
}

/// Appends a text.
pub fn text(out: &mut Vec<u8>, value: &str) {
    header(out, value.len(), Some(0x80), [0xD0, 0xD1, 0xD2]);
    out.extend_from_slice(value.as_bytes());
}

/// Begins a list; its values follow.
pub fn list_header(out: &mut Vec<u8>, length: usize) {
    header(out, length, Some(0x90), [0xD4, 0xD5, 0xD6]);
}

/// Begins a map; a text and a value for each entry follow.
pub fn map_header(out: &mut Vec<u8>, length: usize) {
    header(out, length, Some(0xA0), [0xD8, 0xD9, 0xDA]);
}

/// Begins a structure of at most 15 fields; they follow.
pub fn structure_header(out: &mut Vec<u8>, tag: u8, fields: u8) {
    out.extend_from_slice(&[0xB0 | (fields & 0x0F), tag]);
}

/// A map whose entries are appended as they come: its length is written at the end.
pub struct Dictionary<'o> {
    out: &'o mut Vec<u8>,
    at: usize,
    count: u8,
}

impl<'o> Dictionary<'o> {
    /// Begins a map of at most 255 entries.
    pub fn begin(out: &'o mut Vec<u8>) -> Self {
        let at = out.len();
        out.push(0xA0);
        Self { out, at, count: 0 }
    }

    /// Begins an entry; its value is to be appended to what is given back.
    pub fn entry(&mut self, name: &str) -> &mut Vec<u8> {
        self.count = self.count.saturating_add(1);
        text(self.out, name);
        self.out
    }

    /// Appends an entry that is a text.
    pub fn text(&mut self, name: &str, value: &str) {
        text(self.entry(name), value);
    }

    /// Appends an entry that is an integer.
    pub fn integer(&mut self, name: &str, value: i64) {
        integer(self.entry(name), value);
    }

    /// Appends an entry that is true or false.
    pub fn boolean(&mut self, name: &str, value: bool) {
        boolean(self.entry(name), value);
    }

    /// Writes the length.
    pub fn end(self) {
        if self.count < 16 {
            if let Some(marker) = self.out.get_mut(self.at) {
                *marker = 0xA0 | self.count;
            }
        } else if let Some(marker) = self.out.get_mut(self.at) {
            *marker = 0xD8;
            self.out.insert(self.at + 1, self.count);
        }
    }
}

/// Appends any value.
pub fn value(out: &mut Vec<u8>, value: &Value, dialect: Dialect) {
    match value {
        Value::Null => null(out),
        Value::Boolean(value) => boolean(out, *value),
        Value::Integer(value) => integer(out, *value),
        Value::Float(value) => float(out, *value),
        Value::String(value) => text(out, value),
        Value::Bytes(value) => bytes(out, value),
        Value::List(values) => {
            list_header(out, values.len());
            for each in values.iter() {
                self::value(out, each, dialect);
            }
        }
        Value::Map(entries) => map(out, Some(entries), dialect),
        Value::Date(date) => {
            structure_header(out, structure::DATE, 1);
            integer(out, date.epoch_day);
        }
        Value::LocalTime(time) => {
            structure_header(out, structure::LOCAL_TIME, 1);
            integer(out, time.nanoseconds);
        }
        Value::Time(time) => {
            structure_header(out, structure::TIME, 2);
            integer(out, time.nanoseconds);
            integer(out, i64::from(time.offset));
        }
        Value::LocalDateTime(moment) => {
            structure_header(out, structure::LOCAL_DATE_TIME, 2);
            integer(out, moment.seconds);
            integer(out, i64::from(moment.nanoseconds));
        }
        Value::DateTime(moment) => date_time(out, moment, dialect),
        Value::Duration(duration) => {
            structure_header(out, structure::DURATION, 4);
            integer(out, duration.months);
            integer(out, duration.days);
            integer(out, duration.seconds);
            integer(out, i64::from(duration.nanoseconds));
        }
        Value::Point(point) => self::point(out, point),
        Value::Node(node) => self::node(out, node, dialect),
        Value::Relationship(relationship) => self::relationship(out, relationship, dialect),
        Value::Path(path) => self::path(out, path, dialect),
    }
}

fn map(out: &mut Vec<u8>, entries: Option<&Map>, dialect: Dialect) {
    map_header(out, entries.map_or(0, Map::len));
    for (key, each) in entries.into_iter().flatten() {
        text(out, key);
        value(out, each, dialect);
    }
}

fn date_time(out: &mut Vec<u8>, moment: &DateTime, dialect: Dialect) {
    let (offset, zone) = (i64::from(moment.offset), moment.zone.as_deref());
    let (tag, seconds) = match (dialect.is_utc, zone) {
        (true, None) => (structure::DATE_TIME, moment.seconds),
        (true, Some(_)) => (structure::DATE_TIME_ZONE, moment.seconds),
        (false, None) => (structure::CLOCK_DATE_TIME, moment.seconds.saturating_add(offset)),
        (false, Some(_)) => (structure::CLOCK_DATE_TIME_ZONE, moment.seconds.saturating_add(offset)),
    };
    structure_header(out, tag, 3);
    integer(out, seconds);
    integer(out, i64::from(moment.nanoseconds));
    match zone {
        Some(zone) => text(out, zone),
        None => integer(out, offset),
    }
}

fn point(out: &mut Vec<u8>, point: &Point) {
    match point.z {
        None => structure_header(out, structure::POINT_2D, 3),
        Some(_) => structure_header(out, structure::POINT_3D, 4),
    }
    integer(out, i64::from(point.srid));
    float(out, point.x);
    float(out, point.y);
    if let Some(z) = point.z {
        float(out, z);
    }
}

/// The number that drivers show for an id: the id itself where it is a number, else a stable number below 2^63 made of
/// its text (FNV-1a). It is never looked up.
fn number(id: &ElementId) -> i64 {
    let text = match id {
        ElementId::Number(number) => return *number,
        ElementId::Text(text) => match text.parse() {
            Ok(number) => return number,
            Err(_) => text.clone(),
        },
        ElementId::Uuid(_) => id.text(),
    };
    let hash = text
        .bytes()
        .fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3));
    i64::try_from(hash >> 1).unwrap_or(i64::MAX)
}

fn node(out: &mut Vec<u8>, node: &Node, dialect: Dialect) {
    let has_element_ids = dialect.version.has_element_ids();
    structure_header(out, structure::NODE, if has_element_ids { 4 } else { 3 });
    integer(out, number(&node.id));
    list_header(out, node.labels().len());
    for label in node.labels() {
        text(out, label);
    }
    map(out, node.properties(), dialect);
    if has_element_ids {
        text(out, &node.element_id);
    }
}

fn relationship(out: &mut Vec<u8>, relationship: &Relationship, dialect: Dialect) {
    let has_element_ids = dialect.version.has_element_ids();
    structure_header(out, structure::RELATIONSHIP, if has_element_ids { 8 } else { 5 });
    integer(out, number(&relationship.id));
    integer(out, number(&relationship.start.id));
    integer(out, number(&relationship.end.id));
    text(out, &relationship.kind);
    map(out, relationship.properties(), dialect);
    if has_element_ids {
        text(out, &relationship.element_id);
        text(out, &relationship.start.element_id);
        text(out, &relationship.end.element_id);
    }
}

fn unbound(out: &mut Vec<u8>, relationship: &Relationship, dialect: Dialect) {
    let has_element_ids = dialect.version.has_element_ids();
    structure_header(out, structure::UNBOUND, if has_element_ids { 4 } else { 3 });
    integer(out, number(&relationship.id));
    text(out, &relationship.kind);
    map(out, relationship.properties(), dialect);
    if has_element_ids {
        text(out, &relationship.element_id);
    }
}

/// Numbers things in the order in which they are first seen.
struct Numbered<'v, K, V> {
    places: HashMap<&'v K, i64>,
    all: Vec<&'v V>,
}

impl<'v, K: Hash + Eq, V> Numbered<'v, K, V> {
    fn new() -> Self {
        Self { places: HashMap::new(), all: Vec::new() }
    }

    fn place(&mut self, key: &'v K, value: &'v V) -> i64 {
        *self.places.entry(key).or_insert_with(|| {
            self.all.push(value);
            i64::try_from(self.all.len() - 1).unwrap_or(i64::MAX)
        })
    }
}

/// A path: the distinct nodes, the distinct relationships, and pairs of the relationship that is walked next (counted
/// from 1, negative against its direction) and the node it leads to (counted from 0).
fn path(out: &mut Vec<u8>, path: &Path, dialect: Dialect) {
    let (mut nodes, mut relationships) = (Numbered::new(), Numbered::new());
    let mut walk = Vec::with_capacity(path.relationships.len() * 2);
    let mut from = path.start();
    if let Some(start) = from {
        nodes.place(&start.id, &**start);
    }
    for (relationship, node) in path.relationships.iter().zip(path.nodes.iter().skip(1)) {
        let number = relationships.place(&relationship.id, &**relationship) + 1;
        let is_forwards = from.is_some_and(|from| relationship.start.id == from.id);
        walk.push(if is_forwards { number } else { -number });
        walk.push(nodes.place(&node.id, &**node));
        from = Some(node);
    }
    structure_header(out, structure::PATH, 3);
    list_header(out, nodes.all.len());
    for each in nodes.all {
        node(out, each, dialect);
    }
    list_header(out, relationships.all.len());
    for each in relationships.all {
        unbound(out, each, dialect);
    }
    list_header(out, walk.len());
    for step in walk {
        integer(out, step);
    }
}
