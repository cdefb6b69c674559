//! The engine: the calls of the storage interface.

use std::sync::Arc;

use kv::{
    Capabilities, Checkpoint, Commit, Cursor, Engine, Entry, GoOn, Key, Keys, KvError, Partitions, Read, RowRange, Run,
    SortedRows, SortedWriter, Statistic, TableId, TableSpec, WriteBatch, WriteLog, prefix_end, successor,
};

use parking_lot::Mutex;

use crate::checkpoint;
use crate::folder::Folder;
use crate::ingest::{self, FileWriter};
use crate::log::{self, Log};
use crate::options::{Durability, MemtableWrites, RocksDbOptions};
use crate::read::Snapshot;
use crate::split::split;
use crate::statistics::{memory, statistics};
use crate::store::{Patience, Store};
use crate::writer::Writer;

/// A store in a folder.
///
/// When the disk is full, writes fail with [`KvError::DiskFull`] while reads still work. RocksDB then checks for space
/// every five seconds, and accepts writes again once the size of a write buffer (`write_buffer_bytes`) is free.
///
/// Dropping it writes what was submitted, closes the database and releases the folder.
pub struct RocksDbEngine {
    // Dropped in this order: the writer ends, then the database closes, then the folder is free.
    writer: Writer,
    log: Option<Log>,
    store: Arc<Store>,
    _folder: Folder,
    direct_write_bytes_min: usize,
    whole_batches: bool,
    /// Held while a value is compared and swapped.
    swapping: Mutex<()>,
}

impl RocksDbEngine {
    /// Opens the store in `options.path`, or makes one if the folder is empty or not there.
    ///
    /// # Errors
    /// [`KvError::Locked`] while another process has it open, [`KvError::NotAStore`] for a folder of something else
    /// (nothing is written there), [`KvError::Corrupt`], [`KvError::DiskFull`], [`KvError::Io`].
    pub fn open(options: &RocksDbOptions, tables: &'static [TableSpec]) -> Result<Self, KvError> {
        let folder = Folder::take(&options.path, tables, options.restoring)?;
        ingest::clear(&options.path)?;
        checkpoint::clear(&options.path)?;
        if options.keep_log_bytes == 0 {
            log::forget(&options.path)?;
        }
        let store = Arc::new(Store::open(options, tables)?);
        let log = (options.keep_log_bytes > 0 || options.restoring).then(|| Log::new(&store));
        let writer = Writer::start(&store, options.durability == Durability::Wal)?;
        Ok(Self {
            writer,
            log,
            store,
            _folder: folder,
            direct_write_bytes_min: options.direct_write_bytes_min,
            whole_batches: options.memtable_writes != MemtableWrites::Unordered,
            swapping: Mutex::new(()),
        })
    }

    /// Checks and sorts a batch; false if there is nothing to write.
    fn prepare(&self, batch: &mut WriteBatch) -> Result<bool, KvError> {
        batch.check(self.store.tables)?;
        batch.sort();
        Ok(!batch.is_empty())
    }

    /// Writes in the calling thread. RocksDB itself joins what several threads write at the same moment.
    fn write_directly(&self, mut batch: WriteBatch) -> Result<(), KvError> {
        let outcome = self.store.write(std::iter::once(&batch), Patience::Waits);
        batch.take_guards().release(outcome.is_ok());
        outcome
    }
}

impl Read for RocksDbEngine {
    fn get(&self, table: TableId, key: Key<'_>, found: &mut dyn FnMut(&[u8])) -> Result<bool, KvError> {
        self.store.get(table, key, found)
    }

    fn multi_get(
        &self,
        table: TableId,
        keys: &Keys,
        found: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), KvError> {
        self.store.multi_get(table, keys, found)
    }

    fn scan<'a>(&'a self, table: TableId, range: RowRange<'_>) -> Result<Box<dyn Cursor + 'a>, KvError> {
        self.store.scan(table, range)
    }

