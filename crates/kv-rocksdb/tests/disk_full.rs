//! A disk that fills up. It needs a small file system: `scripts/test-full-disk.sh` makes one and runs this. What
//! callers do with a full disk is tested everywhere with `kv::FaultEngine`.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use kv::conformance::{POINTS, TABLES};
use kv::{Engine, Key, KvError, Read, WriteBatch};
use kv_rocksdb::{RocksDbEngine, RocksDbOptions};

/// RocksDB looks for free room every five seconds.
const RECOVERY_MAX: Duration = Duration::from_secs(60);

fn batch(n: u32) -> WriteBatch {
    let mut batch = WriteBatch::new();
    let value: Vec<u8> = (0..100_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) ^ n).to_be_bytes()[0]).collect();
    batch.put_key(POINTS, Key::new(&n.to_be_bytes(), 4), &value);
    batch
}

fn is_there(engine: &RocksDbEngine, n: u32) -> bool {
    engine.get(POINTS, Key::new(&n.to_be_bytes(), 4), &mut |_| ()).unwrap()
}

#[test]
#[ignore = "needs a small file system in RHIZOME_TEST_SMALL_DISK: scripts/test-full-disk.sh"]
fn writes_fail_reads_go_on_and_room_heals() {
    let disk = PathBuf::from(std::env::var_os("RHIZOME_TEST_SMALL_DISK").expect("RHIZOME_TEST_SMALL_DISK"));
    let path = disk.join("store");
    let ballast = disk.join("ballast");
    std::fs::write(&ballast, vec![0; 24 << 20]).unwrap();
    let options = RocksDbOptions { path, write_buffer_bytes: 4 << 20, ..RocksDbOptions::default() };
    let engine = RocksDbEngine::open(&options, TABLES).unwrap();
    let mut written = 0;
    let refusal = loop {
        match engine.commit(batch(written)) {
            Ok(()) => written += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(refusal, KvError::DiskFull { .. }), "{refusal}");
    assert!(written > 10);
    assert!(matches!(engine.commit(batch(written)), Err(KvError::DiskFull { .. })));
    assert!((0..written).all(|n| is_there(&engine, n)), "reads still work");
    assert!(matches!(engine.check_writable(), Err(KvError::DiskFull { .. })), "it knows before the next write");

    std::fs::remove_file(ballast).unwrap();
    let start = Instant::now();
    while let Err(error) = engine.commit(batch(written)) {
        assert!(matches!(error, KvError::DiskFull { .. }), "{error}");
        assert!(start.elapsed() < RECOVERY_MAX, "no recovery: {error}");
        std::thread::sleep(Duration::from_millis(200));
    }
    engine.check_writable().unwrap();
    drop(engine);
    let engine = RocksDbEngine::open(&options, TABLES).unwrap();
    assert!((0..=written).all(|n| is_there(&engine, n)), "everything acknowledged is there after reopening");
}
