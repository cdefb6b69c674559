//! What is stored of tasks: their types, and what they work on.

use serde::{Deserialize, Serialize};

/// The type of tasks that make backups.
pub(crate) const CREATE_KIND: &str = "backup";
/// The type of tasks that restore a graph.
pub(crate) const RESTORE_KIND: &str = "backup_restore";

/// What a task that makes a backup works on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CreateInput {
    pub(crate) reread: bool,
}

/// What a task that restores a graph works on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RestoreInput {
    /// Its name, or `latest`.
    pub(crate) backup: String,
    /// The graph in it.
    pub(crate) graph: String,
    /// The name it gets.
    pub(crate) name: String,
}
