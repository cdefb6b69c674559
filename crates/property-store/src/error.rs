//! What can go wrong.

use std::path::PathBuf;

use kv::KvError;

/// A failed operation of the store.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PropertyError {
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] KvError),
    /// A record cannot be stored or read.
    #[error("record of {key}: {source}")]
    Record {
        /// Whose record (`node 7`, `edge 1 -> 2`).
        key: String,
        /// What is wrong with it.
        source: RecordError,
    },
    /// A write through a store that was opened for reading.
    #[error("the property store was opened read-only; open it with Access::ReadWrite to write")]
    ReadOnly,
    /// There is no property store in the engine, and a read-only one cannot be made.
    #[error("there is no property store here yet; open it once with Access::ReadWrite")]
    NotFound,
    /// The store was made by a program with another format.
    #[error("the property store has format version {found}; this program reads version {supported}")]
    FormatVersion {
        /// The version in the store.
        found: u8,
        /// What this program knows.
        supported: u8,
    },
    /// The store was made for edges of the other kind.
    #[error("the property store holds {found} edges, but was opened for {wanted} ones")]
    Direction {
        /// How it was made.
        found: &'static str,
        /// How it was opened.
        wanted: &'static str,
    },
    /// Stored bytes that are no key of the table, or no settings.
    #[error("stored data is damaged: {detail}")]
    Damaged {
        /// What was found.
        detail: String,
    },
    /// A bulk load on an engine that does not take sorted rows.
    #[error("the engine {engine} takes no sorted rows; load in batches with extend_raw")]
    NoIngest {
        /// Its name.
        engine: &'static str,
    },
    /// The files of a bulk load.
    #[error("{action} in the folder {} failed: {detail}; give another folder, or make room there", path.display())]
    Scratch {
        /// [`crate::BulkOptions::scratch`].
        path: PathBuf,
        /// What was attempted.
        action: &'static str,
        /// The system's words.
        detail: String,
    },
    /// A scan in numeric order, on an engine that keeps no order among partitions.
    #[error("this engine keeps no order among records: only a scan of everything is possible")]
    Unordered,
}

/// Bytes that are no record, or a record that has no bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// Of another format.
    #[error("format version {found} is unknown; this program reads version {supported}")]
    Version {
        /// The first byte.
        found: u8,
        /// What this program knows.
        supported: u8,
    },
    /// Not made by [`crate::record::encode`].
    #[error("the bytes are no record: {problem} (at byte {at})")]
    Malformed {
        /// What is wrong.
        problem: &'static str,
        /// Where.
        at: usize,
    },
    /// Too deep.
    #[error("arrays and objects are nested more than {limit} deep; flatten the record")]
    TooDeep {
        /// [`crate::limits::NESTING_MAX`].
        limit: usize,
    },
}

/// The error of the record of a key.
pub(crate) fn damaged(key: String, source: RecordError) -> PropertyError {
    PropertyError::Record { key, source }
}
