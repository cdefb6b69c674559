//! The options of an engine.

use std::path::PathBuf;
use std::time::Duration;

use kv::KvError;

/// Where the cluster is and how to talk to it.
#[derive(Clone, Debug)]
pub struct TikvOptions {
    /// Addresses (`host:port`) of members of PD, at least one. The others are learned from it.
    pub pd_endpoints: Vec<String>,
    /// What all keys begin with, so that several stores share a cluster: 1 to 64 letters, digits, `-`, `_` or `.`.
    pub prefix: String,
    /// Time for finding the cluster when the engine is opened.
    pub connect_timeout: Duration,
    /// Timeout of one call, including retries. Long calls (deleting a prefix) apply it to each step.
    pub request_timeout: Duration,
    /// Time for one request to a store; then another is tried within `request_timeout`.
    pub attempt_timeout: Duration,
    /// Maximum number of concurrent reads, and of 16 KiB parts of batches. Further ones wait.
    pub in_flight_max: usize,
    /// Commit a batch that is in one region and small (16 KiB) in one round instead of two, where the cluster can.
    pub one_phase_commit: bool,
    /// How long overwritten and deleted values are kept for snapshots, when [`kv::Engine::compact`] lets the cluster
    /// drop them. `None`: others collect garbage (a TiDB on the same cluster does). The limit applies to the whole
    /// cluster, not to the prefix.
    pub garbage_age: Option<Duration>,
    /// Files for TLS; `None`: no TLS.
    pub tls: Option<TikvTls>,
    /// Threads that wait for the network.
    pub threads: usize,
}

/// PEM files for mutual TLS.
#[derive(Clone, Debug)]
pub struct TikvTls {
    /// Certificates of the authority that signed those of the cluster.
    pub ca: PathBuf,
    /// This client's certificate chain.
    pub certificate: PathBuf,
    /// This client's private key.
    pub key: PathBuf,
}

impl Default for TikvOptions {
    fn default() -> Self {
        Self {
            pd_endpoints: Vec::new(),
            prefix: "rhizome".to_owned(),
            connect_timeout: Duration::from_secs(5),
            request_timeout: Duration::from_secs(10),
            attempt_timeout: Duration::from_secs(3),
            in_flight_max: 128,
            one_phase_commit: true,
            garbage_age: None,
            tls: None,
            threads: 2,
        }
    }
}

impl TikvOptions {
    /// Longest prefix, in bytes: it is part of every key.
    const PREFIX_BYTES_MAX: usize = 64;

    /// What is wrong with these options, if anything.
    pub(crate) fn check(&self) -> Result<(), KvError> {
        let fit = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let wrong = if self.pd_endpoints.iter().all(String::is_empty) {
            "name at least one PD endpoint (host:port)".to_owned()
        } else if !(1..=Self::PREFIX_BYTES_MAX).contains(&self.prefix.len()) || !self.prefix.bytes().all(fit) {
            format!("the prefix {:?} is not 1 to 64 letters, digits, '-', '_' or '.'", self.prefix)
        } else if self.in_flight_max == 0 || self.threads == 0 {
            "in_flight_max and threads must be at least 1".to_owned()
        } else {
            return Ok(());
        };
        Err(KvError::Other { detail: format!("settings of TiKV: {wrong}") })
    }
}
