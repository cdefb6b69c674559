//! Sets of types, by which functions say what they take.

use std::fmt;
use std::ops::BitOr;

use crate::value::Value;

/// A set of types of values.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Types(u32);

/// Names of types, in the order of their bits.
const NAMES: [&str; 17] = [
    "BOOLEAN",
    "INTEGER",
    "FLOAT",
    "STRING",
    "BYTES",
    "LIST",
    "MAP",
    "DATE",
    "LOCAL TIME",
    "ZONED TIME",
    "LOCAL DATETIME",
    "ZONED DATETIME",
    "DURATION",
    "POINT",
    "NODE",
    "RELATIONSHIP",
    "PATH",
];

impl Types {
    /// No type: null.
    pub const NULL: Self = Self(0);
    /// `true` and `false`.
    pub const BOOLEAN: Self = Self(1);
    /// Integers.
    pub const INTEGER: Self = Self(1 << 1);
    /// Floats.
    pub const FLOAT: Self = Self(1 << 2);
    /// Texts.
    pub const STRING: Self = Self(1 << 3);
    /// Bytes.
    pub const BYTES: Self = Self(1 << 4);
    /// Lists.
    pub const LIST: Self = Self(1 << 5);
    /// Maps.
    pub const MAP: Self = Self(1 << 6);
    /// Days.
    pub const DATE: Self = Self(1 << 7);
    /// Times of day without an offset.
    pub const LOCAL_TIME: Self = Self(1 << 8);
    /// Times of day with an offset.
    pub const TIME: Self = Self(1 << 9);
    /// Days with times, without an offset.
    pub const LOCAL_DATE_TIME: Self = Self(1 << 10);
    /// Moments.
    pub const DATE_TIME: Self = Self(1 << 11);
    /// Lengths of time.
    pub const DURATION: Self = Self(1 << 12);
    /// Points.
    pub const POINT: Self = Self(1 << 13);
    /// Nodes.
    pub const NODE: Self = Self(1 << 14);
    /// Relationships.
    pub const RELATIONSHIP: Self = Self(1 << 15);
    /// Paths.
    pub const PATH: Self = Self(1 << 16);
    /// All types.
    pub const ANY: Self = Self((1 << 17) - 1);
    /// Integers and floats.
    pub const NUMBER: Self = Self::INTEGER.or(Self::FLOAT);
    /// Nodes and relationships.
    pub const ENTITY: Self = Self::NODE.or(Self::RELATIONSHIP);
    /// All with a place in time.
    pub const INSTANT: Self =
        Self::DATE.or(Self::LOCAL_TIME).or(Self::TIME).or(Self::LOCAL_DATE_TIME).or(Self::DATE_TIME);

    /// The types of both sets.
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The type of a value; none for null.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Boolean(_) => Self::BOOLEAN,
            Value::Integer(_) => Self::INTEGER,
            Value::Float(_) => Self::FLOAT,
            Value::String(_) => Self::STRING,
            Value::Bytes(_) => Self::BYTES,
            Value::List(_) => Self::LIST,
            Value::Map(_) => Self::MAP,
            Value::Date(_) => Self::DATE,
            Value::LocalTime(_) => Self::LOCAL_TIME,
            Value::Time(_) => Self::TIME,
            Value::LocalDateTime(_) => Self::LOCAL_DATE_TIME,
            Value::DateTime(_) => Self::DATE_TIME,
            Value::Duration(_) => Self::DURATION,
            Value::Point(_) => Self::POINT,
            Value::Node(_) => Self::NODE,
            Value::Relationship(_) => Self::RELATIONSHIP,
            Value::Path(_) => Self::PATH,
        }
    }

    /// Whether a type is in both sets.
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether null or a value of one of these types.
    pub fn takes(self, value: &Value) -> bool {
        value.is_null() || self.meets(Self::of(value))
    }
}

impl BitOr for Types {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.or(other)
    }
}

impl fmt::Display for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::ANY {
            return f.write_str("ANY");
        }
        let names: Vec<_> = NAMES.iter().enumerate().filter(|(bit, _)| self.0 & (1 << bit) != 0).collect();
        if names.is_empty() {
            return f.write_str("NULL");
        }
        for (position, (_, name)) in names.iter().enumerate() {
            write!(f, "{}{name}", if position == 0 { "" } else { " | " })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
