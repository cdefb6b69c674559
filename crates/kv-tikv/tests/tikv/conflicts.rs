//! Several engines over the same keys, as several servers have them.

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use kv::conformance::{POINTS, TABLES, TERMINATED};
use kv::{Engine, Key, KvError, Read, RowRange, TableSpec, WriteBatch};
use kv_tikv::{TikvEngine, TikvOptions};

use crate::cluster::{Prefix, options};

fn get(engine: &dyn Read, key: &[u8]) -> Option<Vec<u8>> {
    let mut value = None;
    engine.get(POINTS, Key::new(key, key.len()), &mut |found| value = Some(found.to_vec())).unwrap();
    value
}

fn put(engine: &dyn Engine, key: &[u8], value: &[u8]) {
    let mut batch = WriteBatch::new();
    batch.put_key(POINTS, Key::new(key, key.len()), value);
    engine.commit(batch).unwrap();
}

/// Batches of several engines over the same rows: each is there as a whole, all of them succeed.
#[test]
#[ignore = "needs a TiKV cluster: scripts/test-tikv.sh"]
fn writers_of_the_same_keys_all_succeed_and_batches_stay_whole() {
    const ROWS: u8 = 12;
    const BATCHES: u8 = 20;
    let prefix = Prefix::new();
    let engines: Vec<TikvEngine> = (0..3).map(|_| prefix.open()).collect();
    thread::scope(|scope| {
        for (writer, engine) in (1_u8..).zip(&engines) {
            scope.spawn(move || {
                for n in 0..BATCHES {
                    let mut batch = WriteBatch::new();
                    for row in 0..ROWS {
                        batch.put_key(TERMINATED, Key::new(&[row + 1, 0, 7], 2), &[writer, n]);
                    }
                    engine.commit(batch).unwrap();
                }
            });
        }
        scope.spawn(|| {
            for _ in 0..BATCHES {
                let values = values(&engines[0]);
                assert!(values.is_empty() || values.len() == 1, "a part of a batch was seen: {values:?}");
            }
        });
    });
    let values = values(&engines[1]);
    assert_eq!(values.len(), 1);
    assert_eq!(values.first().map(|value| value[1]), Some(BATCHES - 1), "a writer's own order is kept");
}

fn figure(engine: &TikvEngine, name: &str) -> f64 {
    engine.statistics().iter().find(|figure| figure.name == name).unwrap().value
}

/// A large batch is written by a transaction that was begun after the one before, also where both write the same key.
#[test]
#[ignore = "needs a TiKV cluster: scripts/test-tikv.sh"]
fn a_large_batch_after_another_waits_for_no_timestamp_and_conflicts_with_nobody() {
    const BATCHES: u8 = 50;
    let prefix = Prefix::new();
    let engine = prefix.open();
    let large = |n: u8| vec![n; 20 << 10];
    for n in 0..BATCHES {
        put(&engine, b"a", &large(n));
        assert_eq!(get(&engine, b"a"), Some(large(n)));
        // The next transaction is begun once the batch is reported.
        thread::sleep(Duration::from_millis(20));
    }
    assert!(figure(&engine, "begun_ahead_total") >= f64::from(BATCHES / 2));
    assert!(figure(&engine, "conflicts_total") < f64::from(BATCHES / 10), "only when a region moves");
    let other = prefix.open();
    put(&engine, b"b", &large(1));
    thread::sleep(Duration::from_millis(20));
    put(&other, b"b", b"2");
    put(&engine, b"b", &large(3));
    assert_eq!(get(&other, b"b"), Some(large(3)), "begun before the other one's write, and written after it");
    let begun = figure(&engine, "begun_ahead_total");
    for n in 0..BATCHES {
        put(&engine, b"a", &[n]);
    }
    assert_eq!(figure(&engine, "begun_ahead_total"), begun, "a small one is one phase, with a timestamp of its own");
}

fn values(engine: &TikvEngine) -> BTreeSet<Vec<u8>> {
    let snapshot = engine.snapshot().unwrap();
    let mut cursor = snapshot.scan_partitions(TERMINATED, b"", None).unwrap();
    let mut values = BTreeSet::new();
    while let Some(entry) = cursor.next().unwrap() {
        values.insert(entry.value.to_vec());
    }
    values
}

/// What one engine acknowledged, another one reads at once.
#[test]
#[ignore = "needs a TiKV cluster: scripts/test-tikv.sh"]
fn an_acknowledged_write_is_read_by_others_at_once() {
    let prefix = Prefix::new();
    let (one, other) = (prefix.open(), prefix.open());
    for n in 0..50_u8 {
        let (writer, reader) = if n % 2 == 0 { (&one, &other) } else { (&other, &one) };
        put(writer, b"key", &[n]);
        assert_eq!(get(reader, b"key"), Some(vec![n]));
        let mut cursor = reader.scan(POINTS, RowRange::all(b"key")).unwrap();
        assert_eq!(cursor.next().unwrap().map(|entry| entry.value.to_vec()), Some(vec![n]));
    }
}

