//! The open database: what reading, writing and statistics share.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use kv::{KvError, Operation, TableId, TableSpec, WriteBatch, prefix_end, sorted_positions};
use parking_lot::Mutex;
use rocksdb::{
    BottommostLevelCompaction, ColumnFamily, ColumnFamilyDescriptor, CompactOptions, DBWithThreadMode,
    DEFAULT_COLUMN_FAMILY_NAME, Options, ReadOptions, SingleThreaded, WriteOptions,
};
use row_cache::{RowCache, Write};

use crate::clock::Clock;
use crate::error::translate;
use crate::limits::CACHE_KEYS_PER_BATCH_MAX;
use crate::options::{Memory, RocksDbOptions};

/// Bytes RocksDB needs for each write of a batch in addition to key and value: type, table and two lengths.
const OPERATION_OVERHEAD_BYTES: usize = 12;

/// The list of tables is fixed once the database is open: no locks around it.
pub(crate) type Database = DBWithThreadMode<SingleThreaded>;

pub(crate) struct Store {
    pub(crate) database: Database,
    pub(crate) tables: &'static [TableSpec],
    pub(crate) path: PathBuf,
    pub(crate) memory: Memory,
    /// The row cache: of the current state, not of snapshots.
    pub(crate) rows: RowCache,
    pub(crate) read_options: ReadOptions,
    write_options: WriteOptions,
    /// By table: what files of it are made with.
    table_options: Vec<Options>,
    /// The same for callers that must not wait.
    impatient_write_options: WriteOptions,
    /// The last write has failed.
    write_failed: AtomicBool,
    /// Of the stamps in batches, where the log is kept.
    pub(crate) clock: Option<Clock>,
    /// Held by whoever removes files of the log, or needs that nobody does.
    pub(crate) log_files: Mutex<()>,
}

/// What a write does when RocksDB is behind with flushing and merging.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// It waits as long as it takes.
    Waits,
    /// It fails with [`KvError::Unavailable`], having written nothing.
    Fails,
}

impl Store {
    pub(crate) fn open(options: &RocksDbOptions, tables: &'static [TableSpec]) -> Result<Self, KvError> {
        let memory = options.memory(tables);
        let table_options =
            tables.iter().map(|table| options.table(table, &memory)).collect::<Result<Vec<_>, KvError>>()?;
        let mut families =
            vec![ColumnFamilyDescriptor::new(DEFAULT_COLUMN_FAMILY_NAME, RocksDbOptions::unused_table())];
        for (table, options) in tables.iter().zip(&table_options) {
            families.push(ColumnFamilyDescriptor::new(table.name, options.clone()));
        }
        let database = Database::open_cf_descriptors(&options.database(&memory)?, &options.path, families)
            .map_err(|error| translate(&options.path, "opening the store", error))?;
        Ok(Self {
            database,
            tables,
            path: options.path.clone(),
            memory,
            rows: RowCache::new(options.row_cache_bytes(tables), tables.len()),
            read_options: ReadOptions::default(),
            write_options: options.write_options(),
            table_options,
            impatient_write_options: {
                let mut impatient = options.write_options();
                impatient.set_no_slowdown(true);
                impatient
            },
            write_failed: AtomicBool::new(false),
            clock: (options.keep_log_bytes > 0).then(Clock::default),
            log_files: Mutex::new(()),
        })
    }

    pub(crate) fn family(&self, table: TableId) -> Result<&ColumnFamily, KvError> {
        let spec = TableSpec::find(self.tables, table)?;
        self.database
            .cf_handle(spec.name)
            .ok_or_else(|| KvError::Other { detail: format!("table {} is not open", spec.name) })
    }

    pub(crate) fn table_options(&self, table: TableId) -> Result<&Options, KvError> {
        let unknown = KvError::UnknownTable { index: table.index(), tables: self.tables.len() };
        self.table_options.get(table.index()).ok_or(unknown)
    }

