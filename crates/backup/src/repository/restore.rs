//! Restoring a backup into a folder.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use kv::UNFINISHED_FILE;

use crate::BackupError;
use crate::limits::CHUNK_BYTES;
use crate::manifest::Manifest;
use crate::repository::Repository;
use crate::work::{Progress, Watch, parallel};

/// The file without which no RocksDB database can be opened: written last.
const LAST_FILE: &str = "CURRENT";
/// What a freshly made file system may hold.
const LOST_AND_FOUND: &str = "lost+found";

/// What was restored.
#[derive(Clone, Debug)]
pub struct Restored {
    /// The backup.
    pub manifest: Manifest,
    /// Bytes that were written.
    pub bytes: u64,
}

/// A folder with all files of a backup that engines still refuse to open.
#[derive(Debug)]
pub struct Unfinished {
    folder: PathBuf,
}

impl Unfinished {
    /// Lets engines open it.
    ///
    /// # Errors
    /// [`BackupError::File`].
    pub fn finish(self) -> Result<(), BackupError> {
        let marker = self.folder.join(UNFINISHED_FILE);
        let finish = || {
            sync(&self.folder)?;
            std::fs::remove_file(&marker)?;
            sync(&self.folder)
        };
        finish().map_err(|error| BackupError::file("removing", &marker, &error))
    }
}

/// A piece of a file to be written.
struct Piece<'a> {
    chunk: &'a str,
    offset: u64,
    bytes: u64,
    file: &'a File,
    path: &'a Path,
}

impl Repository {
    /// Writes a backup into a folder that is empty or not there; every chunk is checked. Until all files are on the
    /// disk, a file ([`UNFINISHED_FILE`]) in the folder keeps engines from opening it; after a failure it stays.
    ///
    /// # Errors
    /// [`BackupError::Folder`] before anything is written; [`BackupError::Damaged`] and [`BackupError::Missing`] for a
    /// backup that is not whole; [`BackupError::Storage`], [`BackupError::File`], [`BackupError::Cancelled`].
    pub fn restore(&self, manifest: &Manifest, folder: &Path, watch: &Watch<'_>) -> Result<Restored, BackupError> {
        self.restore_unfinished(manifest, folder, watch)?.finish()?;
        Ok(Restored { bytes: manifest.bytes(), manifest: manifest.clone() })
    }

    /// The same, but the folder stays unfinished until [`Unfinished::finish`]: more is to be written into it.
    ///
    /// # Errors
    /// As [`Self::restore`].
    pub fn restore_unfinished(
        &self,
        manifest: &Manifest,
        folder: &Path,
        watch: &Watch<'_>,
    ) -> Result<Unfinished, BackupError> {
        let _lock = self.lock_for_reading("backup restore")?;
        check_empty(folder)?;
        std::fs::create_dir_all(folder).map_err(|error| BackupError::file("making", folder, &error))?;
        let marker = folder.join(UNFINISHED_FILE);
        let mark = || {
            // Fails where somebody else restores into the same folder.
            let mut file = OpenOptions::new().write(true).create_new(true).open(&marker)?;
            writeln!(file, "backup {} was not restored completely; delete this folder", manifest.id)?;
            file.sync_all()?;
            sync(folder)
        };
        mark().map_err(|error| BackupError::file("writing", &marker, &error))?;
        self.write_files(manifest, folder, watch)?;
        Ok(Unfinished { folder: folder.to_path_buf() })
    }

    fn write_files(&self, manifest: &Manifest, folder: &Path, watch: &Watch<'_>) -> Result<(), BackupError> {
        let done = AtomicU64::new(0);
        let bytes_total = manifest.bytes();
        let (last, first): (Vec<_>, Vec<_>) = manifest.files.iter().partition(|file| file.name == LAST_FILE);
        for files in first.chunks(FILES_AT_ONCE).chain(last.chunks(FILES_AT_ONCE)) {
            let mut opened = Vec::with_capacity(files.len());
            for file in files {
                let path = folder.join(&file.name);
                let handle = OpenOptions::new()
                    .write(true)
                    .create_new(true)
                    .open(&path)
                    .and_then(|handle| handle.set_len(file.bytes).map(|()| handle))
                    .map_err(|error| BackupError::file("writing", &path, &error))?;
                opened.push((*file, handle, path));
            }
            let pieces: Vec<Piece<'_>> = opened
                .iter()
                .flat_map(|(entry, file, path)| {
                    entry.chunks.iter().enumerate().map(move |(at, chunk)| Piece {
                        chunk,
                        offset: at as u64 * CHUNK_BYTES,
                        bytes: entry.chunk_bytes(at),
                        file,
                        path,
                    })
                })
                .collect();
            parallel(&pieces, self.niceness, |piece| {
                let content = self.chunk(piece.chunk, piece.bytes)?;
                let written = piece.file.write_all_at(&content, piece.offset);
                written.map_err(|error| BackupError::file("writing", piece.path, &error))?;
                let bytes_done = done.fetch_add(piece.bytes, Ordering::Relaxed) + piece.bytes;
                if watch(Progress { bytes_done, bytes_total }) { Ok(()) } else { Err(BackupError::Cancelled) }
            })?;
            parallel(&opened, self.niceness, |(_, file, path)| {
                file.sync_all().map_err(|error| BackupError::file("writing", path, &error))
            })?;
        }
        Ok(())
    }
}

/// Fails if a folder holds anything.
fn check_empty(folder: &Path) -> Result<(), BackupError> {
    let refused = |reason: String| Err(BackupError::Folder { path: folder.to_path_buf(), reason });
    if folder.join(UNFINISHED_FILE).exists() {
        return refused("an earlier restore into it did not end; delete the folder first".to_owned());
    }
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return refused(error.to_string()),
    };
    for entry in entries {
        let name = match entry {
            Ok(entry) => entry.file_name(),
            Err(error) => return refused(error.to_string()),
        };
        if name != LOST_AND_FOUND {
            return refused(format!("it holds files already ({}); use a new folder", name.display()));
        }
    }
    Ok(())
}

fn sync(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Files that are open at once.
const FILES_AT_ONCE: usize = 64;
