//! Where a repository is: objects by name, in a folder or a bucket.
//!
//! The requests are asynchronous and run on a runtime of this place's own; whoever calls waits for them. What fails for
//! a reason that may pass is tried again. In a folder, an object is on the disk, and its name too, before it counts as
//! written.

use std::future::Future;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use bytes::Bytes;
use futures::TryStreamExt as _;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, PutPayload};
use tokio::runtime::Runtime;

use crate::BackupError;
use crate::bucket;
use crate::limits::{ATTEMPT_PAUSE, ATTEMPTS_MAX, SYSTEM_CALL_BYTES};

/// A place for objects.
pub struct Target {
    store: Arc<dyn ObjectStore>,
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
    location: String,
    /// Where the objects are files.
    folder: Option<PathBuf>,
    /// How far the threads stand back that read and write files; those that run already do not ask again.
    niceness: Arc<AtomicU8>,
}

/// An object in a list.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    /// When it was written, by the clock of the place: milliseconds since 1970 UTC.
    pub(crate) modified_ms: i64,
}

impl Target {
    /// The place that a text names: a folder (`DIR` or `file:///DIR`), which is made if it is not there and `make` says
    /// so, or a folder of a bucket (`s3://BUCKET/DIR`, `gs://BUCKET/DIR`, `az://CONTAINER/DIR`), which is there.
    ///
    /// # Errors
    /// [`BackupError::Location`], [`BackupError::NoRepository`] for a folder that is not there.
    pub fn open(location: &str, make: bool) -> Result<Self, BackupError> {
        let wrong = |reason: String| BackupError::Location { location: location.to_owned(), reason };
        let folder = match location.split_once("://") {
            None => PathBuf::from(location),
            Some(("file", path)) if path.starts_with('/') => PathBuf::from(path),
            Some(("file", _)) => return Err(wrong("write file:///DIR, with an absolute path".to_owned())),
            Some(_) => {
                let (store, shown) = bucket::open(location).map_err(|reason| {
                    let location = bucket::without_secrets(location);
                    BackupError::Location { location, reason }
                })?;
                return Self::new(store, shown, None);
            }
        };
        if folder.as_os_str().is_empty() {
            return Err(wrong("it is empty".to_owned()));
        }
        if make {
            std::fs::create_dir_all(&folder).map_err(|error| wrong(format!("the folder cannot be made: {error}")))?;
        } else if !folder.is_dir() {
            return Err(BackupError::NoRepository { location: folder.display().to_string() });
        }
        let store = LocalFileSystem::new_with_prefix(&folder).map_err(|error| wrong(error.to_string()))?;
        let shown = folder.display().to_string();
        Self::new(Arc::new(store.with_fsync(true)), shown, Some(folder))
    }

    /// Any object store; for tests.
    ///
    /// # Errors
    /// That the threads for requests cannot be started.
    #[doc(hidden)]
    pub fn of(store: Arc<dyn ObjectStore>) -> Result<Self, BackupError> {
        let location = store.to_string();
        Self::new(store, location, None)
    }

    fn new(store: Arc<dyn ObjectStore>, location: String, folder: Option<PathBuf>) -> Result<Self, BackupError> {
        let niceness = Arc::<AtomicU8>::default();
        let of_thread = Arc::clone(&niceness);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("backup-io")
            .on_thread_start(move || {
                // Whoever opens it may be tied to a processor.
                threads::run_anywhere();
                threads::stand_back(of_thread.load(Ordering::Relaxed));
            })
            .enable_all()
            .build()
            .map_err(|error| BackupError::Location { location: location.clone(), reason: error.to_string() })?;
        Ok(Self { store, runtime: Some(runtime), location, folder, niceness })
    }

    /// Has the threads that read and write files stand back for others ([`threads::stand_back`]).
    pub(crate) fn stand_back(&self, niceness: u8) {
        self.niceness.store(niceness, Ordering::Relaxed);
    }

    /// For people.
    pub(crate) fn location(&self) -> &str {
        &self.location
    }

    /// The folder, where it is one.
    #[must_use]
    pub fn folder(&self) -> Option<&FilePath> {
        self.folder.as_deref()
    }

