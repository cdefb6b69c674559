//! The write-ahead log as others read it: complete, whole batches, with moments, and no hole that is not told.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use kv::conformance::{POINTS, TABLES, TERMINATED};
use kv::{Engine, Key, KvError, LogEnd, Read, TableId, UNFINISHED_FILE, WriteBatch, WriteLog};
use kv_rocksdb::{RocksDbEngine, RocksDbOptions};

/// A record that was read.
#[derive(Clone, Debug, PartialEq)]
struct Record {
    first: u64,
    last: u64,
    moment_ms: Option<i64>,
    breaks: bool,
    bytes: Vec<u8>,
}

fn options(path: &Path) -> RocksDbOptions {
    RocksDbOptions {
        path: path.to_path_buf(),
        // Small, so that tables are written to disk and files of the log are finished.
        write_buffer_bytes: 64 << 10,
        keep_log_bytes: 64 << 20,
        ..RocksDbOptions::default()
    }
}

fn open(path: &Path) -> RocksDbEngine {
    RocksDbEngine::open(&options(path), TABLES).unwrap()
}

fn log(engine: &RocksDbEngine) -> &dyn WriteLog {
    engine.log().unwrap()
}

fn read(engine: &RocksDbEngine, after: u64, bytes_max: u64) -> (Vec<Record>, LogEnd) {
    let mut found = Vec::new();
    let end = log(engine).read(after, bytes_max, &mut |record| {
        found.push(Record {
            first: record.first,
            last: record.last,
            moment_ms: record.moment_ms,
            breaks: record.breaks,
            bytes: record.bytes.to_vec(),
        });
    });
    (found, end.unwrap())
}

fn batch(number: u64) -> WriteBatch {
    let mut batch = WriteBatch::new();
    let key = number.to_be_bytes();
    batch.put_key(POINTS, Key::new(&key, key.len()), b"1");
    let key = format!("{number}\0").into_bytes();
    batch.put_key(TERMINATED, Key::new(&key, key.len()), &[7; 300]);
    batch
}

fn rows(engine: &RocksDbEngine) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut rows = Vec::new();
    for table in 0..TABLES.len() {
        let mut cursor = engine.scan_partitions(TableId(u8::try_from(table).unwrap()), &[], None).unwrap();
        while let Some(entry) = cursor.next().unwrap() {
            rows.push((entry.key.as_bytes().to_vec(), entry.value.to_vec()));
        }
    }
    rows
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

fn now_ms() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

#[test]
fn a_checkpoint_and_the_log_after_it_are_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(&folder.path().join("store"));
    let before = now_ms();
    let next = AtomicU64::new(0);
    let write = |count: u64| {
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..count {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        match number % 3 {
                            0 => engine.commit(batch(number)).unwrap(),
                            _ => engine.submit(batch(number)).wait().unwrap(),
                        }
                    }
                });
            }
        });
    };
    write(300);
    engine.delete_prefix(POINTS, &7_u64.to_be_bytes()).unwrap();
    let checkpoint = engine.checkpoint().unwrap();
    let restored = folder.path().join("restored");
    copy(checkpoint.folder(), &restored);
    drop(checkpoint);
    write(300);
    // A range of deleted keys ends the iteration over a batch that RocksDB offers.
    engine.delete_prefix(POINTS, &9_u64.to_be_bytes()).unwrap();
    let key = 11_u64.to_be_bytes();
    assert!(engine.compare_and_swap(POINTS, Key::new(&key, 8), Some(b"1"), Some(b"2")).unwrap());
    let (records, end) = read(&engine, 0, u64::MAX);
    assert_eq!(end, LogEnd::Done);
    let mut at = 0;
    for record in &records {
        assert_eq!(record.first, at + 1, "no hole");
        at = record.last;
        assert!(!record.breaks);
        let moment = record.moment_ms.unwrap();
        assert!((before..=now_ms()).contains(&moment));
    }
    assert_eq!(at, log(&engine).last());
    assert!(folder.path().join("store/archive").read_dir().unwrap().count() > 0, "finished files were kept");

    // The folder counts as unfinished until the log is in it.
    fs::write(restored.join(UNFINISHED_FILE), "").unwrap();
    assert!(matches!(RocksDbEngine::open(&options(&restored), TABLES), Err(KvError::NotAStore { .. })));
    let replaying = RocksDbOptions { restoring: true, keep_log_bytes: 0, ..options(&restored) };
    let again = RocksDbEngine::open(&replaying, TABLES).unwrap();
    let base = log(&again).last();
    assert!(base > 0 && base < at);
    for record in records.iter().filter(|record| record.last > base) {
        assert_eq!(record.first, log(&again).last() + 1);
        assert_eq!(log(&again).replay(&record.bytes).unwrap(), record.last);
    }
    assert_eq!(rows(&again), rows(&engine));
    assert!(log(&again).replay(&records[0].bytes[..20]).is_err());
}

