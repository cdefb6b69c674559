//! Making a backup.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;

use crate::BackupError;
use crate::limits::{CHUNK_BYTES, SYSTEM_CALL_BYTES};
use crate::lock::{Kind, Lock};
use crate::manifest::{self, FileEntry, LogPosition, Manifest, chunks_of, is_file_name};
use crate::repository::{Repository, object_of};
use crate::work::{Progress, Watch, parallel};

/// What a backup is made of.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The files, which nobody writes meanwhile; there are no folders among them.
    pub folder: &'a Path,
    /// The engine they belong to.
    pub engine: &'a str,
    /// The version of what is in them.
    pub store_format: u32,
    /// The engine's number of a write that is in them, as all before are.
    pub sequence: u64,
    /// Names of the graphs in them.
    pub graphs: &'a [String],
    /// The program, with its version.
    pub program: &'a str,
    /// Where they are in the log of their store, if that is archived.
    pub log: Option<&'a LogPosition>,
}

/// How a backup is made.
#[derive(Clone, Copy, Debug, Default)]
pub struct CreateOptions {
    /// Reads files also where the newest backup has one of the same name, length and moment of change.
    pub reread: bool,
}

/// What was made.
#[derive(Clone, Debug)]
pub struct Created {
    /// The backup.
    pub manifest: Manifest,
    /// Bytes that were read.
    pub read_bytes: u64,
}

/// The chunks of files that are stored already, by name, length and moment of change.
type KnownFiles = BTreeMap<(String, u64, String), Vec<String>>;

/// A file of the source.
struct Found {
    name: String,
    path: PathBuf,
    bytes: u64,
    modified_ns: u128,
    /// Known from the backup before; else they are found by reading.
    chunks: Option<Vec<String>>,
}

/// A piece of a file to be read.
struct Piece<'a> {
    file: usize,
    at: u64,
    bytes: u64,
    opened: &'a File,
    path: &'a Path,
}

impl Repository {
    /// Makes a backup of a folder. It is there once this returns, or not at all.
    ///
    /// # Errors
    /// [`BackupError::Busy`] while somebody removes backups, [`BackupError::Storage`], [`BackupError::File`],
    /// [`BackupError::LockLost`], [`BackupError::Cancelled`].
    pub fn create(
        &self,
        source: &Source<'_>,
        options: CreateOptions,
        watch: &Watch<'_>,
    ) -> Result<Created, BackupError> {
        let created_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
        let created_ms = i64::try_from(created_ms).unwrap_or(i64::MAX);
        let id = manifest::new_id(created_ms)?;
        let lock = Lock::take(&self.target, &id, Kind::Shared, "backup create", true)?;
        let stored = self.chunks()?;
        let known = if options.reread { BTreeMap::new() } else { self.files_of_newest(&stored)? };
        let found = files(source.folder, &known)?;
        let upload = Upload::new(self, stored, &found, watch, &lock);
        upload.run(&found)?;
        let (chunks, new_bytes, read_bytes) = upload.done();
        let mut made = manifest::begun(id, created_ms);
        made.engine = source.engine.to_owned();
        made.program = source.program.to_owned();
        made.store_format = source.store_format;
        made.sequence = source.sequence;
        made.graphs = source.graphs.to_vec();
        made.new_bytes = new_bytes;
        made.log = source.log.cloned();
        made.files = found
            .into_iter()
            .zip(chunks)
            .map(|(file, read)| FileEntry {
                chunks: file.chunks.unwrap_or(read),
                modified_ns: file.modified_ns.to_string(),
                name: file.name,
                bytes: file.bytes,
            })
            .collect();
        self.commit(&lock, &made)?;
        Ok(Created { manifest: made, read_bytes })
    }

    /// The files of the newest backup whose chunks are all there.
    fn files_of_newest(&self, stored: &BTreeMap<String, u64>) -> Result<KnownFiles, BackupError> {
        let newest = match self.find("latest") {
            Ok(newest) => newest,
            // Whatever is wrong with it, this one does not need it.
            Err(error) if error.is_damage() => return Ok(BTreeMap::new()),
            Err(BackupError::NoBackup { .. } | BackupError::Format { .. }) => return Ok(BTreeMap::new()),
            Err(error) => return Err(error),
        };
        let is_stored = |file: &FileEntry| {
            file.chunks
                .iter()
                .enumerate()
                .all(|(at, chunk)| stored.get(chunk) == Some(&self.codec.stored_bytes(file.chunk_bytes(at))))
        };
        let files = newest.files.into_iter().filter(is_stored);
        Ok(files.map(|file| ((file.name, file.bytes, file.modified_ns), file.chunks)).collect())
    }

    /// Writes the manifest, if the lock still holds.
    fn commit(&self, lock: &Lock, made: &Manifest) -> Result<(), BackupError> {
        let (object, stored) = made.encode(&self.codec)?;
        lock.check()?;
        if !self.target.put_new(&object, stored)? {
            let reason = "there is one of this name already".to_owned();
            return Err(BackupError::Storage { action: "writing", object, reason });
        }
        if let Err(lost) = lock.check_fence() {
            // Nobody counts it; it only takes room.
            self.target.delete(&object)?;
            return Err(lost);
        }
        Ok(())
    }
}