    /// Repeats a request until it succeeds, or has failed for good.
    fn request<T, F: Future<Output = Result<T, Error>>>(&self, request: impl Fn() -> F) -> Result<T, Error> {
        let Some(runtime) = &self.runtime else {
            return Err(Error::NotImplemented { operation: "requests".into(), implementer: "a closed place".into() });
        };
        runtime.block_on(async {
            let mut pause = ATTEMPT_PAUSE;
            for _ in 1..ATTEMPTS_MAX {
                match request().await {
                    Err(error) if may_pass(&error) => {
                        tracing::debug!(%error, "a request to the repository is sent again");
                        tokio::time::sleep(pause).await;
                        pause *= 2;
                    }
                    outcome => return outcome,
                }
            }
            request().await
        })
    }

    /// The content of an object; `bytes_max`: a longer one is refused.
    pub(crate) fn get(&self, name: &str, bytes_max: u64) -> Result<Vec<u8>, BackupError> {
        let path = Path::from(name);
        let read = self.request(|| async {
            let found = self.store.get(&path).await?;
            let bytes = found.meta.size;
            if bytes > bytes_max { Ok(Err(bytes)) } else { Ok(Ok(found.bytes().await?)) }
        });
        match read {
            Ok(Ok(bytes)) => Ok(Vec::from(bytes)),
            Ok(Err(bytes)) => Err(BackupError::damaged(name, format!("it has {bytes} bytes, more than {bytes_max}"))),
            Err(error) => Err(self.failed("reading", name, &error)),
        }
    }

    /// Writes an object, whether it is there or not.
    pub(crate) fn put(&self, name: &str, content: Vec<u8>) -> Result<(), BackupError> {
        let (path, content) = (Path::from(name), self.payload(content));
        let written = self.request(|| self.store.put(&path, content.clone()));
        written.map(drop).map_err(|error| self.failed("writing", name, &error))
    }

    /// Writes an object that is not there; false if it is.
    pub(crate) fn put_new(&self, name: &str, content: Vec<u8>) -> Result<bool, BackupError> {
        let (path, bytes) = (Path::from(name), content.len() as u64);
        let content = self.payload(content);
        let options = || PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        match self.request(|| self.store.put_opts(&path, content.clone(), options())) {
            Ok(_) => Ok(true),
            // An attempt whose answer was lost may have written it.
            Err(Error::AlreadyExists { .. }) => Ok(self.get(name, bytes).is_ok_and(|it| it == Bytes::from(content))),
            Err(error) => Err(self.failed("writing", name, &error)),
        }
    }

    /// What is written; to a file in parts, of which each is a system call.
    fn payload(&self, content: Vec<u8>) -> PutPayload {
        let content = Bytes::from(content);
        match self.folder {
            None => content.into(),
            Some(_) => (0..content.len())
                .step_by(SYSTEM_CALL_BYTES)
                .map(|at| content.slice(at..content.len().min(at + SYSTEM_CALL_BYTES)))
                .collect(),
        }
    }

    /// Removes an object; one that is not there is removed.
    pub(crate) fn delete(&self, name: &str) -> Result<(), BackupError> {
        let path = Path::from(name);
        match self.request(|| self.store.delete(&path)) {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(self.failed("removing", name, &error)),
        }
    }

