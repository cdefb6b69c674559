//! Values of graph queries: what they are, and how they compare, order and compute. Shared by all query languages.
//!
//! [`Value`] is any value a query reads, holds or answers: numbers of many widths, texts, collections, elements, paths.
//! A clone costs at most one reference count. `==` and `Hash` are *equivalence*, by which values are grouped and made
//! unique: numbers of different types differ (`1` and `1.0`), NaN is itself, elements are equal by their id.
//!
//! [`equals`] is equality (`1 == 1.0`), [`compare()`] compares within a type, [`order`] sorts any values; [`number`]
//! computes, [`mod@function`] converts, [`Predicate`] tests, [`Random`] chooses.
//!
//! No I/O, no storage, no parser of a language, no execution. Nothing here panics. Functions recurse into nested
//! values, so a value must not be nested deeper than [`limits::NESTING_MAX`]: code that builds collections out of
//! values checks them with [`Value::is_nested_within`]. Start reading at [`Value`].

mod compare;
mod comparison;
mod datetime;
mod duration;
mod enums;
mod equivalence;
mod error;
mod exact;
pub mod function;
pub mod limits;
pub mod number;
mod predicate;
mod random;
mod value;

pub use compare::{compare, equals, order};
pub use comparison::{Comparison, Interval, TextTest};
pub use datetime::DateTime;
pub use duration::Duration;
pub use enums::{
    Barrier, Cardinality, Column, DateUnit, Direction, ElementKind, Enum, GType, Merge, Operator, Order, Pick, Pop,
    Scope, T,
};
pub use error::ValueError;
pub use predicate::{Members, Predicate, is_of};
pub use random::Random;
pub use value::{
    BulkSet, Edge, Map, Metrics, Path, Property, Reference, Set, Subgraph, Text, TraversalMetrics, Tree, Value, Vertex,
    VertexProperty,
};
