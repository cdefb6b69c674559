//! What stops a migration.

use std::path::{Path, PathBuf};

use api_client::ClientError;
use auth::AccountError;
use bulk_load::LoadError;
use graph_store::StoreError;
use hugegraph_files::FilesError;

/// Why a migration could not start or had to stop. Repeating the same command goes on where it stopped.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    /// The source could not be read.
    #[error("{doing} of the source: {source}")]
    Source {
        /// What was being done.
        doing: String,
        /// What the client reports.
        source: ClientError,
    },

    /// The files of the source cannot be read.
    #[error("reading the source: {0}")]
    Files(#[from] FilesError),

    /// The server that is the target could not be used.
    #[error("{doing} of the target: {source}")]
    Server {
        /// What was being done.
        doing: String,
        /// What the client reports.
        source: ClientError,
    },

    /// The store that is the target could not be used.
    #[error("{doing}: {source}")]
    Store {
        /// What was being done.
        doing: String,
        /// What the store reports.
        source: Box<StoreError>,
    },

    /// The elements could not be loaded.
    #[error(transparent)]
    Load(Box<LoadError>),

    /// Users could not be made.
    #[error("cannot make {what}: {source}")]
    Users {
        /// Which record.
        what: String,
        /// What the accounts report.
        source: Box<AccountError>,
    },

    /// A file or folder cannot be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },

    /// An answer of the source is not what the REST contract says.
    #[error("the source answered what is not understood ({place}): {reason}")]
    Answer {
        /// What was asked for.
        place: String,
        /// What is wrong.
        reason: String,
    },

    /// A definition of the schema cannot be taken over.
    #[error("{what}: {reason}")]
    Definition {
        /// Kind and name.
        what: String,
        /// Why, and what to do.
        reason: String,
    },

    /// The work folder is of another migration.
    #[error(
        "{} holds an unfinished migration: {reason}. Repeat its command to finish it, or give --restart to begin this \
         one from the start",
        dir.display()
    )]
    Unfinished {
        /// The work folder.
        dir: PathBuf,
        /// What differs, or what is wrong.
        reason: String,
    },

    /// Elements were refused.
    #[error(
        "{rejected} elements were refused by the target; the reasons are in {}. Mend the schema or the elements at the \
         source, and repeat the migration with --restart",
        dir.display()
    )]
    Rejected {
        /// How many.
        rejected: u64,
        /// Where the reasons are.
        dir: PathBuf,
    },

    /// A worker ended without a result.
    #[error("a worker of the migration failed: {0}")]
    Worker(String),
}

impl From<LoadError> for MigrateError {
    fn from(error: LoadError) -> Self {
        Self::Load(Box::new(error))
    }
}

impl MigrateError {
    pub(crate) fn file(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self::File { action, path: path.to_owned(), source }
    }

    pub(crate) fn source(doing: impl Into<String>) -> impl FnOnce(ClientError) -> Self {
        let doing = doing.into();
        move |source| Self::Source { doing, source }
    }

    pub(crate) fn server(doing: impl Into<String>) -> impl FnOnce(ClientError) -> Self {
        let doing = doing.into();
        move |source| Self::Server { doing, source }
    }

    pub(crate) fn store(doing: impl Into<String>) -> impl FnOnce(StoreError) -> Self {
        let doing = doing.into();
        move |source| Self::Store { doing, source: Box::new(source) }
    }
}
