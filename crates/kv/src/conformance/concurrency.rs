//! Cases: several threads, several moments.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

use super::{COUNTED, Harness, POINTS, TERMINATED, add, all_keys, drain, get, put};
use crate::{Engine, Key, Keys, RowRange, WriteBatch};

/// A snapshot shows the moment it was taken, by every way of reading.
pub fn snapshots_do_not_move(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    if !engine.capabilities().snapshot_reads {
        return;
    }
    put(&*engine, TERMINATED, b"p\0", b"kept", b"old");
    put(&*engine, TERMINATED, b"p\0", b"deleted", b"old");
    let snapshot = engine.snapshot().expect("snapshot");
    let mut batch = WriteBatch::new();
    add(&mut batch, TERMINATED, b"p\0", b"kept", b"new");
    add(&mut batch, TERMINATED, b"p\0", b"added", b"new");
    batch.delete_key(TERMINATED, Key::new(b"p\0deleted", 2));
    engine.commit(batch).expect("commit");
    engine.delete_prefix(TERMINATED, b"p").expect("delete");

    assert_eq!(get(&*snapshot, TERMINATED, b"p\0", b"kept"), Some(b"old".to_vec()));
    assert_eq!(get(&*snapshot, TERMINATED, b"p\0", b"added"), None);
    let rows = drain(snapshot.scan(TERMINATED, RowRange::all(b"p\0")).expect("scan"));
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|(_, _, value)| value == b"old"));
    assert_eq!(all_keys(&*snapshot, TERMINATED), [b"p\0deleted".to_vec(), b"p\0kept".to_vec()]);
    let mut keys = Keys::new();
    for row in [&b"deleted"[..], b"added", b"kept"] {
        keys.push(|b| b.extend_from_slice(b"p\0"), |b| b.extend_from_slice(row));
    }
    let mut found = Vec::new();
    snapshot.multi_get(TERMINATED, &keys, &mut |_, value| found.push(value.is_some())).expect("multi_get");
    assert_eq!(found, [true, false, true]);
    assert!(all_keys(&*engine, TERMINATED).is_empty());
}

/// A running scan does not see later writes.
pub fn scans_do_not_see_later_writes(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    if !engine.capabilities().snapshot_reads {
        return;
    }
    for n in 0..200_u8 {
        put(&*engine, TERMINATED, b"p\0", &[n], b"old");
    }
    let mut of_partition = engine.scan(TERMINATED, RowRange::all(b"p\0")).expect("scan");
    let mut of_table = engine.scan_partitions(TERMINATED, b"", None).expect("scan");
    for cursor in [&mut of_partition, &mut of_table] {
        assert!(cursor.next().expect("next").is_some());
    }
    for n in 0..=u8::MAX {
        put(&*engine, TERMINATED, b"p\0", &[n], b"new");
        put(&*engine, TERMINATED, b"p\0", &[n, 1], b"new");
    }
    for mut cursor in [of_partition, of_table] {
        let mut rows = 1;
        while let Some(entry) = cursor.next().expect("next") {
            assert_eq!(entry.value, b"old");
            rows += 1;
        }
        assert_eq!(rows, 200);
    }
}

