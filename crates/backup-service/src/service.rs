//! What a server has of backups.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, Weak};

use backup::{BackupError, Repository, Secret, Target};
use graph_host::Store;
use graph_model::{ErrorKind, TaskStatus};
use graph_store::StoreError;
use serde_json::{Value as Json, json};

use crate::input::{CREATE_KIND, CreateInput, RESTORE_KIND, RestoreInput};
use crate::log_state::LogState;

/// Opens a store in a folder of the engine that keeps files, without anything running in the background that would
/// change elements.
pub type OpenStore = Box<dyn Fn(&Path) -> Result<Store, StoreError> + Send + Sync>;

/// Where a server's backups are.
pub struct Options {
    /// The repository; empty: there is none.
    pub location: String,
    /// What unlocks it.
    pub secret: Option<Secret>,
    /// Where backups are restored to for a while: a folder that nothing else uses.
    pub scratch: PathBuf,
    /// Opens what was restored there.
    pub open: OpenStore,
    /// How far the threads that read files stand back for requests.
    pub niceness: u8,
}

/// Backups of the store of a server.
pub struct Backups {
    pub(crate) options: Options,
    pub(crate) log: Arc<LogState>,
    store: OnceLock<Weak<Store>>,
}

/// A task that was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started {
    /// The graph that it is listed under.
    pub graph: String,
    /// Its number.
    pub task: u64,
}

impl Backups {
    /// Of a store that is opened later.
    #[must_use]
    pub fn new(options: Options) -> Arc<Self> {
        Arc::new(Self { options, log: Arc::default(), store: OnceLock::new() })
    }

    /// Lets tasks run, and removes what restores of an earlier process have left.
    pub fn connect(&self, store: &Arc<Store>) {
        match std::fs::remove_dir_all(&self.options.scratch) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                tracing::warn!(%error, path = %self.options.scratch.display(), "files of a restore remain");
            }
            _ => {}
        }
        // The first one stays.
        drop(self.store.set(Arc::downgrade(store)));
    }

    pub(crate) fn store(&self) -> Result<Arc<Store>, StoreError> {
        self.store.get().and_then(Weak::upgrade).ok_or(StoreError::Closing)
    }

    /// Whether a repository is set.
    #[must_use]
    pub fn is_set(&self) -> bool {
        !self.options.location.is_empty()
    }

    /// What is known of the log in the repository.
    #[must_use]
    pub fn log(&self) -> Arc<LogState> {
        Arc::clone(&self.log)
    }

    /// How far a task is; `None`: it is gone.
    pub(crate) fn status(&self, started: &Started) -> Option<TaskStatus> {
        let graph = self.store().ok()?.graph(&started.graph).ok()?;
        graph.jobs().task(started.task).ok().map(|task| task.status)
    }

    /// Opens the repository.
    pub(crate) fn repository(&self, make: bool) -> Result<Repository, BackupError> {
        let target = Target::open(&self.options.location, make)?;
        let secret = self.options.secret.as_ref();
        let repository =
            if make { Repository::open_or_make(target, secret) } else { Repository::open(target, secret) }?;
        Ok(repository.standing_back(self.options.niceness))
    }

    /// All backups as JSON, oldest first; none where no backup was made yet.
    ///
    /// # Errors
    /// [`BackupError`], as [`StoreError::JobFailed`].
    pub fn list(&self) -> Result<Vec<Json>, StoreError> {
        self.check_set()?;
        let repository = match self.repository(false) {
            Err(BackupError::NoRepository { .. }) => return Ok(Vec::new()),
            opened => opened.map_err(|error| failed(&error))?,
        };
        let listed = repository.list().map_err(|error| failed(&error))?;
        Ok(listed
            .into_iter()
            .map(|listed| match listed.manifest {
                Ok(manifest) => json!({
                    "id": listed.id,
                    "created": manifest.created(),
                    "engine": manifest.engine,
                    "graphs": manifest.graphs,
                    "bytes": manifest.bytes(),
                    "new_bytes": manifest.new_bytes,
                    "sequence": manifest.sequence,
                    "log": manifest.log.as_ref().map(|position| &position.timeline),
                }),
                Err(error) => json!({ "id": listed.id, "error": error.to_string() }),
            })
            .collect())
    }

    /// Starts the task that makes a backup. `reread`: also of files that were in the one before.
    ///
    /// # Errors
    /// Where no repository is set; those of [`graph_host::Jobs::start`].
    pub fn start_create(&self, reread: bool) -> Result<Started, StoreError> {
        self.start(CREATE_KIND, "backup".to_owned(), &json!(CreateInput { reread }))
    }

    /// Starts the task that restores a graph of a backup under another name, which no graph has.
    ///
    /// # Errors
    /// Where no repository is set, or there is such a graph; those of [`graph_host::Jobs::start`].
    pub fn start_restore(&self, backup: &str, graph: &str, name: &str) -> Result<Started, StoreError> {
        let store = self.store()?;
        if store.graph(name).is_ok() {
            return Err(StoreError::GraphExists { name: name.to_owned() });
        }
        let input = RestoreInput { backup: backup.to_owned(), graph: graph.to_owned(), name: name.to_owned() };
        self.start(RESTORE_KIND, format!("restore:{graph} as {name}"), &json!(input))
    }

    fn start(&self, kind: &str, name: String, input: &Json) -> Result<Started, StoreError> {
        self.check_set()?;
        let store = self.store()?;
        let graph = store.default_graph().to_owned();
        let task = store.graph(&graph)?.jobs().start(kind, name, input.to_string().into_bytes())?;
        tracing::info!(kind, task, %input, "started a task");
        Ok(Started { graph, task })
    }

    fn check_set(&self) -> Result<(), StoreError> {
        if self.is_set() {
            return Ok(());
        }
        let message = "this server has no repository of backups; set backup.repository to a folder";
        Err(StoreError::JobFailed { kind: ErrorKind::NotSupported, message: message.to_owned() })
    }
}

/// A failed operation on the repository as the error of a task or a request.
pub(crate) fn failed(error: &BackupError) -> StoreError {
    let kind = match error {
        BackupError::Cancelled => return StoreError::Cancelled,
        BackupError::NoBackup { .. } | BackupError::NoRepository { .. } => ErrorKind::NotFound,
        BackupError::Busy { .. } | BackupError::LockLost { .. } | BackupError::Storage { .. } => ErrorKind::Unavailable,
        BackupError::Missing { .. } | BackupError::Damaged { .. } => ErrorKind::Corrupt,
        _ => ErrorKind::Internal,
    };
    StoreError::JobFailed { kind, message: error.to_string() }
}
