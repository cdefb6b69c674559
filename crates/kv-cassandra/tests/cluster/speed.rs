//! Measurements, not tests: run by name, with `--ignored --nocapture`.

use std::time::{Duration, Instant};

use kv::conformance::{COUNTED, POINTS, TABLES, TERMINATED};
use kv::{Engine, Key, Keys, Read, WriteBatch};
use kv_cassandra::{CassandraEngine, CassandraOptions};

use crate::support::{Store, options};

/// 500 edges: each two puts of about 100 bytes under two partitions, one group.
fn edges(round: u32) -> WriteBatch {
    let mut batch = WriteBatch::new();
    for n in 0..500_u32 {
        let source = round.wrapping_mul(500).wrapping_add(n).wrapping_mul(2_654_435_761);
        let target = source.wrapping_mul(40_503).wrapping_add(n);
        for (a, b, table) in [(source, target, TERMINATED), (target, source, COUNTED)] {
            let partition = match table {
                TERMINATED => format!("e{a:08x}\0").into_bytes(),
                _ => format!("\x09e{a:08x}").into_bytes(),
            };
            let key = [&partition[..], &b.to_be_bytes()].concat();
            batch.put_key(table, Key::new(&key, partition.len()), &[7; 60]);
        }
        batch.end_group();
    }
    batch
}

#[test]
#[ignore = "a measurement: cargo test --release -p kv-cassandra --features cluster-tests speed -- --ignored \
     --nocapture"]
fn batches_of_500_edges_by_batch_size() {
    let store = Store::take();
    let mut round = 0;
    for kib in [4, 16, 40, 4, 16, 40] {
        drop(store.fresh());
        let engine = CassandraEngine::open(&CassandraOptions { batch_bytes: kib << 10, ..options() }, TABLES).unwrap();
        engine.commit(edges(0)).unwrap();
        for concurrent in [1, 4] {
            let started = Instant::now();
            let mut batches = 0;
            while started.elapsed() < Duration::from_secs(5) {
                let pending: Vec<_> = (0..concurrent)
                    .map(|_| {
                        round += 1;
                        engine.submit(edges(round))
                    })
                    .collect();
                for commit in pending {
                    commit.wait().unwrap();
                    batches += 1;
                }
            }
            let seconds = started.elapsed().as_secs_f64();
            let rate = f64::from(batches) / seconds;
            println!("{kib} KiB, {concurrent} at once: {rate:.1} batches/s, {:.0} edges/s", rate * 500.0);
        }
    }
}

#[test]
#[ignore = "a measurement"]
fn reads() {
    let store = Store::take();
    let engine = store.fresh();
    let mut batch = WriteBatch::new();
    for n in 0..1_000_u32 {
        batch.put_key(POINTS, Key::new(&n.to_be_bytes(), 4), &[7; 60]);
        batch.end_group();
    }
    engine.commit(batch).unwrap();
    let mut micros: Vec<u128> = (0..2_000_u32)
        .map(|n| {
            let started = Instant::now();
            assert!(engine.get(POINTS, Key::new(&(n % 1_000).to_be_bytes(), 4), &mut |_| ()).unwrap());
            started.elapsed().as_micros()
        })
        .collect();
    micros.sort_unstable();
    println!("get: median {} us, 99% {} us", micros[1_000], micros[1_980]);
    let mut keys = Keys::new();
    for n in 0..500_u32 {
        keys.push(|b| b.extend_from_slice(&n.to_be_bytes()), |_| ());
    }
    let mut micros: Vec<u128> = (0..50)
        .map(|_| {
            let started = Instant::now();
            engine.multi_get(POINTS, &keys, &mut |_, value| assert!(value.is_some())).unwrap();
            started.elapsed().as_micros()
        })
        .collect();
    micros.sort_unstable();
    println!("multi_get of 500: median {} us", micros[25]);
}
