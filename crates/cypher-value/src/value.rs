//! The types of values: they contain each other, so they can only be read together. What they do is in the files below.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::temporal::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time};
use crate::text::Text;

mod element;
mod from;

/// Values by name, in the order in which the names came.
pub type Map = IndexMap<Text, Value>;

/// A value of a query. 24 bytes; what does not fit is behind an `Arc`.
///
/// `==` and `Hash` are equivalence (see the crate's page).
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// Nothing known.
    #[default]
    Null,
    /// True or false.
    Boolean(bool),
    /// 64-bit integer.
    Integer(i64),
    /// 64-bit float.
    Float(f64),
    /// A text.
    String(Text),
    /// Bytes: stored and passed on, with no operators of their own.
    Bytes(Arc<[u8]>),
    /// Values in order.
    List(Arc<Vec<Self>>),
    /// Values by name.
    Map(Arc<Map>),
    /// A day.
    Date(Date),
    /// A time of day without an offset.
    LocalTime(LocalTime),
    /// A time of day with an offset.
    Time(Time),
    /// A day and a time without an offset.
    LocalDateTime(LocalDateTime),
    /// A moment, with its offset or zone.
    DateTime(Arc<DateTime>),
    /// A length of time in months, days, seconds and nanoseconds.
    Duration(Arc<Duration>),
    /// A point in space.
    Point(Arc<Point>),
    /// A node.
    Node(Arc<Node>),
    /// A relationship.
    Relationship(Arc<Relationship>),
    /// A path.
    Path(Arc<Path>),
}

/// A point of 2 or 3 coordinates in a reference system.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// The number of the reference system: 7203 and 9157 are Cartesian, 4326 and 4979 WGS 84, with 2 and 3 dimensions.
    pub srid: u32,
    /// First coordinate; the longitude, in degrees.
    pub x: f64,
    /// Second coordinate; the latitude, in degrees.
    pub y: f64,
    /// Third coordinate; the height, in metres.
    pub z: Option<f64>,
}

/// The id of a node or relationship.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementId {
    /// A number: all elements of auto graphs, and strict graphs whose ids are numbers.
    Number(i64),
    /// A text, such as `1:marko` or the id of an edge.
    Text(Text),
    /// The 128 bits of a UUID, most significant first.
    Uuid(u128),
}

/// A node. Equal to another by its id.
#[derive(Clone, Debug)]
pub struct Node {
    /// The id, which `id(n)` gives.
    pub id: ElementId,
    /// The id as text, which `elementId(n)` gives.
    pub element_id: Text,
    /// Labels and properties; none if they have not been read.
    pub content: Option<NodeContent>,
    /// Its number in the graph that the query reads, for whoever carries the query out; none: not known.
    pub number: Option<u32>,
}

/// What is stored for a node.
#[derive(Clone, Debug, Default)]
pub struct NodeContent {
    /// The labels, in the order in which they are shown.
    pub labels: Arc<[Text]>,
    /// The properties.
    pub properties: Arc<Map>,
}

/// A relationship. Equal to another by its id.
#[derive(Clone, Debug)]
pub struct Relationship {
    /// The id, which `id(r)` gives.
    pub id: ElementId,
    /// The id as text, which `elementId(r)` gives.
    pub element_id: Text,
    /// The type.
    pub kind: Text,
    /// The node it starts from; its content need not have been read.
    pub start: Arc<Node>,
    /// The node it ends at; its content need not have been read.
    pub end: Arc<Node>,
    /// The properties; none if they have not been read.
    pub properties: Option<Arc<Map>>,
}

/// A path: nodes, and the relationship between each and the next, whatever its direction.
#[derive(Clone, Debug)]
pub struct Path {
    /// The nodes: one more than relationships.
    pub nodes: Vec<Arc<Node>>,
    /// The relationships.
    pub relationships: Vec<Arc<Relationship>>,
}

impl Value {
    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// A list.
    pub fn list(values: Vec<Self>) -> Self {
        Self::List(Arc::new(values))
    }

    /// A map.
    pub fn map(entries: Map) -> Self {
        Self::Map(Arc::new(entries))
    }

    /// The name of its type, as errors and `valueType` write it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "NULL",
            Self::Boolean(_) => "BOOLEAN",
            Self::Integer(_) => "INTEGER",
            Self::Float(_) => "FLOAT",
            Self::String(_) => "STRING",
            Self::Bytes(_) => "BYTES",
            Self::List(_) => "LIST",
            Self::Map(_) => "MAP",
            Self::Date(_) => "DATE",
            Self::LocalTime(_) => "LOCAL TIME",
            Self::Time(_) => "ZONED TIME",
            Self::LocalDateTime(_) => "LOCAL DATETIME",
            Self::DateTime(_) => "ZONED DATETIME",
            Self::Duration(_) => "DURATION",
            Self::Point(_) => "POINT",
            Self::Node(_) => "NODE",
            Self::Relationship(_) => "RELATIONSHIP",
            Self::Path(_) => "PATH",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_takes_24_bytes() {
        assert_eq!(size_of::<Value>(), 24);
    }
}
