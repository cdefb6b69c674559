//! Cases: single operations.

use std::sync::Arc;

use kv::WriteBatch;
use serde_json::{Value, json};

use super::{Harness, all_keys, fields, keys, one, open};
use crate::keys::SETTINGS;
use crate::{Access, Check, Direction, PropertyError, PropertyStore, Record, StoreOptions, record};

/// A record is replaced wholly, and the old one is given back.
pub fn insert_returns_what_it_replaced(harness: &mut dyn Harness) {
    let store = open(harness.fresh());
    assert_eq!(store.nodes().get_all(1).unwrap(), None);
    assert_eq!(store.nodes().insert(1, &one(1)).unwrap(), None);
    assert_eq!(store.nodes().insert(1, &fields(json!({"x": null}))).unwrap(), Some(one(1)));
    assert_eq!(store.nodes().get_all(1).unwrap(), Some(fields(json!({"x": null}))));
    assert_eq!(store.edges().get_all((1, 1)).unwrap(), None, "nodes and edges are apart");
}

/// Named fields, and only those that are there.
pub fn some_fields_of_a_record(harness: &mut dyn Harness) {
    let store = open(harness.fresh());
    let record = fields(json!({"a": 1, "b": [1, "x", {"y": 2.5}], "c": "long"}));
    store.edges().put((7, 8), &record).unwrap();
    assert_eq!(store.edges().get((7, 8), &["b"]).unwrap(), Some(fields(json!({"b": [1, "x", {"y": 2.5}]}))));
    assert_eq!(store.edges().get((7, 8), &["nosuch"]).unwrap(), Some(Record::new()));
    assert_eq!(store.edges().get((8, 7), &["b"]).unwrap(), None);
}

/// Fields are added to a record; removing gives it back once.
pub fn merge_adds_and_overwrites(harness: &mut dyn Harness) {
    let store = open(harness.fresh());
    assert_eq!(store.nodes().merge(3, &one(1)).unwrap(), one(1));
    let merged = store.nodes().merge(3, &fields(json!({"i": 2, "j": 3}))).unwrap();
    assert_eq!(merged, fields(json!({"i": 2, "j": 3})));
    assert_eq!(store.nodes().get_all(3).unwrap(), Some(merged.clone()));
    assert_eq!(store.nodes().remove(3).unwrap(), Some(merged));
    assert_eq!(store.nodes().remove(3).unwrap(), None);
}

/// Batches, decoded and raw.
pub fn the_later_of_two_in_a_batch_wins_and_raw_is_the_same_bytes(harness: &mut dyn Harness) {
    let store = open(harness.fresh());
    let (first, second) = (one(1), one(2));
    store.nodes().extend([(5, &first), (6, &first), (5, &second)]).unwrap();
    let raw = record::encode(&one(9)).unwrap();
    store.nodes().extend_raw([(6, &raw[..])], Check::Validate).unwrap();
    let found = store.nodes().batch_get(&[6, 4, 5, 6]).unwrap();
    assert_eq!(found, [Some(one(9)), None, Some(one(2)), Some(one(9))]);
    assert_eq!(store.nodes().insert_raw(5, &raw, Check::Trust).unwrap(), Some(one(2)));
    assert_eq!(store.nodes().count().unwrap(), 2);
}

/// Bytes that are no record.
pub fn what_is_no_record_is_refused_and_nothing_is_written(harness: &mut dyn Harness) {
    let store = open(harness.fresh());
    let good = record::encode(&one(1)).unwrap();
    let error = store.nodes().extend_raw([(1, &good[..]), (2, b"{\"i\":1}")], Check::Validate).unwrap_err();
    assert!(error.to_string().starts_with("record of node 2: "), "{error}");
    assert_eq!(store.nodes().count().unwrap(), 0);
    // Trusted, it is stored; then reading it fails, and so does replacing it, which returns the old record.
    store.nodes().extend_raw([(2, &b"junk"[..])], Check::Trust).unwrap();
    assert!(matches!(store.nodes().get_all(2), Err(PropertyError::Record { .. })));
    assert!(matches!(store.nodes().batch_get(&[2]), Err(PropertyError::Record { .. })));
    assert!(matches!(store.nodes().insert(2, &one(1)), Err(PropertyError::Record { .. })));
    assert!(store.nodes().scan(..).unwrap().next().unwrap().is_err());
    store.nodes().put(2, &one(1)).unwrap();
    assert_eq!(store.nodes().get_all(2).unwrap(), Some(one(1)));
}