/// Readers see all of a batch or nothing of it, over partitions and tables.
pub fn batches_are_seen_whole(harness: &mut dyn Harness) {
    const PARTS: u8 = 20;
    let engine = harness.fresh();
    let capabilities = engine.capabilities();
    if !(capabilities.snapshot_reads && capabilities.atomic_across_partitions) {
        return;
    }
    let write = |version: u32| {
        let mut batch = WriteBatch::new();
        for part in 0..PARTS {
            add(&mut batch, TERMINATED, &[part + 1, 0], b"", &version.to_be_bytes());
            add(&mut batch, COUNTED, &[1, part], b"", &version.to_be_bytes());
        }
        engine.commit(batch).expect("commit");
    };
    write(0);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut last = Vec::new();
                while !done.load(Ordering::Acquire) {
                    let snapshot = engine.snapshot().expect("snapshot");
                    let mut versions: Vec<Vec<u8>> = [TERMINATED, COUNTED]
                        .into_iter()
                        .flat_map(|table| drain(snapshot.scan_partitions(table, b"", None).expect("scan")))
                        .map(|(_, _, value)| value)
                        .collect();
                    assert_eq!(versions.len(), 2 * usize::from(PARTS));
                    versions.dedup();
                    assert_eq!(versions.len(), 1, "half of a batch was visible: {versions:?}");
                    assert!(last <= versions[0], "time went backwards");
                    last = versions.swap_remove(0);
                }
            });
        }
        for version in 1..300 {
            write(version);
        }
        done.store(true, Ordering::Release);
    });
}

/// Writers in several threads, small batches and large ones: everything acknowledged is there.
pub fn concurrent_writers_lose_nothing(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    thread::scope(|scope| {
        for writer in 0..4_u8 {
            let engine = &engine;
            scope.spawn(move || {
                let mut pending = Vec::new();
                for n in 0..250_u16 {
                    let size = if n % 50 == 0 { 20_000 } else { 10 };
                    let mut batch = WriteBatch::new();
                    for part in 0..4 {
                        add(
                            &mut batch,
                            POINTS,
                            &[writer, n.to_be_bytes()[0], n.to_be_bytes()[1], part],
                            b"",
                            &vec![writer; size],
                        );
                    }
                    pending.push(engine.submit(batch));
                    if n % 3 == 0 {
                        pending.drain(..).for_each(|commit| commit.wait().expect("commit"));
                    }
                }
                pending.drain(..).for_each(|commit| commit.wait().expect("commit"));
            });
        }
    });
    assert_eq!(all_keys(&*engine, POINTS).len(), 4 * 250 * 4);
}

/// A write that was acknowledged before another was submitted never overrides it, whatever their sizes.
pub fn later_submissions_win(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    for n in 0..200_u32 {
        let size = if n % 2 == 0 { 100_000 } else { 4 };
        let mut value = n.to_be_bytes().to_vec();
        value.resize(size, 0);
        put(&*engine, TERMINATED, b"p\0", b"row", &value);
        assert_eq!(get(&*engine, TERMINATED, b"p\0", b"row"), Some(value), "an acknowledged write is read at once");
    }
}

/// What a batch holds is held while it waits and released once its outcome is known; what it calls is called before,
/// where it was written.
pub fn guards_are_held_until_the_write(harness: &mut dyn Harness) {
    struct Guard(Arc<AtomicBool>);
    impl Drop for Guard {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
        }
    }
    let engine = harness.fresh();
    for size in [1, 1 << 20] {
        for fails in [false, true] {
            let (released, called) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
            let mut batch = WriteBatch::new();
            let key_len = if fails { crate::limits::KEY_BYTES_MAX + 1 } else { 5 };
            add(&mut batch, POINTS, &vec![1; key_len], b"", &vec![1; size]);
            batch.hold(Box::new(Guard(Arc::clone(&released))));
            let (of_guard, of_call) = (Arc::clone(&released), Arc::clone(&called));
            batch.when_written(Box::new(move || {
                assert!(!of_guard.load(Ordering::Acquire), "called before the guards are let go");
                of_call.store(true, Ordering::Release);
            }));
            assert!(!released.load(Ordering::Acquire) && !called.load(Ordering::Acquire));
            assert_eq!(engine.submit(batch).wait().is_err(), fails);
            assert!(released.load(Ordering::Acquire), "released before the answer");
            assert_eq!(called.load(Ordering::Acquire), !fails, "called before the answer, where there was a write");
        }
    }
}

