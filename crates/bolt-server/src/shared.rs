//! What all connections share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use auth::Authenticate;
use cypher_session::Transactions;
use serving::{Endpoints, Serving, Worker};
use tls::Tls;

/// How connections are served.
#[derive(Clone, Debug)]
pub struct Options {
    /// Open connections; one more is closed at once (`server.connections_max`).
    pub connections_max: usize,
    /// Largest message (`server.request_body_bytes_max`).
    pub message_bytes_max: usize,
    /// Where HTTP is served, with its scheme, for who asks for that here.
    pub http_address: String,
    /// Where connections are served. Without any, on the runtime that accepts them.
    pub workers: Vec<Worker>,
    /// What encrypts connections (`bolt+s`, `neo4j+s`). Without it they are plain text.
    pub tls: Option<Arc<Tls>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            connections_max: 16_000,
            message_bytes_max: 16 * 1024 * 1024,
            http_address: "http://127.0.0.1:8080".to_owned(),
            workers: Vec::new(),
            tls: None,
        }
    }
}

/// The messages that are counted.
const COUNTED: [&str; 7] = ["RUN", "PULL", "DISCARD", "COMMIT", "ROLLBACK", "LOGON", "ROUTE"];

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) transactions: Arc<Transactions>,
    pub(crate) auth: Arc<dyn Authenticate>,
    pub(crate) options: Options,
    endpoints: Endpoints,
    connections: AtomicU64,
}

impl Shared {
    pub(crate) fn new(transactions: Arc<Transactions>, auth: Arc<dyn Authenticate>, options: Options) -> Self {
        let metrics = &transactions.serving().metrics;
        let endpoints = metrics.endpoints(COUNTED.iter().map(|name| Some(("bolt", *name))));
        Self { transactions, auth, options, endpoints, connections: AtomicU64::new(0) }
    }

    pub(crate) fn serving(&self) -> &Arc<Serving> {
        self.transactions.serving()
    }

    /// The counters of a message.
    pub(crate) fn endpoint(&self, name: &str) -> &serving::EndpointMetrics {
        self.endpoints.of(COUNTED.iter().position(|counted| *counted == name))
    }

    /// The number of one more connection.
    pub(crate) fn number(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::Relaxed)
    }
}
