//! What a query did.

use cypher_plan::PlanNode;

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

/// What kind of query it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryType {
    /// It reads.
    Read,
    /// It reads and writes.
    ReadWrite,
    /// It writes.
    Write,
    /// It changes the schema.
    Schema,
}

impl QueryType {
    /// As drivers have it: `r`, `rw`, `w`, `s`.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Read => "r",
            Self::ReadWrite => "rw",
            Self::Write => "w",
            Self::Schema => "s",
        }
    }
}

/// What a query did, at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// What was changed.
    pub counters: Counters,
    /// What kind of query it was.
    pub query_type: QueryType,
    /// Notes for the client.
    pub notifications: Vec<String>,
    /// How it was, or would be, carried out, where EXPLAIN or PROFILE asks for that.
    pub plan: Option<PlanNode>,
}
