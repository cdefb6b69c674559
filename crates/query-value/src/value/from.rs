//! Values of Rust as values of queries.

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;

use super::{
    BulkSet, Edge, Map, Path, Property, Set, Subgraph, Text, TraversalMetrics, Tree, Value, Vertex, VertexProperty,
};
use crate::datetime::DateTime;
use crate::duration::Duration;
use crate::enums::Enum;

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
