//! Settings: the embedded, commented defaults, then a file, then the environment, then flags; later ones win.
//!
//! Every key is in `rhizome.toml`, so an unknown key is an error that names where it was given and the closest known
//! one. Errors about values of the wrong type do so too.

mod backup;
mod cassandra;
mod oidc;
mod tls;
mod traces;
mod watched;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytesize::ByteSize;
use config::{Config, File, FileFormat, Map, Value, ValueKind};
use serde::Deserialize;

pub use self::tls::{ClientCertificates, Tls};
pub use self::traces::TracesSettings;
pub use backup::Backup;
pub use cassandra::{Cassandra, ConsistencyName};
pub use oidc::Oidc;
pub use watched::{AuditSettings, QuotaSettings};

/// The defaults, as compiled into the program.
pub const DEFAULTS: &str = include_str!("../rhizome.toml");

/// Environment variables that set keys begin with this; sections and keys are joined with two underscores.
const ENVIRONMENT_PREFIX: &str = "RHIZOME__";

/// All settings. See `rhizome.toml` for what each means.
#[derive(Clone, Debug, Deserialize)]
pub struct Settings {
    /// The HTTP server.
    pub server: Server,
    /// Gremlin.
    pub gremlin: Gremlin,
    /// Algorithms over whole graphs.
    pub analysis: Analysis,
    /// Bolt, the protocol of Neo4j's drivers.
    pub bolt: Bolt,
    /// Cypher.
    pub cypher: Cypher,
    /// What a graph accepts.
    pub graph: GraphSettings,
    /// Search indexes.
    pub search: Search,
    /// Where graphs are stored.
    pub storage: Storage,
    /// Several servers over one store.
    pub cluster: Cluster,
    /// Users.
    pub auth: Auth,
    /// Encryption.
    pub tls: Tls,
    /// The record of events.
    pub audit: AuditSettings,
    /// What one user or graph may use.
    pub quotas: QuotaSettings,
    /// Backups.
    pub backup: Backup,
    /// The explorer.
    pub ui: Ui,
    /// Messages.
    pub log: Log,
    /// Traces.
    pub traces: TracesSettings,
}

/// `[server]`
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in rhizome.toml, explained there")]
pub struct Server {
    pub listen: String,
    #[serde(deserialize_with = "list")]
    pub hosts: Vec<String>,
    #[serde(deserialize_with = "list")]
    pub trusted_proxies: Vec<String>,
    pub connections_max: usize,
    pub requests_in_flight_max: usize,
    pub bytes_in_flight_max: ByteSize,
    pub request_body_bytes_max: ByteSize,
    pub request_timeout_ms: u64,
    pub header_read_timeout_ms: u64,
    pub keep_alive_idle_timeout_ms: u64,
    pub shutdown_grace_ms: u64,
    pub worker_threads: usize,
    pub pin_threads: bool,
    pub blocking_threads: usize,
    pub waiting_queries_max: usize,
    pub waiting_writes_max: usize,
    pub busy_poll_us: u64,
    pub query_niceness: u8,
    pub attempt_us: u64,
    pub remote_threads: usize,
    pub traversal_memory_bytes_max: ByteSize,
}

impl Server {
    /// The networks of the proxies that are trusted.
    ///
    /// # Errors
    /// One that is no address and no network.
    pub fn trusted_proxies(&self) -> Result<Vec<ipnet::IpNet>, SettingsError> {
        let network = |text: &String| {
            let one = || text.parse::<std::net::IpAddr>().map(ipnet::IpNet::from);
            text.parse::<ipnet::IpNet>().or_else(|_| one()).map_err(|_| SettingsError::Value {
                key: "server.trusted_proxies",
                value: text.clone(),
                reason: "expected an address or a network, such as 10.0.0.7 or 10.0.0.0/8".to_owned(),
            })
        };
        self.trusted_proxies.iter().map(network).collect()
    }
}

/// `[gremlin]`
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in rhizome.toml, explained there")]
pub struct Gremlin {
    pub enabled: bool,
    pub listen: String,
    pub evaluation_timeout_ms: u64,
    pub memory_max: ByteSize,
    pub sessions_max: usize,
    pub session_idle_ms: u64,
    pub slow_query_ms: u64,
}