    fn scan_partitions<'a>(
        &'a self,
        table: TableId,
        prefix: &[u8],
        after: Option<Key<'_>>,
    ) -> Result<Box<dyn Cursor + 'a>, KvError> {
        self.store.scan_partitions(table, prefix, after)
    }

    fn scan_once<'a>(
        &'a self,
        table: TableId,
        prefix: &[u8],
        after: Option<Key<'_>>,
    ) -> Result<Box<dyn Cursor + 'a>, KvError> {
        self.store.scan_once(table, prefix, after)
    }

    fn scan_each(
        &self,
        partitions: Partitions<'_>,
        visit: &mut dyn FnMut(usize, Entry<'_>) -> GoOn,
    ) -> Result<(), KvError> {
        self.store.scan_each(partitions, visit)
    }
}

impl Engine for RocksDbEngine {
    fn name(&self) -> &'static str {
        "rocksdb"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            atomic_across_partitions: self.whole_batches,
            snapshot_reads: self.whole_batches,
            ordered_partitions: true,
            cheap_prefix_delete: true,
            persistent: true,
            shared: false,
            remote: false,
            sorted_ingest: true,
        }
    }

    fn submit(&self, mut batch: WriteBatch) -> Commit {
        match self.prepare(&mut batch) {
            Ok(true) if batch.bytes() >= self.direct_write_bytes_min => Commit::done(self.write_directly(batch)),
            Ok(true) => self.writer.submit(batch),
            Ok(false) => Commit::done(Ok(())),
            Err(error) => Commit::done(Err(error)),
        }
    }

    fn commit(&self, mut batch: WriteBatch) -> Result<(), KvError> {
        // The detour through the writer thread would only add latency.
        if self.prepare(&mut batch)? { self.write_directly(batch) } else { Ok(()) }
    }

    fn compare_and_swap(
        &self,
        table: TableId,
        key: Key<'_>,
        expected: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Result<bool, KvError> {
        let mut batch = WriteBatch::new();
        match new {
            Some(value) => batch.put_key(table, key, value),
            None => batch.delete_key(table, key),
        }
        // No other process has the folder open, so a lock in this one excludes all concurrent swaps.
        let _swapping = self.swapping.lock();
        let mut same = expected.is_none();
        self.store.get(table, key, &mut |found| same = expected == Some(found))?;
        if same {
            self.commit(batch)?;
        }
        Ok(same)
    }

    fn snapshot<'a>(&'a self) -> Result<Box<dyn Read + 'a>, KvError> {
        Ok(Box::new(Snapshot::take(&self.store)))
    }

    fn delete_prefix(&self, table: TableId, prefix: &[u8]) -> Result<(), KvError> {
        if prefix.is_empty() {
            return Err(KvError::EmptyPrefix { table: TableSpec::find(self.store.tables, table)?.name });
        }
        if let Some(end) = prefix_end(prefix) {
            return self.store.delete_range(table, prefix, &end);
        }
        // No key is greater than all that begin with 0xFF, so the range ends behind the last one there is.
        match self.store.last_key(table)? {
            Some(last) if *last >= *prefix => self.store.delete_range(table, prefix, &successor(&last)),
            _ => Ok(()),
        }
    }

    fn compact(&self, table: TableId, prefix: &[u8]) -> Result<(), KvError> {
        self.store.compact(table, prefix)
    }

    fn split(&self, table: TableId, prefix: &[u8], target_bytes: u64) -> Result<Vec<Run>, KvError> {
        split(&self.store, table, prefix, target_bytes)
    }

    fn sorted_writer<'a>(&'a self, table: TableId) -> Result<Box<dyn SortedWriter + 'a>, KvError> {
        Ok(Box::new(FileWriter::new(&self.store, table)?))
    }

    fn ingest(&self, rows: Vec<SortedRows>) -> Result<(), KvError> {
        ingest::ingest(&self.store, rows)
    }

    fn sync(&self) -> Result<(), KvError> {
        self.store.sync()
    }

    fn check_writable(&self) -> Result<(), KvError> {
        self.store.check_writable()
    }

    fn checkpoint(&self) -> Result<Checkpoint, KvError> {
        checkpoint::take(&self.store)
    }

    fn log(&self) -> Option<&dyn WriteLog> {
        self.log.as_ref().map(|log| log as &dyn WriteLog)
    }

    fn statistics(&self) -> Vec<Statistic> {
        statistics(&self.store, &self.writer.figures())
    }

    fn memory(&self) -> Vec<Statistic> {
        memory(&self.store, &self.writer.figures())
    }
}
