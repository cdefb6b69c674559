//! What all connections share.

use std::sync::Arc;
use std::time::Duration;

use auth::{Authenticate, NoUsers};
use query_service::QueryService;
use serving::Serving;

/// How requests are answered.
#[derive(Clone)]
pub struct Options {
    /// How long a query may work that asks for no other time (`gremlin.evaluation_timeout_ms`).
    pub timeout: Duration,
    /// Largest request, decompressed (`server.request_body_bytes_max`).
    pub request_bytes_max: usize,
    /// Largest answer over HTTP (`graph.response_bytes_max`); over a WebSocket results come in messages.
    pub response_bytes_max: usize,
    /// Who checks the users; without, everybody may do everything.
    pub users: Arc<dyn Authenticate>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            request_bytes_max: 16 * 1024 * 1024,
            response_bytes_max: 64 * 1024 * 1024,
            users: Arc::new(NoUsers),
        }
    }
}

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) queries: Arc<QueryService>,
    pub(crate) serving: Arc<Serving>,
    pub(crate) options: Options,
}
