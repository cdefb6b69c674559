//! What this engine promises beyond the interface: groups, repair of interrupted writes, clear errors.

use std::time::{Duration, Instant};

use kv::conformance::{COUNTED, POINTS, TABLES, TERMINATED};
use kv::{Engine, Key, KvError, Read, WriteBatch};
use kv_cassandra::{CassandraEngine, CassandraOptions, Credentials};

use crate::support::{Store, cql, options};

fn value(engine: &dyn Read, table: kv::TableId, key: &[u8], partition: usize) -> Option<Vec<u8>> {
    let mut found = None;
    engine.get(table, Key::new(key, partition), &mut |value| found = Some(value.to_vec())).unwrap();
    found
}

fn figure(engine: &dyn Engine, name: &str) -> f64 {
    engine.statistics().into_iter().find(|figure| figure.name == name).unwrap().value
}

fn message(error: &KvError) -> String {
    error.to_string()
}

/// What opening says, and that it does not take much longer than the time given for it.
fn refusal(options: &CassandraOptions) -> KvError {
    let started = Instant::now();
    let error = CassandraEngine::open(options, TABLES).err().expect("opened");
    assert!(started.elapsed() < options.connect_timeout * 3, "it took {:?}", started.elapsed());
    error
}

#[test]
fn an_interrupted_write_is_finished_at_the_next_start() {
    let store = Store::take();
    let engine = store.fresh();
    let mut batch = WriteBatch::new();
    batch.put_key(POINTS, Key::new(b"deleted", 7), b"by the intent");
    batch.put_key(POINTS, Key::new(b"replaced", 8), b"before");
    engine.commit(batch).unwrap();

    let mut interrupted = WriteBatch::new();
    for n in 0..3_000_u16 {
        interrupted.put_key(TERMINATED, Key::new(&[&b"p\0"[..], &n.to_be_bytes()].concat(), 2), &[7; 1_000]);
    }
    interrupted.put_key(COUNTED, Key::new(b"\x01xrow", 2), b"");
    interrupted.put_key(POINTS, Key::new(b"replaced", 8), b"by the intent");
    interrupted.delete_key(POINTS, Key::new(b"deleted", 7));
    engine.leave_intent(&interrupted).unwrap();
    let mut later = WriteBatch::new();
    later.put_key(POINTS, Key::new(b"replaced", 8), b"after");
    engine.commit(later).unwrap();
    assert_eq!(value(&engine, COUNTED, b"\x01xrow", 2), None, "nothing is done yet");
    drop(engine);

    for repaired in [1.0, 0.0] {
        let engine = store.open();
        assert_eq!(figure(&engine, "intents_repaired_total"), repaired);
        assert_eq!(value(&engine, COUNTED, b"\x01xrow", 2), Some(Vec::new()));
        assert_eq!(value(&engine, POINTS, b"deleted", 7), None);
        assert_eq!(value(&engine, POINTS, b"replaced", 8).as_deref(), Some(&b"after"[..]), "the later write stays");
        let mut rows = 0;
        let mut cursor = engine.scan(TERMINATED, kv::RowRange::all(b"p\0")).unwrap();
        while let Some(entry) = cursor.next().unwrap() {
            assert_eq!(entry.value, [7; 1_000]);
            rows += 1;
        }
        assert_eq!(rows, 3_000);
    }
}

#[test]
fn an_incomplete_intent_of_a_dead_writer_is_dropped() {
    let store = Store::take();
    drop(store.fresh());
    // One part of two, long ago.
    cql("INSERT INTO kv_tests.kv_intents (id, part, parts, ts, body) VALUES (0xAB, 0, 2, 1000, 0x00)");
    let engine = store.open();
    assert_eq!(figure(&engine, "intents_repaired_total"), 0.0);
    drop(engine);
    assert_eq!(crate::support::count("kv_tests.kv_intents"), 0);
}

