//! Storage settings as the commands need them. The binary fills them in: it alone knows the settings and the engines.

use std::path::Path;
use std::sync::Arc;

use kv::{Engine, KvError, TableSpec};

/// Reads the storage settings as a server would: defaults, then the file, then the environment, then the flags, which
/// are pairs of `section.key` and value.
pub type ReadStorage = fn(Option<&Path>, &[(&str, String)]) -> anyhow::Result<Storage>;

/// Opens the engine with its data in a folder; engines over a network ignore the folder.
pub type OpenEngine = Box<dyn Fn(&Path, &'static [TableSpec]) -> Result<Arc<dyn Engine>, KvError>>;

/// The storage settings in effect.
pub struct Storage {
    /// Name of the engine, as in the settings.
    pub engine: String,
    /// Value of `storage.durability`; `None` if the engine does not offer the choice.
    pub durability: Option<String>,
    /// What an acknowledged write survives, for readers of a report.
    pub durability_promise: String,
    /// Memory budget of the embedded engine, in bytes.
    pub memory_budget_bytes: u64,
    /// Settings of the engine for a report, as `key = value`; `None` if those on the command line suffice.
    pub engine_settings: Option<Vec<String>>,
    /// Opens the engine.
    pub open: OpenEngine,
}
