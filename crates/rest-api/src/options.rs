//! How the API answers.

use std::sync::Arc;
use std::time::Duration;

use auth::Accounts;
use backup_service::Backups;
use graph_analysis::JobState;
use graph_limits::GraphLimits;

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
    /// Seconds for which one freeze may stop writes; more is answered 400 (`cluster.freeze_seconds_max`).
    pub freeze_seconds_max: u64,
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
            freeze_seconds_max: 3_600,
        }
    }
}

/// The level of the log, which may be changed while the server runs.
pub trait LogLevel: Send + Sync {
    /// A level, or a filter by module.
    fn level(&self) -> String;

    /// Changes it.
    ///
    /// # Errors
    /// What is wrong with a text that is neither a level nor a filter.
    fn set_level(&self, level: &str) -> Result<(), String>;
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
    /// Quotas that graphs have of their own; without them their address fails.
    pub graph_limits: Option<Arc<GraphLimits>>,
    /// From which duration on a request is logged as slow; zero: none is (`log.slow_request_ms`).
    pub slow_request: Duration,
    /// The level of the log; without it that cannot be read or changed.
    pub log: Option<Arc<dyn LogLevel>>,
    /// What analyses share; without it Cypher has no algorithms over whole graphs.
    pub analyses: Option<Arc<JobState>>,
    /// Adds routes under `/test/` that panic and sleep, for tests of the server itself.
    #[doc(hidden)]
    pub test_routes: bool,
}
