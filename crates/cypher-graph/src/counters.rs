//! What a query changed.

/// How many elements a query changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Nodes made.
    pub nodes_created: u64,
    /// Nodes removed.
    pub nodes_deleted: u64,
    /// Relationships made.
    pub relationships_created: u64,
    /// Relationships removed.
    pub relationships_deleted: u64,
    /// Properties set or removed.
    pub properties_set: u64,
    /// Labels given to nodes.
    pub labels_added: u64,
    /// Labels taken from nodes.
    pub labels_removed: u64,
    /// Indexes made.
    pub indexes_added: u64,
    /// Indexes removed.
    pub indexes_removed: u64,
    /// Constraints made.
    pub constraints_added: u64,
    /// Constraints removed.
    pub constraints_removed: u64,
}

impl Counters {
    /// Whether anything was changed.
    #[must_use]
    pub fn contains_updates(&self) -> bool {
        *self != Self::default()
    }
}
