//! Cases: bulk loads.

use std::collections::BTreeMap;

use kv::Engine as _;

use super::{Harness, one, open};
use crate::{
    BulkLoad, BulkOptions, Check, Direction, EdgeEnds, PropertyError, PropertyStore, Record, StoreOptions, record,
};

/// So little memory that a few ten thousand records make several runs.
fn tight() -> BulkOptions {
    BulkOptions { memory_bytes: 1 << 20, threads: 3, ..BulkOptions::default() }
}

fn store_of(harness: &mut dyn Harness, direction: Direction) -> Option<PropertyStore> {
    let engine = harness.fresh();
    let can = engine.capabilities().sorted_ingest;
    let store = PropertyStore::open(engine, StoreOptions { direction, ..StoreOptions::default() }).unwrap();
    can.then_some(store)
}

/// Loaded records are stored in addition to existing ones.
pub fn loaded_records_are_read_like_written_ones(harness: &mut dyn Harness) {
    let Some(store) = store_of(harness, Direction::Directed) else { return };
    store.nodes().put(1, &one(100)).unwrap();
    store.nodes().put(2, &one(200)).unwrap();
    let mut load = BulkLoad::begin(&store, BulkOptions::default()).unwrap();
    for (id, number) in [(9, 9), (2, 2), (300, 3)] {
        load.node(id, &record::encode(&one(number)).unwrap(), Check::Validate).unwrap();
    }
    load.edge((9, 2), &record::encode(&one(92)).unwrap(), Check::Validate).unwrap();
    assert_eq!(store.nodes().get_all(9).unwrap(), None, "nothing is there before the end");
    let summary = load.finish(&mut |_| ()).unwrap();
    assert_eq!((summary.given, summary.stored), (4, 4));
    let found = store.nodes().batch_get(&[1, 2, 9, 300, 3]).unwrap();
    assert_eq!(found, [Some(one(100)), Some(one(2)), Some(one(9)), Some(one(3)), None]);
    assert_eq!(store.edges().get_all((9, 2)).unwrap(), Some(one(92)));
    store.nodes().merge(9, &one(10)).unwrap();
    assert_eq!(store.nodes().get_all(9).unwrap(), Some(one(10)));
    // An empty load is one too.
    assert_eq!(BulkLoad::begin(&store, BulkOptions::default()).unwrap().finish(&mut |_| ()).unwrap().stored, 0);
}

/// Keys that come again in the same and in other runs, in no order, over several merging threads.
pub fn the_last_of_many_runs_wins(harness: &mut dyn Harness) {
    let Some(store) = store_of(harness, Direction::Directed) else { return };
    let mut nodes: BTreeMap<u64, Record> = BTreeMap::new();
    let mut edges: BTreeMap<EdgeEnds, Record> = BTreeMap::new();
    let mut load = BulkLoad::begin(&store, tight()).unwrap();
    let mut noise = 1u64;
    for number in 0..60_000u64 {
        noise ^= noise << 13;
        noise ^= noise >> 7;
        noise ^= noise << 17;
        let bytes = record::encode(&one(number)).unwrap();
        if number.is_multiple_of(3) {
            let id = noise % 15_000;
            load.node(id, &bytes, Check::Trust).unwrap();
            nodes.insert(id, one(number));
        } else {
            let ends = (noise % 200, noise >> 32 & 0xFF);
            load.edge(ends, &bytes, Check::Trust).unwrap();
            edges.insert(ends, one(number));
        }
    }
    let mut told = 0;
    let summary = load.finish(&mut |merged| told = merged).unwrap();
    assert_eq!(summary.given, 60_000);
    assert_eq!(summary.stored, (nodes.len() + edges.len()) as u64);
    assert_eq!(told, summary.stored);
    assert!(nodes.len() < 15_001 && edges.len() < 40_000, "keys come again");
    let stored: BTreeMap<u64, Record> = store.nodes().scan(..).unwrap().map(Result::unwrap).collect();
    assert!(stored == nodes, "nodes differ");
    let stored: BTreeMap<EdgeEnds, Record> = store.edges().scan(..).unwrap().map(Result::unwrap).collect();
    assert!(stored == edges, "edges differ");
}

/// A load continues after rejecting bytes that are not a record.
pub fn what_is_no_record_is_not_loaded(harness: &mut dyn Harness) {
    let Some(store) = store_of(harness, Direction::Directed) else { return };
    let mut load = BulkLoad::begin(&store, tight()).unwrap();
    let error = load.edge((1, 2), b"junk", Check::Validate).unwrap_err();
    assert!(error.to_string().starts_with("record of edge 1 -> 2: "), "{error}");
    load.node(1, &record::encode(&one(1)).unwrap(), Check::Validate).unwrap();
    let summary = load.finish(&mut |_| ()).unwrap();
    assert_eq!((summary.given, summary.stored), (1, 1));
    assert_eq!((store.nodes().count().unwrap(), store.edges().count().unwrap()), (1, 0));
}

/// A load that is given up leaves nothing.
pub fn a_dropped_load_stores_nothing(harness: &mut dyn Harness) {
    let Some(store) = store_of(harness, Direction::Directed) else { return };
    let mut load = BulkLoad::begin(&store, tight()).unwrap();
    let bytes = record::encode(&one(1)).unwrap();
    for id in 0..20_000 {
        load.node(id, &bytes, Check::Trust).unwrap();
    }
    drop(load);
    assert_eq!(store.nodes().count().unwrap(), 0);
}

/// Both orders of an undirected edge are one key here too.
pub fn loads_of_undirected_edges(harness: &mut dyn Harness) {
    let Some(store) = store_of(harness, Direction::Undirected) else { return };
    let mut load = BulkLoad::begin(&store, tight()).unwrap();
    for (ends, number) in [((5, 1), 1), ((1, 5), 2)] {
        load.edge(ends, &record::encode(&one(number)).unwrap(), Check::Trust).unwrap();
    }
    assert_eq!(load.finish(&mut |_| ()).unwrap().stored, 1);
    assert_eq!(store.edges().get_all((5, 1)).unwrap(), Some(one(2)));
}

/// Engines that take no sorted rows.
pub fn who_cannot_load_says_so(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    if engine.capabilities().sorted_ingest {
        return;
    }
    let error = BulkLoad::begin(&open(engine), BulkOptions::default()).err().unwrap();
    assert!(matches!(error, PropertyError::NoIngest { .. }), "{error}");
}
