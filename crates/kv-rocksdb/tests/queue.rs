//! Commits that share a write.
#![expect(clippy::unwrap_used, reason = "test code")]

use kv::conformance::{POINTS, TABLES};
use kv::{Engine, Key, Read, WriteBatch};
use kv_rocksdb::{RocksDbEngine, RocksDbOptions};
use tempfile::TempDir;

fn open(folder: &TempDir) -> RocksDbEngine {
    let options = RocksDbOptions { path: folder.path().to_path_buf(), ..RocksDbOptions::default() };
    RocksDbEngine::open(&options, TABLES).unwrap()
}

fn put(key: &[u8], value: &[u8]) -> WriteBatch {
    let mut batch = WriteBatch::new();
    batch.put_key(POINTS, Key::new(key, key.len()), value);
    batch
}

fn figure(engine: &RocksDbEngine, name: &str) -> f64 {
    engine.statistics().iter().find(|statistic| statistic.name == name).unwrap().value
}

#[test]
fn of_batches_that_wait_together_the_later_wins() {
    let folder = TempDir::new().unwrap();
    let engine = open(&folder);
    let mut commits = Vec::new();
    for n in 0..2000_u32 {
        commits.push(engine.submit(put(b"key", &n.to_be_bytes())));
        commits.push(engine.submit(put(&n.to_be_bytes(), b"")));
    }
    for commit in commits {
        commit.wait().unwrap();
    }
    let mut last = Vec::new();
    engine.get(POINTS, Key::new(b"key", 3), &mut |value| last = value.to_vec()).unwrap();
    assert_eq!(last, 1999_u32.to_be_bytes());
    assert!((figure(&engine, "grouped_batches_total") - 4000.0).abs() < 0.5);
    assert!(figure(&engine, "group_commits_total") >= 1.0);
    assert!(figure(&engine, "queued_batches") < 0.5);
}

#[test]
fn a_full_queue_makes_callers_wait_and_loses_nothing() {
    let folder = TempDir::new().unwrap();
    let engine = open(&folder);
    let value = vec![7; 512 << 10];
    let commits: Vec<_> = (0..100_u8).map(|n| engine.submit(put(&[n], &value))).collect();
    assert!(figure(&engine, "queued_bytes") <= f64::from(8 << 20));
    for commit in commits {
        commit.wait().unwrap();
    }
    for n in 0..100_u8 {
        assert!(engine.get(POINTS, Key::new(&[n], 1), &mut |found| assert_eq!(found.len(), value.len())).unwrap());
    }
}

#[test]
fn a_refused_batch_does_not_hurt_its_neighbours() {
    let folder = TempDir::new().unwrap();
    let engine = open(&folder);
    let first = engine.submit(put(b"first", b""));
    let refused = engine.submit(put(&vec![1; kv::limits::KEY_BYTES_MAX + 1], b""));
    let last = engine.submit(put(b"last", b""));
    assert!(refused.wait().is_err());
    first.wait().unwrap();
    last.wait().unwrap();
}
