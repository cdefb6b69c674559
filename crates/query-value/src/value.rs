//! The value.

use std::sync::Arc;

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;
use compact_str::CompactString;
use indexmap::{IndexMap, IndexSet};

use crate::datetime::DateTime;
use crate::duration::Duration;
use crate::element::{Edge, Path, Property, Subgraph, Tree, Vertex, VertexProperty};
use crate::enums::{Enum, GType};
use crate::metrics::TraversalMetrics;

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

    /// Whether no value lies more than a number of levels inside this one; a scalar is at level 0. Takes time in
    /// proportion to the items, and stops at the first value that is too deep.
    #[must_use]
    pub fn is_nested_within(&self, levels: usize) -> bool {
        let mut pending = vec![(self, levels)];
        while let Some((value, levels)) = pending.pop() {
            let mut inside: Vec<&Self> = Vec::new();
            let is_tree_within = match value {
                Self::List(items) => {
                    inside.extend(items.iter().filter(|item| item.is_composite()));
                    true
                }
                Self::Set(items) => {
                    inside.extend(items.iter().filter(|item| item.is_composite()));
                    true
                }
                Self::BulkSet(items) => {
                    inside.extend(items.keys().filter(|item| item.is_composite()));
                    true
                }
                Self::Map(pairs) => {
                    inside
                        .extend(pairs.iter().flat_map(|(key, value)| [key, value]).filter(|item| item.is_composite()));
                    true
                }
                Self::Entry(pair) => {
                    inside.extend([&pair.0, &pair.1]);
                    true
                }
                Self::Path(path) => {
                    inside.extend(path.objects.iter().filter(|item| item.is_composite()));
                    true
                }
                Self::VertexProperty(property) => {
                    inside.push(&property.value);
                    inside.extend(property.meta.iter().map(|meta| &meta.value));
                    true
                }
                Self::Property(property) => {
                    inside.push(&property.value);
                    true
                }
                Self::Tree(tree) => tree_is_within(tree, levels, &mut pending),
                _ => continue,
            };
            let Some(left) = levels.checked_sub(1).filter(|_| is_tree_within) else { return false };
            pending.extend(inside.into_iter().map(|item| (item, left)));
        }
        true
    }

    /// Whether values may lie inside, properties of vertices and edges aside: they are stored values, whose nesting is
    /// bounded where they are written.
    fn is_composite(&self) -> bool {
        matches!(
            self,
            Self::List(_)
                | Self::Set(_)
                | Self::BulkSet(_)
                | Self::Map(_)
                | Self::Entry(_)
                | Self::Path(_)
                | Self::VertexProperty(_)
                | Self::Property(_)
                | Self::Tree(_)
        )
    }
}

/// Walks a tree without recursion; its keys become pending.
fn tree_is_within<'v>(tree: &'v Tree, levels: usize, pending: &mut Vec<(&'v Value, usize)>) -> bool {
    let mut trees = vec![(tree, levels)];
    while let Some((tree, levels)) = trees.pop() {
        let Some(left) = levels.checked_sub(1) else { return false };
        for (key, subtree) in &tree.0 {
            pending.push((key, left));
            if !subtree.0.is_empty() {
                trees.push((subtree, left));
            }
        }
    }
    true
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

macro_rules! from {
    ($($type:ty: $variant:ident),* $(,)?) => {
        $(
            impl From<$type> for Value {
                fn from(value: $type) -> Self { Self::$variant(value.into()) }
            }
        )*
    };
}

from!(
    bool: Bool,
    i8: Byte,
    i16: Short,
    i32: Int,
    i64: Long,
    f32: Float,
    f64: Double,
    char: Char,
    Text: String,
    String: String,
    BigInt: BigInteger,
    BigDecimal: BigDecimal,
    DateTime: DateTime,
    Duration: Duration,
    Enum: Enum,
    Vec<Value>: List,
    Set: Set,
    Map: Map,
    BulkSet: BulkSet,
    Vertex: Vertex,
    Edge: Edge,
    VertexProperty: VertexProperty,
    Property: Property,
    Path: Path,
    Tree: Tree,
    Subgraph: Graph,
    TraversalMetrics: Metrics,
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_takes_32_bytes() {
        assert_eq!(size_of::<Value>(), 32);
    }

    #[test]
    fn nesting_is_counted() {
        let mut value = Value::Int(1);
        for level in 0..5 {
            assert!(value.is_nested_within(level));
            assert!(level == 0 || !value.is_nested_within(level - 1));
            value = if level % 2 == 0 { Value::list([value]) } else { Value::map([(Value::Null, value)]) };
        }
        let tree = Tree(
            [(Value::Int(1), Tree([(Value::Int(2), Tree::default())].into_iter().collect()))].into_iter().collect(),
        );
        assert!(Value::from(tree.clone()).is_nested_within(2));
        assert!(!Value::from(tree).is_nested_within(1));
    }
}