    /// When an object was written, by the clock of the place; `None`: it is not there.
    pub(crate) fn modified_ms(&self, name: &str) -> Result<Option<i64>, BackupError> {
        let path = Path::from(name);
        match self.request(|| self.store.head(&path)) {
            Ok(found) => Ok(Some(found.last_modified.timestamp_millis())),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.failed("reading", name, &error)),
        }
    }

    /// All objects whose names begin with `folder` and a slash, by name; of everything with an empty one.
    pub(crate) fn list(&self, folder: &str) -> Result<Vec<Object>, BackupError> {
        let prefix = (!folder.is_empty()).then(|| Path::from(folder));
        let listed = self.request(|| self.store.list(prefix.as_ref()).try_collect::<Vec<_>>());
        let mut found: Vec<Object> = listed
            .map_err(|error| self.failed("listing", folder, &error))?
            .into_iter()
            .map(|object| Object {
                name: object.location.to_string(),
                bytes: object.size,
                modified_ms: object.last_modified.timestamp_millis(),
            })
            .collect();
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    fn failed(&self, action: &'static str, name: &str, error: &Error) -> BackupError {
        let mut reason = reason_of(error);
        if matches!(error, Error::NotFound { .. }) {
            return BackupError::Missing { object: name.to_owned() };
        }
        if self.folder.is_none() && matches!(error, Error::Unauthenticated { .. } | Error::PermissionDenied { .. }) {
            reason = format!("{reason}; {}", bucket::credentials_of(&self.location));
        }
        let object = if name.is_empty() { self.location.clone() } else { name.to_owned() };
        BackupError::Storage { action, object, reason }
    }

    /// Removes what interrupted writes have left in a folder: files whose names end with `#` and a number, which no
    /// list shows. Nobody may write meanwhile.
    pub(crate) fn remove_unfinished(&self, folder: &str) -> Result<u64, BackupError> {
        let Some(root) = &self.folder else { return Ok(0) };
        let mut folders = vec![root.join(folder)];
        let mut removed = 0;
        while let Some(folder) = folders.pop() {
            let entries = match std::fs::read_dir(&folder) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                entries => entries.map_err(|error| BackupError::file("reading", &folder, &error))?,
            };
            for entry in entries {
                let entry = entry.map_err(|error| BackupError::file("reading", &folder, &error))?;
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if is_unfinished(&entry.file_name().to_string_lossy()) {
                    std::fs::remove_file(&path).map_err(|error| BackupError::file("removing", &path, &error))?;
                    removed += 1;
                }
            }
        }
        Ok(removed)
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // Waits for nothing, so it may be dropped on any thread; no request is under way.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Whether a file is one that a write was making.
fn is_unfinished(name: &str) -> bool {
    name.rsplit_once('#').is_some_and(|(_, number)| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether the same request may succeed later.
fn may_pass(error: &Error) -> bool {
    match error {
        // Of files: what the system says will be said again, but for what a signal or a network interrupted.
        Error::Generic { store, .. } => *store != "LocalFileSystem",
        _ => false,
    }
}

/// The words of an error and of what caused it.
fn reason_of(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(next) = cause {
        let words = next.to_string();
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        cause = next.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_come_and_go() {
        let folder = tempfile::tempdir().unwrap();
        let location = folder.path().join("new/repository").display().to_string();
        assert!(matches!(Target::open(&location, false), Err(BackupError::NoRepository { .. })));
        let target = Target::open(&location, true).unwrap();
        target.put("a/b", b"1".to_vec()).unwrap();
        target.put("a/b", b"22".to_vec()).unwrap();
        assert!(target.put_new("a/c", b"3".to_vec()).unwrap());
        assert!(!target.put_new("a/c", b"4".to_vec()).unwrap());
        assert!(target.put_new("a/c", b"3".to_vec()).unwrap(), "the answer to the same write was lost");
        assert_eq!(target.get("a/b", 2).unwrap(), b"22");
        assert!(target.get("a/b", 1).unwrap_err().is_damage());
        assert!(matches!(target.get("a/x", 9), Err(BackupError::Missing { .. })));
        assert!(target.modified_ms("a/b").unwrap().unwrap() > 1_700_000_000_000);
        assert_eq!(target.modified_ms("a/x").unwrap(), None);
        let names = |folder| target.list(folder).unwrap().into_iter().map(|it| it.name).collect::<Vec<_>>();
        assert_eq!(names(""), ["a/b", "a/c"]);
        assert_eq!(names("a"), ["a/b", "a/c"]);
        assert!(names("b").is_empty());
        std::fs::write(folder.path().join("new/repository/a/d#1"), "half").unwrap();
        assert_eq!(names("a"), ["a/b", "a/c"]);
        assert_eq!(target.remove_unfinished("a").unwrap(), 1);
        target.delete("a/b").unwrap();
        target.delete("a/b").unwrap();
        assert_eq!(names("a"), ["a/c"]);
    }

    #[test]
    fn places_that_cannot_be_are_refused() {
        for wrong in ["", "file://relative", "s3://bucket/x?y", "ftp://host"] {
            assert!(matches!(Target::open(wrong, true), Err(BackupError::Location { .. })), "{wrong}");
        }
    }
}
