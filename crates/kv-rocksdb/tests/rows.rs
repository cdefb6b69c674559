//! The row cache in front of RocksDB.
#![expect(clippy::unwrap_used, reason = "test code")]

use kv::conformance::{POINTS, TABLES, TERMINATED};
use kv::{Engine, Key, Keys, Read, TableId, WriteBatch};
use kv_rocksdb::{RocksDbEngine, RocksDbOptions};
use tempfile::TempDir;

const ROWS: u32 = 3_000;

fn open(folder: &TempDir) -> RocksDbEngine {
    let options = RocksDbOptions { path: folder.path().to_path_buf(), ..RocksDbOptions::default() };
    RocksDbEngine::open(&options, TABLES).unwrap()
}

/// Every third of the rows of a table, more of them than a write says one by one.
fn write(engine: &RocksDbEngine, table: TableId, remainder: u32, value: u8) {
    let mut batch = WriteBatch::new();
    for row in (0..ROWS).filter(|row| row % 3 == remainder) {
        let key = [row.to_be_bytes().as_slice(), &[0]].concat();
        batch.put_key(table, Key::new(&key, key.len()), &[value]);
    }
    engine.commit(batch).unwrap();
}

/// Values of all rows of a table, the last one first, and one of them twice.
fn values(engine: &RocksDbEngine, table: TableId) -> Vec<Option<u8>> {
    let mut keys = Keys::new();
    for row in (0..ROWS).rev().chain([7]) {
        keys.push(|b| b.extend_from_slice(&[row.to_be_bytes().as_slice(), &[0]].concat()), |_| ());
    }
    let mut values = Vec::new();
    let mut take = |at: usize, value: Option<&[u8]>| {
        assert_eq!(at, values.len());
        values.push(value.and_then(|value| value.first().copied()));
    };
    engine.multi_get(table, &keys, &mut take).unwrap();
    values
}

fn expected(by_remainder: [Option<u8>; 3]) -> Vec<Option<u8>> {
    (0..ROWS).rev().chain([7]).map(|row| by_remainder.into_iter().nth(row as usize % 3).flatten()).collect()
}

fn hits(engine: &RocksDbEngine) -> f64 {
    engine.statistics().iter().find(|statistic| statistic.name == "row_cache_hits_total").unwrap().value
}

#[test]
fn rows_read_together_are_kept_until_their_table_is_written() {
    let folder = TempDir::new().unwrap();
    let engine = open(&folder);
    let found = f64::from(2 * ROWS / 3);
    write(&engine, POINTS, 0, 1);
    write(&engine, POINTS, 1, 2);
    // At first some are kept; when these are found, all others; then all are found.
    for _ in 0..3 {
        assert_eq!(values(&engine, POINTS), expected([Some(1), Some(2), None]));
    }
    let first = hits(&engine);
    assert!(first >= found, "{first}");
    // Another table is none of theirs.
    write(&engine, TERMINATED, 0, 9);
    assert_eq!(values(&engine, POINTS), expected([Some(1), Some(2), None]));
    let second = hits(&engine);
    assert!(second >= first + found, "{first}, {second}");
    write(&engine, POINTS, 2, 3);
    write(&engine, POINTS, 0, 4);
    for _ in 0..3 {
        assert_eq!(values(&engine, POINTS), expected([Some(4), Some(2), Some(3)]));
    }
    engine.delete_prefix(POINTS, &[0]).unwrap();
    assert_eq!(values(&engine, POINTS), expected([None; 3]));
}
