//! Errors that stop a load. A bad row does not: it is written to the rejects.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use api_client::ClientError;
use graph_store::StoreError;
use indicatif::HumanBytes;
use kv::KvError;

/// Why a load could not start or had to stop.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file or folder cannot be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was tried: "read", "create".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },

    /// The other store whose elements are loaded cannot be read.
    #[error(transparent)]
    Stored(Box<dyn std::error::Error + Send + Sync>),

    /// The mapping or schema file is not JSON.
    #[error("{} is not valid JSON at line {line}, column {column}: {reason}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What the parser said.
        reason: String,
    },

    /// The mapping or schema file is JSON but says something that cannot be done.
    #[error("{}: {at}: {reason}", path.display())]
    Description {
        /// The file.
        path: PathBuf,
        /// Where in the file: a JSON path such as `structs[0].input.format`.
        at: String,
        /// What is wrong and what to do.
        reason: String,
    },

    /// A source file's header does not fit the mapping or the schema.
    #[error("{} (struct \"{struct_id}\", {kind} label \"{label}\"): {reason}", path.display())]
    Header {
        /// The source file.
        path: PathBuf,
        /// Id of the struct of the mapping.
        struct_id: String,
        /// "vertex" or "edge".
        kind: &'static str,
        /// Name of the label.
        label: String,
        /// What is wrong and what to do.
        reason: String,
    },

    /// The value of an option is invalid.
    #[error("option {option}: {reason}")]
    Option {
        /// The option's name.
        option: &'static str,
        /// What is wrong.
        reason: String,
    },

    /// The server could not be used.
    #[error("{doing}: {source}")]
    Server {
        /// What was being done.
        doing: String,
        /// What the client reports.
        source: ClientError,
    },

    /// More rows were rejected than `rejects_max` allows.
    #[error(
        "stopped: {rejected} rows were rejected, more than the {rejects_max} allowed. Rows inserted so far: \
         {inserted}. See {} for the reasons; loading again after fixing them is safe, since elements with ids from the \
         data are overwritten with the same content",
        rejects_dir.display()
    )]
    TooManyRejects {
        /// Rows rejected.
        rejected: u64,
        /// The limit.
        rejects_max: u64,
        /// Rows inserted before the stop.
        inserted: u64,
        /// Where the reasons are.
        rejects_dir: PathBuf,
    },

    /// The store could not be used (offline load).
    #[error("{doing}: {source}")]
    Store {
        /// What was being done.
        doing: &'static str,
        /// What the store reports.
        source: Box<StoreError>,
    },

    /// The server's disk is full. All accepted batches are stored.
    #[error(
        "the server's disk is full ({source}); {} of source files are still to be loaded, and need about \
         twice as much there until they are merged. Make room and load again: elements whose \
         ids the data gives are overwritten with equal content",
        HumanBytes(*unread_bytes)
    )]
    ServerDiskFull {
        /// Bytes of source files that were not read yet.
        unread_bytes: u64,
        /// What the server answered.
        source: ClientError,
    },

    /// The disk is full (offline load). The store can be opened and has all finished work.
    #[error(
        "the disk is full: loading needs about {} more under {}, {} are free. Make room, then repeat the same command \
         with --resume; finished work is kept",
        HumanBytes(*needed_bytes),
        path.display(),
        HumanBytes(*free_bytes)
    )]
    DiskFull {
        /// The folder on that disk.
        path: PathBuf,
        /// What the rest of the load will take at most, as estimated from what was read so far.
        needed_bytes: u64,
        /// What is free now.
        free_bytes: u64,
    },

    /// An offline load cannot start or resume because of what an earlier one left behind.
    #[error("there is an unfinished load in {}: {reason}", dir.display())]
    Journal {
        /// Folder of the unfinished load.
        dir: PathBuf,
        /// The reason and what to do.
        reason: String,
    },

    /// There is no load to resume.
    #[error("there is no unfinished load in {}; leave out --resume", dir.display())]
    NothingToResume {
        /// Where it would be.
        dir: PathBuf,
    },

    /// A worker of this program failed; a defect of the program.
    #[error("internal defect in {place}: {reason}. Please report it")]
    Defect {
        /// Which part.
        place: &'static str,
        /// What is known.
        reason: String,
    },
}

impl LoadError {
    pub(crate) fn file(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self::File { action, path: path.to_owned(), source }
    }

    pub(crate) fn graph(doing: &'static str, source: StoreError) -> Self {
        Self::Store { doing, source: Box::new(source) }
    }

    pub(crate) fn store(doing: &'static str, source: KvError) -> Self {
        Self::graph(doing, StoreError::Kv(source))
    }

    /// An operation on files of an offline load.
    pub(crate) fn work_in(path: &Path, action: &'static str, source: std::io::Error) -> Self {
        Self::file(action, path, source)
    }

    /// Whether a disk was full.
    pub(crate) fn is_disk_full(&self) -> bool {
        match self {
            Self::File { source, .. } => matches!(source.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded),
            Self::Store { source, .. } => matches!(**source, StoreError::Kv(KvError::DiskFull { .. })),
            _ => false,
        }
    }

    pub(crate) fn description(path: &Path, at: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Description { path: path.to_owned(), at: at.into(), reason: reason.into() }
    }
}
