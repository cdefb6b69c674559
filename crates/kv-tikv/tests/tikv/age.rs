//! Snapshots of moments of which the cluster may have dropped rows.

use std::thread;
use std::time::Duration;

use kv::conformance::{POINTS, TABLES, TERMINATED};
use kv::{Engine, Key, Keys, KvError, Read, RowRange, WriteBatch};
use kv_tikv::{TikvEngine, TikvOptions};

use crate::cluster::{Prefix, options};

fn open(prefix: &Prefix, garbage_age: Duration) -> TikvEngine {
    TikvEngine::open(&TikvOptions { garbage_age: Some(garbage_age), ..options(prefix.name()) }, TABLES).unwrap()
}

/// What each way to read says of a row that is there.
fn read(snapshot: &dyn Read) -> [Result<bool, KvError>; 3] {
    let mut keys = Keys::new();
    keys.push(|bytes| bytes.extend_from_slice(b"key"), |_| ());
    let mut found = false;
    let several = snapshot.multi_get(POINTS, &keys, &mut |_, value| found = value.is_some());
    [
        snapshot.get(POINTS, Key::new(b"key", 3), &mut |_| ()),
        several.map(|()| found),
        snapshot.scan(TERMINATED, RowRange::all(b"row\0")).and_then(|mut rows| Ok(rows.next()?.is_some())),
    ]
}

#[test]
#[ignore = "needs a TiKV cluster: scripts/test-tikv.sh"]
fn a_snapshot_that_may_have_lost_rows_is_not_read() {
    let prefix = Prefix::new();
    let (kept, dropped) = (open(&prefix, Duration::from_secs(3600)), open(&prefix, Duration::from_millis(1)));
    let mut batch = WriteBatch::new();
    batch.put_key(POINTS, Key::new(b"key", 3), b"value");
    batch.put_key(TERMINATED, Key::new(b"row\x001", 4), b"value");
    kept.commit(batch).unwrap();
    let (young, old) = (kept.snapshot().unwrap(), dropped.snapshot().unwrap());
    thread::sleep(Duration::from_millis(2));
    for found in read(&*young) {
        assert!(matches!(found, Ok(true)), "{found:?}");
    }
    for refused in read(&*old) {
        assert!(matches!(refused, Err(KvError::SnapshotTooOld { limit_ms: 1 })), "{refused:?}");
    }
    // What is there now is of no age.
    assert!(dropped.get(POINTS, Key::new(b"key", 3), &mut |_| ()).unwrap());
}
