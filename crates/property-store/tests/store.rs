//! What the store promises, on every embedded engine; and against a plain map.

#![expect(clippy::unwrap_used, reason = "test code")]

use std::collections::BTreeMap;
use std::sync::Arc;

use kv::{Engine, Fault, FaultEngine, KvError, MemoryEngine};
use kv_rocksdb::{RocksDbEngine, RocksDbOptions};
use property_store::{
    Access, Check, Direction, PropertyError, PropertyStore, Record, RecordKey, Records, StoreOptions, TABLES, record,
};
use proptest::prelude::*;
use serde_json::{Value, json};

#[expect(clippy::needless_pass_by_value, reason = "so that tests read `fields(json!(..))`")]
fn fields(value: Value) -> Record {
    value.as_object().unwrap().clone()
}

fn one(number: u64) -> Record {
    fields(json!({ "i": number }))
}

fn rocksdb(folder: &tempfile::TempDir) -> Arc<dyn Engine> {
    let options = RocksDbOptions { path: folder.path().join("data"), ..RocksDbOptions::default() };
    Arc::new(RocksDbEngine::open(&options, TABLES).unwrap())
}

/// Runs a test on an empty store of every engine.
fn on_every_engine(test: impl Fn(Arc<dyn Engine>)) {
    test(Arc::new(MemoryEngine::open(TABLES)));
    let folder = tempfile::tempdir().unwrap();
    test(rocksdb(&folder));
}

fn open(engine: Arc<dyn Engine>) -> PropertyStore {
    PropertyStore::open(engine, StoreOptions::default()).unwrap()
}

#[test]
fn insert_returns_what_it_replaced() {
    on_every_engine(|engine| {
        let store = open(engine);
        assert_eq!(store.nodes().get_all(1).unwrap(), None);
        assert_eq!(store.nodes().insert(1, &one(1)).unwrap(), None);
        assert_eq!(store.nodes().insert(1, &fields(json!({"x": null}))).unwrap(), Some(one(1)));
        assert_eq!(store.nodes().get_all(1).unwrap(), Some(fields(json!({"x": null}))));
        assert_eq!(store.edges().get_all((1, 1)).unwrap(), None, "nodes and edges are apart");
    });
}

#[test]
fn some_fields_of_a_record() {
    on_every_engine(|engine| {
        let store = open(engine);
        let record = fields(json!({"a": 1, "b": [1, "x", {"y": 2.5}], "c": "long"}));
        store.edges().put((7, 8), &record).unwrap();
        assert_eq!(store.edges().get((7, 8), &["b"]).unwrap(), Some(fields(json!({"b": [1, "x", {"y": 2.5}]}))));
        assert_eq!(store.edges().get((7, 8), &["nosuch"]).unwrap(), Some(Record::new()));
        assert_eq!(store.edges().get((8, 7), &["b"]).unwrap(), None);
    });
}

#[test]
fn merge_adds_and_overwrites() {
    on_every_engine(|engine| {
        let store = open(engine);
        assert_eq!(store.nodes().merge(3, &one(1)).unwrap(), one(1));
        let merged = store.nodes().merge(3, &fields(json!({"i": 2, "j": 3}))).unwrap();
        assert_eq!(merged, fields(json!({"i": 2, "j": 3})));
        assert_eq!(store.nodes().get_all(3).unwrap(), Some(merged.clone()));
        assert_eq!(store.nodes().remove(3).unwrap(), Some(merged));
        assert_eq!(store.nodes().remove(3).unwrap(), None);
    });
}

#[test]
fn the_later_of_two_in_a_batch_wins_and_raw_is_the_same_bytes() {
    on_every_engine(|engine| {
        let store = open(engine);
        let (first, second) = (one(1), one(2));
        store.nodes().extend([(5, &first), (6, &first), (5, &second)]).unwrap();
        let raw = record::encode(&one(9)).unwrap();
        store.nodes().extend_raw([(6, &raw[..])], Check::Validate).unwrap();
        let found = store.nodes().batch_get(&[6, 4, 5, 6]).unwrap();
        assert_eq!(found, [Some(one(9)), None, Some(one(2)), Some(one(9))]);
        assert_eq!(store.nodes().insert_raw(5, &raw, Check::Trust).unwrap(), Some(one(2)));
        assert_eq!(store.nodes().count().unwrap(), 2);
    });
}

