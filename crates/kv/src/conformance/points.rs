//! Cases: single reads and writes.

use super::{COUNTED, Harness, POINTS, TABLES, TERMINATED, add, all_keys, get, put};
use crate::limits::{BATCH_BYTES_MAX, KEY_BYTES_MAX, VALUE_BYTES_MAX};
use crate::{Key, Keys, KvError, RowRange, TableId, WriteBatch};

/// What was put is read, replaced, removed.
pub fn put_get_overwrite_delete(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    assert_eq!(get(&*engine, TERMINATED, b"p\0", b"row"), None);
    put(&*engine, TERMINATED, b"p\0", b"row", b"one");
    assert_eq!(get(&*engine, TERMINATED, b"p\0", b"row"), Some(b"one".to_vec()));
    put(&*engine, TERMINATED, b"p\0", b"row", b"two");
    assert_eq!(get(&*engine, TERMINATED, b"p\0", b"row"), Some(b"two".to_vec()));
    let mut batch = WriteBatch::new();
    batch.delete_key(TERMINATED, Key::new(b"p\0row", 2));
    batch.delete_key(TERMINATED, Key::new(b"p\0never there", 2));
    engine.commit(batch).expect("deleting what is not there is fine");
    assert_eq!(get(&*engine, TERMINATED, b"p\0", b"row"), None);
    assert!(all_keys(&*engine, TERMINATED).is_empty());
}

/// Writes of one batch to one key apply in order.
pub fn last_write_of_a_batch_wins(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    let mut batch = WriteBatch::new();
    add(&mut batch, TERMINATED, b"z\0", b"1", b"first");
    add(&mut batch, TERMINATED, b"a\0", b"1", b"first");
    batch.delete_key(TERMINATED, Key::new(b"z\x001", 2));
    add(&mut batch, TERMINATED, b"z\0", b"1", b"last");
    add(&mut batch, TERMINATED, b"b\0", b"1", b"first");
    batch.delete_key(TERMINATED, Key::new(b"b\x001", 2));
    add(&mut batch, TERMINATED, b"a\0", b"1", b"last");
    engine.commit(batch).expect("commit");
    assert_eq!(get(&*engine, TERMINATED, b"z\0", b"1"), Some(b"last".to_vec()));
    assert_eq!(get(&*engine, TERMINATED, b"a\0", b"1"), Some(b"last".to_vec()));
    assert_eq!(get(&*engine, TERMINATED, b"b\0", b"1"), None);
}

/// Whatever wrote it, and however much was written with it: a row that was read before is read as it is now.
pub fn rows_read_before_are_read_as_they_are_now(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    let (key, swapped) = (Key::new(b"\x01prow", 2), Key::new(b"\x01sswapped", 2));
    let read_at = |key: Key<'_>, expected: &str| {
        for _ in 0..3 {
            let found = get(&*engine, COUNTED, key.partition(), key.row()).map(String::from_utf8);
            assert_eq!(found.transpose().expect("text").as_deref(), Some(expected).filter(|text| !text.is_empty()));
        }
    };
    let read = |expected: &str| read_at(key, expected);
    let row = |value: &str| {
        let mut batch = WriteBatch::new();
        batch.put_key(COUNTED, key, value.as_bytes());
        batch
    };
    read("");
    engine.commit(row("committed")).expect("commit");
    read("committed");
    engine.submit(row("submitted")).wait().expect("submit");
    read("submitted");
    let mut many = row("one of many");
    for n in 0..2_000_u32 {
        add(&mut many, COUNTED, b"\x01p", &n.to_be_bytes(), &[7; 20]);
    }
    engine.commit(many).expect("commit");
    read("one of many");
    for (expected, new) in [(None, Some("one")), (Some("one"), Some("two")), (Some("two"), None)] {
        let swap = |to: Option<&str>| {
            engine.compare_and_swap(COUNTED, swapped, expected.map(str::as_bytes), to.map(str::as_bytes)).expect("swap")
        };
        read_at(swapped, expected.unwrap_or_default());
        assert!(swap(new));
        read_at(swapped, new.unwrap_or_default());
        assert!(!swap(Some("too late")));
        read_at(swapped, new.unwrap_or_default());
    }
    if engine.capabilities().sorted_ingest {
        let mut writer = engine.sorted_writer(COUNTED).expect("writer");
        writer.put(key, b"ingested").expect("put");
        engine.ingest(vec![writer.finish().expect("finish")]).expect("ingest");
        read("ingested");
    }
    engine.compact(COUNTED, b"\x01").expect("compact");
    let mut batch = WriteBatch::new();
    batch.delete_key(COUNTED, key);
    engine.commit(batch).expect("commit");
    read("");
    engine.commit(row(&"long ".repeat(2_000))).expect("commit");
    read(&"long ".repeat(2_000));
    engine.commit(row("short")).expect("commit");
    read("short");
    engine.delete_prefix(COUNTED, b"\x01p").expect("delete");
    read("");
}

