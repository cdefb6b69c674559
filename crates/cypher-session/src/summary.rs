//! What is told about a query at the end of its result.

use cypher_value::{Text, Value};

/// What a query does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueryKind {
    /// It reads.
    #[default]
    Read,
    /// It reads and writes.
    ReadWrite,
    /// It writes and has no result.
    Write,
    /// It changes the schema.
    Schema,
}

impl QueryKind {
    /// Its name in the protocol.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "r",
            Self::ReadWrite => "rw",
            Self::Write => "w",
            Self::Schema => "s",
        }
    }
}

/// What a query changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is a number of what its name says")]
pub struct Counters {
    pub nodes_created: u64,
    pub nodes_deleted: u64,
    pub relationships_created: u64,
    pub relationships_deleted: u64,
    pub properties_set: u64,
    pub labels_added: u64,
    pub labels_removed: u64,
    pub indexes_added: u64,
    pub indexes_removed: u64,
    pub constraints_added: u64,
    pub constraints_removed: u64,
}

impl Counters {
    /// The numbers that are not zero, by their names in the protocol.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, u64)> + Clone {
        let all = [
            ("nodes-created", self.nodes_created),
            ("nodes-deleted", self.nodes_deleted),
            ("relationships-created", self.relationships_created),
            ("relationships-deleted", self.relationships_deleted),
            ("properties-set", self.properties_set),
            ("labels-added", self.labels_added),
            ("labels-removed", self.labels_removed),
            ("indexes-added", self.indexes_added),
            ("indexes-removed", self.indexes_removed),
            ("constraints-added", self.constraints_added),
            ("constraints-removed", self.constraints_removed),
        ];
        all.into_iter().filter(|(_, count)| *count > 0)
    }
}

/// Something a user should know about a query that worked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    /// The code, such as `Neo.ClientNotification.Statement.UnknownLabelWarning`.
    pub code: Text,
    /// The GQL status, such as `01N50`.
    pub status: Text,
    /// What it is about, in a few words.
    pub title: Text,
    /// What it is about.
    pub description: String,
    /// `WARNING` or `INFORMATION`.
    pub severity: &'static str,
    /// Its classification, such as `UNRECOGNIZED`.
    pub category: &'static str,
    /// Where in the text of the query.
    pub position: Option<Position>,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Characters before it.
    pub offset: u32,
    /// Its line, from 1.
    pub line: u32,
    /// Its column, from 1.
    pub column: u32,
}

/// An operator of a plan.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// What it is.
    pub operator: String,
    /// How it does it, by name.
    pub arguments: Vec<(Text, Value)>,
    /// The variables it knows.
    pub identifiers: Vec<Text>,
    /// How many rows it gave and how often it read the store, where the query was run to know that.
    pub measured: Option<(u64, u64)>,
    /// The operators it takes rows from.
    pub children: Vec<Self>,
}

/// What is told at the end of a result.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// What the query does.
    pub kind: QueryKind,
    /// What it changed.
    pub counters: Counters,
    /// What its user should know.
    pub notifications: Vec<Notification>,
    /// How it was, or would be, carried out, where that was asked for.
    pub plan: Option<Plan>,
    /// Names the state after the query, where it was a transaction of its own.
    pub bookmark: Option<String>,
}
