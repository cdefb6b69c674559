//! What an engine is opened with.

use std::path::PathBuf;
use std::time::Duration;

use kv::KvError;
use scylla::statement::{Consistency, SerialConsistency};

use crate::limits::KEYSPACE_NAME_MAX;

/// How a cluster is reached and used.
#[derive(Clone, Debug)]
pub struct CassandraOptions {
    /// Some nodes, as `host:port` or `host` (port 9042); the others are learned from them.
    pub contact_points: Vec<String>,
    /// The keyspace; made at the first start. Lower-case letters, digits and underscores.
    pub keyspace: String,
    /// Replicas in each datacenter of a keyspace that has to be made.
    pub replication_factor: usize,
    /// Replicas by datacenter of a keyspace that has to be made, instead of `replication_factor` in each.
    pub datacenters: Vec<(String, usize)>,
    /// Replicas that must have answered.
    pub consistency: ReplicaConsistency,
    /// The datacenter whose nodes are asked; `None`: all.
    pub local_datacenter: Option<String>,
    /// How long reaching the cluster may take at the start.
    pub connect_timeout: Duration,
    /// How long a request may take, everything that is tried included.
    pub request_timeout: Duration,
    /// Connections to each node.
    pub connections_per_node: usize,
    /// Maximum number of concurrent requests over all calls, separately for parts of batches and for everything else.
    pub requests_in_flight_max: usize,
    /// Maximum bytes of a batch over several partitions. A node logs a warning about batches above its
    /// `batch_size_warn_threshold` (5 KiB by default) and rejects those above its `batch_size_fail_threshold` (50 KiB).
    pub batch_bytes: usize,
    /// User and password, where the cluster asks for them.
    pub credentials: Option<Credentials>,
    /// Encrypts connections.
    pub tls: Option<TlsOptions>,
}

/// The user that logs in.
#[derive(Clone)]
pub struct Credentials {
    /// Name of the user.
    pub user: String,
    /// The password.
    pub password: String,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials").field("user", &self.user).finish_non_exhaustive()
    }
}

/// Encrypted connections. Nodes are contacted by IP address, so their certificates must contain the addresses.
#[derive(Clone, Debug, Default)]
pub struct TlsOptions {
    /// CA certificates (PEM) that verify the nodes'; `None`: those the system trusts.
    pub ca_file: Option<PathBuf>,
    /// The client's certificate chain (PEM) with its key, for nodes that verify clients.
    pub client_certificate: Option<ClientCertificate>,
}

/// A certificate and its key.
#[derive(Clone, Debug)]
pub struct ClientCertificate {
    /// The chain (PEM).
    pub certificate_file: PathBuf,
    /// Its key (PEM).
    pub key_file: PathBuf,
}

/// How many replicas must have answered. Less than a majority would not keep what is acknowledged, so there is no such
/// choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplicaConsistency {
    /// A majority of those in the local datacenter.
    LocalQuorum,
    /// A majority of all.
    Quorum,
    /// All for writes, any one being enough to read then; every node that is down stops writes.
    All,
}

impl ReplicaConsistency {
    pub(crate) fn of_requests(self) -> Consistency {
        match self {
            Self::LocalQuorum => Consistency::LocalQuorum,
            Self::Quorum => Consistency::Quorum,
            Self::All => Consistency::All,
        }
    }

    pub(crate) fn of_swaps(self) -> SerialConsistency {
        match self {
            Self::LocalQuorum => SerialConsistency::LocalSerial,
            Self::Quorum | Self::All => SerialConsistency::Serial,
        }
    }
}

impl Default for CassandraOptions {
    fn default() -> Self {
        Self {
            contact_points: vec!["127.0.0.1:9042".to_owned()],
            keyspace: "rhizome".to_owned(),
            replication_factor: 1,
            datacenters: Vec::new(),
            consistency: ReplicaConsistency::LocalQuorum,
            local_datacenter: None,
            connect_timeout: Duration::from_secs(10),
            request_timeout: Duration::from_secs(10),
            connections_per_node: 2,
            requests_in_flight_max: 128,
            batch_bytes: 40 << 10,
            credentials: None,
            tls: None,
        }
    }
}

impl CassandraOptions {
    /// The contact points, for messages.
    pub(crate) fn contacts(&self) -> String {
        self.contact_points.join(", ")
    }

    /// Replicas by datacenter as the statement that makes a keyspace says it.
    pub(crate) fn replication(&self) -> String {
        let mut text = "{'class': 'NetworkTopologyStrategy'".to_owned();
        if self.datacenters.is_empty() {
            text.push_str(&format!(", 'replication_factor': {}", self.replication_factor));
        }
        for (datacenter, factor) in &self.datacenters {
            text.push_str(&format!(", '{}': {factor}", datacenter.replace('\'', "''")));
        }
        text.push('}');
        text
    }

    pub(crate) fn check(&self) -> Result<(), KvError> {
        let refused = |detail: &str| Err(KvError::Other { detail: detail.to_owned() });
        if self.contact_points.iter().all(|point| point.trim().is_empty()) {
            return refused("no contact point is given: name at least one node as host:port");
        }
        let name = self.keyspace.as_bytes();
        let fits = name.first().is_some_and(u8::is_ascii_lowercase)
            && name.len() <= KEYSPACE_NAME_MAX
            && name.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'_');
        if !fits {
            let detail = format!(
                "'{}' is not a valid keyspace name: it needs lower-case letters, digits and underscores, at most \
                 {KEYSPACE_NAME_MAX}, a letter first",
                self.keyspace
            );
            return Err(KvError::Other { detail });
        }
        if self.replication_factor == 0 || self.datacenters.iter().any(|(_, factor)| *factor == 0) {
            return refused("a replication factor of 0 keeps nothing: it must be at least 1");
        }
        if self.connections_per_node == 0 || self.requests_in_flight_max == 0 || self.batch_bytes == 0 {
            return refused("connections per node, requests in flight and bytes of a batch must be at least 1");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_no_keyspace_are_refused() {
        for (name, fits) in
            [("rhizome", true), ("r2_d2", true), ("", false), ("2r", false), ("Rhizome", false), ("a\"b", false)]
        {
            let options = CassandraOptions { keyspace: name.to_owned(), ..CassandraOptions::default() };
            assert_eq!(options.check().is_ok(), fits, "{name}");
        }
        let options = CassandraOptions { contact_points: vec![" ".to_owned()], ..CassandraOptions::default() };
        assert!(options.check().is_err());
    }

    #[test]
    fn replication_is_by_datacenter_where_given() {
        let mut options = CassandraOptions { replication_factor: 3, ..CassandraOptions::default() };
        assert_eq!(options.replication(), "{'class': 'NetworkTopologyStrategy', 'replication_factor': 3}");
        options.datacenters = vec![("eu".to_owned(), 3), ("it's".to_owned(), 2)];
        assert_eq!(options.replication(), "{'class': 'NetworkTopologyStrategy', 'eu': 3, 'it''s': 2}");
    }

    #[test]
    fn passwords_are_not_printed() {
        let credentials = Credentials { user: "u".to_owned(), password: "secret".to_owned() };
        assert!(!format!("{credentials:?}").contains("secret"));
    }
}
