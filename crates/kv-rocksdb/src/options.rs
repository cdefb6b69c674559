//! The options of the engine, and RocksDB's options derived from them.

use std::path::PathBuf;

use kv::{KvError, TableSpec};
use rocksdb::{
    BlockBasedIndexType, BlockBasedOptions, Cache, DBCompressionType, DataBlockIndexType, Env, Options,
    WriteBufferManager, WriteOptions,
};

use crate::error::translate;
use crate::limits::{
    LOG_FILE_BYTES_MAX, LOG_FILES_MAX, LOG_KEPT_SECONDS, ROW_CACHE_SHARE, UNMERGED_FILES_MAX, UNMERGED_FILES_SLOW,
    WAL_WRITE_BUFFERS_MAX, WRITE_BUFFER_FILTER_SHARE, WRITE_BUFFER_SHARE, WRITE_BUFFERS_MAX,
};
use crate::prefix;

/// When a commit counts as done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Once the operating system has it: it survives a process crash, but not a power failure right afterwards.
    Wal,
    /// When the disk has it.
    Fsync,
}

/// How stored blocks are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// LZ4: costs little, saves about half.
    Lz4,
    /// Zstandard for the last level, where nearly everything is, LZ4 above: smaller, slower to read and to compact.
    Zstd,
}

/// How batches of different threads enter the table in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemtableWrites {
    /// One thread enters the batches of all that write at the same moment.
    Serial,
    /// Each thread enters its own batch, at the same time.
    Concurrent,
    /// Like `Concurrent`, and nobody waits for the others: a reader may see half of a batch. The engine then does not
    /// claim atomic batches nor snapshots in its capabilities.
    Unordered,
}

/// Where the data is and how RocksDB treats it.
#[derive(Clone, Debug)]
pub struct RocksDbOptions {
    /// The data folder; made if it is not there.
    pub path: PathBuf,
    /// Memory for blocks read, filters, indexes and write buffers together, in bytes.
    pub memory_budget_bytes: usize,
    /// Part of that memory for single rows read lately, in bytes; a quarter of it at most. 0: none are kept.
    pub row_cache_bytes: usize,
    /// Size at which one table's write buffer goes to disk, in bytes. Small enough for the processor's caches: in
    /// larger ones each insert at a random place waits for memory.
    pub write_buffer_bytes: usize,
    /// Size of a block before compression, in bytes: what one read from disk brings.
    pub block_bytes: usize,
    /// Compression of blocks.
    pub compression: Compression,
    /// Threads that write buffers to disk and merge files.
    pub background_jobs: u16,
    /// Data files held open at once; each costs a file descriptor.
    pub open_files_max: u16,
    /// When a commit counts as done.
    pub durability: Durability,
    /// How batches enter memory.
    pub memtable_writes: MemtableWrites,
    /// Batches of at least this many bytes are written by the thread that submits them; smaller ones wait for the
    /// writer thread, which writes all that wait at once, sorted as one. 0: every thread writes its own.
    pub direct_write_bytes_min: usize,
    /// Keeps the write-ahead log for whoever archives it ([`kv::WriteLog`]), up to about twice as many bytes if nobody
    /// does, and writes into it when each batch was handed over. 0: it is removed as soon as it is not needed.
    pub keep_log_bytes: u64,
    /// Opens a folder into which a backup is being restored, to write the log that follows it.
    pub restoring: bool,
}

impl Default for RocksDbOptions {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Self {
            path: PathBuf::from("data"),
            memory_budget_bytes: 512 << 20,
            row_cache_bytes: 32 << 20,
            write_buffer_bytes: 16 << 20,
            block_bytes: 16 << 10,
            compression: Compression::Lz4,
            background_jobs: u16::try_from(cores.clamp(2, 8)).unwrap_or(2),
            open_files_max: 512,
            durability: Durability::Wal,
            memtable_writes: MemtableWrites::Serial,
            direct_write_bytes_min: 1 << 20,
            keep_log_bytes: 0,
            restoring: false,
        }
    }
}

/// Memory that all tables share.
pub(crate) struct Memory {
    pub(crate) cache: Cache,
    pub(crate) write_buffers: WriteBufferManager,
}

impl RocksDbOptions {
    /// What single rows may take: nothing if no table has its rows kept.
    pub(crate) fn row_cache_bytes(&self, tables: &[TableSpec]) -> usize {
        if tables.iter().any(|table| table.reread) {
            self.row_cache_bytes.min(self.memory_budget_bytes / ROW_CACHE_SHARE)
        } else {
            0
        }
    }

    pub(crate) fn memory(&self, tables: &[TableSpec]) -> Memory {
        let cache = Cache::new_hyper_clock_cache(self.memory_budget_bytes - self.row_cache_bytes(tables), 0);
        let share = self.memory_budget_bytes / WRITE_BUFFER_SHARE;
        let write_buffers = WriteBufferManager::new_write_buffer_manager_with_cache(share, false, cache.clone());
        Memory { cache, write_buffers }
    }