/// A swap happens only where the value is what was expected, absence included.
pub fn swaps_compare_first(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    let swap = |expected: Option<&[u8]>, new: Option<&[u8]>| {
        engine.compare_and_swap(TERMINATED, Key::new(b"p\0row", 2), expected, new).expect("swap")
    };
    let now = || get(&*engine, TERMINATED, b"p\0", b"row");
    assert!(!swap(Some(b"a"), Some(b"b")), "there is nothing yet");
    assert_eq!(now(), None);
    assert!(swap(None, Some(b"a")));
    assert_eq!(now(), Some(b"a".to_vec()));
    assert!(!swap(None, Some(b"b")), "there is something");
    assert!(!swap(Some(b"b"), None));
    assert_eq!(now(), Some(b"a".to_vec()));
    assert!(swap(Some(b"a"), Some(b"")));
    assert_eq!(now(), Some(Vec::new()));
    assert!(!swap(None, Some(b"b")), "an empty value is a value");
    assert!(swap(Some(b""), None));
    assert_eq!(now(), None);
    assert!(swap(None, Some(b"again")));
    assert_eq!(now(), Some(b"again".to_vec()));
}

/// A counter kept by swaps counts every success of every thread once.
pub fn concurrent_swaps_all_count(harness: &mut dyn Harness) {
    const THREADS: u32 = 4;
    const STEPS: u32 = 25;
    fn step(engine: &dyn Engine) {
        loop {
            let old = get(engine, POINTS, b"counter", b"");
            let count = old.as_deref().map_or(0, |bytes| u32::from_be_bytes(bytes.try_into().expect("four bytes")));
            let new = (count + 1).to_be_bytes();
            if engine.compare_and_swap(POINTS, Key::new(b"counter", 7), old.as_deref(), Some(&new)).expect("swap") {
                return;
            }
        }
    }
    let engine = harness.fresh();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| (0..STEPS).for_each(|_| step(&*engine)));
        }
    });
    let total = get(&*engine, POINTS, b"counter", b"");
    assert_eq!(total, Some((THREADS * STEPS).to_be_bytes().to_vec()));
}

/// While rows are written singly and in bulk, each read returns a value at least as new as the last known one.
pub fn reads_of_a_row_never_go_back(harness: &mut dyn Harness) {
    const ROWS: u8 = 4;
    const ROUNDS: u32 = 300;
    let engine = harness.fresh();
    let known: [AtomicU32; ROWS as usize] = std::array::from_fn(|_| AtomicU32::new(0));
    let done = AtomicBool::new(false);
    let (engine, known, done) = (&*engine, &known, &done);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..ROWS)
            .map(|row| {
                scope.spawn(move || {
                    for round in 1..=ROUNDS {
                        let mut batch = WriteBatch::new();
                        add(&mut batch, POINTS, &[row], b"", &round.to_be_bytes());
                        // Every fourth write is of many rows.
                        for n in (0..40).take_while(|_| round % 4 == 0) {
                            add(&mut batch, POINTS, &[row, 1, n], b"", b"extra");
                        }
                        if round % 2 == 0 { engine.commit(batch) } else { engine.submit(batch).wait() }.expect("write");
                        known[usize::from(row)].fetch_max(round, Ordering::SeqCst);
                    }
                })
            })
            .collect();
        for _ in 0..2 {
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    for row in 0..ROWS {
                        let before = known[usize::from(row)].load(Ordering::SeqCst);
                        let value = get(engine, POINTS, &[row], b"");
                        let found = value.map_or(0, |value| u32::from_be_bytes(value.try_into().expect("4 bytes")));
                        assert!(found >= before, "row {row} was {before} before {found} was read");
                        // What one reader has seen is known to the other.
                        known[usize::from(row)].fetch_max(found, Ordering::SeqCst);
                    }
                }
            });
        }
        let outcomes: Vec<_> = writers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        done.store(true, Ordering::Relaxed);
        assert!(outcomes.iter().all(Result::is_ok), "a writer failed");
    });
}
