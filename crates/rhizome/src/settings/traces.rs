//! `[traces]`

use std::fmt;

use serde::Deserialize;

/// `[traces]`
#[derive(Clone, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in rhizome.toml, explained there")]
pub struct TracesSettings {
    pub endpoint: String,
    pub sample_ratio: f64,
    pub query_text: bool,
}

impl fmt::Debug for TracesSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An address can have a password in it.
        f.debug_struct("TracesSettings")
            .field("sample_ratio", &self.sample_ratio)
            .field("query_text", &self.query_text)
            .finish_non_exhaustive()
    }
}
