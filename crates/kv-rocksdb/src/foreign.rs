//! A RocksDB that another program has written, opened for reading: nothing in its folders is changed, made or locked.

use std::fs::File;
use std::path::{Path, PathBuf};

use kv::{ForeignRow, ForeignRows, ForeignStore, KvError};
use rocksdb::{ColumnFamilyDescriptor, DB, DBRawIterator, DBRecoveryMode, Options, ReadOptions};
use rustix::io::Errno;
use rustix::process::{Flock, FlockType, fcntl_getlk};

use crate::error::{translate, translate_io};
use crate::limits::{FOREIGN_OPEN_FILES_MAX, FOREIGN_READAHEAD_BYTES};

/// The name of RocksDB's own operator that adds to a number of 64 bits.
const ADD: &str = "UInt64AddOperator";
/// The file every complete RocksDB database has.
const CURRENT_FILE: &str = "CURRENT";
/// Held by the process that has a database open for writing, with a lock of `fcntl`.
const LOCK_FILE: &str = "LOCK";

/// A closed RocksDB of another program, with its tables by their names.
pub struct ForeignRocksDb {
    db: DB,
    folder: PathBuf,
    tables: Vec<String>,
}

impl ForeignRocksDb {
    /// Opens the database of a folder, whose write-ahead log is in another one if `log` says so. What the log holds is
    /// read into memory, where nothing was flushed before the end of the other program.
    ///
    /// # Errors
    /// [`KvError::NotAStore`], [`KvError::Locked`] while a process has it open for writing, or what RocksDB reports.
    pub fn open(folder: &Path, log: Option<&Path>) -> Result<Self, KvError> {
        let not_a_store = |reason: String| KvError::NotAStore { path: folder.to_path_buf(), reason };
        if !folder.join(CURRENT_FILE).is_file() {
            return Err(not_a_store(format!("it has no file {CURRENT_FILE}, which every RocksDB database has")));
        }
        refuse_open(folder)?;
        let mut options = Options::default();
        options.set_max_open_files(FOREIGN_OPEN_FILES_MAX);
        options.set_skip_stats_update_on_db_open(true);
        // What cannot be read of the log is an error, where it is not the end that a killed program has left
        // unfinished.
        options.set_wal_recovery_mode(DBRecoveryMode::TolerateCorruptedTailRecords);
        if let Some(log) = log {
            options.set_wal_dir(log);
        }
        let failed = |error| translate(folder, "opening the database", error);
        let tables = DB::list_cf(&options, folder).map_err(failed)?;
        let families = tables.iter().map(|name| ColumnFamilyDescriptor::new(name.as_str(), of_table()));
        let db = DB::open_cf_descriptors_read_only(&options, folder, families, false).map_err(failed)?;
        Ok(Self { db, folder: folder.to_path_buf(), tables })
    }
}

/// The options of a table. The log is read only as far as its merges can be carried out: those that counters use.
fn of_table() -> Options {
    let mut options = Options::default();
    options.set_merge_operator_associative(ADD, |_, old, operands| {
        let number = |bytes: &[u8]| bytes.try_into().map(u64::from_le_bytes).unwrap_or_default();
        let start = old.map(number).unwrap_or_default();
        let sum = operands.iter().fold(start, |sum, operand| sum.wrapping_add(number(operand)));
        Some(sum.to_le_bytes().to_vec())
    });
    options
}

/// Fails if a process has the database open for writing.
fn refuse_open(folder: &Path) -> Result<(), KvError> {
    let path = folder.join(LOCK_FILE);
    let failed = |error: &std::io::Error| translate_io(&path, "looking whether the database is in use", error);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(&error)),
    };
    match fcntl_getlk(&file, &Flock::from(FlockType::WriteLock)) {
        Ok(None) => Ok(()),
        Ok(Some(holder)) => {
            let holder = holder
                .pid
                .map_or_else(|| "another process".to_owned(), |pid| format!("process {}", pid.as_raw_nonzero()));
            Err(KvError::Locked { path: folder.to_path_buf(), holder })
        }
        // A file system without locks.
        Err(Errno::NOLCK | Errno::NOTSUP) => Ok(()),
        Err(error) => Err(failed(&error.into())),
    }
}

impl ForeignStore for ForeignRocksDb {
    fn folder(&self) -> &Path {
        &self.folder
    }

    fn tables(&self) -> &[String] {
        &self.tables
    }

    fn bytes(&self) -> u64 {
        let files = self.db.live_files().unwrap_or_default();
        files.iter().map(|file| file.size as u64).sum()
    }

    fn sequence(&self) -> u64 {
        self.db.latest_sequence_number()
    }

    fn rows(&self, table: &str) -> Result<Box<dyn ForeignRows + '_>, KvError> {
        let Some(family) = self.db.cf_handle(table) else {
            return Err(KvError::NotAStore { path: self.folder.clone(), reason: format!("it has no table {table}") });
        };
        let mut options = ReadOptions::default();
        options.fill_cache(false);
        options.set_total_order_seek(true);
        options.set_readahead_size(FOREIGN_READAHEAD_BYTES);
        let mut rows = self.db.raw_iterator_cf_opt(family, options);
        rows.seek_to_first();
        Ok(Box::new(Rows { rows, folder: &self.folder, begun: false }))
    }
}

