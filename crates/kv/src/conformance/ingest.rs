//! Cases: sorted rows that are brought in without the write path.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{COUNTED, Harness, POINTS, TERMINATED, all_keys, drain, get, put};
use crate::limits::{KEY_BYTES_MAX, VALUE_BYTES_MAX};
use crate::{Engine, Key, KvError, RowRange, SortedRows, SortedWriter, TableId};

/// An engine with sorted ingest; where there is none, both calls must say so.
fn ingesting(harness: &mut dyn Harness) -> Option<Box<dyn Engine>> {
    let engine = harness.fresh();
    if engine.capabilities().sorted_ingest {
        return Some(engine);
    }
    assert!(matches!(engine.sorted_writer(POINTS).err(), Some(KvError::Unsupported { .. })));
    assert!(matches!(engine.ingest(Vec::new()), Err(KvError::Unsupported { .. })));
    None
}

fn name(n: u32) -> [u8; 5] {
    let [a, b, c, d] = n.to_be_bytes();
    [4, a, b, c, d]
}

fn write(writer: &mut dyn SortedWriter, n: u32, value: &[u8]) -> Result<(), KvError> {
    writer.put(Key::new(&[&name(n)[..], b"row"].concat(), 5), value)
}

/// Rows of COUNTED, one in each partition of `numbers`.
fn rows(engine: &dyn Engine, numbers: std::ops::Range<u32>, value: &[u8]) -> SortedRows {
    let mut writer = engine.sorted_writer(COUNTED).expect("writer");
    for n in numbers {
        write(&mut *writer, n, value).expect("put");
    }
    writer.finish().expect("finish")
}

/// Ingested rows are found by get and by scans, with their bounds, next to rows written before.
pub fn sorted_rows_are_read_like_written_ones(harness: &mut dyn Harness) {
    let Some(engine) = ingesting(harness) else { return };
    put(&*engine, COUNTED, &name(5), b"a written row", b"w");
    put(&*engine, COUNTED, &name(5), b"z", b"w");
    let mut writer = engine.sorted_writer(COUNTED).expect("writer");
    for n in 0..3_000_u32 {
        for row in [&b""[..], b"row"] {
            writer.put(Key::new(&[&name(n)[..], row].concat(), 5), &n.to_be_bytes()).expect("put");
        }
    }
    let rows = writer.finish().expect("finish");
    assert_eq!((rows.table(), rows.extent().rows), (COUNTED, 6_000));
    assert_eq!(rows.extent().bytes, 3_000 * (5 + 8 + 2 * 4));
    engine.ingest(vec![rows]).expect("ingest");
    for n in [0, 1, 5, 2_999] {
        assert_eq!(get(&*engine, COUNTED, &name(n), b"row"), Some(n.to_be_bytes().to_vec()));
    }
    assert_eq!(get(&*engine, COUNTED, &name(3_000), b"row"), None);
    let found = drain(engine.scan(COUNTED, RowRange::all(&name(5))).expect("scan"));
    let found: Vec<&[u8]> = found.iter().map(|(_, row, _)| row.as_slice()).collect();
    assert_eq!(found, [&b""[..], b"a written row", b"row", b"z"]);
    assert_eq!(all_keys(&*engine, COUNTED).len(), 6_002);
    engine.delete_prefix(COUNTED, &name(7)).expect("delete");
    assert_eq!(get(&*engine, COUNTED, &name(7), b"row"), None);
    assert_eq!(all_keys(&*engine, COUNTED).len(), 6_000);
}

/// The last one wins, whichever way it came.
pub fn ingested_rows_replace_and_are_replaced(harness: &mut dyn Harness) {
    let Some(engine) = ingesting(harness) else { return };
    put(&*engine, COUNTED, &name(1), b"row", b"written");
    engine.ingest(vec![rows(&*engine, 0..4, b"ingested")]).expect("ingest");
    assert_eq!(get(&*engine, COUNTED, &name(1), b"row"), Some(b"ingested".to_vec()));
    put(&*engine, COUNTED, &name(2), b"row", b"written");
    assert_eq!(get(&*engine, COUNTED, &name(2), b"row"), Some(b"written".to_vec()));
    engine.ingest(vec![rows(&*engine, 2..6, b"")]).expect("ingest");
    assert_eq!(get(&*engine, COUNTED, &name(2), b"row"), Some(Vec::new()));
    assert_eq!(get(&*engine, COUNTED, &name(1), b"row"), Some(b"ingested".to_vec()));
    engine.delete_prefix(COUNTED, &name(3)).expect("delete");
    engine.ingest(vec![rows(&*engine, 3..4, b"again")]).expect("ingest");
    assert_eq!(get(&*engine, COUNTED, &name(3), b"row"), Some(b"again".to_vec()));
    assert_eq!(all_keys(&*engine, COUNTED).len(), 6);
}

