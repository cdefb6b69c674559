//! The only place that picks a storage engine.

use std::path::Path;
use std::sync::Arc;

use kv::{Engine, ForeignStore, KvError, MemoryEngine, TableSpec};

use crate::settings::{EngineName, Storage};

/// Opens the engine the settings name, for graphs.
pub fn open(storage: &Storage) -> Result<Arc<dyn Engine>, KvError> {
    open_tables(storage, key_codec::tables::TABLES)
}

/// The same, keeping its log to be archived: this many bytes of it, if nobody does. An engine without a log of its own
/// is opened as ever.
pub fn open_keeping_log(storage: &Storage, bytes: u64) -> Result<Arc<dyn Engine>, KvError> {
    match storage.engine {
        EngineName::Rocksdb => open_rocksdb(storage, key_codec::tables::TABLES, Log::Kept(bytes)),
        _ => open(storage),
    }
}

/// Opens a data folder into which a backup is being restored, to write the log that follows it.
pub fn open_restoring(storage: &Storage) -> Result<Arc<dyn Engine>, KvError> {
    open_rocksdb(storage, key_codec::tables::TABLES, Log::Written)
}

/// What is done with the log of an engine.
#[derive(Clone, Copy)]
enum Log {
    /// Nothing.
    Own,
    Kept(u64),
    Written,
}

/// Opens the engine that the settings name, with these tables.
pub fn open_tables(storage: &Storage, tables: &'static [TableSpec]) -> Result<Arc<dyn Engine>, KvError> {
    match storage.engine {
        EngineName::Memory => Ok(Arc::new(MemoryEngine::open(tables))),
        EngineName::Rocksdb => open_rocksdb(storage, tables, Log::Own),
        EngineName::Tikv => open_tikv(storage, tables),
        EngineName::Cassandra => open_cassandra(storage, tables),
    }
}

#[cfg(feature = "rocksdb")]
fn open_rocksdb(storage: &Storage, tables: &'static [TableSpec], log: Log) -> Result<Arc<dyn Engine>, KvError> {
    use kv_rocksdb::{Compression, Durability, RocksDbEngine, RocksDbOptions};

    use crate::settings::{CompressionName, DurabilityName};

    let rocksdb = &storage.rocksdb;
    let bytes = |size: bytesize::ByteSize| usize::try_from(size.as_u64()).unwrap_or(usize::MAX);
    let options = RocksDbOptions {
        path: storage.data_dir.clone(),
        memory_budget_bytes: bytes(rocksdb.memory_budget) - storage.adjacency_cache_bytes(),
        row_cache_bytes: bytes(rocksdb.row_cache),
        write_buffer_bytes: bytes(rocksdb.write_buffer),
        block_bytes: bytes(rocksdb.block_size),
        compression: match rocksdb.compression {
            CompressionName::None => Compression::None,
            CompressionName::Lz4 => Compression::Lz4,
            CompressionName::Zstd => Compression::Zstd,
        },
        background_jobs: rocksdb.background_jobs,
        open_files_max: rocksdb.open_files_max,
        durability: match storage.durability {
            DurabilityName::Wal => Durability::Wal,
            DurabilityName::Fsync => Durability::Fsync,
        },
        keep_log_bytes: if let Log::Kept(bytes) = log { bytes } else { 0 },
        restoring: matches!(log, Log::Written),
        ..RocksDbOptions::default()
    };
    Ok(Arc::new(RocksDbEngine::open(&options, tables)?))
}

#[cfg(not(feature = "rocksdb"))]
fn open_rocksdb(_storage: &Storage, _tables: &'static [TableSpec], _log: Log) -> Result<Arc<dyn Engine>, KvError> {
    Err(KvError::Unavailable {
        detail: "this program was built without RocksDB; set storage.engine = \"memory\"".to_owned(),
    })
}

/// Opens a RocksDB that another program has written, to read it; its log may be in another folder.
#[cfg(feature = "rocksdb")]
pub fn open_foreign(folder: &Path, log: Option<&Path>) -> Result<Box<dyn ForeignStore>, KvError> {
    Ok(Box::new(kv_rocksdb::ForeignRocksDb::open(folder, log)?))
}

