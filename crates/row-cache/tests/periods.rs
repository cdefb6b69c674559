//! What is found of a shared engine, while other processes come and go and writes fail.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kv::conformance::{COUNTED, POINTS, ScatteredEngine, TABLES, TERMINATED};
use kv::{Engine, Fault, FaultEngine, Faults, Key, KvError, MemoryEngine, Read, TableId, WriteBatch, without_waiting};
use row_cache::RowCacheEngine;

/// A number that no period has: other processes may be writing.
const NOT_ALONE: u64 = u64::MAX;

struct Server {
    engine: RowCacheEngine,
    /// What is stored, as another process reads and writes it.
    store: Arc<FaultEngine<MemoryEngine>>,
    faults: Faults,
    period: Arc<AtomicU64>,
}

fn server() -> Server {
    let (store, period) = (Arc::new(FaultEngine::new(MemoryEngine::open(TABLES))), Arc::new(AtomicU64::new(0)));
    let alone_since = {
        let period = Arc::clone(&period);
        Box::new(move || Some(period.load(Ordering::SeqCst)).filter(|period| *period != NOT_ALONE))
    };
    let inner = Arc::<FaultEngine<MemoryEngine>>::clone(&store) as Arc<dyn Engine>;
    let faults = store.faults();
    Server { engine: RowCacheEngine::new(inner, TABLES, 1 << 20, alone_since), store, faults, period }
}

fn put(engine: &dyn Engine, table: TableId, key: &[u8], value: &[u8]) -> Result<(), KvError> {
    let mut batch = WriteBatch::new();
    batch.put_key(table, TABLES.get(table.index()).unwrap().key(key).unwrap(), value);
    engine.commit(batch)
}

impl Server {
    fn get(&self, table: TableId, key: &[u8]) -> Option<Vec<u8>> {
        let mut found = None;
        let key = TABLES.get(table.index()).unwrap().key(key).unwrap();
        self.engine.get(table, key, &mut |value| found = Some(value.to_vec())).unwrap();
        found
    }

    fn hits(&self) -> f64 {
        let statistics = self.engine.statistics();
        statistics.iter().find(|statistic| statistic.name == "row_cache_hits_total").unwrap().value
    }

    /// Whether a row is found without a read of the store, once it has been read.
    fn keeps(&self, table: TableId, key: &[u8]) -> bool {
        self.get(table, key);
        let before = self.hits();
        self.get(table, key);
        self.hits() > before
    }
}

#[test]
fn rows_of_one_period_are_not_found_in_the_next() {
    let server = server();
    put(&server.engine, POINTS, b"key", b"1").unwrap();
    assert!(server.keeps(POINTS, b"key"));
    for (round, value) in [b"2", b"3", b"4"].into_iter().enumerate() {
        server.period.store(NOT_ALONE, Ordering::SeqCst);
        put(&*server.store, POINTS, b"key", value).unwrap();
        assert_eq!(server.get(POINTS, b"key"), Some(value.to_vec()));
        assert!(!server.keeps(POINTS, b"key"), "another process may be writing");
        server.period.store(round as u64 + 1, Ordering::SeqCst);
        assert_eq!(server.get(POINTS, b"key"), Some(value.to_vec()));
        assert!(server.keeps(POINTS, b"key"));
    }
}

#[test]
fn a_row_that_a_failed_write_may_change_is_read_each_time() {
    let server = server();
    put(&server.engine, POINTS, b"key", b"1").unwrap();
    put(&server.engine, POINTS, b"other", b"1").unwrap();
    let error = KvError::Unavailable { detail: "scripted".into() };
    server.faults.inject(Fault::LoseAcknowledgement { nth: 1, error });
    assert!(put(&server.engine, POINTS, b"key", b"2").is_err());
    assert_eq!(server.get(POINTS, b"key"), Some(b"2".to_vec()));
    assert!(!server.keeps(POINTS, b"key"));
    assert!(server.keeps(POINTS, b"other"));
    server.period.store(1, Ordering::SeqCst);
    assert!(!server.keeps(POINTS, b"key"), "it may take effect in any period");
}

