//! What a target of a migration can do.

use std::path::{Path, PathBuf};

use api_client::ElementKind;
use serde_json::Value;

use crate::elements::{Digests, Forms};
use crate::error::MigrateError;
use crate::journal::Journal;

/// Where a graph is migrated to.
pub(crate) trait Target {
    /// How it is named in the journal.
    fn name(&self) -> String;

    /// Makes the graph if there is none, and has it take ids as they are given.
    fn begin(&mut self) -> Result<(), MigrateError>;

    /// Has the graph work as usual again.
    fn end(&mut self) -> Result<(), MigrateError>;

    /// The definitions of one list.
    fn definitions(&self, list: &str) -> Result<Vec<Value>, MigrateError>;

    /// Makes a definition.
    fn define(&mut self, list: &str, body: &Value) -> Result<(), MigrateError>;

    /// Sets a variable.
    fn set_variable(&mut self, name: &str, value: &Value) -> Result<(), MigrateError>;

    /// Takes all elements of the files, vertices first; goes on where it was interrupted. Returns warnings.
    fn load(
        &mut self,
        vertices: &[PathBuf],
        edges: &[PathBuf],
        work_dir: &Path,
        journal: &mut Journal,
    ) -> Result<Vec<String>, MigrateError>;

    /// Sums over all elements of a kind.
    fn digests(&self, kind: ElementKind, forms: &Forms) -> Result<Digests, MigrateError>;

    /// Makes a record of users and rights; false where there is one of its name.
    fn add_user_record(&mut self, list: &str, body: &Value) -> Result<bool, MigrateError>;
}
