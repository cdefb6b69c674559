//! How the API answers.

use std::sync::Arc;

use auth::Accounts;
use backup_service::Backups;

/// What requests and answers may be. The names are those of the settings.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Largest request body after decompression; beyond it the answer is 413 (`server.request_body_bytes_max`).
    pub request_body_bytes_max: usize,
    /// Largest list; beyond it the answer is 400 (`graph.response_bytes_max`).
    pub response_bytes_max: usize,
    /// Time from the last byte of a request to its answer; beyond it the answer is 503 (`server.request_timeout_ms`).
    pub request_timeout_ms: u64,
    /// Vertices in one batch (`graph.batch_vertices_max`).
    pub batch_vertices_max: usize,
    /// Edges in one batch (`graph.batch_edges_max`).
    pub batch_edges_max: usize,
    /// Elements in a list that does not say `limit` (`graph.list_limit_default`).
    pub list_limit_default: u64,
    /// Bytes one traversal may hold; beyond it the answer is 400 (`server.traversal_memory_bytes_max`).
    pub traversal_memory_bytes_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request_body_bytes_max: 16 * 1024 * 1024,
            response_bytes_max: 64 * 1024 * 1024,
            request_timeout_ms: 30_000,
            batch_vertices_max: 500,
            batch_edges_max: 500,
            list_limit_default: 100,
            traversal_memory_bytes_max: 256 * 1024 * 1024,
        }
    }
}

/// How the API answers.
#[derive(Clone, Default)]
pub struct ApiOptions {
    /// What requests and answers may be.
    pub limits: Limits,
    /// The users; without them everybody may do everything.
    pub accounts: Option<Arc<Accounts>>,
    /// Backups of the store; without them their addresses refuse.
    pub backups: Option<Arc<Backups>>,
    /// Adds routes under `/test/` that panic and sleep, for tests of the server itself.
    #[doc(hidden)]
    pub test_routes: bool,
}