#[test]
fn a_write_that_was_refused_leaves_its_rows_to_be_kept() {
    let server = server();
    put(&server.engine, POINTS, b"key", b"1").unwrap();
    let error = KvError::Unavailable { detail: "scripted".into() };
    server.faults.inject(Fault::FailCommit { nth: 1, error });
    assert!(put(&server.engine, POINTS, b"key", b"2").is_err());
    assert!(server.keeps(POINTS, b"key"));
}

#[test]
fn what_is_deleted_as_a_whole_is_not_found() {
    let server = server();
    put(&server.engine, TERMINATED, b"a\0row", b"1").unwrap();
    put(&server.engine, COUNTED, b"\x01arow", b"1").unwrap();
    assert!(server.keeps(TERMINATED, b"a\0row") && server.keeps(COUNTED, b"\x01arow"));
    server.engine.delete_prefix(TERMINATED, b"a").unwrap();
    assert_eq!(server.get(TERMINATED, b"a\0row"), None);
    let before = server.hits();
    assert_eq!(server.get(COUNTED, b"\x01arow"), Some(b"1".to_vec()));
    assert!(server.hits() > before, "the rows of the other table are still there");
}

#[test]
fn what_is_swapped_is_not_found_as_it_was() {
    let server = server();
    let key = Key::new(b"key", 3);
    assert!(server.engine.compare_and_swap(POINTS, key, None, Some(b"1")).unwrap());
    assert!(server.keeps(POINTS, b"key"));
    assert!(server.engine.compare_and_swap(POINTS, key, Some(b"1"), Some(b"2")).unwrap());
    assert_eq!(server.get(POINTS, b"key"), Some(b"2".to_vec()));
}

#[test]
fn only_what_is_at_hand_is_read_where_waiting_is_forbidden() {
    let store = Arc::new(ScatteredEngine::open(TABLES));
    let inner = Arc::<ScatteredEngine>::clone(&store) as Arc<dyn Engine>;
    let engine = RowCacheEngine::new(inner, TABLES, 1 << 20, Box::new(|| Some(0)));
    assert!(engine.capabilities().remote);
    put(&*store, POINTS, b"kept", b"1").unwrap();
    put(&*store, POINTS, b"other", b"1").unwrap();
    let get = |key: &[u8]| engine.get(POINTS, Key::new(key, key.len()), &mut |_| ());
    assert!(get(b"kept").unwrap());
    assert!(matches!(without_waiting(|| get(b"kept")), (Ok(true), false)));
    assert!(matches!(without_waiting(|| get(b"other")), (Err(KvError::WouldWait), true)));
    let waited = without_waiting(|| put(&engine, POINTS, b"kept", b"2"));
    assert!(matches!(waited, (Err(KvError::WouldWait), true)));
    let submitted = without_waiting(|| {
        let mut batch = WriteBatch::new();
        batch.put_key(POINTS, Key::new(b"other", 5), b"3");
        engine.submit(batch)
    });
    assert!(!submitted.1 && submitted.0.wait().is_ok());
    assert!(matches!(without_waiting(|| get(b"kept")), (Ok(true), false)), "the refused write changed nothing");
    let swapped = without_waiting(|| engine.compare_and_swap(POINTS, Key::new(b"kept", 4), Some(b"1"), Some(b"2")));
    assert!(matches!(swapped, (Err(KvError::WouldWait), true)));
    assert!(matches!(without_waiting(|| engine.delete_prefix(POINTS, b"k")), (Err(KvError::WouldWait), true)));
    assert!(matches!(without_waiting(|| get(b"kept")), (Ok(true), false)), "nor did these");
}

#[test]
fn what_was_written_while_alone_is_found_without_a_read() {
    let server = server();
    put(&server.engine, POINTS, b"key", b"1").unwrap();
    assert_eq!((server.get(POINTS, b"key"), server.hits()), (Some(b"1".to_vec()), 1.0));
    server.period.store(NOT_ALONE, Ordering::SeqCst);
    put(&server.engine, POINTS, b"key", b"2").unwrap();
    put(&*server.store, POINTS, b"key", b"3").unwrap();
    server.period.store(1, Ordering::SeqCst);
    assert_eq!((server.get(POINTS, b"key"), server.hits()), (Some(b"3".to_vec()), 1.0));
}