#[test]
fn what_is_no_record_is_refused_and_nothing_is_written() {
    on_every_engine(|engine| {
        let store = open(engine);
        let good = record::encode(&one(1)).unwrap();
        let error = store.nodes().extend_raw([(1, &good[..]), (2, b"{\"i\":1}")], Check::Validate).unwrap_err();
        assert!(error.to_string().starts_with("record of node 2: "), "{error}");
        assert_eq!(store.nodes().count().unwrap(), 0);
        // Trusted, it is stored; then reading it fails, and so does replacing it, which returns the old record.
        store.nodes().extend_raw([(2, &b"junk"[..])], Check::Trust).unwrap();
        assert!(matches!(store.nodes().get_all(2), Err(PropertyError::Record { .. })));
        assert!(matches!(store.nodes().insert(2, &one(1)), Err(PropertyError::Record { .. })));
        assert!(store.nodes().scan(..).unwrap().next().unwrap().is_err());
        store.nodes().put(2, &one(1)).unwrap();
        assert_eq!(store.nodes().get_all(2).unwrap(), Some(one(1)));
    });
}

#[test]
fn scans_are_in_numeric_order() {
    on_every_engine(|engine| {
        let store = open(engine);
        let ids = [0, 1, 255, 256, 257, 65_536, u64::MAX];
        let records: Vec<(u64, Record)> = ids.iter().rev().map(|id| (*id, one(*id))).collect();
        store.nodes().extend(records.iter().map(|(id, record)| (*id, record))).unwrap();
        assert_eq!(keys(store.nodes(), ..), ids);
        assert_eq!(keys(store.nodes(), 256..65_536), [256, 257]);
        assert_eq!(keys(store.nodes(), 0..=1), [0, 1]);
        assert_eq!(store.nodes().scan(u64::MAX..).unwrap().count(), 1);
        let ends = [(1, 2), (1, u64::MAX), (2, 0), (256, 1)];
        for end in ends.iter().rev() {
            store.edges().put(*end, &one(1)).unwrap();
        }
        assert_eq!(keys(store.edges(), ..), ends);
        assert_eq!(keys(store.edges(), (1, 3)..(256, 0)), ends[1..3]);
    });
}

fn keys<K: RecordKey>(records: Records<'_, K>, range: impl std::ops::RangeBounds<K>) -> Vec<K> {
    records.scan(range).unwrap().map(|found| found.unwrap().0).collect()
}

#[test]
fn an_undirected_edge_has_one_record() {
    let options = StoreOptions { direction: Direction::Undirected, ..StoreOptions::default() };
    on_every_engine(|engine| {
        let store = PropertyStore::open(Arc::clone(&engine), options).unwrap();
        store.edges().put((9, 2), &one(1)).unwrap();
        assert_eq!(store.edges().get_all((2, 9)).unwrap(), Some(one(1)));
        assert_eq!(store.edges().insert((2, 9), &one(2)).unwrap(), Some(one(1)));
        assert_eq!(keys(store.edges(), ..), [(2, 9)]);
        drop(store);
        let error = PropertyStore::open(engine, StoreOptions::default()).err().unwrap();
        assert!(matches!(error, PropertyError::Direction { found: "undirected", wanted: "directed" }), "{error}");
    });
}

#[test]
fn reading_only() {
    let options = StoreOptions { access: Access::ReadOnly, ..StoreOptions::default() };
    on_every_engine(|engine| {
        let missing = PropertyStore::open(Arc::clone(&engine), options).err().unwrap();
        assert!(matches!(missing, PropertyError::NotFound));
        open(Arc::clone(&engine)).nodes().put(1, &one(1)).unwrap();
        let store = PropertyStore::open(engine, options).unwrap();
        assert!(matches!(store.nodes().put(1, &one(2)), Err(PropertyError::ReadOnly)));
        assert!(matches!(store.nodes().insert(1, &one(2)), Err(PropertyError::ReadOnly)));
        assert!(matches!(store.nodes().merge(1, &one(2)), Err(PropertyError::ReadOnly)));
        assert!(matches!(store.nodes().remove(1), Err(PropertyError::ReadOnly)));
        assert_eq!(store.nodes().get_all(1).unwrap(), Some(one(1)));
    });
}