/// An empty value is a value, an empty row is a row.
pub fn empty_values_and_empty_rows(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    put(&*engine, TERMINATED, b"p\0", b"", b"");
    put(&*engine, TERMINATED, b"p\0", b"r", b"");
    assert_eq!(get(&*engine, TERMINATED, b"p\0", b""), Some(Vec::new()));
    assert_eq!(get(&*engine, TERMINATED, b"p\0", b"r"), Some(Vec::new()));
    assert_eq!(get(&*engine, TERMINATED, b"p\0", b"q"), None);
    let rows = super::drain(engine.scan(TERMINATED, RowRange::all(b"p\0")).expect("scan"));
    assert_eq!(rows, [(b"p\0".to_vec(), vec![], vec![]), (b"p\0".to_vec(), b"r".to_vec(), vec![])]);
}

/// The same key in two tables is two keys.
pub fn tables_are_apart(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    let mut batch = WriteBatch::new();
    add(&mut batch, TERMINATED, b"\x01x\0", b"", b"terminated");
    add(&mut batch, COUNTED, b"\x01x", b"\0", b"counted");
    add(&mut batch, POINTS, b"\x01x\0", b"", b"points");
    engine.commit(batch).expect("commit");
    assert_eq!(get(&*engine, TERMINATED, b"\x01x\0", b""), Some(b"terminated".to_vec()));
    assert_eq!(get(&*engine, COUNTED, b"\x01x", b"\0"), Some(b"counted".to_vec()));
    assert_eq!(get(&*engine, POINTS, b"\x01x\0", b""), Some(b"points".to_vec()));
    engine.delete_prefix(COUNTED, b"\x01x").expect("delete");
    assert_eq!(get(&*engine, COUNTED, b"\x01x", b"\0"), None);
    assert_eq!(all_keys(&*engine, TERMINATED).len(), 1);
    assert_eq!(all_keys(&*engine, POINTS).len(), 1);
}

fn keys_of(rows: &[&[u8]]) -> Keys {
    let mut keys = Keys::new();
    for row in rows {
        keys.push(|b| b.extend_from_slice(b"p\0"), |b| b.extend_from_slice(row));
    }
    keys
}

/// Answers come once for each key, in the order asked, duplicates and missing ones included.
pub fn multi_get_keeps_order(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    put(&*engine, TERMINATED, b"p\0", b"a", b"A");
    put(&*engine, TERMINATED, b"p\0", b"c", b"");
    let snapshot = engine.snapshot().expect("snapshot");
    for read in [&*engine as &dyn crate::Read, &*snapshot] {
        let ask = |rows: &[&[u8]]| {
            let mut answers = Vec::new();
            read.multi_get(TERMINATED, &keys_of(rows), &mut |index, value| {
                answers.push((index, value.map(<[u8]>::to_vec)));
            })
            .expect("multi_get");
            answers
        };
        let (a, c) = (Some(b"A".to_vec()), Some(Vec::new()));
        assert_eq!(
            ask(&[b"c", b"b", b"a", b"c", b"a"]),
            [(0, c.clone()), (1, None), (2, a.clone()), (3, c.clone()), (4, a.clone())]
        );
        assert_eq!(ask(&[b"a", b"a", b"b", b"c"]), [(0, a.clone()), (1, a.clone()), (2, None), (3, c)]);
        assert_eq!(ask(&[b"a"]), [(0, a)]);
        assert_eq!(ask(&[]), []);
    }
}

/// Ten thousand keys at once, every third of them missing.
pub fn multi_get_of_many_keys(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    let name = |n: u32| n.wrapping_mul(2_654_435_761).to_be_bytes();
    let mut batch = WriteBatch::new();
    for n in (0..10_000).filter(|n| n % 3 != 0) {
        add(&mut batch, POINTS, &name(n), b"", &n.to_be_bytes());
    }
    engine.commit(batch).expect("commit");
    let mut keys = Keys::new();
    for n in 0..10_000 {
        keys.push(|b| b.extend_from_slice(&name(n)), |_| ());
    }
    let mut next = 0;
    engine
        .multi_get(POINTS, &keys, &mut |index, value| {
            assert_eq!(index, next);
            let n = u32::try_from(index).expect("small");
            assert_eq!(value, (n % 3 != 0).then_some(&n.to_be_bytes()[..]), "key {n}");
            next += 1;
        })
        .expect("multi_get");
    assert_eq!(next, 10_000);
}