/// A scan of everything, on every engine.
pub fn scans_see_every_record_once(harness: &mut dyn Harness) {
    let store = open(harness.fresh());
    let records: Vec<(u64, Record)> = (0..500).map(|id| (id * 7, one(id))).collect();
    store.nodes().extend(records.iter().map(|(id, record)| (*id, record))).unwrap();
    store.edges().extend(records.iter().map(|(id, record)| ((id % 5, *id), record))).unwrap();
    assert_eq!(all_keys(store.nodes()), records.iter().map(|(id, _)| *id).collect::<Vec<_>>());
    let mut expected: Vec<(u64, u64)> = records.iter().map(|(id, _)| (id % 5, *id)).collect();
    expected.sort_unstable();
    assert_eq!(all_keys(store.edges()), expected);
    assert_eq!((store.nodes().count().unwrap(), store.edges().count().unwrap()), (500, 500));
}

/// Order and bounds of scans; engines without an order refuse bounds.
pub fn scans_are_in_numeric_order(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    let ordered = engine.capabilities().ordered_partitions;
    let store = open(engine);
    let ids = [0, 1, 255, 256, 257, 65_536, u64::MAX];
    let records: Vec<(u64, Record)> = ids.iter().rev().map(|id| (*id, one(*id))).collect();
    store.nodes().extend(records.iter().map(|(id, record)| (*id, record))).unwrap();
    let ends = [(1, 2), (1, u64::MAX), (2, 0), (256, 1)];
    for end in ends.iter().rev() {
        store.edges().put(*end, &one(1)).unwrap();
    }
    if !ordered {
        assert!(matches!(store.nodes().scan(256..), Err(PropertyError::Unordered)));
        assert_eq!(all_keys(store.nodes()), ids);
        assert_eq!(all_keys(store.edges()), ends);
        return;
    }
    assert_eq!(keys(store.nodes(), ..), ids);
    assert_eq!(keys(store.nodes(), 256..65_536), [256, 257]);
    assert_eq!(keys(store.nodes(), 0..=1), [0, 1]);
    assert_eq!(keys(store.nodes(), u64::MAX..), [u64::MAX]);
    assert_eq!(keys(store.edges(), ..), ends);
    assert_eq!(keys(store.edges(), (1, 3)..(256, 0)), ends[1..3]);
}

/// More keys than the store fetches in one round, in no order, some twice, some absent.
pub fn many_keys_in_one_call(harness: &mut dyn Harness) {
    let store = open(harness.fresh());
    let records: Vec<(u64, Record)> = (0..3_000).map(|id| (id * 2, one(id))).collect();
    store.nodes().extend(records.iter().map(|(id, record)| (*id, record))).unwrap();
    let wanted: Vec<u64> = (0..9_000).map(|at| at * 7919 % 6_000).collect();
    let found = store.nodes().batch_get(&wanted).unwrap();
    for (id, record) in wanted.iter().zip(found) {
        assert_eq!(record, id.is_multiple_of(2).then(|| one(id / 2)), "node {id}");
    }
}