/// Writers in several threads, of several tables; empty ones do no harm.
pub fn rows_of_several_writers_join(harness: &mut dyn Harness) {
    let Some(engine) = ingesting(harness) else { return };
    let engine = &*engine;
    let mut all = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..4_u32).map(|t| scope.spawn(move || rows(engine, t * 1_000..(t + 1) * 1_000, b"v"))).collect();
        threads.into_iter().map(|thread| thread.join().expect("thread")).collect::<Vec<_>>()
    });
    all.push(engine.sorted_writer(COUNTED).expect("writer").finish().expect("no rows are fine"));
    let mut points = engine.sorted_writer(POINTS).expect("writer");
    points.put(Key::new(b"a point", 7), b"p").expect("put");
    all.insert(2, points.finish().expect("finish"));
    engine.ingest(all).expect("ingest");
    engine.ingest(Vec::new()).expect("nothing is fine");
    assert_eq!(all_keys(engine, COUNTED).len(), 4_000);
    assert_eq!(get(engine, POINTS, b"a point", b""), Some(b"p".to_vec()));
}

/// Keys out of order, limits, unknown tables; what was refused leaves nothing.
pub fn what_is_not_sorted_is_refused(harness: &mut dyn Harness) {
    let Some(engine) = ingesting(harness) else { return };
    assert!(matches!(engine.sorted_writer(TableId(3)).err(), Some(KvError::UnknownTable { index: 3, .. })));
    for second in [1, 2] {
        let mut writer = engine.sorted_writer(COUNTED).expect("writer");
        write(&mut *writer, 2, b"").expect("the first");
        let refused = write(&mut *writer, second, b"");
        assert!(matches!(refused, Err(KvError::OutOfOrder { table: "counted", row: 1 })), "{refused:?}");
    }
    let mut writer = engine.sorted_writer(POINTS).expect("writer");
    let long = vec![1; KEY_BYTES_MAX + 1];
    assert!(matches!(writer.put(Key::new(&long, 9), b""), Err(KvError::KeyTooLong { table: "points", .. })));
    let mut writer = engine.sorted_writer(POINTS).expect("writer");
    let large = vec![1; VALUE_BYTES_MAX + 1];
    assert!(matches!(writer.put(Key::new(b"k", 1), &large), Err(KvError::ValueTooLong { table: "points", .. })));
    for (first, second) in [(0..5, 4..6), (3..5, 0..2)] {
        let refused = engine.ingest(vec![rows(&*engine, first, b"1"), rows(&*engine, second, b"2")]);
        assert!(matches!(refused, Err(KvError::OutOfOrder { table: "counted", .. })), "{refused:?}");
    }
    assert!(all_keys(&*engine, COUNTED).is_empty() && all_keys(&*engine, POINTS).is_empty());
}

/// Neither writing nor finishing shows anything, nor do rows that were dropped come back.
pub fn rows_are_seen_only_after_the_ingest(harness: &mut dyn Harness) {
    let Some(engine) = ingesting(harness) else { return };
    let kept = rows(&*engine, 0..10, b"kept");
    drop(rows(&*engine, 5..15, b"dropped"));
    drop(engine.sorted_writer(COUNTED).expect("writer"));
    assert!(all_keys(&*engine, COUNTED).is_empty());
    let snapshot = engine.snapshot().expect("snapshot");
    engine.ingest(vec![kept]).expect("ingest");
    assert_eq!(all_keys(&*engine, COUNTED).len(), 10);
    if engine.capabilities().snapshot_reads {
        assert!(all_keys(&*snapshot, COUNTED).is_empty(), "a snapshot from before shows nothing");
    }
}

/// What was ingested is there after reopening; what was not is gone, and its room can be used again.
pub fn ingested_rows_survive_a_restart(harness: &mut dyn Harness) {
    let Some(engine) = ingesting(harness) else { return };
    if !engine.capabilities().persistent {
        return;
    }
    put(&*engine, COUNTED, &name(100), b"row", b"written");
    engine.ingest(vec![rows(&*engine, 0..100, b"v")]).expect("ingest");
    // As after a crash: nobody cleans up after this one.
    std::mem::forget(rows(&*engine, 200..300, b"never"));
    drop(engine);
    let engine = harness.reopen();
    assert_eq!(all_keys(&*engine, COUNTED).len(), 101);
    engine.ingest(vec![rows(&*engine, 200..210, b"later")]).expect("ingest");
    drop(engine);
    let engine = harness.reopen();
    assert_eq!(all_keys(&*engine, COUNTED).len(), 111);
    assert_eq!(get(&*engine, COUNTED, &name(205), b"row"), Some(b"later".to_vec()));
}

/// A reader sees all rows of a table or none, whatever the number of writers they came from.
pub fn ingest_is_seen_whole(harness: &mut dyn Harness) {
    let Some(engine) = ingesting(harness) else { return };
    let engine = &*engine;
    let parts: Vec<SortedRows> = (0..4).map(|part| rows(engine, part * 500..(part + 1) * 500, b"v")).collect();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut looks = 0;
            while !done.load(Ordering::Acquire) || looks == 0 {
                let seen = all_keys(engine, COUNTED).len();
                assert!(seen == 0 || seen == 2_000, "{seen} rows");
                looks += 1;
            }
        });
        put(engine, TERMINATED, b"p\0", b"", b"");
        engine.ingest(parts).expect("ingest");
        done.store(true, Ordering::Release);
        reader.join().expect("reader");
    });
    assert_eq!(all_keys(engine, COUNTED).len(), 2_000);
}
