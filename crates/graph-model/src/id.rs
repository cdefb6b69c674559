//! Ids of vertices, edges, labels and property keys.

mod binary;
pub(crate) mod edge_text;
mod vertex_text;

use std::hash::{Hash, Hasher};

use compact_str::CompactString;

use crate::limits;

/// Number of a property key within its graph; positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PropertyKeyId(pub u32);

impl PropertyKeyId {
    /// The number under which an element of an auto graph holds what its id alone does not say; no property key has it.
    pub const HIDDEN: Self = Self(0);
}

/// Number of a vertex label or of an edge label within its graph (two separate counters); positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabelId(pub u32);

impl LabelId {
    /// The number of the unique index over the ids of all edges of an auto graph; no index label of a client has it.
    pub const EDGE_IDS: Self = Self(0);
}

/// How vertices of a label get their ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IdStrategy {
    /// The server makes a 64-bit number.
    Automatic,
    /// The id is made of the label's number and the values of the primary keys.
    PrimaryKey,
    /// The client gives a string.
    CustomizeString,
    /// The client gives a 64-bit number.
    CustomizeNumber,
    /// The client gives a UUID.
    CustomizeUuid,
}

impl IdStrategy {
    /// The kind of id this strategy makes.
    #[must_use]
    pub fn kind(self) -> IdKind {
        match self {
            Self::Automatic | Self::CustomizeNumber => IdKind::Number,
            Self::PrimaryKey | Self::CustomizeString => IdKind::String,
            Self::CustomizeUuid => IdKind::Uuid,
        }
    }

    /// The name in HugeGraph's schema.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Automatic => "AUTOMATIC",
            Self::PrimaryKey => "PRIMARY_KEY",
            Self::CustomizeString => "CUSTOMIZE_STRING",
            Self::CustomizeNumber => "CUSTOMIZE_NUMBER",
            Self::CustomizeUuid => "CUSTOMIZE_UUID",
        }
    }

    /// The strategy of a name; `None` for names that are none (`DEFAULT` included: it stands for a rule, not a
    /// strategy).
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Automatic, Self::PrimaryKey, Self::CustomizeString, Self::CustomizeNumber, Self::CustomizeUuid]
            .into_iter()
            .find(|strategy| strategy.name() == name)
    }
}

/// The three kinds of vertex ids; `"1"` and `1` are different ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IdKind {
    /// A signed 64-bit number.
    Number,
    /// A text.
    String,
    /// A UUID.
    Uuid,
}

/// The id of a vertex, unique within its graph whatever the label.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VertexId {
    /// Made by the server or given as a number.
    Number(i64),
    /// Given as a text or made of primary keys. Short texts are stored without an allocation.
    String(CompactString),
    /// The 128 bits of a UUID, most significant first.
    Uuid(u128),
}

/// A vertex id for look-ups: its text need not be copied, nor be known to be UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VertexIdRef<'a> {
    /// As [`VertexId::Number`].
    Number(i64),
    /// As [`VertexId::String`].
    String(&'a [u8]),
    /// As [`VertexId::Uuid`].
    Uuid(u128),
}

impl<'a> From<&'a VertexId> for VertexIdRef<'a> {
    fn from(id: &'a VertexId) -> Self {
        match id {
            VertexId::Number(number) => Self::Number(*number),
            VertexId::String(text) => Self::String(text.as_bytes()),
            VertexId::Uuid(bits) => Self::Uuid(*bits),
        }
    }
}

impl VertexIdRef<'_> {
    /// The kind of this id.
    #[must_use]
    pub fn kind(&self) -> IdKind {
        match self {
            Self::Number(_) => IdKind::Number,
            Self::String(_) => IdKind::String,
            Self::Uuid(_) => IdKind::Uuid,
        }
    }
}

impl Hash for VertexIdRef<'_> {
    /// Without the kind: ids of two kinds that hash alike are rare, and still different.
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Number(number) => state.write_i64(*number),
            Self::String(text) => state.write(text),
            Self::Uuid(bits) => state.write_u128(*bits),
        }
    }
}