#[test]
fn groups_choose_how_they_are_written() {
    let store = Store::take();
    let engine = store.fresh();
    let written = || {
        ["single_writes_total", "partition_batches_total", "logged_batches_total", "intents_written_total"]
            .map(|name| figure(&engine, name))
    };
    let mut batch = WriteBatch::new();
    batch.put_key(POINTS, Key::new(b"a", 1), b"");
    engine.commit(batch).unwrap();
    assert_eq!(written(), [1.0, 0.0, 0.0, 0.0]);
    let mut batch = WriteBatch::new();
    batch.put_key(TERMINATED, Key::new(b"p\x001", 2), b"");
    batch.put_key(TERMINATED, Key::new(b"p\x002", 2), b"");
    engine.commit(batch).unwrap();
    assert_eq!(written(), [1.0, 1.0, 0.0, 0.0]);
    let mut batch = WriteBatch::new();
    for n in 0..500_u16 {
        let key = n.to_be_bytes();
        batch.put_key(TERMINATED, Key::new(&[1, key[0] + 1, key[1].max(1), 0], 4), &[1; 40]);
        batch.put_key(POINTS, Key::new(&key, 2), &[1; 40]);
        batch.end_group();
    }
    engine.commit(batch).unwrap();
    let [single, partition, logged, intents] = written();
    assert_eq!((single, partition, intents), (1.0, 1.0, 0.0));
    assert!((2.0..10.0).contains(&logged), "{logged} logged batches");
    let mut batch = WriteBatch::new();
    batch.put_key(POINTS, Key::new(b"large 1", 7), &[1; 100_000]);
    batch.put_key(POINTS, Key::new(b"large 2", 7), &[2; 3_000_000]);
    engine.commit(batch).unwrap();
    assert_eq!(written()[3], 1.0);
    assert_eq!(value(&engine, POINTS, b"large 1", 7), Some(vec![1; 100_000]));
    assert_eq!(value(&engine, POINTS, b"large 2", 7), Some(vec![2; 3_000_000]));
    assert_eq!(crate::support::count("kv_tests.kv_intents"), 0);
}

#[test]
fn the_largest_value_is_written_and_a_larger_one_refused() {
    let store = Store::take();
    let engine = store.fresh();
    let put = |bytes: usize| {
        let mut batch = WriteBatch::new();
        batch.put_key(POINTS, Key::new(b"k", 1), &vec![3; bytes]);
        engine.commit(batch)
    };
    let limit = kv_cassandra::limits::VALUE_BYTES_MAX;
    put(limit).unwrap();
    assert_eq!(value(&engine, POINTS, b"k", 1).map(|value| value.len()), Some(limit));
    assert!(matches!(put(limit + 1), Err(KvError::ValueTooLong { limit_bytes, .. }) if limit_bytes == limit));
}

#[test]
fn a_wrong_address_is_told_in_time() {
    // One that refuses, one that never answers.
    for point in ["127.0.0.1:1", "192.0.2.1:9042", "no-such-host.invalid:9042"] {
        let options = CassandraOptions {
            contact_points: vec![point.to_owned()],
            connect_timeout: Duration::from_secs(5),
            ..CassandraOptions::default()
        };
        let error = refusal(&options);
        assert!(matches!(error, KvError::Unavailable { .. }), "{error}");
        assert!(message(&error).contains(point), "{error}");
    }
}

#[test]
fn a_keyspace_that_cannot_be_is_told() {
    let _turn = Store::take();
    let error = refusal(&CassandraOptions { keyspace: "kv_too_many".to_owned(), replication_factor: 7, ..options() });
    assert!(message(&error).contains("kv_too_many is to have 7 replicas"), "{error}");
    let error = refusal(&CassandraOptions { local_datacenter: Some("atlantis".to_owned()), ..options() });
    assert!(message(&error).contains("no datacenter 'atlantis'; it has: datacenter1"), "{error}");
    let error = refusal(&CassandraOptions { keyspace: "system_traces".to_owned(), ..options() });
    assert!(matches!(error, KvError::NotAStore { .. }) || message(&error).contains("replicas"), "{error}");
    let error = refusal(&CassandraOptions { keyspace: "No Name".to_owned(), ..options() });
    assert!(message(&error).contains("'No Name' is not a valid keyspace name"), "{error}");
}

