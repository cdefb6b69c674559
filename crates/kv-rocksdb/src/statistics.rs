//! Figures of the engine for metrics.

use std::path::Path;

use kv::Statistic;
use rocksdb::properties as property;
use rocksdb::properties::PropName;

use crate::store::Store;
use crate::writer::QueueFigures;

/// Figures RocksDB keeps for each table; reported as the sum over all tables.
const OF_TABLES: &[(&str, &str, &PropName)] = &[
    (
        "memtable_bytes",
        "Memory of write buffers, those being written to disk included",
        property::CUR_SIZE_ALL_MEM_TABLES,
    ),
    (
        "memtable_pinned_bytes",
        "Memory of write buffers including those only kept for running reads",
        property::SIZE_ALL_MEM_TABLES,
    ),
    ("table_readers_bytes", "Memory of open data files outside the block cache", property::ESTIMATE_TABLE_READERS_MEM),
    ("live_sst_bytes", "Size of the data files in use", property::LIVE_SST_FILES_SIZE),
    (
        "total_sst_bytes",
        "Size of the data files, those only kept for running reads included",
        property::TOTAL_SST_FILES_SIZE,
    ),
    ("keys_estimate", "Keys, as estimated", property::ESTIMATE_NUM_KEYS),
    (
        "pending_compaction_bytes",
        "Bytes that still have to be rewritten to bring the files in order, as estimated",
        property::ESTIMATE_PENDING_COMPACTION_BYTES,
    ),
    ("immutable_memtables", "Full write buffers that wait to be written to disk", property::NUM_IMMUTABLE_MEM_TABLE),
];

/// Figures RocksDB keeps for the database.
const OF_DATABASE: &[(&str, &str, &PropName)] = &[
    ("running_flushes", "Write buffers being written to disk", property::NUM_RUNNING_FLUSHES),
    ("running_compactions", "Merges of data files under way", property::NUM_RUNNING_COMPACTIONS),
    ("snapshots", "Snapshots held", property::NUM_SNAPSHOTS),
    (
        "background_errors_total",
        "Failed flushes and compactions since the store was opened",
        property::BACKGROUND_ERRORS,
    ),
    ("write_stopped", "1 while writes wait because flushes or compactions are behind", property::IS_WRITE_STOPPED),
    (
        "delayed_write_bytes_per_second",
        "Rate that writes are slowed down to; 0 when they are not",
        property::ACTUAL_DELAYED_WRITE_RATE,
    ),
];

/// All figures now. One that cannot be had is left out.
pub(crate) fn statistics(store: &Store, queue: &QueueFigures) -> Vec<Statistic> {
    let mut all = Vec::with_capacity(24);
    for &(name, help, property) in OF_TABLES {
        let of_table = |table: &kv::TableSpec| {
            let family = store.database.cf_handle(table.name)?;
            store.database.property_int_value_cf(family, property).ok().flatten()
        };
        all.push(figure(name, help, store.tables.iter().filter_map(of_table).sum()));
    }
    for &(name, help, property) in OF_DATABASE {
        if let Ok(Some(value)) = store.database.property_int_value(property) {
            all.push(figure(name, help, value));
        }
    }
    let cache = &store.memory.cache;
    let buffers = &store.memory.write_buffers;
    all.extend(store.rows.figures().statistics());
    all.extend([
        figure(
            "block_cache_bytes",
            "Memory of the block cache, write buffers charged to it included",
            cache.get_usage() as u64,
        ),
        figure(
            "block_cache_pinned_bytes",
            "Memory of the block cache that is in use right now",
            cache.get_pinned_usage() as u64,
        ),
        figure(
            "write_buffers_bytes",
            "Memory of all write buffers, as counted against the budget",
            buffers.get_usage() as u64,
        ),
        figure(
            "write_buffers_limit_bytes",
            "Part of the memory budget that write buffers may take",
            buffers.get_buffer_size() as u64,
        ),
        figure("wal_bytes", "Size of the write-ahead log", wal_bytes(&store.path)),
        figure("queued_batches", "Small batches that wait to be written", queue.waiting_batches as u64),
        figure("queued_bytes", "Bytes of small batches that wait to be written", queue.waiting_bytes as u64),
        figure("grouped_batches_total", "Small batches written since the store was opened", queue.batches_total),
        figure("group_commits_total", "Writes that these small batches shared", queue.groups_total),
    ]);
    all
}

/// Where the memory is. Write buffers are charged to the block cache, so what is left of that is blocks.
pub(crate) fn memory(store: &Store, queue: &QueueFigures) -> Vec<Statistic> {
    let buffers = store.memory.write_buffers.get_usage();
    let blocks = store.memory.cache.get_usage().saturating_sub(buffers);
    let readers = store.tables.iter().filter_map(|table| {
        let family = store.database.cf_handle(table.name)?;
        store.database.property_int_value_cf(family, property::ESTIMATE_TABLE_READERS_MEM).ok().flatten()
    });
    vec![
        figure(
            "write_buffers",
            "Writes that are not in data files yet, within storage.rocksdb.memory_budget",
            buffers as u64,
        ),
        figure("blocks", "Data, index and filter blocks read, within storage.rocksdb.memory_budget", blocks as u64),
        store.rows.figures().memory("Single rows read lately, within storage.rocksdb.memory_budget"),
        figure("table_readers", "Open data files, outside the memory budget", readers.sum()),
        figure("queued_batches", "Small batches that wait to be written", queue.waiting_bytes as u64),
    ]
}

fn figure(name: &'static str, help: &'static str, value: u64) -> Statistic {
    #[expect(clippy::cast_precision_loss, reason = "a figure for people: exact up to 2^53")]
    let value = value as f64;
    Statistic { name, help, value }
}

fn wal_bytes(path: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(path) else { return 0 };
    entries
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "log"))
        .filter_map(|entry| entry.metadata().ok())
        .map(|metadata| metadata.len())
        .sum()
}
