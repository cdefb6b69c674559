//! What `profile()` measures.

use crate::value::{Text, Value};

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
