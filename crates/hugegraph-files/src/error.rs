//! What stops reading HugeGraph's files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use kv::KvError;

use crate::limits::KEY_BYTES_SHOWN;

/// Why files of HugeGraph cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// A store cannot be opened or read.
    #[error(transparent)]
    Store(#[from] KvError),

    /// There are no stores of HugeGraph.
    #[error("{} holds no RocksDB stores of HugeGraph: {reason}", folder.display())]
    NotThere {
        /// Where they were looked for.
        folder: PathBuf,
        /// What is missing, and what to do.
        reason: String,
    },

    /// The stores have no graph of this name.
    #[error("there is no graph {graph} in {}; it has {found}", folder.display())]
    NoGraph {
        /// The graph asked for.
        graph: String,
        /// The store.
        folder: PathBuf,
        /// The graphs that are there.
        found: String,
    },

    /// A row is not what HugeGraph writes.
    #[error("table {table} in {}, key {key}: {reason}", folder.display())]
    Row {
        /// The store.
        folder: PathBuf,
        /// The table.
        table: String,
        /// The key in hexadecimal digits.
        key: String,
        /// What is wrong.
        reason: String,
    },
}

impl FilesError {
    pub(crate) fn row(folder: &Path, table: &str, key: &[u8], reason: impl Into<String>) -> Self {
        let mut digits = String::new();
        for byte in key.iter().take(KEY_BYTES_SHOWN) {
            // Writing to a text cannot fail.
            let _written = write!(digits, "{byte:02x}");
        }
        if key.len() > KEY_BYTES_SHOWN {
            digits.push_str("...");
        }
        Self::Row { folder: folder.to_owned(), table: table.to_owned(), key: digits, reason: reason.into() }
    }
}
