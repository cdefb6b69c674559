//! Backups of a store that is open: by whoever has opened it, and as tasks of a server.
//!
//! What it is: [`back_up`] makes a backup of an engine's checkpoint; [`Backups`] is what a server has of it: the list,
//! and tasks that make a backup or restore one graph under another name while the server works; [`Archiver`] puts the
//! log of the store beside the backups, and [`restore_to`] restores it to any moment. What it is not: it
//! knows no HTTP, no engine by name, and nothing of how a repository looks (`backup` does).
//!
//! Invariants:
//! - Writes are not stopped: the checkpoint is what a backup is made of.
//! - A task that was cut short by the end of the server is not repeated by itself: a store that was restored does not
//!   begin with the backup it was made of.
//! - The archived log has no hole that is not told: where it has one, a timeline ends and a backup is made.
//! - A graph that is restored is copied and compared before it gets its name.

mod archive;
mod input;
mod job;
mod log_state;
mod replay;
mod service;

use std::time::{SystemTime, UNIX_EPOCH};

use backup::{BackupError, CreateOptions, Created, LogPosition, Repository, Source, Watch};
use graph_store::StoreError;
use kv::{Engine, KvError};

pub use archive::{ArchiveOptions, Archiver};
pub use job::BackupJob;
pub use log_state::LogState;
pub use replay::{OpenEngine, Replayed, restore_to};
pub use service::{Backups, OpenStore, Options, Started};

/// The program and its version, as it is kept with backups.
const PROGRAM: &str = concat!("rhizome ", env!("CARGO_PKG_VERSION"));

/// A backup that was not made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoBackup {
    /// The engine gives no files.
    #[error("the store's files cannot be had: {0}")]
    Engine(#[from] KvError),
    /// Nothing is stored.
    #[error("there is no store in the data folder yet, so there is nothing to back up")]
    Empty,
    /// What is stored cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The repository.
    #[error(transparent)]
    Repository(#[from] BackupError),
}

/// Makes a backup of what an engine stores, as it is at a moment of the call. `timeline`: the one in which its log is
/// archived.
///
/// # Errors
/// [`NoBackup`].
pub fn back_up(
    engine: &dyn Engine,
    repository: &Repository,
    options: CreateOptions,
    timeline: Option<String>,
    watch: &Watch<'_>,
) -> Result<Created, NoBackup> {
    let (store_format, graphs) = graph_host::contents(engine)?.ok_or(NoBackup::Empty)?;
    let checkpoint = engine.checkpoint()?;
    let moment_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let log = timeline.map(|timeline| LogPosition {
        timeline,
        sequence: checkpoint.sequence(),
        moment_ms: i64::try_from(moment_ms).unwrap_or(i64::MAX),
    });
    let source = Source {
        folder: checkpoint.folder(),
        engine: engine.name(),
        store_format,
        sequence: checkpoint.sequence(),
        graphs: &graphs,
        program: PROGRAM,
        log: log.as_ref(),
    };
    Ok(repository.create(&source, options, watch)?)
}