    pub(crate) fn write_options(&self) -> WriteOptions {
        let mut options = WriteOptions::default();
        options.set_sync(self.durability == Durability::Fsync);
        // Batches are sorted, so the place of one key is a good guess for the next.
        options.set_memtable_insert_hint_per_batch(self.memtable_writes != MemtableWrites::Serial);
        options
    }

    /// Options of the database as a whole.
    pub(crate) fn database(&self, memory: &Memory) -> Result<Options, KvError> {
        // Without this an empty store would take the room of a full write buffer on disk.
        let mut options = Options::default()
            .get_options_from_string("allow_fallocate=false")
            .map_err(|error| translate(&self.path, "setting options", error))?;
        options.create_if_missing(true);
        options.create_missing_column_families(true);
        options.set_write_buffer_manager(&memory.write_buffers);
        // Merging files leaves the processors to requests, and to the flushes that requests wait for; if too many files
        // wait to be merged, RocksDB slows writes down, and merging has them.
        let mut environment =
            Env::new().map_err(|error| translate(&self.path, "setting the priority of merges", error))?;
        environment.lower_thread_pool_cpu_priority();
        options.set_env(&environment);
        options.set_max_background_jobs(i32::from(self.background_jobs.max(1)));
        options.set_max_open_files(i32::from(self.open_files_max.max(16)));
        options.set_max_total_wal_size((self.write_buffer_bytes * WAL_WRITE_BUFFERS_MAX) as u64);
        options.set_bytes_per_sync(1 << 20);
        options.set_allow_concurrent_memtable_write(self.memtable_writes != MemtableWrites::Serial);
        options.set_unordered_write(self.memtable_writes == MemtableWrites::Unordered);
        options.set_manifest_preallocation_size(64 << 10);
        options.set_recycle_log_file_num(0);
        if self.keep_log_bytes > 0 {
            // Whoever reads it removes it sooner, and nobody removes it for certain.
            options.set_wal_ttl_seconds(LOG_KEPT_SECONDS);
            options.set_wal_size_limit_mb((self.keep_log_bytes >> 19).max(1));
        }
        options.set_keep_log_file_num(LOG_FILES_MAX);
        options.set_max_log_file_size(LOG_FILE_BYTES_MAX);
        options.set_stats_dump_period_sec(0);
        options.set_stats_persist_period_sec(0);
        options.set_skip_stats_update_on_db_open(true);
        Ok(options)
    }

    /// Options of one table.
    pub(crate) fn table(&self, table: &'static TableSpec, memory: &Memory) -> Result<Options, KvError> {
        let mut options = Options::default();
        options.set_write_buffer_size(self.write_buffer_bytes);
        options.set_max_write_buffer_number(WRITE_BUFFERS_MAX);
        // A look-up of a key that is not there need not search the write buffer, which takes as long as inserting it.
        options.set_memtable_prefix_bloom_ratio(WRITE_BUFFER_FILTER_SHARE);
        options.set_memtable_whole_key_filtering(true);
        options.set_level_zero_slowdown_writes_trigger(UNMERGED_FILES_SLOW);
        options.set_level_zero_stop_writes_trigger(UNMERGED_FILES_MAX);
        options.set_level_compaction_dynamic_level_bytes(true);
        match self.compression {
            Compression::None => options.set_compression_type(DBCompressionType::None),
            Compression::Lz4 => options.set_compression_type(DBCompressionType::Lz4),
            Compression::Zstd => {
                options.set_compression_type(DBCompressionType::Lz4);
                options.set_bottommost_compression_type(DBCompressionType::Zstd);
            }
        }
        if table.ranged {
            options.set_prefix_extractor(prefix::extractor(table)?);
        }
        options.set_block_based_table_factory(&self.blocks(memory));
        Ok(options)
    }

    /// Options of the table every RocksDB database has; ours stays empty.
    pub(crate) fn unused_table() -> Options {
        let mut options = Options::default();
        // After a full disk RocksDB resumes writing once the largest write buffer would fit: not because of this one.
        options.set_write_buffer_size(64 << 10);
        options
    }

    fn blocks(&self, memory: &Memory) -> BlockBasedOptions {
        let mut blocks = BlockBasedOptions::default();
        blocks.set_block_cache(&memory.cache);
        blocks.set_block_size(self.block_bytes);
        blocks.set_format_version(7);
        // One lookup in a small table at the block's end instead of a binary search over it.
        blocks.set_data_block_index_type(DataBlockIndexType::BinaryAndHash);
        blocks.set_data_block_hash_ratio(0.75);
        // Of the entries behind that place, half as many to pass over as by default.
        blocks.set_block_restart_interval(8);
        blocks.set_bloom_filter(10.0, false);
        blocks.set_whole_key_filtering(true);
        // Filters and indexes in small parts that live in the cache with everything else: memory stays within the
        // budget however large the store is. Only the parts at the top, and those of the newest files, are kept for
        // certain.
        blocks.set_cache_index_and_filter_blocks(true);
        blocks.set_index_type(BlockBasedIndexType::TwoLevelIndexSearch);
        blocks.set_partition_filters(true);
        blocks.set_metadata_block_size(16 << 10);
        blocks.set_pin_top_level_index_and_filter(true);
        blocks.set_pin_l0_filter_and_index_blocks_in_cache(true);
        blocks
    }
}