/// The files of a folder, by name.
fn files(folder: &Path, known: &BTreeMap<(String, u64, String), Vec<String>>) -> Result<Vec<Found>, BackupError> {
    let failed = |error: std::io::Error| BackupError::file("reading", folder, &error);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        let meta = entry.metadata().map_err(|error| BackupError::file("reading", &path, &error))?;
        let name = entry.file_name().into_string().ok().filter(|name| is_file_name(name) && meta.is_file());
        let Some(name) = name else {
            let reason = "it is no plain file of a store".to_owned();
            return Err(BackupError::File { action: "backing up", path, reason });
        };
        let modified = meta.modified().map_err(|error| BackupError::file("reading", &path, &error))?;
        let modified_ns = modified.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let chunks = known.get(&(name.clone(), meta.len(), modified_ns.to_string())).cloned();
        found.push(Found { name, path, bytes: meta.len(), modified_ns, chunks });
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// Pieces on their way to the repository.
struct Upload<'a> {
    repository: &'a Repository,
    watch: &'a Watch<'a>,
    lock: &'a Lock,
    /// Chunks that are stored, or that somebody stores just now: all are, once everybody is done.
    stored: Mutex<BTreeMap<String, u64>>,
    /// By file and piece.
    names: Mutex<Vec<Vec<String>>>,
    total: u64,
    done: AtomicU64,
    new: AtomicU64,
    read: AtomicU64,
}

impl<'a> Upload<'a> {
    fn new(
        repository: &'a Repository,
        stored: BTreeMap<String, u64>,
        files: &[Found],
        watch: &'a Watch<'a>,
        lock: &'a Lock,
    ) -> Self {
        let is_read = |file: &&Found| file.chunks.is_none();
        let names = files
            .iter()
            .map(|file| match file.chunks {
                Some(_) => Vec::new(),
                None => vec![String::new(); usize::try_from(chunks_of(file.bytes)).unwrap_or(usize::MAX)],
            })
            .collect();
        let total = files.iter().map(|file| file.bytes).sum();
        let known = files.iter().filter(|file| !is_read(file)).map(|file| file.bytes).sum();
        Self {
            repository,
            watch,
            lock,
            stored: Mutex::new(stored),
            names: Mutex::new(names),
            total,
            done: AtomicU64::new(known),
            new: AtomicU64::new(0),
            read: AtomicU64::new(0),
        }
    }

    /// Reads what is not known, a few files at a time.
    fn run(&self, files: &[Found]) -> Result<(), BackupError> {
        self.tell()?;
        let unknown: BTreeSet<usize> = (0..files.len())
            .filter(|at| files.get(*at).is_some_and(|file| file.chunks.is_none() && file.bytes > 0))
            .collect();
        let mut opened = Vec::new();
        for at in unknown {
            let Some(file) = files.get(at) else { continue };
            let handle = File::open(&file.path).map_err(|error| BackupError::file("reading", &file.path, &error))?;
            opened.push((at, file, handle));
            if opened.len() >= FILES_AT_ONCE {
                self.read_all(&opened)?;
                opened.clear();
            }
        }
        self.read_all(&opened)
    }

    fn read_all(&self, opened: &[(usize, &Found, File)]) -> Result<(), BackupError> {
        let pieces: Vec<Piece<'_>> = opened
            .iter()
            .flat_map(|(file, found, handle)| {
                (0..chunks_of(found.bytes)).map(|at| Piece {
                    file: *file,
                    at,
                    bytes: (found.bytes - at * CHUNK_BYTES).min(CHUNK_BYTES),
                    opened: handle,
                    path: &found.path,
                })
            })
            .collect();
        parallel(&pieces, self.repository.niceness, |piece| self.one(piece))
    }

    fn one(&self, piece: &Piece<'_>) -> Result<(), BackupError> {
        self.lock.check()?;
        let mut content = vec![0; usize::try_from(piece.bytes).unwrap_or(usize::MAX)];
        let mut at = piece.at * CHUNK_BYTES;
        for part in content.chunks_mut(SYSTEM_CALL_BYTES) {
            let read = piece.opened.read_exact_at(part, at);
            read.map_err(|error| BackupError::file("reading", piece.path, &error))?;
            at += part.len() as u64;
        }
        let codec = &self.repository.codec;
        let name = codec.name_of(&content);
        let stored_bytes = codec.stored_bytes(piece.bytes);
        let is_new = self.stored.lock().insert(name.clone(), stored_bytes) != Some(stored_bytes);
        if is_new {
            let object = object_of(&name);
            let stored = codec.seal(&object, content)?;
            self.repository.target.put(&object, stored)?;
            self.new.fetch_add(stored_bytes, Ordering::Relaxed);
        }
        let at = usize::try_from(piece.at).unwrap_or(usize::MAX);
        if let Some(place) = self.names.lock().get_mut(piece.file).and_then(|file| file.get_mut(at)) {
            *place = name;
        }
        self.read.fetch_add(piece.bytes, Ordering::Relaxed);
        self.done.fetch_add(piece.bytes, Ordering::Relaxed);
        self.tell()
    }

    fn tell(&self) -> Result<(), BackupError> {
        let bytes_done = self.done.load(Ordering::Relaxed);
        match (self.watch)(Progress { bytes_done, bytes_total: self.total }) {
            true => Ok(()),
            false => Err(BackupError::Cancelled),
        }
    }

    /// The chunks of the files that were read, the bytes that are new in the repository, and those that were read.
    fn done(self) -> (Vec<Vec<String>>, u64, u64) {
        (self.names.into_inner(), self.new.into_inner(), self.read.into_inner())
    }
}

/// Files that are open at once: few, since a server has its own.
const FILES_AT_ONCE: usize = 64;
