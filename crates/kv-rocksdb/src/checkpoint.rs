//! Checkpoints: a folder inside the store's with hard links to its data files, and copies of the rest.
//!
//! RocksDB writes its tables in memory to disk first and then lists its files, so a checkpoint holds all writes up to
//! some moment of the call. Data files that RocksDB deletes meanwhile stay on disk until the checkpoint is removed.
//! What a crash leaves is removed at the next opening.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use kv::{Checkpoint, KvError};

use crate::error::translate_io;
use crate::store::Store;

/// The folder inside the store's folder where checkpoints are: on the same file system, so that files can be linked.
const FOLDER: &str = "checkpoints";

/// Numbers checkpoints in the whole process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Removes what an earlier process has left.
pub(crate) fn clear(store: &Path) -> Result<(), KvError> {
    match fs::remove_dir_all(store.join(FOLDER)) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(translate_io(store, "removing a checkpoint that was left", &error))
        }
        _ => Ok(()),
    }
}

/// A folder that is removed with all its files when it is dropped.
struct Files(PathBuf);

impl Drop for Files {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0)
            && error.kind() != ErrorKind::NotFound
        {
            tracing::warn!(
                path = %self.0.display(),
                %error,
                "a checkpoint remains until the store is opened again; it keeps data files from being deleted"
            );
        }
    }
}

/// Makes a checkpoint.
pub(crate) fn take(store: &Store) -> Result<Checkpoint, KvError> {
    let parent = store.path.join(FOLDER);
    fs::create_dir_all(&parent).map_err(|error| translate_io(&parent, "making the folder of checkpoints", &error))?;
    // RocksDB makes it itself.
    let files = Files(parent.join(NEXT.fetch_add(1, Ordering::Relaxed).to_string()));
    let _log_files = store.log_files.lock();
    let sequence = store.database.latest_sequence_number();
    rocksdb::checkpoint::Checkpoint::new(&store.database)
        .and_then(|checkpoint| checkpoint.create_checkpoint(&files.0))
        .map_err(|error| store.error("making a checkpoint", error))?;
    Ok(Checkpoint::new(files.0.clone(), sequence, Box::new(files)))
}
