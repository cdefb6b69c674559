//! `[storage.cassandra]`.

use std::path::PathBuf;

use serde::Deserialize;

use super::SettingsError;

/// `[storage.cassandra]`
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in rhizome.toml, explained there")]
pub struct Cassandra {
    pub contact_points: String,
    pub keyspace: String,
    pub replication_factor: usize,
    pub datacenters: String,
    pub local_datacenter: String,
    pub consistency: ConsistencyName,
    pub connect_timeout_ms: u64,
    pub request_timeout_ms: u64,
    pub connections_per_node: usize,
    pub requests_in_flight_max: usize,
    pub row_cache: bytesize::ByteSize,
    pub batch_bytes: bytesize::ByteSize,
    pub user: String,
    pub password: String,
    pub tls: bool,
    pub tls_ca_file: PathBuf,
    pub tls_certificate_file: PathBuf,
    pub tls_key_file: PathBuf,
}

/// `storage.cassandra.consistency`
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum ConsistencyName {
    /// A majority of the replicas of the local datacenter.
    LocalQuorum,
    /// A majority of all replicas.
    Quorum,
    /// All replicas.
    All,
}

impl Cassandra {
    /// The names in a list with commas.
    #[cfg(any(test, feature = "cassandra"))]
    pub(crate) fn contact_points(&self) -> Vec<String> {
        items(&self.contact_points).map(str::to_owned).collect()
    }

    /// Replicas by datacenter, from `name:replicas` with commas.
    pub(crate) fn datacenters(&self) -> Result<Vec<(String, usize)>, SettingsError> {
        items(&self.datacenters)
            .map(|item| {
                let (name, replicas) = item.rsplit_once(':').unwrap_or((item, ""));
                let replicas = replicas.trim().parse().map_err(|_| SettingsError::Value {
                    key: "storage.cassandra.datacenters",
                    value: self.datacenters.clone(),
                    reason: format!("'{item}' is not of the form name:replicas, as in \"berlin:3, tokyo:3\""),
                })?;
                Ok((name.trim().to_owned(), replicas))
            })
            .collect()
    }

    pub(super) fn check(&self) -> Result<(), SettingsError> {
        for (key, value) in [
            ("storage.cassandra.connect_timeout_ms", self.connect_timeout_ms),
            ("storage.cassandra.request_timeout_ms", self.request_timeout_ms),
        ] {
            if value == 0 {
                return Err(SettingsError::Value {
                    key,
                    value: "0".to_owned(),
                    reason: "it must be at least 1".to_owned(),
                });
            }
        }
        if self.tls_certificate_file.as_os_str().is_empty() != self.tls_key_file.as_os_str().is_empty() {
            let reason = "a certificate and its key go together: give both or none".to_owned();
            let value = self.tls_certificate_file.display().to_string();
            return Err(SettingsError::Value { key: "storage.cassandra.tls_certificate_file", value, reason });
        }
        self.datacenters().map(drop)
    }
}

fn items(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|item| !item.is_empty())
}