/// A value of 1 MiB among small ones, by every way of reading.
pub fn large_values(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    let large: Vec<u8> = (0..1 << 20).map(|n: u32| n.to_be_bytes()[2] ^ n.to_be_bytes()[3]).collect();
    put(&*engine, TERMINATED, b"p\0", b"a", b"small");
    put(&*engine, TERMINATED, b"p\0", b"b", &large);
    put(&*engine, TERMINATED, b"p\0", b"c", b"small");
    assert_eq!(get(&*engine, TERMINATED, b"p\0", b"b").as_ref(), Some(&large));
    let rows = super::drain(engine.scan(TERMINATED, RowRange::all(b"p\0")).expect("scan"));
    assert_eq!(rows.iter().map(|row| row.2.len()).collect::<Vec<_>>(), [5, 1 << 20, 5]);
    assert!(rows[1].2 == large, "the scan returns the same bytes");
    let mut seen = 0;
    engine
        .multi_get(TERMINATED, &keys_of(&[b"c", b"b"]), &mut |index, value| {
            seen += usize::from((index == 1) == (value == Some(&large[..])));
        })
        .expect("multi_get");
    assert_eq!(seen, 2);
}

/// What exceeds the limits is refused by name, and nothing of its batch is written.
pub fn limits_are_enforced(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    let submit = |key: usize, value: usize, times: u8| {
        let mut batch = WriteBatch::new();
        add(&mut batch, POINTS, b"innocent", b"", b"");
        for n in 0..times {
            add(&mut batch, POINTS, &vec![n; key], b"", &vec![7; value]);
        }
        engine.commit(batch)
    };
    assert!(matches!(submit(KEY_BYTES_MAX + 1, 1, 1), Err(KvError::KeyTooLong { table: "points", .. })));
    assert!(matches!(submit(1, VALUE_BYTES_MAX + 1, 1), Err(KvError::ValueTooLong { table: "points", .. })));
    assert!(matches!(submit(1, BATCH_BYTES_MAX / 4, 4), Err(KvError::BatchTooLarge { .. })));
    assert!(all_keys(&*engine, POINTS).is_empty());
    submit(KEY_BYTES_MAX, 1, 1).expect("the longest key is allowed");
    assert_eq!(all_keys(&*engine, POINTS).len(), 2);
}

/// A batch without writes succeeds.
pub fn an_empty_batch_is_written(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    engine.commit(WriteBatch::new()).expect("commit");
    engine.sync().expect("sync");
}

/// A table the engine was not opened with is an error everywhere, never a crash.
pub fn unknown_tables_are_refused(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    let none = TableId(u8::try_from(TABLES.len()).expect("few tables"));
    let mut batch = WriteBatch::new();
    add(&mut batch, POINTS, b"innocent", b"", b"");
    add(&mut batch, none, b"p", b"", b"");
    assert!(matches!(engine.commit(batch), Err(KvError::UnknownTable { index: 3, tables: 3 })));
    assert!(all_keys(&*engine, POINTS).is_empty());
    assert!(engine.get(none, Key::new(b"p", 1), &mut |_| ()).is_err());
    assert!(engine.multi_get(none, &keys_of(&[b"a", b"b"]), &mut |_, _| ()).is_err());
    assert!(engine.scan(none, RowRange::all(b"p")).is_err());
    assert!(engine.scan_partitions(none, b"", None).is_err());
    assert!(engine.delete_prefix(none, b"p").is_err());
}

/// A persistent engine has everything after reopening, deletions included.
pub fn reopening_keeps_everything(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    if !engine.capabilities().persistent {
        return;
    }
    for n in 0..100_u8 {
        put(&*engine, TERMINATED, b"p\0", &[n], &[n]);
        put(&*engine, COUNTED, &[1, n], b"row", b"");
    }
    let mut batch = WriteBatch::new();
    batch.delete_key(TERMINATED, Key::new(b"p\0\x07", 2));
    drop(engine.submit(batch));
    engine.delete_prefix(COUNTED, &[1, 50]).expect("delete");
    drop(engine);
    for _ in 0..2 {
        let engine = harness.reopen();
        let rows = super::drain(engine.scan(TERMINATED, RowRange::all(b"p\0")).expect("scan"));
        assert_eq!(rows.len(), 99);
        assert!(rows.iter().all(|(_, row, value)| row == value && row != &[7]));
        assert_eq!(all_keys(&*engine, COUNTED).len(), 99);
        assert_eq!(get(&*engine, COUNTED, &[1, 50], b"row"), None);
        put(&*engine, COUNTED, &[1, 51], b"row", b"");
    }
}

/// There are figures, each with a name fit for metrics and an explanation.
pub fn statistics_say_something(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    put(&*engine, TERMINATED, b"p\0", b"", b"value");
    for statistics in [engine.statistics(), engine.memory()] {
        assert!(!statistics.is_empty());
        let mut names: Vec<&str> = statistics.iter().map(|statistic| statistic.name).collect();
        for statistic in &statistics {
            assert!(statistic.name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'));
            assert!(!statistic.help.is_empty() && statistic.value.is_finite() && statistic.value >= 0.0);
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), statistics.len(), "names are unique");
    }
    assert!(engine.memory().iter().map(|part| part.value).sum::<f64>() > 0.0, "what was written takes memory");
    assert!(!engine.name().is_empty());
}