#[test]
fn a_password_nobody_asked_for_does_no_harm() {
    let _turn = Store::take();
    let credentials = Some(Credentials { user: "u".to_owned(), password: "p".to_owned() });
    CassandraEngine::open(&CassandraOptions { credentials, ..options() }, TABLES).unwrap();
}

#[test]
fn other_formats_and_other_tables_are_refused() {
    let store = Store::take();
    drop(store.fresh());
    cql("UPDATE kv_tests.kv_settings SET value = textAsBlob('2') WHERE key = 'format'");
    let error = refusal(&options());
    cql("UPDATE kv_tests.kv_settings SET value = textAsBlob('1') WHERE key = 'format'");
    assert!(matches!(error, KvError::NotAStore { .. }), "{error}");
    assert!(message(&error).contains("its format is 2, this program knows 1"), "{error}");
    drop(store.open());
}

#[test]
fn a_large_table_is_read_by_ranges_of_tokens() {
    const ALL: usize = 5_000 + 3_000;
    let store = Store::take();
    let engine = store.fresh();
    let mut batch = WriteBatch::new();
    for n in 0..5_000_u32 {
        let key = format!("small {n}\0");
        batch.put_key(TERMINATED, Key::new(key.as_bytes(), key.len()), &[5; 200]);
        batch.end_group();
        if n < 3_000 {
            let key = format!("large\0{n:04}");
            batch.put_key(TERMINATED, Key::new(key.as_bytes(), 6), &[6; 200]);
        }
    }
    engine.commit(batch).unwrap();

    let read = |engine: &CassandraEngine, prefix: &[u8], after: Option<&(Vec<u8>, usize)>| {
        let after = after.map(|(key, partition)| Key::new(key, *partition));
        let mut cursor = engine.scan_partitions(TERMINATED, prefix, after).unwrap();
        let mut rows: Vec<(Vec<u8>, usize)> = Vec::new();
        while let Some(entry) = cursor.next().unwrap() {
            rows.push((entry.key.as_bytes().to_vec(), entry.key.partition().len()));
        }
        rows
    };
    let rows = read(&engine, b"", None);
    assert_eq!(rows.len(), ALL);
    let mut sorted = rows.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!(sorted.len(), ALL, "no row comes twice");

    // Another server continues where this one stopped.
    let other = store.open();
    let large = rows.iter().position(|(_, partition)| *partition == 6).unwrap();
    for at in [0, 1, 98, 99, 100, large, large + 1_500, large + 2_999, ALL / 2, ALL - 2, ALL - 1] {
        let at = at.min(ALL - 1);
        assert_eq!(read(&other, b"", rows.get(at)), rows[at + 1..], "after row {at}");
    }
    let small: Vec<_> = rows.iter().filter(|(key, _)| key.starts_with(b"small 1")).cloned().collect();
    assert_eq!(read(&other, b"small 1", None), small);

    // What is held does not grow with the table, and nothing stays.
    let held = || {
        let memory = engine.memory();
        memory.into_iter().find(|part| part.name == "pages_bytes").unwrap().value
    };
    let page = kv_cassandra::limits::PAGE_BYTES * (kv_cassandra::limits::RANGES_AHEAD + 1) * 2;
    let mut cursor = engine.scan_partitions(TERMINATED, b"", None).unwrap();
    while cursor.next().unwrap().is_some() {
        assert!(held() <= page as f64, "{} bytes", held());
    }
    drop(cursor);
    assert_eq!(held(), 0.0);

    engine.delete_prefix(TERMINATED, b"small").unwrap();
    assert_eq!(read(&other, b"", None).len(), 3_000);
}
