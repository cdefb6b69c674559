//! What commands did.

use cypher_exec::Counters;

/// Something a user should know of a command that worked: the notifications of Neo4j about indexes and constraints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Its code: `Neo.ClientNotification.Schema.IndexOrConstraintAlreadyExists`.
    pub code: &'static str,
    /// The GQL status: `00NA0`.
    pub status: &'static str,
    /// What had no effect.
    pub title: String,
    /// Why.
    pub description: String,
}

/// What a query did through its commands.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// What was made and removed.
    pub counters: Counters,
    /// What its user should know.
    pub notes: Vec<Note>,
}
