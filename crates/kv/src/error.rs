//! What can go wrong in a storage engine.

use std::path::PathBuf;

/// A failed storage operation. Engines translate their own errors into these, so that callers can act on them.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KvError {
    /// The disk is full.
    #[error("the disk is full: no space left under {path}; free some space, reads still work meanwhile")]
    DiskFull {
        /// The data folder.
        path: PathBuf,
    },
    /// Another process has the data folder open.
    #[error("the data folder {path} is in use by {holder}; stop it first, or use another folder")]
    Locked {
        /// The data folder.
        path: PathBuf,
        /// The process that holds it, if known ("process 123").
        holder: String,
    },
    /// The folder holds something else, or a table this program does not know.
    #[error("{path} is not a data folder of this engine: {reason}")]
    NotAStore {
        /// The data folder.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// Stored bytes are damaged.
    #[error("stored data is damaged ({detail}); restore from a backup")]
    Corrupt {
        /// What was found, where.
        detail: String,
    },
    /// An operation of the file system failed.
    #[error("{action} failed: {detail}")]
    Io {
        /// What was attempted.
        action: &'static str,
        /// The system's words.
        detail: String,
    },
    /// The engine cannot be reached or refuses work for now; trying again later can help.
    #[error("storage is not available: {detail}")]
    Unavailable {
        /// Why.
        detail: String,
    },
    /// Nothing was done, since it would have meant to wait for a network, which [`crate::without_waiting`] forbids.
    #[error("storage would have to wait for the network")]
    WouldWait,
    /// The deadline passed first.
    #[error("storage did not answer within {limit_ms} ms")]
    Timeout {
        /// The deadline, in milliseconds.
        limit_ms: u64,
    },
    /// A batch has more bytes than an engine takes at once; nothing was written.
    #[error("a batch of {bytes} bytes exceeds the limit of {limit_bytes} bytes; send less at once")]
    BatchTooLarge {
        /// Bytes of all keys and values of the batch.
        bytes: usize,
        /// [`crate::limits::BATCH_BYTES_MAX`].
        limit_bytes: usize,
    },
    /// A key of a batch is too long; nothing was written.
    #[error("a key of {bytes} bytes for table {table} exceeds the limit of {limit_bytes} bytes")]
    KeyTooLong {
        /// The table.
        table: &'static str,
        /// Length of partition and row together.
        bytes: usize,
        /// [`crate::limits::KEY_BYTES_MAX`].
        limit_bytes: usize,
    },
    /// A value of a batch is too long; nothing was written.
    #[error("a value of {bytes} bytes for table {table} exceeds the limit of {limit_bytes} bytes")]
    ValueTooLong {
        /// The table.
        table: &'static str,
        /// Length of the value.
        bytes: usize,
        /// [`crate::limits::VALUE_BYTES_MAX`].
        limit_bytes: usize,
    },
    /// A [`crate::TableId`] beyond the tables the engine was opened with: an error of the calling program.
    #[error("the engine was opened with {tables} tables; there is no table number {index}")]
    UnknownTable {
        /// The position asked for.
        index: usize,
        /// Number of tables.
        tables: usize,
    },
    /// A prefix delete without a prefix would empty the whole table; nothing was deleted.
    #[error("deleting by prefix needs a prefix: an empty one would delete all of table {table}")]
    EmptyPrefix {
        /// The table.
        table: &'static str,
    },
    /// Rows given as sorted are not: an error of the calling program. Nothing was ingested.
    #[error("row {row} of sorted rows for table {table} does not come after the one before")]
    OutOfOrder {
        /// The table.
        table: &'static str,
        /// Which row of a writer, counted from 0; 0 also where the rows of one writer begin before those of another
        /// end.
        row: u64,
    },
    /// Rows of the moment that is read may have been removed by now.
    #[error(
        "the snapshot is older than {limit_ms} ms (storage.tikv.garbage_age_ms), so rows of it may have been removed; \
         set a longer time, for all servers, and repeat"
    )]
    SnapshotTooOld {
        /// For how long overwritten rows are kept.
        limit_ms: u64,
    },
    /// The engine cannot do this; [`crate::Capabilities`] say so.
    #[error("the storage engine {engine} does not support {operation}")]
    Unsupported {
        /// Its name.
        engine: &'static str,
        /// What was asked for.
        operation: &'static str,
    },
    /// The engine is shutting down: the batch was not written.
    #[error("the storage engine is closed")]
    Closed,
    /// Anything else the engine reports.
    #[error("storage engine: {detail}")]
    Other {
        /// The engine's words.
        detail: String,
    },
}
