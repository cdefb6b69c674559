//! What a query did.

use cypher_graph::Counters;
use cypher_plan::PlanNode;

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
