//! What can go wrong with backups.

use std::path::{Path, PathBuf};

/// A failed operation on a repository.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackupError {
    /// The text that says where the repository is means nothing, or nothing this program can reach.
    #[error("'{location}' cannot be a repository of backups: {reason}")]
    Location {
        /// As given.
        location: String,
        /// Why.
        reason: String,
    },
    /// There is no repository there.
    #[error("there is no repository of backups at {location}; the first 'backup create' makes one")]
    NoRepository {
        /// Where.
        location: String,
    },
    /// Something else is there.
    #[error("{location} holds other objects ({object}), but no repository of backups; use an empty place")]
    NotARepository {
        /// Where.
        location: String,
        /// One of them.
        object: String,
    },
    /// It was made by a newer program.
    #[error("the repository has format {found}, but this program reads format {supported}; use a newer program")]
    Format {
        /// What it says.
        found: u32,
        /// What is known.
        supported: u32,
    },
    /// The key is missing, too many, or wrong.
    #[error("{reason}")]
    Key {
        /// What is wrong, and what to do.
        reason: String,
    },
    /// A request to the place of the repository failed.
    #[error("{action} {object} failed: {reason}")]
    Storage {
        /// What was attempted.
        action: &'static str,
        /// The object.
        object: String,
        /// The words of the system or the service.
        reason: String,
    },
    /// An object is not there.
    #[error("{object} is missing from the repository")]
    Missing {
        /// The object.
        object: String,
    },
    /// An object is not what was written.
    #[error("{object} of the repository is damaged: {reason}")]
    Damaged {
        /// The object.
        object: String,
        /// What was found.
        reason: String,
    },
    /// Somebody else works on the repository, and both at once would do harm.
    #[error("the repository is in use: {holder}; try again when that is done")]
    Busy {
        /// Who, and at what.
        holder: String,
    },
    /// The lock was not refreshed in time, so somebody else may have taken over. Nothing was committed.
    #[error("the lock on the repository was lost ({reason}); nothing was committed, run it again")]
    LockLost {
        /// How.
        reason: String,
    },
    /// There is no such backup.
    #[error("there is no backup '{wanted}' in the repository; 'backup list' shows what there is")]
    NoBackup {
        /// What was asked for.
        wanted: String,
    },
    /// The folder to restore into cannot be used. Nothing was written.
    #[error("cannot restore into {path}: {reason}")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A local file could not be read or written.
    #[error("{action} {path} failed: {reason}")]
    File {
        /// What was attempted.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// Rules that keep nothing.
    #[error("no rule keeps a backup; say which to keep, for example --keep-last 7")]
    KeepsNothing,
    /// The log does not lead from a backup to where it is wanted.
    #[error("the log in the repository does not do: {reason}")]
    NoLog {
        /// Why.
        reason: String,
    },
    /// A record of a log that cannot be stored.
    #[error("the record of the log with write {first} cannot be archived: {reason}")]
    LogRecord {
        /// The number of its first write.
        first: u64,
        /// Why.
        reason: String,
    },
    /// It was asked to stop.
    #[error("the work on the repository was cancelled")]
    Cancelled,
}

impl BackupError {
    /// Of a file on this machine.
    pub(crate) fn file(action: &'static str, path: &Path, error: &std::io::Error) -> Self {
        Self::File { action, path: path.to_path_buf(), reason: error.to_string() }
    }

    /// Of content that is not what it should be.
    pub(crate) fn damaged(object: &str, reason: impl Into<String>) -> Self {
        Self::Damaged { object: object.to_owned(), reason: reason.into() }
    }

    /// Whether an object is missing or is not what was written, as opposed to one that cannot be reached.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Missing { .. } | Self::Damaged { .. })
    }
}