/// Opens a RocksDB that another program has written, to read it; its log may be in another folder.
#[cfg(not(feature = "rocksdb"))]
pub fn open_foreign(_folder: &Path, _log: Option<&Path>) -> Result<Box<dyn ForeignStore>, KvError> {
    Err(KvError::Unavailable { detail: "this program was built without RocksDB: migrate with --from URL".to_owned() })
}

#[cfg(feature = "tikv")]
fn open_tikv(storage: &Storage, tables: &'static [TableSpec]) -> Result<Arc<dyn Engine>, KvError> {
    use std::time::Duration;

    use kv_tikv::{TikvEngine, TikvOptions, TikvTls};

    let tikv = &storage.tikv;
    let options = TikvOptions {
        pd_endpoints: tikv.pd_endpoints.clone(),
        prefix: tikv.prefix.clone(),
        connect_timeout: Duration::from_millis(tikv.connect_timeout_ms),
        request_timeout: Duration::from_millis(tikv.request_timeout_ms),
        attempt_timeout: Duration::from_millis(tikv.attempt_timeout_ms),
        in_flight_max: tikv.in_flight_max,
        one_phase_commit: tikv.one_phase_commit,
        garbage_age: (tikv.garbage_age_ms > 0).then(|| Duration::from_millis(tikv.garbage_age_ms)),
        // Settings::check has seen that there are all files or none.
        tls: (!tikv.tls_ca.as_os_str().is_empty()).then(|| TikvTls {
            ca: tikv.tls_ca.clone(),
            certificate: tikv.tls_certificate.clone(),
            key: tikv.tls_key.clone(),
        }),
        ..TikvOptions::default()
    };
    Ok(Arc::new(TikvEngine::open(&options, tables)?))
}

#[cfg(not(feature = "tikv"))]
fn open_tikv(_storage: &Storage, _tables: &'static [TableSpec]) -> Result<Arc<dyn Engine>, KvError> {
    Err(KvError::Unavailable {
        detail: "this program was built without the engine over TiKV (make run leaves it out); run: make build"
            .to_owned(),
    })
}

#[cfg(feature = "cassandra")]
fn open_cassandra(storage: &Storage, tables: &'static [TableSpec]) -> Result<Arc<dyn Engine>, KvError> {
    use std::path::Path;
    use std::time::Duration;

    use kv_cassandra::{
        CassandraEngine, CassandraOptions, ClientCertificate, Credentials, ReplicaConsistency, TlsOptions,
    };

    use crate::settings::ConsistencyName;

    let of = &storage.cassandra;
    let file = |path: &Path| (!path.as_os_str().is_empty()).then(|| path.to_owned());
    let text = |text: &String| (!text.is_empty()).then(|| text.clone());
    let options = CassandraOptions {
        contact_points: of.contact_points(),
        keyspace: of.keyspace.clone(),
        replication_factor: of.replication_factor,
        datacenters: of.datacenters().map_err(|error| KvError::Other { detail: error.to_string() })?,
        local_datacenter: text(&of.local_datacenter),
        consistency: match of.consistency {
            ConsistencyName::LocalQuorum => ReplicaConsistency::LocalQuorum,
            ConsistencyName::Quorum => ReplicaConsistency::Quorum,
            ConsistencyName::All => ReplicaConsistency::All,
        },
        connect_timeout: Duration::from_millis(of.connect_timeout_ms),
        request_timeout: Duration::from_millis(of.request_timeout_ms),
        connections_per_node: of.connections_per_node,
        requests_in_flight_max: of.requests_in_flight_max,
        batch_bytes: usize::try_from(of.batch_bytes.as_u64()).unwrap_or(usize::MAX),
        credentials: text(&of.user).map(|user| Credentials { user, password: of.password.clone() }),
        tls: of.tls.then(|| TlsOptions {
            ca_file: file(&of.tls_ca_file),
            client_certificate: file(&of.tls_certificate_file)
                .zip(file(&of.tls_key_file))
                .map(|(certificate_file, key_file)| ClientCertificate { certificate_file, key_file }),
        }),
    };
    Ok(Arc::new(CassandraEngine::open(&options, tables)?))
}

#[cfg(not(feature = "cassandra"))]
fn open_cassandra(_storage: &Storage, _tables: &'static [TableSpec]) -> Result<Arc<dyn Engine>, KvError> {
    Err(KvError::Unavailable {
        detail: "this program was built without the engine over Cassandra (make run leaves it out); run: make build"
            .to_owned(),
    })
}