/// `[analysis]`
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in rhizome.toml, explained there")]
pub struct Analysis {
    pub memory_bytes_max: ByteSize,
    pub threads: usize,
}

/// `[bolt]`
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in rhizome.toml, explained there")]
pub struct Bolt {
    pub enabled: bool,
    pub listen: String,
    pub query_timeout_ms: u64,
    pub transactions_max: usize,
    pub transaction_idle_ms: u64,
}

/// `[cypher]`
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in rhizome.toml, explained there")]
pub struct Cypher {
    pub import_folders: Vec<PathBuf>,
    pub csv_row_bytes_max: ByteSize,
}

/// `[graph]`
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in rhizome.toml, explained there")]
pub struct GraphSettings {
    pub default: String,
    pub graphs_max: usize,
    pub batch_vertices_max: usize,
    pub batch_edges_max: usize,
    pub list_limit_default: u64,
    pub encode_primary_key_number: bool,
    pub time_zone: String,
    pub response_bytes_max: ByteSize,
    pub expiry_interval_ms: u64,
    pub expiry_batch_elements: usize,
}

/// `[search]`
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in rhizome.toml, explained there")]
pub struct Search {
    pub analyzer: AnalyzerName,
}

/// `search.analyzer`
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum AnalyzerName {
    /// Chinese words; others at blanks.
    Jieba,
    /// Stems of English words.
    English,
    /// Words as they are.
    Simple,
}

impl From<AnalyzerName> for graph_schema::Analyzer {
    fn from(name: AnalyzerName) -> Self {
        match name {
            AnalyzerName::Jieba => Self::Jieba,
            AnalyzerName::English => Self::English,
            AnalyzerName::Simple => Self::Simple,
        }
    }
}

/// `[storage]`
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in rhizome.toml, explained there")]
pub struct Storage {
    pub engine: EngineName,
    pub data_dir: PathBuf,
    pub durability: DurabilityName,
    pub adjacency_cache: ByteSize,
    pub adjacency_read_ahead: bool,
    pub disk_free_min: ByteSize,
    pub rocksdb: RocksDb,
    pub tikv: Tikv,
    pub cassandra: Cassandra,
}

/// `[storage.rocksdb]`
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in rhizome.toml, explained there")]
pub struct RocksDb {
    pub memory_budget: ByteSize,
    pub row_cache: ByteSize,
    pub write_buffer: ByteSize,
    pub block_size: ByteSize,
    pub compression: CompressionName,
    pub background_jobs: u16,
    pub open_files_max: u16,
}

/// `[storage.tikv]`
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in rhizome.toml, explained there")]
pub struct Tikv {
    #[serde(deserialize_with = "list")]
    pub pd_endpoints: Vec<String>,
    pub prefix: String,
    pub connect_timeout_ms: u64,
    pub request_timeout_ms: u64,
    pub attempt_timeout_ms: u64,
    pub in_flight_max: usize,
    pub row_cache: ByteSize,
    pub one_phase_commit: bool,
    pub garbage_age_ms: u64,
    pub tls_ca: PathBuf,
    pub tls_certificate: PathBuf,
    pub tls_key: PathBuf,
}

/// A list, or a text with commas, as the environment and flags have it.
fn list<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        List(Vec<String>),
        Text(String),
    }
    Ok(match Given::deserialize(deserializer)? {
        Given::List(list) => list,
        Given::Text(text) => {
            text.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
        }
    })
}

/// `[cluster]`
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in rhizome.toml, explained there")]
pub struct Cluster {
    pub refresh_ms: u64,
    pub stale_ms: u64,
    pub change_wait_ms: u64,
    pub in_doubt_ms: u64,
    pub freeze_seconds_max: u64,
}

/// `[auth]`
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in rhizome.toml, explained there")]
pub struct Auth {
    pub enabled: bool,
    pub password_length_min: usize,
    pub token_seconds: u64,
    pub oidc: Oidc,
}

/// `[ui]`
#[derive(Clone, Copy, Debug, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in rhizome.toml, explained there")]
pub struct Ui {
    pub load_test: bool,
}

/// `[log]`
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in rhizome.toml, explained there")]
pub struct Log {
    pub level: String,
    pub format: LogFormat,
    pub slow_request_ms: u64,
}

/// `storage.engine`
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum EngineName {
    /// Files on this machine.
    Rocksdb,
    /// Nothing survives the process.
    Memory,
    /// A TiKV cluster.
    Tikv,
    /// A cluster that several servers share.
    Cassandra,
}

