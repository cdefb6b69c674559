//! Checkpoints: what is in them while others write, and what is left of them.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use kv::conformance::{POINTS, TABLES, TERMINATED};
use kv::{Engine, Key, KvError, Read, UNFINISHED_FILE, WriteBatch};
use kv_rocksdb::{RocksDbEngine, RocksDbOptions};

/// Rows of a batch.
const PARTS: usize = 2;

fn open(path: &Path) -> Result<RocksDbEngine, KvError> {
    let options =
        RocksDbOptions { path: path.to_path_buf(), write_buffer_bytes: 64 << 10, ..RocksDbOptions::default() };
    RocksDbEngine::open(&options, TABLES)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        assert!(entry.file_type().unwrap().is_file(), "{} is no folder", entry.path().display());
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// A row in each of two tables, which are written to disk at different times.
fn batch(number: u64) -> WriteBatch {
    let mut batch = WriteBatch::new();
    let [small, large] = keys(number);
    batch.put_key(POINTS, Key::new(&small, small.len()), b"1");
    batch.put_key(TERMINATED, Key::new(&large, large.len()), &[7; 300]);
    batch
}

fn keys(number: u64) -> [Vec<u8>; 2] {
    let text = format!("{number}\0").into_bytes();
    [number.to_be_bytes().to_vec(), text]
}

fn parts(engine: &RocksDbEngine, number: u64) -> usize {
    let [small, large] = keys(number);
    let is_there = |table, key: &[u8]| engine.get(table, Key::new(key, key.len()), &mut |_| ()).unwrap();
    usize::from(is_there(POINTS, &small)) + usize::from(is_there(TERMINATED, &large))
}

#[test]
fn a_checkpoint_holds_all_that_was_acknowledged_and_whole_batches() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(&folder.path().join("store")).unwrap();
    let (next, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    engine.submit(batch(number)).wait().unwrap();
                }
            });
        }
        let mut last = 0;
        for round in 0..4 {
            let mark = 1_000_000 + round;
            while next.load(Ordering::SeqCst) < 200 * (round + 1) {
                std::thread::yield_now();
            }
            engine.commit(batch(mark)).unwrap();
            let checkpoint = engine.checkpoint().unwrap();
            assert!(checkpoint.sequence() > last);
            last = checkpoint.sequence();
            let copied = folder.path().join(format!("copy-{round}"));
            copy(checkpoint.folder(), &copied);
            let path = checkpoint.folder().to_path_buf();
            drop(checkpoint);
            assert!(!path.exists(), "its files are gone with it");
            let reopened = open(&copied).unwrap();
            assert_eq!(parts(&reopened, mark), PARTS, "what was acknowledged before is there");
            for number in 0..next.load(Ordering::SeqCst) {
                let found = parts(&reopened, number);
                assert!(found == 0 || found == PARTS, "{found} parts of batch {number}");
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn what_a_crash_leaves_is_removed_at_the_next_opening() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path()).unwrap();
    engine.commit(batch(1)).unwrap();
    let checkpoint = engine.checkpoint().unwrap();
    let left = checkpoint.folder().to_path_buf();
    std::mem::forget(checkpoint);
    drop(engine);
    assert!(left.join("CURRENT").exists());
    let engine = open(folder.path()).unwrap();
    assert!(!left.exists());
    assert_eq!(parts(&engine, 1), PARTS);
}

#[test]
fn a_folder_that_holds_a_part_of_a_store_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()).unwrap());
    fs::write(folder.path().join(UNFINISHED_FILE), "").unwrap();
    let refusal = open(folder.path()).map(drop).unwrap_err();
    assert!(matches!(&refusal, KvError::NotAStore { reason, .. } if reason.contains("restore")), "{refusal}");
    fs::remove_file(folder.path().join(UNFINISHED_FILE)).unwrap();
    open(folder.path()).unwrap();
}

#[test]
fn an_engine_that_writes_well_is_writable() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path()).unwrap().check_writable().unwrap();
}
