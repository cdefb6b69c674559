//! The write-ahead log as something that others read, and its files.
//!
//! Where the log is kept, RocksDB moves files that recovery does not need any more to a folder of its own instead of
//! deleting them, each batch carries the moment it was handed over, and rows that are added around the log are
//! announced in it before and after. Readers start at a number; RocksDB finds the file, and reads it from its start.

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kv::{KvError, LogEnd, LogRecord, WriteLog};

use crate::error::translate_io;
use crate::limits::LOG_HEADERS_MAX;
use crate::record::facts;
use crate::store::Store;

/// The folder inside the store's to which RocksDB moves files of the log.
const FOLDER: &str = "archive";
/// The file with the text that is gone once the store was opened without keeping its log.
const MARK: &str = "rhizome.log-mark";
/// Its name while it is written.
const NEW_MARK: &str = "rhizome.log-mark.new";
/// Bytes of that text, at most.
const MARK_BYTES_MAX: u64 = 4096;

/// Forgets the text of an earlier process, and removes what it kept: the log is not kept from now on.
pub(crate) fn forget(path: &Path) -> Result<(), KvError> {
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => Ok(()),
        _ => Err(translate_io(path, "removing what was kept of the log", &error)),
    };
    for name in [MARK, NEW_MARK] {
        fs::remove_file(path.join(name)).or_else(failed)?;
    }
    fs::remove_dir_all(path.join(FOLDER)).or_else(failed)
}

/// The log of an open store.
pub(crate) struct Log {
    store: Arc<Store>,
    opened_at: u64,
}

impl Log {
    pub(crate) fn new(store: &Arc<Store>) -> Self {
        Self { store: Arc::clone(store), opened_at: store.database.latest_sequence_number() }
    }

    fn corrupt(&self, what: &str) -> KvError {
        KvError::Corrupt { detail: format!("the write-ahead log in {}: {what}", self.store.path.display()) }
    }
}

impl WriteLog for Log {
    fn opened_at(&self) -> u64 {
        self.opened_at
    }

    fn last(&self) -> u64 {
        self.store.database.latest_sequence_number()
    }

    fn read(&self, after: u64, bytes_max: u64, found: &mut dyn FnMut(LogRecord<'_>)) -> Result<LogEnd, KvError> {
        let last = self.last();
        if last <= after {
            return Ok(LogEnd::Done);
        }
        let failed = |error| self.store.error("reading the write-ahead log", error);
        let mut records = self.store.database.get_updates_since(after).map_err(failed)?;
        let (mut at, mut bytes) = (after, 0_u64);
        for record in &mut records {
            let (first, batch) = record.map_err(failed)?;
            let data = batch.data();
            let facts =
                facts(data).ok_or_else(|| self.corrupt(&format!("write {first} is of a kind that is never made")))?;
            if facts.count == 0 {
                continue;
            }
            if first != at + 1 {
                return Ok(LogEnd::Gap(first));
            }
            at = first + u64::from(facts.count) - 1;
            found(LogRecord { first, last: at, moment_ms: facts.moment_ms, breaks: facts.breaks, bytes: data });
            bytes += data.len() as u64;
            if bytes >= bytes_max {
                return Ok(LogEnd::More);
            }
        }
        if at >= last {
            return Ok(LogEnd::Done);
        }
        if let Err(error) = records.status() {
            tracing::debug!(%error, after = at, "the write-ahead log cannot be read on");
        }
        Ok(LogEnd::Stuck)
    }

    fn release(&self, up_to: u64, bytes_max: u64) -> Result<u64, KvError> {
        let path = &self.store.path;
        let failed = |error: std::io::Error| translate_io(path, "removing files of the write-ahead log", &error);
        // Not while a checkpoint looks at them.
        let _files = self.store.log_files.lock();
        let kept = files(&path.join(FOLDER)).map_err(failed)?;
        let live = files(path).map_err(failed)?;
        let mut firsts = Vec::with_capacity(kept.len() + live.len());
        for (_, file, _) in kept.iter().chain(&live) {
            firsts.push(first_number(file).map_err(failed)?);
        }
        let mut bytes: u64 = kept.iter().map(|(_, _, bytes)| bytes).sum();
        for (at, (_, file, size)) in kept.iter().enumerate() {
            // What a file holds ends before the next one begins.
            let next = firsts.iter().skip(at + 1).flatten().next();
            let is_read = next.is_some_and(|next| *next <= up_to.saturating_add(1));
            if !is_read && bytes <= bytes_max {
                break;
            }
            match fs::remove_file(file) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
                _ => bytes = bytes.saturating_sub(*size),
            }
            if !is_read {
                let file = file.display();
                tracing::warn!(%file, "a file of the log that nobody has read is removed: too many wait");
            }
        }
        Ok(bytes)
    }