#[test]
fn it_is_read_in_parts_and_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    for number in 0..500 {
        engine.commit(batch(number)).unwrap();
    }
    let (all, _) = read(&engine, 0, u64::MAX);
    let (mut parts, mut at) = (Vec::new(), 0);
    loop {
        let (part, end) = read(&engine, at, 10_000);
        at = part.last().map_or(at, |record| record.last);
        parts.extend(part);
        if end == LogEnd::Done {
            break;
        }
        assert_eq!(end, LogEnd::More);
    }
    assert_eq!(parts, all);
    assert_eq!(log(&engine).opened_at(), 0);
    let last = log(&engine).last();
    log(&engine).set_mark("a text").unwrap();
    drop(engine);
    let engine = open(folder.path());
    assert_eq!(log(&engine).opened_at(), last);
    assert_eq!(log(&engine).mark().unwrap().as_deref(), Some("a text"));
    engine.commit(batch(1000)).unwrap();
    let (again, end) = read(&engine, 0, u64::MAX);
    assert_eq!(end, LogEnd::Done);
    assert_eq!(again[..all.len()], all);
    assert_eq!(again.last().unwrap().last, log(&engine).last());
    drop(engine);
    // Who opens it without keeping the log may leave holes.
    drop(RocksDbEngine::open(&RocksDbOptions { keep_log_bytes: 0, ..options(folder.path()) }, TABLES).unwrap());
    assert!(!folder.path().join("archive").exists(), "nobody would remove them");
    assert_eq!(log(&open(folder.path())).mark().unwrap(), None);
}

#[test]
fn files_that_were_read_are_removed_and_a_hole_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    for number in 0..4000 {
        engine.commit(batch(number)).unwrap();
    }
    let last = log(&engine).last();
    // It writes all tables, and with that finishes all files of the log but the last. RocksDB may still move some in
    // the background, so only those seen before are looked for.
    drop(engine.checkpoint().unwrap());
    let finished = || {
        let names = folder.path().join("archive").read_dir().unwrap().map(|entry| entry.unwrap().file_name());
        names.collect::<BTreeSet<_>>()
    };
    let before = finished();
    assert!(log(&engine).release(0, u64::MAX).unwrap() > 0);
    assert!(!before.is_empty() && before.is_subset(&finished()), "nothing was read, so nothing is removed");
    assert_eq!(read(&engine, 0, u64::MAX).1, LogEnd::Done);
    assert!(log(&engine).release(last / 4, u64::MAX).unwrap() > 0);
    let after = finished();
    assert!(!after.contains(before.first().unwrap()), "the oldest was read");
    assert!(after.contains(before.last().unwrap()), "the newest was not");
    assert_eq!(read(&engine, last / 4, u64::MAX).1, LogEnd::Done);
    let (records, end) = read(&engine, 0, u64::MAX);
    assert!(records.is_empty());
    assert!(matches!(end, LogEnd::Gap(found) if found > 1 && found <= last / 4 + 1), "{end:?}");
    assert_eq!(log(&engine).release(0, 0).unwrap(), 0, "more than may wait");
    engine.commit(batch(4000)).unwrap();
    assert!(matches!(read(&engine, last / 4, u64::MAX).1, LogEnd::Gap(_)));
    engine.checkpoint().unwrap();
}

#[test]
fn rows_that_go_around_the_log_are_announced_before_and_after() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    engine.commit(batch(1)).unwrap();
    let before = log(&engine).last();
    let mut writer = engine.sorted_writer(POINTS).unwrap();
    let key = 500_u64.to_be_bytes();
    writer.put(Key::new(&key, 8), b"1").unwrap();
    let rows = writer.finish().unwrap();
    engine.ingest(vec![rows]).unwrap();
    let (records, _) = read(&engine, before, u64::MAX);
    assert!(records[0].breaks && records[0].first == before + 1, "{records:?}");
    // Whether the rows took a number depends on what they overlap.
    let (records, _) = read(&engine, log(&engine).last() - 1, u64::MAX);
    assert!(records.last().unwrap().breaks, "{records:?}");
}

#[test]
fn a_log_that_is_not_kept_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let engine = RocksDbEngine::open(&RocksDbOptions { keep_log_bytes: 0, ..options(folder.path()) }, TABLES).unwrap();
    assert!(engine.log().is_none());
}

#[test]
fn a_log_cut_by_a_power_failure_is_shorter_and_numbers_are_used_again() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(&folder.path().join("store"));
    for number in 0..20 {
        engine.commit(batch(number)).unwrap();
    }
    let (all, _) = read(&engine, 0, u64::MAX);
    // The folder as it is on the disk, without the end of the log.
    let cut = folder.path().join("cut");
    fs::create_dir(&cut).unwrap();
    let mut logs = Vec::new();
    for entry in fs::read_dir(folder.path().join("store")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type().unwrap().is_file() && name != "LOCK" {
            fs::copy(entry.path(), cut.join(&name)).unwrap();
            if name.ends_with(".log") {
                logs.push(cut.join(&name));
            }
        }
    }
    logs.sort();
    let file = fs::File::options().write(true).open(logs.last().unwrap()).unwrap();
    file.set_len(file.metadata().unwrap().len() - 400).unwrap();
    let engine = open(&cut);
    let opened = log(&engine).opened_at();
    assert!(opened < all.last().unwrap().last);
    assert!(all.iter().any(|record| record.last == opened), "whole records");
    engine.commit(batch(1000)).unwrap();
    let (again, end) = read(&engine, opened, u64::MAX);
    assert_eq!(end, LogEnd::Done);
    assert_eq!(again[0].first, opened + 1);
    assert!(!all.contains(&again[0]), "the same number, another write");
}
