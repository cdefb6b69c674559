//! The store on every embedded engine; on one that fails; and in a process that is killed.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kv::{Engine, Fault, FaultEngine, KvError, MemoryEngine};
use kv_rocksdb::{RocksDbEngine, RocksDbOptions};
use property_store::conformance::Harness;
use property_store::{PropertyError, PropertyStore, Record, RecordKey, Scan, StoreOptions, TABLES};
use serde_json::Value;
use tempfile::TempDir;

struct Memory;

impl Harness for Memory {
    fn fresh(&mut self) -> Arc<dyn Engine> {
        Arc::new(MemoryEngine::open(TABLES))
    }
}

mod in_memory {
    property_store::conformance_suite!(super::Memory);
}

#[derive(Default)]
struct Folders(Option<TempDir>);

impl Harness for Folders {
    fn fresh(&mut self) -> Arc<dyn Engine> {
        self.0 = Some(TempDir::new().unwrap());
        self.reopen()
    }

    fn reopen(&mut self) -> Arc<dyn Engine> {
        let path = self.0.as_ref().unwrap().path().join("data");
        let options = RocksDbOptions { path, memory_budget_bytes: 16 << 20, ..RocksDbOptions::default() };
        Arc::new(RocksDbEngine::open(&options, TABLES).unwrap())
    }
}

mod on_rocksdb {
    property_store::conformance_suite!(super::Folders::default());
}

#[test]
fn a_failed_write_is_an_error_and_wrote_nothing() {
    let one = |number: u64| Record::from_iter([("i".to_owned(), Value::from(number))]);
    let engine = FaultEngine::new(MemoryEngine::open(TABLES));
    let faults = engine.faults();
    let store = PropertyStore::open(Arc::new(engine), StoreOptions::default()).unwrap();
    store.nodes().put(1, &one(1)).unwrap();
    let fails = || faults.inject(Fault::FailCommit { nth: 1, error: KvError::Closed });
    fails();
    assert!(matches!(store.nodes().insert(1, &one(2)), Err(PropertyError::Engine(_))));
    fails();
    assert!(matches!(store.nodes().merge(1, &one(2)), Err(PropertyError::Engine(_))));
    fails();
    assert!(matches!(store.nodes().remove(1), Err(PropertyError::Engine(_))));
    fails();
    assert!(matches!(store.nodes().extend([(1, &one(2)), (2, &one(2))]), Err(PropertyError::Engine(_))));
    assert_eq!(store.nodes().batch_get(&[1, 2]).unwrap(), [Some(one(1)), None]);
}

/// Records of a batch of the kill test: nodes and the edges of a ring over them, in two batches.
const BATCH: u64 = 40;
/// The data folder, for the process that is killed.
const FOLDER_VARIABLE: &str = "PROPERTY_STORE_KILL_TEST";
/// What that process prints, before the number, after each acknowledged pair of batches.
const ACKNOWLEDGED: &str = "acknowledged ";

fn record_of(batch: u64) -> Record {
    Record::from_iter([("batch".to_owned(), Value::from(batch)), ("text".to_owned(), Value::from("x".repeat(100)))])
}

fn open_folder(folder: &Path) -> PropertyStore {
    // A small write buffer, so that files are written and merged while batches come.
    let options =
        RocksDbOptions { path: folder.to_path_buf(), write_buffer_bytes: 64 << 10, ..RocksDbOptions::default() };
    PropertyStore::open(Arc::new(RocksDbEngine::open(&options, TABLES).unwrap()), StoreOptions::default()).unwrap()
}

/// The process of the kill test: writes batches from several threads until it is killed.
#[test]
#[ignore = "started by acknowledged_records_survive_kill_9"]
fn write_until_killed() {
    let Some(folder) = std::env::var_os(FOLDER_VARIABLE) else { return };
    let store = open_folder(Path::new(&folder));
    let next = AtomicU64::new(store.nodes().count().unwrap() / BATCH * 2);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let batch = next.fetch_add(1, Ordering::Relaxed);
                    let record = record_of(batch);
                    let ids = || batch * BATCH..(batch + 1) * BATCH;
                    store.nodes().extend(ids().map(|id| (id, &record))).unwrap();
                    store.edges().extend(ids().map(|id| ((id, id ^ 1), &record))).unwrap();
                    let mut out = std::io::stdout().lock();
                    writeln!(out, "{ACKNOWLEDGED}{batch}").unwrap();
                    out.flush().unwrap();
                }
            });
        }
    });
}

#[test]
fn acknowledged_records_survive_kill_9() {
    let folder = TempDir::new().unwrap();
    let mut acknowledged = BTreeSet::new();
    for round in 0..3 {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["write_until_killed", "--exact", "--ignored", "--nocapture"])
            .env(FOLDER_VARIABLE, folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let before = acknowledged.len();
        let lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        for line in lines.map_while(Result::ok) {
            if let Some((_, batch)) = line.split_once(ACKNOWLEDGED) {
                acknowledged.insert(batch.parse::<u64>().unwrap());
            }
            if acknowledged.len() == before + 60 {
                writer.kill().unwrap();
            }
        }
        writer.wait().unwrap();
        assert!(acknowledged.len() >= before + 60, "the writer of round {round} ended by itself");
        let store = open_folder(folder.path());
        let nodes: BTreeMap<u64, u64> = batches_of(store.nodes().scan(..).unwrap());
        let edges: BTreeMap<u64, u64> = batches_of(store.edges().scan(..).unwrap());
        for batch in &acknowledged {
            let found = (nodes.get(batch).copied(), edges.get(batch).copied());
            assert_eq!(found, (Some(BATCH), Some(BATCH)), "acknowledged batch {batch}");
        }
        for (batch, records) in nodes.iter().chain(&edges) {
            assert_eq!(*records, BATCH, "batch {batch} is there in part");
        }
    }
}

/// How many records there are of each batch.
fn batches_of<K: RecordKey>(records: Scan<'_, K>) -> BTreeMap<u64, u64> {
    let mut batches = BTreeMap::new();
    for found in records {
        let (_, record) = found.unwrap();
        let batch = record.get("batch").and_then(Value::as_u64).unwrap();
        assert_eq!(record, record_of(batch));
        *batches.entry(batch).or_default() += 1;
    }
    batches
}
