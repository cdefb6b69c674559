//! The store on every embedded engine; and on one that fails.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::sync::Arc;

use kv::{Engine, Fault, FaultEngine, KvError, MemoryEngine};
use kv_rocksdb::{RocksDbEngine, RocksDbOptions};
use property_store::conformance::Harness;
use property_store::{PropertyError, PropertyStore, Record, StoreOptions, TABLES};
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