impl VertexId {
    /// The kind of this id.
    #[must_use]
    pub fn kind(&self) -> IdKind {
        match self {
            Self::Number(_) => IdKind::Number,
            Self::String(_) => IdKind::String,
            Self::Uuid(_) => IdKind::Uuid,
        }
    }

    /// A string id, checked: not empty and not too long.
    pub fn from_text(text: &str) -> Result<Self, IdError> {
        if text.is_empty() {
            return Err(IdError::Empty);
        }
        if text.len() > limits::VERTEX_ID_BYTES_MAX {
            return Err(IdError::TooLong { bytes: text.len() });
        }
        Ok(Self::String(CompactString::from(text)))
    }

    /// A UUID id from 36 dashed or 32 bare hexadecimal digits.
    pub fn parse_uuid(text: &str) -> Result<Self, IdError> {
        let well_formed = text.len() == 36 || text.len() == 32;
        match uuid::Uuid::try_parse(text) {
            Ok(id) if well_formed => Ok(Self::Uuid(id.as_u128())),
            _ => Err(IdError::NotAUuid { text: text.to_owned() }),
        }
    }
}

/// The id of an edge: it is made of what identifies the edge, so it is unique and needs no counter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeId {
    /// The edge label (of a sub label: its own number, not the parent's).
    pub label: LabelId,
    /// Where the edge starts.
    pub source: VertexId,
    /// Values of the sort keys, joined as in the id's text; empty for a label of single frequency.
    pub sort_values: CompactString,
    /// Where the edge ends.
    pub target: VertexId,
}

/// The id of a vertex or of an edge: what an index leads to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ElementId {
    /// Of a vertex.
    Vertex(VertexId),
    /// Of an edge.
    Edge(EdgeId),
}

impl ElementId {
    /// The id, borrowed.
    #[must_use]
    pub fn as_ref(&self) -> ElementRef<'_> {
        match self {
            Self::Vertex(id) => ElementRef::Vertex(id),
            Self::Edge(id) => ElementRef::Edge(id),
        }
    }
}

/// An [`ElementId`] that belongs to someone else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementRef<'a> {
    /// Of a vertex.
    Vertex(&'a VertexId),
    /// Of an edge.
    Edge(&'a EdgeId),
}

impl ElementRef<'_> {
    /// A copy that belongs to the caller.
    #[must_use]
    pub fn to_owned(self) -> ElementId {
        match self {
            Self::Vertex(id) => ElementId::Vertex(id.clone()),
            Self::Edge(id) => ElementId::Edge(id.clone()),
        }
    }
}

/// An id that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdError {
    /// An empty text.
    #[error("an id must not be empty")]
    Empty,
    /// A text beyond [`limits::VERTEX_ID_BYTES_MAX`].
    #[error("the vertex id has {bytes} bytes, the limit is {max}", max = limits::VERTEX_ID_BYTES_MAX)]
    TooLong {
        /// Its length in UTF-8.
        bytes: usize,
    },
    /// A text beyond [`limits::EDGE_ID_CHARS_MAX`].
    #[error("the edge id has {chars} characters, the limit is {max}", max = limits::EDGE_ID_CHARS_MAX)]
    EdgeTooLong {
        /// Its length.
        chars: usize,
    },
    /// A vertex id in a path or a query parameter that is no literal.
    #[error(
        "the vertex id must be a number, a quoted string or U\"uuid\", but got '{text}'; a string id needs its double \
         quotes (as %22)"
    )]
    NotALiteral {
        /// What was given.
        text: String,
    },
    /// Not a UUID.
    #[error("'{text}' is not a UUID: 36 characters with dashes or 32 hexadecimal digits are expected")]
    NotAUuid {
        /// What was given.
        text: String,
    },
    /// An edge id of the wrong form.
    #[error("'{text}' is not an edge id: {reason}; the form is SOURCE>LABEL>SUBLABEL>SORTVALUES>TARGET")]
    NotAnEdgeId {
        /// What was given.
        text: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A text value in a primary or sort key that begins with a character HugeGraph reserves.
    #[error("a key value must not begin with one of the control characters U+0000 to U+0003")]
    ReservedStart,
}