#[test]
fn opening_again_keeps_everything() {
    let folder = tempfile::tempdir().unwrap();
    open(rocksdb(&folder)).nodes().put(1, &one(1)).unwrap();
    assert_eq!(open(rocksdb(&folder)).nodes().get_all(1).unwrap(), Some(one(1)));
}

#[test]
fn a_failed_write_is_an_error_and_wrote_nothing() {
    let engine = FaultEngine::new(MemoryEngine::open(TABLES));
    let faults = engine.faults();
    let store = open(Arc::new(engine));
    store.nodes().put(1, &one(1)).unwrap();
    faults.inject(Fault::FailCommit { nth: 1, error: KvError::Closed });
    assert!(matches!(store.nodes().insert(1, &one(2)), Err(PropertyError::Engine(_))));
    assert_eq!(store.nodes().get_all(1).unwrap(), Some(one(1)));
}

#[test]
fn no_merge_is_lost_among_threads() {
    on_every_engine(|engine| {
        let store = open(engine);
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let store = &store;
                scope.spawn(move || {
                    for at in 0..50u64 {
                        store
                            .nodes()
                            .merge(at % 3, &Record::from_iter([(format!("{thread}-{at}"), Value::from(at))]))
                            .unwrap();
                    }
                });
            }
        });
        let fields: usize = store.nodes().scan(..).unwrap().map(|found| found.unwrap().1.len()).sum();
        assert_eq!(fields, 200);
    });
}

#[derive(Clone, Debug)]
enum Step {
    Insert(u64, u8),
    Merge(u64, u8),
    Remove(u64),
    Extend(Vec<(u64, u8)>),
}

fn step() -> impl Strategy<Value = Step> {
    let id = prop_oneof![0u64..6, 250u64..262];
    prop_oneof![
        (id.clone(), any::<u8>()).prop_map(|(id, value)| Step::Insert(id, value)),
        (id.clone(), any::<u8>()).prop_map(|(id, value)| Step::Merge(id, value)),
        id.clone().prop_map(Step::Remove),
        prop::collection::vec((id, any::<u8>()), 0..6).prop_map(Step::Extend),
    ]
}

fn small(value: u8) -> Record {
    Record::from_iter([(format!("f{}", value % 4), Value::from(value))])
}

proptest! {
    #[test]
    fn the_store_is_a_map(steps in prop::collection::vec(step(), 0..40), from in 0u64..262, to in 0u64..262) {
        let store = open(Arc::new(MemoryEngine::open(TABLES)));
        let mut model: BTreeMap<u64, Record> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Insert(id, value) => {
                    prop_assert_eq!(store.nodes().insert(id, &small(value)).unwrap(), model.insert(id, small(value)));
                }
                Step::Merge(id, value) => {
                    model.entry(id).or_default().extend(small(value));
                    prop_assert_eq!(&store.nodes().merge(id, &small(value)).unwrap(), &model[&id]);
                }
                Step::Remove(id) => prop_assert_eq!(store.nodes().remove(id).unwrap(), model.remove(&id)),
                Step::Extend(records) => {
                    let records: Vec<(u64, Record)> = records.iter().map(|(id, value)| (*id, small(*value))).collect();
                    store.nodes().extend(records.iter().map(|(id, record)| (*id, record))).unwrap();
                    model.extend(records);
                }
            }
        }
        let stored: Vec<(u64, Record)> = store.nodes().scan(..).unwrap().map(Result::unwrap).collect();
        let expected: Vec<(u64, Record)> = model.clone().into_iter().collect();
        prop_assert_eq!(stored, expected);
        let part: Vec<u64> = store.nodes().scan(from..to).unwrap().map(|found| found.unwrap().0).collect();
        let expected: Vec<u64> = if from < to { model.range(from..to).map(|(id, _)| *id).collect() } else { Vec::new() };
        prop_assert_eq!(part, expected);
        prop_assert_eq!(store.nodes().count().unwrap(), model.len() as u64);
    }
}
