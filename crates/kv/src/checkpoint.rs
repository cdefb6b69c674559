//! The files of an engine as they are at one moment.

use std::any::Any;
use std::path::{Path, PathBuf};

/// A folder with a file of this name holds a part of a store only, as while a backup is restored into it. Engines over
/// files refuse to open such a folder.
pub const UNFINISHED_FILE: &str = "rhizome.unfinished";

/// The files of an engine as they are at one moment: opened as a store, they hold everything that was acknowledged
/// before, and no part of a batch. Nobody writes them. Dropping it removes them.
pub struct Checkpoint {
    folder: PathBuf,
    sequence: u64,
    _files: Box<dyn Any + Send>,
}

impl Checkpoint {
    /// Files in a folder of the engine's own. `files` removes them when it is dropped.
    #[must_use]
    pub fn new(folder: PathBuf, sequence: u64, files: Box<dyn Any + Send>) -> Self {
        Self { folder, sequence, _files: files }
    }

    /// Where the files are; there are no folders in it.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The engine's number of a write that is in it, as all before are; writes after it may be in it too.
    #[must_use]
    pub fn sequence(&self) -> u64 {
        self.sequence
    }
}

impl std::fmt::Debug for Checkpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checkpoint")
            .field("folder", &self.folder)
            .field("sequence", &self.sequence)
            .finish_non_exhaustive()
    }
}
