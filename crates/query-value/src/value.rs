//! The types of values: they contain each other, so they can only be read together. What they do is in the files below.

use std::sync::Arc;

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;
use compact_str::CompactString;
use indexmap::{IndexMap, IndexSet};

use crate::datetime::DateTime;
use crate::duration::Duration;
use crate::enums::{ElementKind, Enum};

mod element;
mod facts;
mod from;
mod nesting;

/// Names and texts, most of them short.
pub type Text = CompactString;

/// Different values in the order of their first appearance.
pub type Set = IndexSet<Value>;

/// Values by keys of any kind, in the order in which the keys came.
pub type Map = IndexMap<Value, Value>;

/// Different values, each with how many times it occurred.
pub type BulkSet = IndexMap<Value, u64>;

/// A value of a query. 32 bytes; what does not fit is behind an `Arc`.
///
/// `==` and `Hash` are equivalence (see the crate's page).
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// Nothing.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// 8-bit integer.
    Byte(i8),
    /// 16-bit integer.
    Short(i16),
    /// 32-bit integer.
    Int(i32),
    /// 64-bit integer.
    Long(i64),
    /// Integer of any length.
    BigInteger(Arc<BigInt>),
    /// 32-bit float.
    Float(f32),
    /// 64-bit float.
    Double(f64),
    /// Decimal number of any length, with its scale.
    BigDecimal(Arc<BigDecimal>),
    /// A character.
    Char(char),
    /// A text.
    String(Text),
    /// Bytes.
    Bytes(Arc<[u8]>),
    /// The 128 bits of a UUID, most significant first.
    Uuid(u128),
    /// A moment with its offset.
    DateTime(DateTime),
    /// A length of time.
    Duration(Duration),
    /// Values in order.
    List(Arc<Vec<Self>>),
    /// Different values.
    Set(Arc<Set>),
    /// Values by keys.
    Map(Arc<Map>),
    /// A key with its value.
    Entry(Arc<(Self, Self)>),
    /// Different values, each with how many times it occurred.
    BulkSet(Arc<BulkSet>),
    /// A vertex.
    Vertex(Arc<Vertex>),
    /// An edge.
    Edge(Arc<Edge>),
    /// A property of a vertex.
    VertexProperty(Arc<VertexProperty>),
    /// A property of an edge or of a property.
    Property(Arc<Property>),
    /// A path.
    Path(Arc<Path>),
    /// A tree of paths.
    Tree(Arc<Tree>),
    /// A part of a graph.
    Graph(Arc<Subgraph>),
    /// A constant.
    Enum(Enum),
    /// The profile of a traversal.
    Metrics(Arc<TraversalMetrics>),
}

/// An element named by its id.
#[derive(Clone, Debug)]
pub struct Reference {
    /// What it is.
    pub kind: ElementKind,
    /// Its id.
    pub id: Value,
    /// Its label; the key of a property.
    pub label: Text,
}

/// A vertex. Equal to another by its id.
#[derive(Clone, Debug)]
pub struct Vertex {
    /// The id.
    pub id: Value,
    /// The label.
    pub label: Text,
    /// The properties, the values of one key together; none if they have not been read.
    pub properties: Option<Arc<Vec<VertexProperty>>>,
}

/// An edge. Equal to another by its id.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The id.
    pub id: Value,
    /// The label.
    pub label: Text,
    /// The vertex it comes from.
    pub source: Reference,
    /// The vertex it goes to.
    pub target: Reference,
    /// The properties; none if they have not been read.
    pub properties: Option<Arc<Vec<Property>>>,
}

/// A property of a vertex, with an id and properties of its own. Equal to another by its id.
#[derive(Clone, Debug)]
pub struct VertexProperty {
    /// The id.
    pub id: Value,
    /// The key.
    pub key: Text,
    /// The value.
    pub value: Value,
    /// Properties of the property.
    pub meta: Vec<Property>,
    /// The vertex; none if it came in a message.
    pub owner: Option<Arc<Reference>>,
}

/// A property of an edge or of a property. Equal to another by key and value.
#[derive(Clone, Debug)]
pub struct Property {
    /// The key.
    pub key: Text,
    /// The value.
    pub value: Value,
    /// The edge or property of a vertex; none if it came in a message, or is one of [`VertexProperty::meta`].
    pub owner: Option<Value>,
}

/// A path: what a traverser visited, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Path {
    /// The objects.
    pub objects: Vec<Value>,
    /// The labels of each object: as many sets as objects.
    pub labels: Vec<Vec<Text>>,
}

/// A tree: keys in the order of their first appearance, each with its subtree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree(pub IndexMap<Value, Self>);

/// A part of a graph, each element once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subgraph {
    /// Vertices by id.
    pub vertices: IndexMap<Value, Arc<Vertex>>,
    /// Edges by id.
    pub edges: IndexMap<Value, Arc<Edge>>,
}

/// The profile of a step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Metrics {
    /// The id of the step.
    pub id: Text,
    /// The name of the step.
    pub name: Text,
    /// Nanoseconds.
    pub nanoseconds: i64,
    /// Counts by name, such as `traverserCount`.
    pub counts: Vec<(Text, i64)>,
    /// Further facts by name, such as `percentDur`.
    pub annotations: Vec<(Text, Value)>,
    /// Profiles of the step's own traversals.
    pub nested: Vec<Self>,
}

/// The profile of a traversal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TraversalMetrics {
    /// Nanoseconds.
    pub nanoseconds: i64,
    /// The profiles of its steps.
    pub steps: Vec<Metrics>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_takes_32_bytes() {
        assert_eq!(size_of::<Value>(), 32);
    }
}