/// `storage.durability`
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum DurabilityName {
    /// The write-ahead log, without waiting for the disk.
    Wal,
    /// The write-ahead log on the disk.
    Fsync,
}

impl DurabilityName {
    /// What an acknowledged write survives, for people.
    #[must_use]
    pub fn promise(self) -> &'static str {
        match self {
            Self::Wal => "wal (an acknowledged write survives a process crash, but not a power failure)",
            Self::Fsync => "fsync (an acknowledged write survives a power failure)",
        }
    }
}

/// `storage.rocksdb.compression`
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum CompressionName {
    /// None.
    None,
    /// LZ4.
    Lz4,
    /// Zstandard.
    Zstd,
}

/// `log.format`
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// For log collectors.
    Json,
}

/// Settings that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// A key that does not exist.
    #[error("unknown setting '{key}' in {origin}{hint}")]
    UnknownKey {
        /// The key, with its section.
        key: String,
        /// The file or variable.
        origin: String,
        /// The closest known key.
        hint: String,
    },
    /// A file that cannot be read, or a value of the wrong kind.
    #[error("{0}")]
    Invalid(#[from] config::ConfigError),
    /// An invalid value.
    #[error("setting '{key}' is '{value}': {reason}")]
    Value {
        /// The key, with its section.
        key: &'static str,
        /// What was given.
        value: String,
        /// What is wrong, what to do.
        reason: String,
    },
}

impl Settings {
    /// The effective settings: defaults, then `file`, then the environment, then `flags` (keys with their sections, and
    /// values).
    pub fn load(file: Option<&Path>, flags: &[(&str, String)]) -> Result<Self, SettingsError> {
        // Unrelated variables may hold anything; invalid values of ours are rejected later.
        let text = |text: OsString| text.to_string_lossy().into_owned();
        let environment = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
        Self::load_with(file, environment, flags)
    }

