//! Values made of what Rust code has at hand.

use std::sync::Arc;

use super::{ElementId, Map, Node, Path, Point, Relationship, Value};
use crate::temporal::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time};
use crate::text::Text;

/// Conversions that only wrap.
macro_rules! wrap {
    ($($from:ty => $variant:ident),*) => {
        $(impl From<$from> for Value {
            fn from(value: $from) -> Self {
                Self::$variant(value)
            }
        })*
    };
}

/// Conversions that put the value behind an `Arc`.
macro_rules! share {
    ($($from:ty => $variant:ident),*) => {
        $(impl From<$from> for Value {
            fn from(value: $from) -> Self {
                Self::$variant(Arc::new(value))
            }
        })*
    };
}

wrap!(bool => Boolean, i64 => Integer, f64 => Float, Text => String, Date => Date, LocalTime => LocalTime);
wrap!(Time => Time, LocalDateTime => LocalDateTime);
wrap!(Arc<Node> => Node, Arc<Relationship> => Relationship, Arc<Path> => Path);
share!(DateTime => DateTime, Duration => Duration, Point => Point, Node => Node, Relationship => Relationship);
share!(Path => Path, Vec<Self> => List, Map => Map);

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(Text::new(text))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(Text::from(text))
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl From<&ElementId> for Value {
    fn from(id: &ElementId) -> Self {
        match id {
            ElementId::Number(number) => Self::Integer(*number),
            ElementId::Text(text) => Self::String(text.clone()),
            ElementId::Uuid(_) => Self::String(id.text()),
        }
    }
}
