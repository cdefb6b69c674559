//! Sorted rows as data files, which RocksDB takes over as they are.
//!
//! The files are made in a folder inside the store's, so that taking them over moves them. Each is on disk before
//! RocksDB hears of it, and RocksDB's list of files names all of a table's or none. What a crash leaves in the folder
//! is thrown away at the next opening.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use kv::{Extent, Key, KvError, SortedRows, SortedWriter, TableId, TableSpec, check_sorted};
use rocksdb::{IngestExternalFileOptions, SstFileWriter};

use crate::error::translate_io;
use crate::limits::SORTED_FILE_BYTES;
use crate::log::announce_break;
use crate::store::Store;

/// The folder inside the store's folder where files wait to be taken over.
const FOLDER: &str = "ingest";

/// Numbers files that wait, in the whole process: no two stores of a process share a folder, so this is more than
/// unique.
static NEXT_FILE: AtomicU64 = AtomicU64::new(0);

/// Throws away what an earlier process has not ingested.
pub(crate) fn clear(store: &Path) -> Result<(), KvError> {
    match fs::remove_dir_all(store.join(FOLDER)) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(translate_io(store, "removing files that were never ingested", &error))
        }
        _ => Ok(()),
    }
}

/// A finished file that waits. Removed when dropped, whether RocksDB has taken it over (then nothing is there any more)
/// or not.
struct WaitingFile(PathBuf);

impl Drop for WaitingFile {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.0)
            && error.kind() != ErrorKind::NotFound
        {
            tracing::warn!(
                path = %self.0.display(),
                %error,
                "a file that was not ingested remains until the store is opened again"
            );
        }
    }
}

pub(crate) struct FileWriter<'a> {
    store: &'a Store,
    table: TableId,
    name: &'static str,
    extent: Extent,
    files: Vec<WaitingFile>,
    current: Option<Current<'a>>,
}

/// The file being written. The file is removed after its writer is gone.
struct Current<'a> {
    writer: SstFileWriter<'a>,
    bytes: u64,
    file: WaitingFile,
}

impl<'a> Current<'a> {
    fn start(store: &'a Store, table: TableId) -> Result<Self, KvError> {
        let folder = store.path.join(FOLDER);
        fs::create_dir_all(&folder)
            .map_err(|error| translate_io(&folder, "making the folder for sorted rows", &error))?;
        let file = WaitingFile(folder.join(format!("{}.sst", NEXT_FILE.fetch_add(1, Ordering::Relaxed))));
        let writer = SstFileWriter::create(store.table_options(table)?);
        writer.open(&file.0).map_err(|error| store.error("starting a file of sorted rows", error))?;
        Ok(Self { writer, bytes: 0, file })
    }
}

impl<'a> FileWriter<'a> {
    pub(crate) fn new(store: &'a Store, table: TableId) -> Result<Self, KvError> {
        let name = TableSpec::find(store.tables, table)?.name;
        Ok(Self { store, table, name, extent: Extent::default(), files: Vec::new(), current: None })
    }

    fn finish_file(&mut self) -> Result<(), KvError> {
        if let Some(mut current) = self.current.take() {
            current.writer.finish().map_err(|error| self.store.error("finishing a file of sorted rows", error))?;
            self.files.push(current.file);
        }
        Ok(())
    }
}

impl SortedWriter for FileWriter<'_> {
    fn put(&mut self, key: Key<'_>, value: &[u8]) -> Result<(), KvError> {
        self.extent.add(self.name, key, value)?;
        if self.current.as_ref().is_some_and(|current| current.bytes >= SORTED_FILE_BYTES) {
            self.finish_file()?;
        }
        let current = match &mut self.current {
            Some(current) => current,
            none => none.insert(Current::start(self.store, self.table)?),
        };
        current.bytes += (key.as_bytes().len() + value.len()) as u64;
        current
            .writer
            .put(key.as_bytes(), value)
            .map_err(|error| self.store.error("writing a file of sorted rows", error))
    }

    fn finish(mut self: Box<Self>) -> Result<SortedRows, KvError> {
        self.finish_file()?;
        Ok(SortedRows::new(self.table, self.extent, Box::new(self.files)))
    }
}

/// Takes over what the writers made, table by table.
pub(crate) fn ingest(store: &Store, all: Vec<SortedRows>) -> Result<(), KvError> {
    let mut tables: Vec<(TableId, Vec<WaitingFile>)> = Vec::new();
    for rows in check_sorted(store.tables, all)? {
        let table = rows.table();
        let files = rows.into_content::<Vec<WaitingFile>>()?;
        match tables.iter_mut().find(|(of, _)| *of == table) {
            Some((_, of_table)) => of_table.extend(files),
            None => tables.push((table, files)),
        }
    }
    let mut options = IngestExternalFileOptions::default();
    options.set_move_files(true);
    announce_break(store)?;
    let writing = store.rows.write_any(tables.iter().map(|(table, _)| *table).collect());
    for (table, files) in tables {
        let paths = files.iter().map(|file| &file.0).collect();
        store
            .database
            .ingest_external_file_cf_opts(store.family(table)?, &options, paths)
            .map_err(|error| store.error("taking over files of sorted rows", error))?;
    }
    drop(writing);
    // Again: a backup made meanwhile does not hold the rows.
    announce_break(store)
}
