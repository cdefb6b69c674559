//! `[audit]` and `[quotas]`.

use std::path::PathBuf;

use audit::Class;
use bytesize::ByteSize;
use serde::Deserialize;

use super::{SettingsError, list};

/// `[audit]`
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in rhizome.toml, explained there")]
pub struct AuditSettings {
    pub file: PathBuf,
    #[serde(deserialize_with = "list")]
    pub classes: Vec<String>,
    pub file_bytes_max: ByteSize,
    pub files_max: usize,
    pub required: bool,
    pub chain: bool,
    pub query_text: bool,
}

impl AuditSettings {
    /// What is recorded.
    ///
    /// # Errors
    /// A name that is no class.
    pub fn classes(&self) -> Result<Vec<Class>, SettingsError> {
        let read = |name: &String| {
            name.parse().map_err(|error: audit::UnknownClass| SettingsError::Value {
                key: "audit.classes",
                value: self.classes.join(", "),
                reason: error.to_string(),
            })
        };
        self.classes.iter().map(read).collect()
    }

    pub(super) fn check(&self) -> Result<(), SettingsError> {
        if self.files_max == 0 {
            let reason = "it must be at least 1: the file that is written counts".to_owned();
            return Err(SettingsError::Value { key: "audit.files_max", value: "0".to_owned(), reason });
        }
        self.classes().map(drop)
    }
}

/// `[quotas]`
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in rhizome.toml, explained there")]
pub struct QuotaSettings {
    pub user_requests_per_second: u64,
    pub user_bytes_per_second: ByteSize,
    pub user_running_queries_max: usize,
    pub user_query_memory_max: ByteSize,
    pub graph_requests_per_second: u64,
    pub graph_bytes_per_second: ByteSize,
    pub graph_running_queries_max: usize,
    pub graph_query_memory_max: ByteSize,
    #[serde(deserialize_with = "list")]
    pub exempt_users: Vec<String>,
}