/// A counter kept by swaps of several engines counts every success once.
#[test]
#[ignore = "needs a TiKV cluster: scripts/test-tikv.sh"]
fn swaps_of_several_engines_all_count() {
    const STEPS: u32 = 30;
    let prefix = Prefix::new();
    let engines: Vec<TikvEngine> = (0..3).map(|_| prefix.open()).collect();
    let key = Key::new(b"counter", 7);
    thread::scope(|scope| {
        for engine in &engines {
            scope.spawn(|| {
                for _ in 0..STEPS {
                    loop {
                        let old = get(engine, b"counter");
                        let count = old.as_deref().map_or(0, |bytes| u32::from_be_bytes(bytes.try_into().unwrap()));
                        let new = (count + 1).to_be_bytes();
                        if engine.compare_and_swap(POINTS, key, old.as_deref(), Some(&new)).unwrap() {
                            break;
                        }
                    }
                }
            });
        }
    });
    assert_eq!(get(&engines[0], b"counter"), Some((3 * STEPS).to_be_bytes().to_vec()));
}

/// Rows enough for many pages and, on a cluster with regions split, many regions.
#[test]
#[ignore = "needs a TiKV cluster: scripts/test-tikv.sh"]
fn long_scans_and_large_deletes_reach_over_pages() {
    const ROWS: u32 = 30_000;
    let prefix = Prefix::new();
    let engine = prefix.open();
    for start in (0..ROWS).step_by(5_000) {
        let mut batch = WriteBatch::new();
        for n in start..start + 5_000 {
            let key = [&[1 + n.to_be_bytes()[3] % 200, 0][..], &n.to_be_bytes()].concat();
            batch.put_key(TERMINATED, Key::new(&key, 2), &n.to_be_bytes());
        }
        engine.commit(batch).unwrap();
    }
    let count = |prefix: &[u8]| {
        let mut cursor = engine.scan_partitions(TERMINATED, prefix, None).unwrap();
        let (mut count, mut last) = (0, Vec::new());
        while let Some(entry) = cursor.next().unwrap() {
            assert!(entry.key.as_bytes() > &last[..], "rows are in order, none comes twice");
            last = entry.key.as_bytes().to_vec();
            count += 1;
        }
        count
    };
    assert_eq!(count(b""), ROWS);
    let of_one = count(&[9, 0]);
    engine.delete_prefix(TERMINATED, &[9, 0]).unwrap();
    assert_eq!(count(b""), ROWS - of_one);
    assert_eq!(count(&[9, 0]), 0);
}

/// The first program that opens a prefix makes it its own.
#[test]
#[ignore = "needs a TiKV cluster: scripts/test-tikv.sh"]
fn a_prefix_of_something_else_is_refused() {
    static OTHERS: &[TableSpec] =
        &[TableSpec { name: "strange", partition_len: |key| Some(key.len()), ranged: false, reread: false }];
    let prefix = Prefix::new();
    drop(TikvEngine::open(&options(prefix.name()), OTHERS).unwrap());
    let refused = TikvEngine::open(&options(prefix.name()), TABLES).err();
    assert!(matches!(&refused, Some(KvError::NotAStore { reason, .. }) if reason.contains("strange")), "{refused:?}");
    drop(TikvEngine::open(&options(prefix.name()), OTHERS).unwrap());
}

/// More tables than before are added; fewer are refused.
#[test]
#[ignore = "needs a TiKV cluster: scripts/test-tikv.sh"]
fn tables_can_be_added_and_not_be_taken_away() {
    let prefix = Prefix::new();
    drop(TikvEngine::open(&options(prefix.name()), &TABLES[..2]).unwrap());
    let engine = prefix.open();
    put(&engine, b"key", b"value");
    drop(engine);
    let refused = TikvEngine::open(&options(prefix.name()), &TABLES[..2]).err();
    assert!(matches!(&refused, Some(KvError::NotAStore { reason, .. }) if reason.contains("points")), "{refused:?}");
}

/// Both ways to commit give the same; the slower one is what large batches and clusters without the other use.
#[test]
#[ignore = "needs a TiKV cluster: scripts/test-tikv.sh"]
fn two_phases_are_as_good_as_one() {
    let prefix = Prefix::new();
    drop(prefix.open());
    let two = TikvOptions { one_phase_commit: false, ..options(prefix.name()) };
    let two = TikvEngine::open(&two, TABLES).unwrap();
    let one = prefix.open();
    for n in 0..20_u8 {
        let engine: &dyn Engine = if n % 2 == 0 { &one } else { &two };
        put(engine, b"a", &[n]);
        assert_eq!((get(&one, b"a"), get(&two, b"a")), (Some(vec![n]), Some(vec![n])));
        let swapped =
            engine.compare_and_swap(POINTS, Key::new(b"swapped", 7), get(&one, b"swapped").as_deref(), Some(&[n]));
        assert!(swapped.unwrap());
    }
}