    fn replay(&self, record: &[u8]) -> Result<u64, KvError> {
        if facts(record).is_none() {
            return Err(self.corrupt("a record to be replayed is of a kind that is never made"));
        }
        self.store.replay(rocksdb::WriteBatch::from_data(record))?;
        Ok(self.last())
    }

    fn mark(&self) -> Result<Option<String>, KvError> {
        let file = self.store.path.join(MARK);
        match fs::metadata(&file).and_then(|meta| match meta.len() {
            0..=MARK_BYTES_MAX => fs::read_to_string(&file),
            _ => Err(std::io::Error::new(ErrorKind::InvalidData, "it is too long")),
        }) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(translate_io(&file, "reading the mark of the log", &error)),
        }
    }

    fn set_mark(&self, text: &str) -> Result<(), KvError> {
        let folder = &self.store.path;
        let (new, file) = (folder.join(NEW_MARK), folder.join(MARK));
        let write = || {
            let mut written = File::create(&new)?;
            written.write_all(text.as_bytes())?;
            written.sync_all()?;
            fs::rename(&new, &file)?;
            File::open(folder)?.sync_all()
        };
        write().map_err(|error| translate_io(&file, "writing the mark of the log", &error))
    }
}

/// The files of a log in a folder, by number.
fn files(folder: &Path) -> std::io::Result<Vec<(u64, PathBuf, u64)>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let Some(number) = name.to_str().and_then(|name| name.strip_suffix(".log")?.parse().ok()) else { continue };
        match entry.metadata() {
            // RocksDB has moved it since.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            meta => found.push((number, entry.path(), meta?.len())),
        }
    }
    found.sort();
    Ok(found)
}

/// The number of the first write in a file of the log; `None`: there is none, or it cannot be told.
///
/// A file consists of pieces: 4 bytes checksum, 2 of length, 1 of kind. A whole record has kind 1, the first part of
/// one 2; other kinds say something about the file.
fn first_number(file: &Path) -> std::io::Result<Option<u64>> {
    let opened = match File::open(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut at = 0;
    for _ in 0..LOG_HEADERS_MAX {
        let mut head = [0; 15];
        let is_read = |outcome: std::io::Result<()>| match outcome {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
            other => other.map(|()| true),
        };
        if !is_read(opened.read_exact_at(&mut head, at))? {
            return Ok(None);
        }
        let [_, _, _, _, low, high, kind, number @ ..] = head;
        match kind {
            1 | 2 => return Ok(Some(u64::from_le_bytes(number))),
            0 => return Ok(None),
            _ => at += 7 + u64::from(u16::from_le_bytes([low, high])),
        }
    }
    Ok(None)
}

/// Says in the log that rows are added around it.
pub(crate) fn announce_break(store: &Store) -> Result<(), KvError> {
    let Some(clock) = &store.clock else { return Ok(()) };
    let mut batch = rocksdb::WriteBatch::default();
    batch.put_log_data(clock.stamp(true));
    // In the table that every RocksDB database has and ours leaves empty, so that it has a number.
    batch.delete(b"probe");
    store.write_batch(batch, "writing")
}