    fn load_with(
        file: Option<&Path>,
        environment: impl Iterator<Item = (String, String)>,
        flags: &[(&str, String)],
    ) -> Result<Self, SettingsError> {
        let defaults = Config::builder().add_source(File::from_str(DEFAULTS, FileFormat::Toml)).build()?;
        let mut builder = Config::builder().add_source(File::from_str(DEFAULTS, FileFormat::Toml));
        if let Some(path) = file {
            let layer = Config::builder().add_source(File::from(path).format(FileFormat::Toml)).build()?;
            check_keys(&defaults, &layer, &format!("file {}", path.display()))?;
            builder = builder.add_source(layer);
        }
        for (variable, value) in environment {
            let Some(name) = variable.strip_prefix(ENVIRONMENT_PREFIX) else { continue };
            let key = name.to_ascii_lowercase().replace("__", ".");
            check_key(&defaults, &key, &format!("environment variable {variable}"))?;
            builder = builder.set_override(key, value)?;
        }
        for (key, value) in flags {
            check_key(&defaults, key, &format!("the flags (--set {key}={value})"))?;
            builder = builder.set_override(*key, value.clone())?;
        }
        let settings: Self = builder.build()?.try_deserialize()?;
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> Result<(), SettingsError> {
        let server = &self.server;
        let at_least_one = [
            ("server.connections_max", server.connections_max),
            ("graph.expiry_batch_elements", self.graph.expiry_batch_elements),
            ("server.requests_in_flight_max", server.requests_in_flight_max),
            ("server.blocking_threads", server.blocking_threads),
            ("server.remote_threads", server.remote_threads),
            ("graph.batch_vertices_max", self.graph.batch_vertices_max),
            ("graph.batch_edges_max", self.graph.batch_edges_max),
            ("bolt.transactions_max", self.bolt.transactions_max),
            ("storage.tikv.in_flight_max", self.storage.tikv.in_flight_max),
        ];
        for (key, value) in at_least_one {
            if value == 0 {
                let reason = "it must be at least 1".to_owned();
                return Err(SettingsError::Value { key, value: value.to_string(), reason });
            }
        }
        if server.busy_poll_us > serving::limits::BUSY_POLL_US_MAX {
            let value = server.busy_poll_us.to_string();
            let reason = format!("it must be at most {}", serving::limits::BUSY_POLL_US_MAX);
            return Err(SettingsError::Value { key: "server.busy_poll_us", value, reason });
        }
        if server.attempt_us > serving::limits::ATTEMPT_US_MAX {
            let value = server.attempt_us.to_string();
            let reason = format!("it must be at most {}", serving::limits::ATTEMPT_US_MAX);
            return Err(SettingsError::Value { key: "server.attempt_us", value, reason });
        }
        if server.query_niceness > serving::limits::NICENESS_MAX {
            let value = server.query_niceness.to_string();
            let reason = format!("it must be at most {}", serving::limits::NICENESS_MAX);
            return Err(SettingsError::Value { key: "server.query_niceness", value, reason });
        }
        self.backup.check(self.storage.engine)?;
        let limit = graph_maintenance::limits::EXPIRY_BATCH_ELEMENTS_MAX;
        if self.graph.expiry_batch_elements > limit {
            let value = self.graph.expiry_batch_elements.to_string();
            let reason = format!("it must be at most {limit}");
            return Err(SettingsError::Value { key: "graph.expiry_batch_elements", value, reason });
        }
        let cluster = &self.cluster;
        if cluster.refresh_ms == 0 || cluster.stale_ms < cluster.refresh_ms.saturating_mul(2) {
            let reason = format!(
                "it must be at least twice cluster.refresh_ms ({}), which must be at least 1",
                cluster.refresh_ms
            );
            return Err(SettingsError::Value { key: "cluster.stale_ms", value: cluster.stale_ms.to_string(), reason });
        }
        if cluster.in_doubt_ms < cluster.stale_ms {
            let reason = format!("it must be at least cluster.stale_ms ({})", cluster.stale_ms);
            let value = cluster.in_doubt_ms.to_string();
            return Err(SettingsError::Value { key: "cluster.in_doubt_ms", value, reason });
        }
        if self.graph.default.is_empty() {
            let reason = "a graph needs a name".to_owned();
            return Err(SettingsError::Value { key: "graph.default", value: String::new(), reason });
        }
        server.trusted_proxies()?;
        self.audit.check()?;
        self.storage.tikv.check()?;
        self.storage.cassandra.check()?;
        self.tls.check()?;
        self.auth.oidc.check(self.auth.enabled)?;
        self.time_zone().map(drop)
    }

    /// The zone in which dates are read and written.
    pub fn time_zone(&self) -> Result<jiff::tz::TimeZone, SettingsError> {
        match self.graph.time_zone.as_str() {
            "system" => Ok(jiff::tz::TimeZone::system()),
            name => jiff::tz::TimeZone::get(name).map_err(|error| SettingsError::Value {
                key: "graph.time_zone",
                value: name.to_owned(),
                reason: format!("{error}; use a name such as \"Europe/Paris\", \"UTC\" or \"system\""),
            }),
        }
    }

    /// How the store is to treat graphs.
    pub fn store_options(&self) -> Result<graph_host::StoreOptions, SettingsError> {
        Ok(graph_host::StoreOptions {
            graph: graph_store::GraphOptions {
                zone: self.time_zone()?,
                encode_primary_key_number: self.graph.encode_primary_key_number,
                analyzer: self.search.analyzer.into(),
                adjacency_cache_bytes: self.storage.adjacency_cache_bytes(),
            },
            default_graph: self.graph.default.clone(),
            graphs_max: self.graph.graphs_max,
            purge: graph_host::PurgeOptions {
                interval: (self.graph.expiry_interval_ms > 0)
                    .then(|| Duration::from_millis(self.graph.expiry_interval_ms)),
                elements_per_batch: self.graph.expiry_batch_elements,
            },
            cluster: graph_host::ClusterOptions {
                refresh: Duration::from_millis(self.cluster.refresh_ms),
                stale: Duration::from_millis(self.cluster.stale_ms),
                change_wait: Duration::from_millis(self.cluster.change_wait_ms),
                in_doubt: Duration::from_millis(self.cluster.in_doubt_ms),
            },
            reads_ahead: self.storage.adjacency_read_ahead,
            row_cache_bytes: self.storage.shared_row_cache_bytes(),
        })
    }
}

impl Storage {
    /// Bytes for the neighbours of vertices.
    #[must_use]
    pub fn adjacency_cache_bytes(&self) -> usize {
        let bytes = match self.engine {
            EngineName::Rocksdb => self.adjacency_cache.as_u64().min(self.rocksdb.memory_budget.as_u64() / 2),
            _ => self.adjacency_cache.as_u64(),
        };
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }

