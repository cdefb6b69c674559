//! What a value is and holds.

use std::sync::Arc;

use super::Value;
use crate::enums::GType;

impl Value {
    /// A list.
    #[must_use]
    pub fn list(items: impl IntoIterator<Item = Self>) -> Self {
        Self::List(Arc::new(items.into_iter().collect()))
    }

    /// A set; of equivalent items the first stays.
    #[must_use]
    pub fn set(items: impl IntoIterator<Item = Self>) -> Self {
        Self::Set(Arc::new(items.into_iter().collect()))
    }

    /// A map; of pairs with equivalent keys the last value stays.
    #[must_use]
    pub fn map(pairs: impl IntoIterator<Item = (Self, Self)>) -> Self {
        Self::Map(Arc::new(pairs.into_iter().collect()))
    }

    /// What the value is, for errors.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Byte(_) | Self::Short(_) | Self::Int(_) | Self::Long(_) | Self::BigInteger(_) => "an integer",
            Self::Float(_) | Self::Double(_) | Self::BigDecimal(_) => "a fractional number",
            Self::Char(_) => "a character",
            Self::String(_) => "a string",
            Self::Bytes(_) => "bytes",
            Self::Uuid(_) => "a UUID",
            Self::DateTime(_) => "a datetime",
            Self::Duration(_) => "a duration",
            Self::List(_) => "a list",
            Self::Set(_) | Self::BulkSet(_) => "a set",
            Self::Map(_) => "a map",
            Self::Entry(_) => "an entry of a map",
            Self::Vertex(_) => "a vertex",
            Self::Edge(_) => "an edge",
            Self::VertexProperty(_) | Self::Property(_) => "a property",
            Self::Path(_) => "a path",
            Self::Tree(_) => "a tree",
            Self::Graph(_) => "a graph",
            Self::Enum(_) => "an enum constant",
            Self::Metrics(_) => "a profile",
        }
    }

    /// The value's own type; none for values that have no `GType` (entries, constants, profiles).
    #[must_use]
    pub fn gtype(&self) -> Option<GType> {
        Some(match self {
            Self::Null => GType::Null,
            Self::Bool(_) => GType::Boolean,
            Self::Byte(_) => GType::Byte,
            Self::Short(_) => GType::Short,
            Self::Int(_) => GType::Int,
            Self::Long(_) => GType::Long,
            Self::BigInteger(_) => GType::BigInt,
            Self::Float(_) => GType::Float,
            Self::Double(_) => GType::Double,
            Self::BigDecimal(_) => GType::BigDecimal,
            Self::Char(_) => GType::Char,
            Self::String(_) => GType::String,
            Self::Bytes(_) => GType::Binary,
            Self::Uuid(_) => GType::Uuid,
            Self::DateTime(_) => GType::DateTime,
            Self::Duration(_) => GType::Duration,
            Self::List(_) => GType::List,
            Self::Set(_) | Self::BulkSet(_) => GType::Set,
            Self::Map(_) => GType::Map,
            Self::Vertex(_) => GType::Vertex,
            Self::Edge(_) => GType::Edge,
            Self::VertexProperty(_) => GType::VertexProperty,
            Self::Property(_) => GType::Property,
            Self::Path(_) => GType::Path,
            Self::Tree(_) => GType::Tree,
            Self::Graph(_) => GType::Graph,
            Self::Entry(_) | Self::Enum(_) | Self::Metrics(_) => return None,
        })
    }

    /// Whether the value is a number of any type.
    #[must_use]
    pub fn is_number(&self) -> bool {
        matches!(
            self,
            Self::Byte(_)
                | Self::Short(_)
                | Self::Int(_)
                | Self::Long(_)
                | Self::BigInteger(_)
                | Self::Float(_)
                | Self::Double(_)
                | Self::BigDecimal(_)
        )
    }

    /// The integer, whatever its width; none for other values and those beyond 64 bits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Byte(number) => Some((*number).into()),
            Self::Short(number) => Some((*number).into()),
            Self::Int(number) => Some((*number).into()),
            Self::Long(number) => Some(*number),
            Self::BigInteger(number) => i64::try_from(&**number).ok(),
            _ => None,
        }
    }

    /// The text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The items of a list, a set, a bulk set (each as often as it occurred) or a path; none for other values.
    #[must_use]
    pub fn items(&self) -> Option<Box<dyn Iterator<Item = &Self> + '_>> {
        Some(match self {
            Self::List(items) => Box::new(items.iter()),
            Self::Set(items) => Box::new(items.iter()),
            Self::BulkSet(items) => Box::new(
                items
                    .iter()
                    .flat_map(|(item, count)| std::iter::repeat_n(item, usize::try_from(*count).unwrap_or(usize::MAX))),
            ),
            Self::Path(path) => Box::new(path.objects.iter()),
            _ => return None,
        })
    }

    /// The name of the value's class, as messages for clients have it.
    #[must_use]
    pub fn class_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "Boolean",
            Self::Byte(_) => "Byte",
            Self::Short(_) => "Short",
            Self::Int(_) => "Integer",
            Self::Long(_) => "Long",
            Self::BigInteger(_) => "BigInteger",
            Self::Float(_) => "Float",
            Self::Double(_) => "Double",
            Self::BigDecimal(_) => "BigDecimal",
            Self::Char(_) => "Character",
            Self::String(_) => "String",
            Self::Bytes(_) => "ByteBuffer",
            Self::Uuid(_) => "UUID",
            Self::DateTime(_) => "OffsetDateTime",
            Self::Duration(_) => "Duration",
            Self::List(_) => "ArrayList",
            Self::Set(_) => "LinkedHashSet",
            Self::Map(_) => "LinkedHashMap",
            Self::Entry(_) => "Entry",
            Self::BulkSet(_) => "BulkSet",
            Self::Vertex(_) => "Vertex",
            Self::Edge(_) => "Edge",
            Self::VertexProperty(_) => "VertexProperty",
            Self::Property(_) => "Property",
            Self::Path(_) => "Path",
            Self::Tree(_) => "Tree",
            Self::Graph(_) => "Graph",
            Self::Enum(constant) => constant.class(),
            Self::Metrics(_) => "TraversalMetrics",
        }
    }

    /// The id of an element.
    #[must_use]
    pub fn element_id(&self) -> Option<&Self> {
        match self {
            Self::Vertex(vertex) => Some(&vertex.id),
            Self::Edge(edge) => Some(&edge.id),
            Self::VertexProperty(property) => Some(&property.id),
            _ => None,
        }
    }
}
