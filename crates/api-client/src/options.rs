//! How to reach a server: address, names, credentials, trust, patience.

use std::fmt;
use std::path::PathBuf;

/// Everything [`Client::connect`](crate::Client::connect) needs to know.
#[derive(Clone)]
pub struct ClientOptions {
    /// Base address, for example `http://127.0.0.1:8080`. A path prefix is kept.
    pub url: String,
    /// Name of the graph.
    pub graph: String,
    /// Name of the graph space; servers before 1.7.0 know only `DEFAULT`.
    pub graphspace: String,
    /// User name for HTTP Basic authentication; `None` sends no credentials.
    pub username: Option<String>,
    /// Password that goes with `username`.
    pub password: Option<String>,
    /// Token of a login, or an API key, in place of user and password.
    pub token: Option<String>,
    /// PEM file with the CA certificates that verify an `https` server's, in place of those the system trusts.
    pub ca: Option<PathBuf>,
    /// Time allowed for one request from sending to the last byte of the reply, in milliseconds.
    pub timeout_ms: u64,
    /// Most idle connections kept open to the server.
    pub connections_max: usize,
    /// Send the bodies of the batch endpoints compressed with gzip. HugeGraph accepts it on those endpoints only.
    pub gzip_requests: bool,
    /// When and how often a failed request is sent again.
    pub retry: RetryPolicy,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            url: "http://127.0.0.1:8080".into(),
            graph: "hugegraph".into(),
            graphspace: "DEFAULT".into(),
            username: None,
            password: None,
            token: None,
            ca: None,
            timeout_ms: 60_000,
            connections_max: 16,
            gzip_requests: true,
            retry: RetryPolicy::default(),
        }
    }
}

impl fmt::Debug for ClientOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientOptions")
            .field("url", &self.url)
            .field("graph", &self.graph)
            .field("graphspace", &self.graphspace)
            .field("username", &self.username)
            .field("password", &self.password.as_ref().map(|_| "(hidden)"))
            .field("token", &self.token.as_ref().map(|_| "(hidden)"))
            .field("ca", &self.ca)
            .field("timeout_ms", &self.timeout_ms)
            .field("connections_max", &self.connections_max)
            .field("gzip_requests", &self.gzip_requests)
            .field("retry", &self.retry)
            .finish()
    }
}

/// When a request that found no connection or an overloaded server is sent again: exponential pauses with jitter, at
/// least as long as the server's `Retry-After`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How many times a request is sent in all; 1 means never again.
    pub attempts_max: usize,
    /// First pause, in milliseconds.
    pub delay_min_ms: u64,
    /// Longest pause, in milliseconds.
    pub delay_max_ms: u64,
}

impl RetryPolicy {
    /// Sends every request exactly once: what a load tester wants.
    #[must_use]
    pub fn never() -> Self {
        Self { attempts_max: 1, delay_min_ms: 0, delay_max_ms: 0 }
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { attempts_max: 6, delay_min_ms: 200, delay_max_ms: 15_000 }
    }
}
