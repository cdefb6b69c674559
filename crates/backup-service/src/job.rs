//! Backups and restores as tasks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use backup::{CreateOptions, Progress};
use graph_access::Budget;
use graph_host::{Job, JobContext};
use graph_maintenance::Progress as _;
use graph_model::ErrorKind;
use graph_store::StoreError;
use serde_json::json;

use crate::input::{CREATE_KIND, CreateInput, RESTORE_KIND, RestoreInput};
use crate::service::{Backups, failed};
use crate::{NoBackup, back_up};

/// How often a running task looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(100);
/// How often it says how far it is, which is a write.
const REPORT: Duration = Duration::from_secs(1);
/// Time for copying a graph: nobody waits for it, and it can be cancelled.
const COPY_TIME_MAX: Duration = Duration::from_secs(30 * 24 * 3600);
/// What bytes of progress are counted in, so that rows of a copy can be counted beside them.
const MIB: u64 = 1 << 20;

#[derive(Clone, Copy)]
enum Work {
    Create,
    Restore,
}

/// A kind of task.
pub struct BackupJob {
    backups: Arc<Backups>,
    work: Work,
}

impl BackupJob {
    /// All kinds, to be registered with the store.
    #[must_use]
    pub fn all(backups: &Arc<Backups>) -> [Self; 2] {
        [Work::Create, Work::Restore].map(|work| Self { backups: Arc::clone(backups), work })
    }
}

/// What the thread that works and the one that watches it share.
#[derive(Default)]
struct Signals {
    stop: Arc<AtomicBool>,
    /// MiB of files and thousands of rows.
    done: AtomicU64,
}

impl Signals {
    /// Notes how far it is; whether to go on.
    fn tell(&self, progress: Progress) -> bool {
        self.done.fetch_max(progress.bytes_done / MIB, Ordering::Relaxed);
        !self.stop.load(Ordering::Relaxed)
    }
}

impl Job for BackupJob {
    fn kind(&self) -> &str {
        match self.work {
            Work::Create => CREATE_KIND,
            Work::Restore => RESTORE_KIND,
        }
    }

    fn run(&self, context: &JobContext<'_>) -> Result<Option<String>, StoreError> {
        let task = context.task();
        if task.retries > 0 {
            let message = "the server ended before it was done; start it again".to_owned();
            return Err(StoreError::JobFailed { kind: ErrorKind::Cancelled, message });
        }
        let wrong = |error: serde_json::Error| StoreError::JobFailed {
            kind: ErrorKind::BadInput,
            message: format!("the task cannot be read: {error}"),
        };
        let signals = Signals::default();
        match self.work {
            Work::Create => {
                let input = serde_json::from_slice(&task.input).map_err(wrong)?;
                watched(context, &signals, || self.create(&input, &signals))
            }
            Work::Restore => {
                let input = serde_json::from_slice(&task.input).map_err(wrong)?;
                watched(context, &signals, || self.restore(task.id, &input, &signals))
            }
        }
    }
}

/// Does work on another thread, tells it when it is to stop, and says how far it is.
fn watched(
    context: &JobContext<'_>,
    signals: &Signals,
    work: impl FnOnce() -> Result<String, StoreError> + Send,
) -> Result<Option<String>, StoreError> {
    let waiting = thread::current();
    let mut stopped = Ok(());
    let outcome = thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let outcome = work();
            waiting.unpark();
            outcome
        });
        let (mut reported, mut at) = (0, Instant::now());
        while !worker.is_finished() {
            thread::park_timeout(LOOK);
            if stopped.is_ok() {
                stopped = if at.elapsed() >= REPORT {
                    let done = signals.done.load(Ordering::Relaxed);
                    let more = usize::try_from(done.saturating_sub(reported)).unwrap_or(usize::MAX);
                    (reported, at) = (done, Instant::now());
                    context.advance(more)
                } else {
                    context.check()
                };
                if stopped.is_err() {
                    signals.stop.store(true, Ordering::Relaxed);
                }
            }
        }
        worker.join()
    });
    // What was done before it could be stopped is done.
    match outcome {
        Ok(Ok(result)) => Ok(Some(result)),
        Ok(Err(error)) => stopped.and(Err(error)),
        Err(_) => {
            let message = "the work on the backup panicked; the log has details".to_owned();
            Err(StoreError::JobFailed { kind: ErrorKind::Internal, message })
        }
    }
}

impl BackupJob {
    fn create(&self, input: &CreateInput, signals: &Signals) -> Result<String, StoreError> {
        let began = Instant::now();
        let store = self.backups.store()?;
        let repository = self.backups.repository(true).map_err(|error| failed(&error))?;
        let options = CreateOptions { reread: input.reread };
        // Before its files are looked at: whatever is written after them is in this timeline then, or it has ended.
        let timeline = self.backups.log.timeline();
        let made = back_up(store.engine(), &repository, options, timeline, &|progress| signals.tell(progress));
        let made = made.map_err(|error| match error {
            NoBackup::Engine(error) => StoreError::Kv(error),
            NoBackup::Store(error) => error,
            NoBackup::Repository(error) => failed(&error),
            NoBackup::Empty => {
                StoreError::JobFailed { kind: ErrorKind::Internal, message: NoBackup::Empty.to_string() }
            }
        })?;
        let manifest = &made.manifest;
        if let Some(position) = &manifest.log {
            self.backups.log.has_base(position.timeline.clone());
        }
        tracing::info!(backup = manifest.id, bytes = manifest.bytes(), new_bytes = manifest.new_bytes, "made a backup");
        let result = json!({
            "backup": manifest.id,
            "bytes": manifest.bytes(),
            "new_bytes": manifest.new_bytes,
            "read_bytes": made.read_bytes,
            "took_ms": u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        });
        Ok(result.to_string())
    }

    fn restore(&self, task: u64, input: &RestoreInput, signals: &Signals) -> Result<String, StoreError> {
        let store = self.backups.store()?;
        let repository = self.backups.repository(false).map_err(|error| failed(&error))?;
        let manifest = repository.find(&input.backup).map_err(|error| failed(&error))?;
        if !manifest.graphs.contains(&input.graph) {
            return Err(StoreError::GraphNotFound { name: input.graph.clone() });
        }
        let folder = Scratch(self.backups.options.scratch.join(task.to_string()));
        repository.restore(&manifest, &folder.0, &|progress| signals.tell(progress)).map_err(|error| failed(&error))?;
        let restored = (self.backups.options.open)(&folder.0)?;
        let of_files = manifest.bytes() / MIB;
        let budget = Budget::new(COPY_TIME_MAX, Arc::clone(&signals.stop));
        let mut table = ("", 0);
        let mut before = 0;
        let source = restored.copy_source()?;
        let copied = store.copy_graph_as(&source, &input.graph, &input.name, false, &budget, &mut |at| {
            let now = (at.table, at.rows);
            if now.0 != table.0 || now.1 < table.1 {
                before += table.1;
            }
            table = now;
            signals.done.fetch_max(of_files + (before + at.rows) / 1000, Ordering::Relaxed);
        })?;
        let (vertices, edges) = copied.elements();
        tracing::info!(backup = manifest.id, graph = input.graph, name = input.name, "restored a graph");
        let result = json!({
            "backup": manifest.id, "graph": input.name, "vertices": vertices, "edges": edges, "rows": copied.rows(),
        });
        Ok(result.to_string())
    }
}

/// A folder that is removed when it is dropped, after the store in it was closed.
struct Scratch(std::path::PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            tracing::warn!(%error, path = %self.0.display(), "files of a restore remain until the next start");
        }
    }
}