    /// Bytes for rows of an engine that several servers share; RocksDB has such a cache of its own.
    fn shared_row_cache_bytes(&self) -> usize {
        let bytes = match self.engine {
            EngineName::Cassandra => self.cassandra.row_cache,
            EngineName::Tikv => self.tikv.row_cache,
            EngineName::Memory | EngineName::Rocksdb => ByteSize(0),
        };
        usize::try_from(bytes.as_u64()).unwrap_or(usize::MAX)
    }
}

impl Tikv {
    fn check(&self) -> Result<(), SettingsError> {
        let files = [
            ("storage.tikv.tls_ca", &self.tls_ca),
            ("storage.tikv.tls_certificate", &self.tls_certificate),
            ("storage.tikv.tls_key", &self.tls_key),
        ];
        let named = files.iter().filter(|(_, file)| !file.as_os_str().is_empty()).count();
        match files.iter().find(|(_, file)| file.as_os_str().is_empty()) {
            Some(&(key, _)) if named > 0 => Err(SettingsError::Value {
                key,
                value: String::new(),
                reason: "TLS needs all three files: tls_ca, tls_certificate and tls_key".to_owned(),
            }),
            _ => Ok(()),
        }
    }
}

/// Checks that every key of `layer` is a key of the defaults.
fn check_keys(defaults: &Config, layer: &Config, origin: &str) -> Result<(), SettingsError> {
    let mut keys = Vec::new();
    collect_keys(String::new(), &layer.cache, &mut keys);
    keys.iter().try_for_each(|key| check_key(defaults, key, origin))
}

fn check_key(defaults: &Config, key: &str, origin: &str) -> Result<(), SettingsError> {
    let mut known = Vec::new();
    collect_keys(String::new(), &defaults.cache, &mut known);
    if known.iter().any(|candidate| candidate == key) {
        return Ok(());
    }
    let closest = known.iter().max_by(|a, b| strsim::jaro_winkler(a, key).total_cmp(&strsim::jaro_winkler(b, key)));
    let hint = closest.map_or_else(String::new, |closest| format!("; did you mean '{closest}'?"));
    Err(SettingsError::UnknownKey { key: key.to_owned(), origin: origin.to_owned(), hint })
}

fn collect_keys(path: String, value: &Value, keys: &mut Vec<String>) {
    let table: Option<&Map<String, Value>> = match &value.kind {
        ValueKind::Table(table) => Some(table),
        _ => None,
    };
    match table {
        Some(table) => {
            for (name, value) in table {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                collect_keys(path, value, keys);
            }
        }
        None => keys.push(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(file: &str, environment: &[(&str, &str)], flags: &[(&str, String)]) -> Result<Settings, SettingsError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my.toml");
        std::fs::write(&path, file).unwrap();
        let environment = environment.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        Settings::load_with(Some(&path), environment, flags)
    }

    #[test]
    fn the_embedded_defaults_are_complete_and_valid() {
        let settings = Settings::load_with(None, std::iter::empty(), &[]).unwrap();
        assert_eq!(settings.server.listen, "127.0.0.1:8080");
        assert_eq!(settings.storage.engine, EngineName::Rocksdb);
        assert_eq!(settings.storage.rocksdb.memory_budget, ByteSize::mib(512));
        assert_eq!(settings.graph.default, "hugegraph");
        assert_eq!(settings.storage.cassandra.contact_points(), ["127.0.0.1:9042"]);
    }

    #[test]
    fn lists_are_set_by_environment() {
        let environment = [
            ("RHIZOME__STORAGE__ENGINE", "cassandra"),
            ("RHIZOME__STORAGE__CASSANDRA__CONTACT_POINTS", "a:1, b:2"),
            ("RHIZOME__STORAGE__CASSANDRA__DATACENTERS", "berlin:3, tokyo:2"),
        ];
        let settings = load("", &environment, &[]).unwrap();
        assert_eq!(settings.storage.engine, EngineName::Cassandra);
        assert_eq!(settings.storage.cassandra.contact_points(), ["a:1", "b:2"]);
        let expected = [("berlin".to_owned(), 3), ("tokyo".to_owned(), 2)];
        assert_eq!(settings.storage.cassandra.datacenters().unwrap(), expected);
    }

    #[test]
    fn later_layers_win() {
        let file =
            "[server]\nlisten = \"1.1.1.1:1\"\nconnections_max = 7\n[storage.rocksdb]\nwrite_buffer = \"1MiB\"\n";
        let environment = [
            ("RHIZOME__SERVER__LISTEN", "2.2.2.2:2"),
            ("RHIZOME__SERVER__BLOCKING_THREADS", "3"),
            ("RHIZOME__STORAGE__TIKV__PD_ENDPOINTS", "a:1, b:2"),
            ("PATH", "x"),
        ];
        let settings = load(file, &environment, &[("server.listen", "3.3.3.3:3".to_owned())]).unwrap();
        assert_eq!(settings.storage.tikv.pd_endpoints, ["a:1", "b:2"]);
        assert_eq!(settings.server.listen, "3.3.3.3:3");
        assert_eq!(settings.server.connections_max, 7);
        assert_eq!(settings.server.blocking_threads, 3);
        assert_eq!(settings.storage.rocksdb.write_buffer, ByteSize::mib(1));
    }

    #[test]
    fn unknown_keys_are_refused_with_a_suggestion() {
        let error = load("[server]\nlisten_addr = \"x\"\n", &[], &[]).unwrap_err().to_string();
        assert!(error.starts_with("unknown setting 'server.listen_addr' in file "), "{error}");
        assert!(error.ends_with("; did you mean 'server.listen'?"), "{error}");
        let error = load("", &[("RHIZOME__STORAGE__DURABLE", "fsync")], &[]).unwrap_err().to_string();
        assert!(error.contains("environment variable RHIZOME__STORAGE__DURABLE"), "{error}");
        assert!(error.contains("did you mean 'storage.durability'?"), "{error}");
    }

    #[test]
    fn wrong_values_name_the_key() {
        for (file, expected) in [
            ("[server]\nconnections_max = \"many\"\n", "connections_max"),
            (
                "[graph]\nexpiry_batch_elements = 10001\n",
                "setting 'graph.expiry_batch_elements' is '10001': it must be at most 10000",
            ),
            ("[server]\nconnections_max = 0\n", "setting 'server.connections_max' is '0': it must be at least 1"),
            ("[storage]\ndurability = \"always\"\n", "always"),
            (
                "[cluster]\nin_doubt_ms = 4999\n",
                "setting 'cluster.in_doubt_ms' is '4999': it must be at least cluster.stale_ms (5000)",
            ),
            (
                "[cluster]\nstale_ms = 1999\n",
                "setting 'cluster.stale_ms' is '1999': it must be at least twice cluster.refresh_ms (1000)",
            ),
            ("[graph]\ntime_zone = \"Mars/Olympus\"\n", "setting 'graph.time_zone' is 'Mars/Olympus'"),
            (
                "[storage.tikv]\ntls_ca = \"ca.pem\"\n",
                "setting 'storage.tikv.tls_certificate' is '': TLS needs all three files",
            ),
            ("[storage.cassandra]\ndatacenters = \"berlin\"\n", "'berlin' is not of the form name:replicas"),
            ("[storage.cassandra]\ntls_key_file = \"k.pem\"\n", "give both or none"),
            ("[tls]\ncertificate = \"c.pem\"\n", "setting 'tls.key' is '': a certificate needs its key"),
            ("[tls]\nkey = \"k.pem\"\n", "setting 'tls.certificate' is '': a key needs its certificate"),
            ("[tls]\nclient_ca = \"ca.pem\"\n", "tls.client_ca needs tls.certificate and tls.key"),
            (
                "[tls]\ncertificate = \"c.pem\"\nkey = \"k.pem\"\nclient_certificates = \"required\"\n",
                "setting 'tls.client_ca' is '': certificates of clients are required",
            ),
            ("[audit]\nclasses = [\"login\", \"logins\"]\n", "'logins' is none of login, users,"),
            ("[audit]\nfiles_max = 0\n", "setting 'audit.files_max' is '0'"),
            ("[server\n", "my.toml"),
        ] {
            let error = load(file, &[], &[]).unwrap_err().to_string();
            assert!(error.contains(expected), "{file}: {error}");
        }
    }
}
