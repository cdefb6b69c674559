//! RocksDB's errors in the words of the storage interface.

use std::path::Path;

use kv::KvError;
use rocksdb::ErrorKind;

/// What RocksDB, or the system through it, says when no room is left.
const NO_ROOM: [&str; 3] = ["No space left on device", "Disk quota exceeded", "Max allowed space was reached"];

/// Translates an error of RocksDB about the store under `path`, met during `action`.
pub(crate) fn translate(path: &Path, action: &'static str, error: rocksdb::Error) -> KvError {
    let kind = error.kind();
    let detail = error.into_string();
    if NO_ROOM.iter().any(|words| detail.contains(words)) {
        return KvError::DiskFull { path: path.to_path_buf() };
    }
    match kind {
        ErrorKind::Corruption => KvError::Corrupt { detail },
        ErrorKind::IOError if detail.contains("lock") && detail.contains("/LOCK") => {
            KvError::Locked { path: path.to_path_buf(), holder: "another process".to_owned() }
        }
        ErrorKind::IOError => KvError::Io { action, detail },
        ErrorKind::Busy | ErrorKind::TryAgain | ErrorKind::Incomplete => KvError::Unavailable { detail },
        ErrorKind::ShutdownInProgress => KvError::Closed,
        _ => KvError::Other { detail: format!("{action}: {detail}") },
    }
}

/// Translates an error of the file system about the store under `path`.
pub(crate) fn translate_io(path: &Path, action: &'static str, error: &std::io::Error) -> KvError {
    match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
            KvError::DiskFull { path: path.to_path_buf() }
        }
        _ => KvError::Io { action, detail: format!("{}: {error}", path.display()) },
    }
}
