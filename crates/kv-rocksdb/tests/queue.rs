//! Commits that share a write.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::future::Future as _;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use kv::conformance::{POINTS, TABLES};
use kv::{Engine, Key, Read, WriteBatch};
use kv_rocksdb::{RocksDbEngine, RocksDbOptions};
use tempfile::TempDir;

fn open(folder: &TempDir) -> RocksDbEngine {
    let options = RocksDbOptions { path: folder.path().to_path_buf(), ..RocksDbOptions::default() };
    RocksDbEngine::open(&options, TABLES).unwrap()
}

fn put(key: &[u8], value: &[u8]) -> WriteBatch {
    let mut batch = WriteBatch::new();
    batch.put_key(POINTS, Key::new(key, key.len()), value);
    batch
}

fn figure(engine: &RocksDbEngine, name: &str) -> f64 {
    engine.statistics().iter().find(|statistic| statistic.name == name).unwrap().value
}

#[test]
fn of_batches_that_wait_together_the_later_wins() {
    let folder = TempDir::new().unwrap();
    let engine = open(&folder);
    let mut commits = Vec::new();
    for n in 0..2000_u32 {
        commits.push(engine.submit(put(b"key", &n.to_be_bytes())));
        commits.push(engine.submit(put(&n.to_be_bytes(), b"")));
    }
    for commit in commits {
        commit.wait().unwrap();
    }
    let mut last = Vec::new();
    engine.get(POINTS, Key::new(b"key", 3), &mut |value| last = value.to_vec()).unwrap();
    assert_eq!(last, 1999_u32.to_be_bytes());
    assert!((figure(&engine, "grouped_batches_total") - 4000.0).abs() < 0.5);
    assert!(figure(&engine, "group_commits_total") >= 1.0);
    assert!(figure(&engine, "queued_batches") < 0.5);
}

#[test]
fn a_full_queue_makes_callers_wait_and_loses_nothing() {
    let folder = TempDir::new().unwrap();
    let engine = open(&folder);
    let value = vec![7; 512 << 10];
    let commits: Vec<_> = (0..100_u8).map(|n| engine.submit(put(&[n], &value))).collect();
    assert!(figure(&engine, "queued_bytes") <= f64::from(8 << 20));
    for commit in commits {
        commit.wait().unwrap();
    }
    for n in 0..100_u8 {
        assert!(engine.get(POINTS, Key::new(&[n], 1), &mut |found| assert_eq!(found.len(), value.len())).unwrap());
    }
}

#[test]
fn a_refused_batch_does_not_hurt_its_neighbours() {
    let folder = TempDir::new().unwrap();
    let engine = open(&folder);
    let first = engine.submit(put(b"first", b""));
    let refused = engine.submit(put(&vec![1; kv::limits::KEY_BYTES_MAX + 1], b""));
    let last = engine.submit(put(b"last", b""));
    assert!(refused.wait().is_err());
    first.wait().unwrap();
    last.wait().unwrap();
}

#[test]
fn who_waits_writes_for_all() {
    let folder = TempDir::new().unwrap();
    let engine = open(&folder);
    let mut commits: Vec<_> = (0..10_u8).map(|n| engine.submit(put(&[n], b""))).collect();
    assert!(figure(&engine, "queued_batches") > 9.5, "nobody has waited yet");
    commits.pop().unwrap().wait().unwrap();
    assert!((figure(&engine, "group_commits_total") - 1.0).abs() < 0.5);
    assert!((figure(&engine, "grouped_batches_total") - 10.0).abs() < 0.5);
    for commit in commits {
        let polled = pin!(commit).poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(polled, Poll::Ready(Ok(()))), "{polled:?}");
    }
}

#[test]
fn a_task_lets_others_go_first_and_then_writes() {
    let folder = TempDir::new().unwrap();
    let engine = open(&folder);
    let mut context = Context::from_waker(Waker::noop());
    let (mut first, mut second) = (engine.submit(put(b"first", b"")), engine.submit(put(b"second", b"")));
    assert!(pin!(&mut first).poll(&mut context).is_pending());
    assert!(pin!(&mut second).poll(&mut context).is_pending());
    assert!(matches!(pin!(&mut first).poll(&mut context), Poll::Ready(Ok(()))));
    assert!(matches!(pin!(&mut second).poll(&mut context), Poll::Ready(Ok(()))));
    assert!((figure(&engine, "group_commits_total") - 1.0).abs() < 0.5);
}

#[test]
fn what_nobody_waits_for_is_written_all_the_same() {
    let folder = TempDir::new().unwrap();
    let engine = open(&folder);
    let mut polled = engine.submit(put(b"polled", b""));
    assert!(pin!(&mut polled).poll(&mut Context::from_waker(Waker::noop())).is_pending());
    let closed = engine.submit(put(b"closed", b""));
    drop(polled);
    while figure(&engine, "queued_batches") > 0.5 {
        std::thread::yield_now();
    }
    let unwatched = engine.submit(put(b"unwatched", b""));
    drop(engine);
    closed.wait().unwrap();
    unwatched.wait().unwrap();
    let engine = open(&folder);
    for key in [&b"polled"[..], b"closed", b"unwatched"] {
        assert!(engine.get(POINTS, Key::new(key, key.len()), &mut |_| ()).unwrap());
    }
}

#[test]
fn threads_and_tasks_leave_their_batches_to_each_other() {
    const OF_EACH: u32 = 3_000;
    let folder = TempDir::new().unwrap();
    let engine = open(&folder);
    std::thread::scope(|scope| {
        for thread in 0..6_u8 {
            let engine = &engine;
            scope.spawn(move || {
                for n in 0..OF_EACH {
                    let key = [&[thread][..], &n.to_be_bytes()].concat();
                    // Now and then one that only the writer thread may write.
                    let value = vec![7; if n % 100 == 0 { 20_000 } else { 10 }];
                    let commit = engine.submit(put(&key, &value));
                    if thread % 2 == 0 {
                        commit.wait().unwrap();
                        continue;
                    }
                    let mut commit = pin!(commit);
                    while commit.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending() {
                        std::thread::yield_now();
                    }
                    assert!(engine.get(POINTS, Key::new(&key, key.len()), &mut |_| ()).unwrap());
                }
            });
        }
    });
    assert!((figure(&engine, "grouped_batches_total") - 6.0 * f64::from(OF_EACH)).abs() < 0.5);
    assert!(figure(&engine, "queued_batches") < 0.5);
}
