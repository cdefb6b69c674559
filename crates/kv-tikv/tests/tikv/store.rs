//! Faults of the development store, which these tests start and kill themselves with `scripts/tikv.sh`, one after the
//! other, where the environment of `scripts/test-tikv.sh` says.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use kv::conformance::{COUNTED, POINTS, TABLES};
use kv::{Engine, Key, Keys, KvError, Read, WriteBatch};
use kv_tikv::{TikvEngine, TikvOptions};

use crate::cluster::{Prefix, options};

fn script(arguments: &[&str]) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/tikv.sh");
    let status = Command::new(script).args(arguments).stdout(Stdio::null()).status().unwrap();
    assert!(status.success(), "{script} {arguments:?}");
}

/// A store that runs as long as this lives.
struct Store;

impl Store {
    fn start() -> Self {
        script(&["start", "-stores", "3", "-regions", "8"]);
        Self
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        script(&["stop"]);
    }
}

const PARTS: u8 = 3;

/// One row in each of some partitions, and a large one now and then, so that both ways to commit are used.
fn batch(writer: u8, n: u64) -> WriteBatch {
    let mut batch = WriteBatch::new();
    for part in 0..PARTS {
        let mut key = vec![2, part, writer];
        key.extend_from_slice(&n.to_be_bytes());
        let value = vec![writer; if n.is_multiple_of(8) { 20_000 } else { 10 }];
        batch.put_key(COUNTED, Key::new(&key, 3), &value);
    }
    batch
}

fn parts_found(engine: &TikvEngine, writer: u8, n: u64) -> usize {
    let mut keys = Keys::new();
    for part in 0..PARTS {
        keys.push(|b| b.extend_from_slice(&[2, part, writer]), |b| b.extend_from_slice(&n.to_be_bytes()));
    }
    let mut found = 0;
    engine.multi_get(COUNTED, &keys, &mut |_, value| found += usize::from(value.is_some())).unwrap();
    found
}

/// Writers continue while `disturb` runs; then everything acknowledged is there, and every batch completely or not at
/// all.
fn nothing_is_lost_while(engine: &TikvEngine, disturb: impl FnOnce(&dyn Fn(u64))) {
    const WRITERS: u8 = 4;
    let done = AtomicBool::new(false);
    let acknowledged = AtomicU64::new(0);
    let histories = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (done, acknowledged) = (&done, &acknowledged);
                scope.spawn(move || {
                    let mut history = Vec::new();
                    while !done.load(Ordering::Acquire) {
                        let n = history.len() as u64;
                        let written = engine.commit(batch(writer, n)).is_ok();
                        acknowledged.fetch_add(u64::from(written), Ordering::AcqRel);
                        history.push(written);
                    }
                    history
                })
            })
            .collect();
        // Waits until more batches have been acknowledged.
        disturb(&|more| {
            let until = acknowledged.load(Ordering::Acquire) + more;
            while acknowledged.load(Ordering::Acquire) < until {
                thread::sleep(Duration::from_millis(5));
            }
        });
        done.store(true, Ordering::Release);
        writers.into_iter().map(|writer| writer.join().unwrap()).collect::<Vec<_>>()
    });
    for (writer, history) in (0_u8..).zip(histories) {
        for (n, written) in (0_u64..).zip(history) {
            let found = parts_found(engine, writer, n);
            assert!(
                found == usize::from(PARTS) || found == 0 && !written,
                "{writer} {n}: {found} parts, written {written}"
            );
        }
    }
}

/// The whole store is killed under load, twice: the engine finds it again, and nothing acknowledged is lost.
#[test]
#[ignore = "starts and kills the development store: scripts/test-tikv.sh"]
fn a_killed_store_loses_nothing_and_is_found_again() {
    let _store = Store::start();
    let prefix = Prefix::new();
    let engine = prefix.open();
    nothing_is_lost_while(&engine, |wait_for| {
        for _ in 0..2 {
            wait_for(50);
            script(&["kill"]);
            script(&["start", "-stores", "3", "-regions", "8"]);
        }
        wait_for(50);
    });
    drop(engine);
}

/// One of three stores falls silent: the others take over its regions.
#[test]
#[ignore = "starts and kills the development store: scripts/test-tikv.sh"]
fn the_other_stores_take_over() {
    let _store = Store::start();
    let prefix = Prefix::new();
    let engine = prefix.open();
    nothing_is_lost_while(&engine, |wait_for| {
        for store in ["1", "2", "3"] {
            wait_for(30);
            script(&["command", &format!("/silence?store={store}")]);
            wait_for(30);
            script(&["command", &format!("/wake?store={store}")]);
        }
        wait_for(30);
    });
    drop(engine);
}

/// Without a store, calls fail within their time and say so; with it, the same engine works again.
#[test]
#[ignore = "starts and kills the development store: scripts/test-tikv.sh"]
fn calls_without_a_store_fail_and_work_again_later() {
    let _store = Store::start();
    let prefix = Prefix::new();
    drop(prefix.open());
    let impatient = TikvOptions { request_timeout: Duration::from_secs(2), ..options(prefix.name()) };
    let engine = TikvEngine::open(&impatient, TABLES).unwrap();
    engine.commit(batch(0, 0)).unwrap();
    script(&["kill"]);
    let key = Key::new(b"key", 3);
    let errors = [
        engine.get(POINTS, key, &mut |_| ()).err(),
        engine.commit(batch(0, 1)).err(),
        engine.compare_and_swap(POINTS, key, None, Some(b"value")).err(),
        engine.scan_partitions(COUNTED, b"", None).err(),
        engine.snapshot().err(),
        engine.delete_prefix(COUNTED, &[2]).err(),
        engine.split(COUNTED, b"", 0).err(),
    ];
    for (call, error) in errors.iter().enumerate() {
        assert!(
            matches!(error, Some(KvError::Unavailable { .. } | KvError::Timeout { .. })),
            "call {call} without a store: {error:?}"
        );
    }
    script(&["start", "-stores", "3", "-regions", "8"]);
    // The time of a call may be too short for finding the cluster again, so it is made until it works.
    while engine.commit(batch(0, 2)).is_err() {}
    assert_eq!(parts_found(&engine, 0, 0), usize::from(PARTS));
    assert_eq!(parts_found(&engine, 0, 2), usize::from(PARTS));
    drop(engine);
}