struct Rows<'d> {
    rows: DBRawIterator<'d>,
    folder: &'d Path,
    begun: bool,
}

impl ForeignRows for Rows<'_> {
    fn next(&mut self) -> Result<Option<ForeignRow<'_>>, KvError> {
        if std::mem::replace(&mut self.begun, true) && self.rows.valid() {
            self.rows.next();
        }
        self.rows.status().map_err(|error| match translate(self.folder, "reading rows", error) {
            KvError::Corrupt { detail } => KvError::Corrupt { detail: format!("{}: {detail}", self.folder.display()) },
            other => other,
        })?;
        Ok(self.rows.item())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};

    use rocksdb::DBCompressionType;

    use super::*;

    /// Names the folder that a child of the tests is to hold.
    const HELD: &str = "RHIZOME_TEST_HELD_FOLDER";

    /// A database as HugeGraph makes them: its log elsewhere, blocks compressed with snappy.
    fn database(folder: &Path, log: &Path) -> DB {
        let mut options = Options::default();
        options.create_if_missing(true);
        options.create_missing_column_families(true);
        options.set_compression_type(DBCompressionType::Snappy);
        options.set_wal_dir(log);
        let families = ["default", "space/graph+c", "space/graph+v"];
        let families = families.map(|name| ColumnFamilyDescriptor::new(name, of_table()));
        DB::open_cf_descriptors(&options, folder, families).unwrap()
    }

    fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        files.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
    }

    fn all(store: &ForeignRocksDb, table: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut rows = store.rows(table).unwrap();
        let mut all = Vec::new();
        while let Some((key, value)) = rows.next().unwrap() {
            all.push((key.to_vec(), value.to_vec()));
        }
        assert!(rows.next().unwrap().is_none(), "the end stays the end");
        all
    }

    #[test]
    fn rows_in_files_and_in_the_log_are_read_and_nothing_changes() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, log) = (dir.path().join("g"), dir.path().join("log"));
        let db = database(&folder, &log);
        let family = db.cf_handle("space/graph+v").unwrap();
        let long = "abcdefgh".repeat(500);
        for n in 0..500_u32 {
            db.put_cf(family, n.to_be_bytes(), &long).unwrap();
        }
        db.flush_cf(family).unwrap();
        db.delete_range_cf(family, 100_u32.to_be_bytes(), 200_u32.to_be_bytes()).unwrap();
        let counters = db.cf_handle("space/graph+c").unwrap();
        for _ in 0..3 {
            db.merge_cf(counters, b"n", 2_u64.to_le_bytes()).unwrap();
        }
        db.put_cf(family, b"~", b"last").unwrap();

        drop(db);
        let before = (contents(&folder), contents(&log));
        let store = ForeignRocksDb::open(&folder, Some(&log)).unwrap();
        assert_eq!(store.tables(), ["default", "space/graph+c", "space/graph+v"]);
        assert!(store.sequence() >= 505);
        assert_eq!(all(&store, "space/graph+c"), [(b"n".to_vec(), 6_u64.to_le_bytes().to_vec())]);
        let rows = all(&store, "space/graph+v");
        assert_eq!(rows.len(), 401);
        assert_eq!(rows[99].0, 99_u32.to_be_bytes());
        assert_eq!(rows[100], (200_u32.to_be_bytes().to_vec(), long.into_bytes()));
        assert_eq!(rows[400], (b"~".to_vec(), b"last".to_vec()));
        assert!(all(&store, "default").is_empty());
        let error = store.rows("space/other+v").err().unwrap().to_string();
        assert!(error.contains("space/other+v"), "{error}");
        drop(store);
        assert_eq!((contents(&folder), contents(&log)), before);

        // A record of the log that is damaged, and is not its last one.
        let file = fs::read_dir(&log).unwrap().map(|entry| entry.unwrap().path()).max().unwrap();
        let mut bytes = fs::read(&file).unwrap();
        bytes[20] ^= 1;
        fs::write(&file, bytes).unwrap();
        assert!(ForeignRocksDb::open(&folder, Some(&log)).is_err());
    }

    /// Does nothing unless the test below starts this program again.
    #[test]
    fn holds_a_database_for_another_test() {
        let Some(folder) = std::env::var_os(HELD) else { return };
        let folder = PathBuf::from(folder);
        let _db = database(&folder, &folder.join("log"));
        println!("\nheld");
        drop(std::io::stdin().read_line(&mut String::new()));
    }

    #[test]
    fn a_database_that_another_process_holds_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("g");
        fs::create_dir(&folder).unwrap();
        // A process does not see its own locks.
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "foreign::tests::holds_a_database_for_another_test", "--nocapture"])
            .env(HELD, &folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "held"));
        let error = ForeignRocksDb::open(&folder, None).err().unwrap();
        let pid = child.id().to_string();
        assert!(matches!(&error, KvError::Locked { holder, .. } if holder.contains(&pid)), "{error}");
        drop(child.stdin.take());
        child.wait().unwrap();
        ForeignRocksDb::open(&folder, Some(&folder.join("log"))).unwrap();
    }

    #[test]
    fn a_folder_of_something_else_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let error = ForeignRocksDb::open(dir.path(), None).err().unwrap().to_string();
        assert!(error.contains("CURRENT") && error.contains(&*dir.path().to_string_lossy()), "{error}");
    }
}