    /// Writes batches in one go: all of them or none. Where they write the same key, the later batch wins. The batches
    /// have been checked, and sorted each.
    pub(crate) fn write<'a>(
        &self,
        batches: impl ExactSizeIterator<Item = &'a WriteBatch> + Clone,
        patience: Patience,
    ) -> Result<(), KvError> {
        let many = batches.len() > 1;
        let bytes = batches.clone().map(|batch| batch.bytes() + batch.len() * OPERATION_OVERHEAD_BYTES).sum();
        let mut all = rocksdb::WriteBatch::with_capacity_bytes(bytes);
        if let Some(clock) = &self.clock {
            all.put_log_data(clock.stamp(false));
        }
        if many {
            // One sorted run is entered into memory faster than many.
            let operations: Vec<Operation<'a>> = batches.clone().flat_map(WriteBatch::iter).collect();
            let order = sorted_positions(operations.iter().map(|write| (write.table(), write.key().as_bytes())));
            self.encode(order.filter_map(|position| operations.get(position).copied()), &mut all)?;
        } else {
            self.encode(batches.clone().flat_map(WriteBatch::iter), &mut all)?;
        }
        let options = match patience {
            Patience::Waits => &self.write_options,
            Patience::Fails => &self.impatient_write_options,
        };
        let _writing = self.announce(batches);
        self.noted(self.database.write_opt(all, options), "writing")
    }

    /// Remembers whether a write has failed.
    fn noted(&self, outcome: Result<(), rocksdb::Error>, action: &'static str) -> Result<(), KvError> {
        match outcome {
            Ok(()) => {
                // Nearly always it is false already, and other processors keep their copy of it.
                if self.write_failed.load(Ordering::Relaxed) {
                    self.write_failed.store(false, Ordering::Relaxed);
                }
                Ok(())
            }
            Err(error) => {
                let error = self.error(action, error);
                // One that would have had to wait says nothing about the store.
                if !matches!(error, KvError::Unavailable { .. }) {
                    self.write_failed.store(true, Ordering::Relaxed);
                }
                Err(error)
            }
        }
    }

    /// Where the last write has failed, tries one that changes nothing: it deletes a key from the table that every
    /// RocksDB database has and ours leaves empty.
    pub(crate) fn check_writable(&self) -> Result<(), KvError> {
        if !self.write_failed.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.noted(self.database.delete_opt(b"probe", &self.impatient_write_options), "writing")
    }

    /// Registers a write with the row cache.
    fn announce<'a>(&self, batches: impl ExactSizeIterator<Item = &'a WriteBatch> + Clone) -> Write<&RowCache> {
        let operations: usize = batches.clone().map(WriteBatch::len).sum();
        if operations > CACHE_KEYS_PER_BATCH_MAX * batches.len() {
            let mut tables: Vec<TableId> = Vec::new();
            for table in batches.flat_map(WriteBatch::iter).map(|operation| operation.table()) {
                if !tables.contains(&table) {
                    tables.push(table);
                }
            }
            return self.rows.write_any(tables);
        }
        let keys = batches.flat_map(WriteBatch::iter).map(|operation| (operation.table(), operation.key()));
        self.rows.write(keys.filter(|(table, _)| self.is_reread(*table)).map(|(table, key)| (table, key.as_bytes())))
    }

    /// Whether rows of a table are cached when read.
    pub(crate) fn is_reread(&self, table: TableId) -> bool {
        self.tables.get(table.index()).is_some_and(|table| table.reread)
    }

    fn encode<'a>(
        &self,
        operations: impl Iterator<Item = Operation<'a>>,
        all: &mut rocksdb::WriteBatch,
    ) -> Result<(), KvError> {
        let mut last: Option<(TableId, &ColumnFamily)> = None;
        for operation in operations {
            let table = operation.table();
            let family = match last {
                Some((of, family)) if of == table => family,
                _ => self.family(table)?,
            };
            last = Some((table, family));
            match operation {
                Operation::Put { key, value, .. } => all.put_cf(family, key.as_bytes(), value),
                Operation::Delete { key, .. } => all.delete_cf(family, key.as_bytes()),
            }
        }
        Ok(())
    }

    /// Deletes what is from `start` (included) to `end` (not included).
    pub(crate) fn delete_range(&self, table: TableId, start: &[u8], end: &[u8]) -> Result<(), KvError> {
        let mut batch = rocksdb::WriteBatch::default();
        if let Some(clock) = &self.clock {
            batch.put_log_data(clock.stamp(false));
        }
        batch.delete_range_cf(self.family(table)?, start, end);
        let _writing = self.rows.write_any(vec![table]);
        self.write_batch(batch, "deleting")
    }

    /// Writes a batch as it is.
    pub(crate) fn write_batch(&self, batch: rocksdb::WriteBatch, action: &'static str) -> Result<(), KvError> {
        self.noted(self.database.write_opt(batch, &self.write_options), action)
    }

    /// Writes a batch that was read from a log.
    pub(crate) fn replay(&self, batch: rocksdb::WriteBatch) -> Result<(), KvError> {
        let _writing = self.rows.write_any((0..=u8::MAX).take(self.tables.len()).map(TableId).collect());
        self.write_batch(batch, "replaying the log")
    }

    /// Rewrites the files of a range without what was deleted. RocksDB does not say whether that worked; what fails in
    /// it shows as a background error in the statistics.
    pub(crate) fn compact(&self, table: TableId, prefix: &[u8]) -> Result<(), KvError> {
        let mut options = CompactOptions::default();
        // RocksDB's own compactions continue at the same time.
        options.set_exclusive_manual_compaction(false);
        options.set_bottommost_level_compaction(BottommostLevelCompaction::ForceOptimized);
        let end = prefix_end(prefix);
        self.database.compact_range_cf_opt(self.family(table)?, Some(prefix), end.as_deref(), &options);
        Ok(())
    }

    /// The greatest key of a table.
    pub(crate) fn last_key(&self, table: TableId) -> Result<Option<Vec<u8>>, KvError> {
        let mut options = ReadOptions::default();
        options.set_total_order_seek(true);
        let mut rows = self.database.raw_iterator_cf_opt(self.family(table)?, options);
        rows.seek_to_last();
        rows.status().map_err(|error| self.error("reading", error))?;
        Ok(rows.key().map(<[u8]>::to_vec))
    }

    /// Syncs the write-ahead log to disk.
    pub(crate) fn sync(&self) -> Result<(), KvError> {
        self.database.flush_wal(true).map_err(|error| self.error("syncing the write-ahead log", error))
    }

    pub(crate) fn error(&self, action: &'static str, error: rocksdb::Error) -> KvError {
        translate(&self.path, action, error)
    }
}
