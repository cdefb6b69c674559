//! The data folder: which engine owns it, and which process has it open.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::Path;

use kv::{KvError, TableSpec, UNFINISHED_FILE};
use rocksdb::{DEFAULT_COLUMN_FAMILY_NAME, Options};

use crate::error::{translate, translate_io};

/// Locked while a process has the folder open, and from then on the sign that the folder is ours. Holds the process id.
const LOCK_FILE: &str = "rhizome.lock";
/// The file every complete RocksDB database has.
const CURRENT_FILE: &str = "CURRENT";
/// What a freshly made file system may hold.
const LOST_AND_FOUND: &str = "lost+found";

/// A folder that is ours, as long as this lives.
#[derive(Debug)]
pub(crate) struct Folder {
    /// Closing the file releases the lock. It stays in the folder: deleting it would race with the next process.
    _lock: File,
}

impl Folder {
    /// Makes the folder if there is none, and takes it: fails if it is somebody else's or in use.
    /// `restoring`: also where a restore is not done yet.
    pub(crate) fn take(path: &Path, tables: &'static [TableSpec], restoring: bool) -> Result<Self, KvError> {
        fs::create_dir_all(path).map_err(|error| translate_io(path, "making the data folder", &error))?;
        if !restoring {
            refuse_unfinished(path)?;
        }
        let ours = refuse_strangers(path)?;
        let folder = Self { _lock: lock(path)? };
        if path.join(CURRENT_FILE).exists() {
            check_tables(path, tables, ours)?;
        }
        Ok(folder)
    }
}

/// Fails if the folder holds a part of a store only.
fn refuse_unfinished(path: &Path) -> Result<(), KvError> {
    if path.join(UNFINISHED_FILE).exists() {
        return Err(KvError::NotAStore {
            path: path.to_path_buf(),
            reason: format!(
                "a backup was not restored into it completely ({UNFINISHED_FILE} is there); delete the folder, and \
                 restore the backup again"
            ),
        });
    }
    Ok(())
}

/// Fails if the folder holds files that are not a store's. Says whether it is marked as ours. Writes nothing.
fn refuse_strangers(path: &Path) -> Result<bool, KvError> {
    let failed = |error| translate_io(path, "reading the data folder", &error);
    let mut stranger = None;
    let mut database = false;
    for entry in fs::read_dir(path).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        if name == OsStr::new(LOCK_FILE) {
            return Ok(true);
        }
        database |= name == OsStr::new(CURRENT_FILE);
        if name != OsStr::new(LOST_AND_FOUND) {
            stranger = Some(name);
        }
    }
    match stranger {
        Some(name) if !database => Err(KvError::NotAStore {
            path: path.to_path_buf(),
            reason: format!("it holds other files ({}); use an empty folder", name.display()),
        }),
        _ => Ok(false),
    }
}

fn lock(path: &Path) -> Result<File, KvError> {
    let failed = |error: std::io::Error| translate_io(path, "locking the data folder", &error);
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path.join(LOCK_FILE))
        .map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            drop(file.read_to_string(&mut holder));
            let holder = match holder.trim() {
                "" => "another process".to_owned(),
                pid => format!("process {pid}"),
            };
            return Err(KvError::Locked { path: path.to_path_buf(), holder });
        }
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    file.set_len(0).map_err(failed)?;
    writeln!(file, "{}", std::process::id()).map_err(failed)?;
    Ok(file)
}

/// Fails if the database holds tables this program does not know, or none of those it does.
fn check_tables(path: &Path, tables: &'static [TableSpec], ours: bool) -> Result<(), KvError> {
    let found = rocksdb::DB::list_cf(&Options::default(), path)
        .map_err(|error| translate(path, "reading the list of tables", error))?;
    let not_a_store = |reason| Err(KvError::NotAStore { path: path.to_path_buf(), reason });
    let known = |name: &str| tables.iter().any(|table| table.name == name);
    if let Some(unknown) = found.iter().find(|name| *name != DEFAULT_COLUMN_FAMILY_NAME && !known(name)) {
        return not_a_store(format!(
            "its table {unknown} is unknown here; it belongs to a newer version or to another program"
        ));
    }
    if !ours && !found.iter().any(|name| known(name)) {
        return not_a_store("it holds a RocksDB database of another program; use an empty folder".to_owned());
    }
    Ok(())
}