/// Both orders of the ends of an undirected edge name one record, and a store keeps its direction.
pub fn an_undirected_edge_has_one_record(harness: &mut dyn Harness) {
    let options = StoreOptions { direction: Direction::Undirected, ..StoreOptions::default() };
    let engine = harness.fresh();
    let store = PropertyStore::open(Arc::clone(&engine), options).unwrap();
    store.edges().put((9, 2), &one(1)).unwrap();
    assert_eq!(store.edges().get_all((2, 9)).unwrap(), Some(one(1)));
    assert_eq!(store.edges().batch_get(&[(9, 2), (2, 9)]).unwrap(), [Some(one(1)), Some(one(1))]);
    assert_eq!(store.edges().insert((2, 9), &one(2)).unwrap(), Some(one(1)));
    assert_eq!(keys(store.edges(), ..), [(2, 9)]);
    drop(store);
    let error = PropertyStore::open(engine, StoreOptions::default()).err().unwrap();
    assert!(matches!(error, PropertyError::Direction { found: "undirected", wanted: "directed" }), "{error}");
}

/// A store opened for reading writes nothing, not even itself.
pub fn reading_only(harness: &mut dyn Harness) {
    let options = StoreOptions { access: Access::ReadOnly, ..StoreOptions::default() };
    let engine = harness.fresh();
    let missing = PropertyStore::open(Arc::clone(&engine), options).err().unwrap();
    assert!(matches!(missing, PropertyError::NotFound));
    open(Arc::clone(&engine)).nodes().put(1, &one(1)).unwrap();
    let store = PropertyStore::open(engine, options).unwrap();
    let raw = record::encode(&one(2)).unwrap();
    assert!(matches!(store.nodes().put(1, &one(2)), Err(PropertyError::ReadOnly)));
    assert!(matches!(store.nodes().insert(1, &one(2)), Err(PropertyError::ReadOnly)));
    assert!(matches!(store.nodes().insert_raw(1, &raw, Check::Trust), Err(PropertyError::ReadOnly)));
    assert!(matches!(store.nodes().extend_raw([(1, &raw[..])], Check::Trust), Err(PropertyError::ReadOnly)));
    assert!(matches!(store.nodes().merge(1, &one(2)), Err(PropertyError::ReadOnly)));
    assert!(matches!(store.nodes().remove(1), Err(PropertyError::ReadOnly)));
    assert!(matches!(crate::BulkLoad::begin(&store, crate::BulkOptions::default()), Err(PropertyError::ReadOnly)));
    assert_eq!(store.nodes().get_all(1).unwrap(), Some(one(1)));
}

/// Opening never wipes.
pub fn opening_again_keeps_everything(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    if !engine.capabilities().persistent {
        open(Arc::clone(&engine)).nodes().put(1, &one(1)).unwrap();
        assert_eq!(open(engine).nodes().get_all(1).unwrap(), Some(one(1)));
        return;
    }
    let store = open(engine);
    store.nodes().put(1, &one(1)).unwrap();
    store.edges().put((1, 2), &one(2)).unwrap();
    drop(store);
    let store = open(harness.reopen());
    assert_eq!(store.nodes().get_all(1).unwrap(), Some(one(1)));
    assert_eq!(store.edges().get_all((1, 2)).unwrap(), Some(one(2)));
}

/// What another program wrote is not touched.
pub fn another_format_is_refused(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    for (stored, refused) in [(&[9, 0][..], "version 9"), (&[1, 0, 0][..], "damaged")] {
        let mut batch = WriteBatch::new();
        batch.put(SETTINGS, |b| b.extend_from_slice(b"format"), |_| (), |v| v.extend_from_slice(stored));
        engine.commit(batch).unwrap();
        let error = PropertyStore::open(Arc::clone(&engine), StoreOptions::default()).err().unwrap().to_string();
        assert!(error.contains(refused), "{error}");
    }
}

/// What a merge read is still true when it writes.
pub fn no_merge_is_lost_among_threads(harness: &mut dyn Harness) {
    let store = open(harness.fresh());
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let store = &store;
            scope.spawn(move || {
                for at in 0..50u64 {
                    let field = Record::from_iter([(format!("{thread}-{at}"), Value::from(at))]);
                    store.nodes().merge(at % 3, &field).unwrap();
                }
            });
        }
    });
    let fields: usize = store.nodes().scan(..).unwrap().map(|found| found.unwrap().1.len()).sum();
    assert_eq!(fields, 200);
}
