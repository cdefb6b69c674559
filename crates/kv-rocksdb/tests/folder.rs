//! Which process may use which folder, and what is left in it.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use kv::conformance::TABLES;
use kv::{Engine, Key, KvError, Read, TableId, TableSpec, WriteBatch};
use kv_rocksdb::{RocksDbEngine, RocksDbOptions};
use tempfile::TempDir;

fn open(path: &Path, tables: &'static [TableSpec]) -> Result<RocksDbEngine, KvError> {
    RocksDbEngine::open(&RocksDbOptions { path: path.to_path_buf(), ..RocksDbOptions::default() }, tables)
}

fn names(path: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn one_write(key: &[u8]) -> WriteBatch {
    let mut batch = WriteBatch::new();
    batch.put_key(TableId(2), Key::new(key, key.len()), b"value");
    batch
}

#[test]
fn a_second_open_names_the_holder() {
    let folder = TempDir::new().unwrap();
    let engine = open(folder.path(), TABLES).unwrap();
    match open(folder.path(), TABLES) {
        Err(KvError::Locked { path, holder }) => {
            assert_eq!(path, folder.path());
            assert_eq!(holder, format!("process {}", std::process::id()));
        }
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("opened twice"),
    }
    engine.commit(one_write(b"k")).unwrap();
    drop(engine);
    open(folder.path(), TABLES).unwrap();
}

#[test]
fn a_strangers_folder_is_left_alone() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("thesis.tex"), "precious").unwrap();
    let refusal = open(folder.path(), TABLES).map(drop).unwrap_err();
    assert!(matches!(&refusal, KvError::NotAStore { reason, .. } if reason.contains("thesis.tex")), "{refusal}");
    assert_eq!(names(folder.path()), ["thesis.tex"]);
}

#[test]
fn a_file_in_the_place_of_the_folder_is_an_error() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "").unwrap();
    assert!(matches!(open(&path, TABLES), Err(KvError::Io { .. })));
}

#[test]
fn a_fresh_file_system_is_as_good_as_an_empty_folder() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("lost+found")).unwrap();
    open(folder.path(), TABLES).unwrap();
}

#[test]
fn a_store_with_unknown_tables_is_refused() {
    static FEWER: &[TableSpec] =
        &[TableSpec { name: "points", partition_len: |key| Some(key.len()), ranged: false, reread: false }];
    let folder = TempDir::new().unwrap();
    drop(open(folder.path(), TABLES).unwrap());
    let refusal = open(folder.path(), FEWER).map(drop).unwrap_err();
    assert!(matches!(&refusal, KvError::NotAStore { reason, .. } if reason.contains("unknown")), "{refusal}");

    let folder = TempDir::new().unwrap();
    drop(open(folder.path(), FEWER).unwrap());
    let grown = open(folder.path(), TABLES).unwrap();
    assert!(!grown.get(TableId(0), Key::new(b"new\0", 4), &mut |_| ()).unwrap());
}

#[test]
fn a_first_start_that_was_cut_short_can_be_repeated() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("rhizome.lock"), "1\n").unwrap();
    fs::write(folder.path().join("LOG"), "").unwrap();
    open(folder.path(), TABLES).unwrap().commit(one_write(b"k")).unwrap();
}

#[test]
fn a_small_store_is_small() {
    use std::os::unix::fs::MetadataExt as _;
    let folder = TempDir::new().unwrap();
    let engine = open(folder.path(), TABLES).unwrap();
    for n in 0..100_u8 {
        engine.commit(one_write(&[n])).unwrap();
    }
    let used = || -> u64 {
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().metadata().unwrap().blocks() * 512).sum()
    };
    let open_bytes = used();
    drop(engine);
    let closed_bytes = used();
    assert!(open_bytes < 1 << 20, "open: {open_bytes} bytes");
    assert!(closed_bytes < 1 << 20, "closed: {closed_bytes} bytes");
}

#[test]
fn what_waits_when_the_engine_is_dropped_is_written() {
    let folder = TempDir::new().unwrap();
    let engine = Arc::new(open(folder.path(), TABLES).unwrap());
    let commits: Vec<_> = (0..=u8::MAX).map(|n| engine.submit(one_write(&[n]))).collect();
    drop(engine);
    for commit in commits {
        commit.wait().unwrap();
    }
    let engine = open(folder.path(), TABLES).unwrap();
    for n in 0..=u8::MAX {
        assert!(engine.get(TableId(2), Key::new(&[n], 1), &mut |_| ()).unwrap());
    }
}

#[test]
fn damage_is_reported_as_damage() {
    let folder = TempDir::new().unwrap();
    drop(open(folder.path(), TABLES).unwrap());
    fs::write(folder.path().join("CURRENT"), "nonsense").unwrap();
    assert!(matches!(open(folder.path(), TABLES), Err(KvError::Corrupt { .. })));
}

/// The files of an open store, copied, are what a process that ends without warning leaves behind.
#[test]
fn what_was_acknowledged_survives_a_crash_of_the_process() {
    let (folder, copy) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let engine = open(folder.path(), TABLES).unwrap();
    let commits: Vec<_> = (0..100_u8).map(|n| engine.submit(one_write(&[n]))).collect();
    for commit in commits {
        commit.wait().unwrap();
    }
    engine.commit(one_write(&[100])).unwrap();
    engine.delete_prefix(TableId(2), &[7]).unwrap();
    for name in names(folder.path()) {
        fs::copy(folder.path().join(&name), copy.path().join(&name)).unwrap();
    }
    let revived = open(copy.path(), TABLES).unwrap();
    for n in 0..=100_u8 {
        assert_eq!(revived.get(TableId(2), Key::new(&[n], 1), &mut |_| ()).unwrap(), n != 7, "{n}");
    }
    drop(engine);
}

#[test]
fn compacting_gives_back_the_room_of_what_was_deleted() {
    let folder = TempDir::new().unwrap();
    let engine = open(folder.path(), TABLES).unwrap();
    let size = |engine: &RocksDbEngine| -> f64 {
        engine.statistics().iter().find(|statistic| statistic.name == "live_sst_bytes").unwrap().value
    };
    for n in 0..=u8::MAX {
        let mut batch = WriteBatch::new();
        let value: Vec<u8> =
            (0..20_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) ^ u32::from(n)).to_be_bytes()[1]).collect();
        batch.put_key(TableId(2), Key::new(&[7, n], 2), &value);
        engine.commit(batch).unwrap();
    }
    engine.compact(TableId(2), &[7]).unwrap();
    let full = size(&engine);
    engine.delete_prefix(TableId(2), &[7]).unwrap();
    engine.commit(one_write(&[8])).unwrap();
    engine.compact(TableId(2), &[7]).unwrap();
    assert!(size(&engine) < full / 10.0, "{} of {full} bytes are left", size(&engine));
    assert!(engine.get(TableId(2), Key::new(&[8], 1), &mut |_| ()).unwrap());
}
