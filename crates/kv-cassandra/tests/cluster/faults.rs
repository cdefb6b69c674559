//! Nodes fail under load: three nodes, three replicas. Needs `RHIZOME_TEST_CASSANDRA_DIR`, the folder of
//! `scripts/cassandra.sh`.

use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use kv::conformance::{COUNTED, POINTS, TABLES};
use kv::{Engine, Key, Keys, KvError, Read, WriteBatch};
use kv_cassandra::{CassandraEngine, CassandraOptions};
use parking_lot::Mutex;

use crate::support::{Store, options};

/// Writes that must be acknowledged while a node is away. Each takes milliseconds.
const WRITES_WITHOUT_A_NODE: usize = 100;
/// How long they may take on a machine that does other things too.
const PATIENCE: Duration = Duration::from_secs(120);
const WRITERS: u8 = 4;

fn cassandra(command: &str, node: u32) {
    let dir = std::env::var("RHIZOME_TEST_CASSANDRA_DIR")
        .expect("RHIZOME_TEST_CASSANDRA_DIR is not set; scripts/test-cassandra.sh starts three nodes and sets it");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/cassandra.sh");
    let status = Command::new(script).args([command, &dir, &node.to_string()]).status().unwrap();
    assert!(status.success(), "{command} {node}");
}

/// What was acknowledged, and how the rest failed.
#[derive(Default)]
struct Load {
    stop: AtomicBool,
    acknowledged: Mutex<Vec<[u8; 5]>>,
    failed: AtomicUsize,
    writes_failed: AtomicUsize,
    read: AtomicUsize,
}

impl Load {
    fn write(&self, engine: &CassandraEngine, writer: u8) {
        for n in 0_u32.. {
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            let mut id = [writer; 5];
            id[1..].copy_from_slice(&n.to_be_bytes());
            let mut batch = WriteBatch::new();
            batch.put_key(POINTS, Key::new(&id, 5), &id);
            batch.put_key(COUNTED, Key::new(&[&[4][..], &id[1..], &id].concat(), 5), &id);
            match engine.commit(batch) {
                Ok(()) => self.acknowledged.lock().push(id),
                Err(error) => {
                    self.writes_failed.fetch_add(1, Ordering::Relaxed);
                    self.count(&error);
                }
            }
        }
    }

    /// Acknowledged writes can be read at once, whichever node is down.
    fn read(&self, engine: &CassandraEngine) {
        for n in 0_usize.. {
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            let known = self.acknowledged.lock().get(n % 997).copied();
            let latest = self.acknowledged.lock().last().copied();
            for id in [known, latest].into_iter().flatten() {
                match engine.get(POINTS, Key::new(&id, 5), &mut |value| assert_eq!(value, id)) {
                    Ok(found) => {
                        assert!(found, "{id:?} was acknowledged and is not there");
                        self.read.fetch_add(1, Ordering::Relaxed);
                    }
                    Err(error) => self.count(&error),
                }
            }
        }
    }

    fn count(&self, error: &KvError) {
        assert!(matches!(error, KvError::Unavailable { .. } | KvError::Timeout { .. }), "{error}");
        self.failed.fetch_add(1, Ordering::Relaxed);
    }

    fn written(&self) -> usize {
        self.acknowledged.lock().len()
    }

    /// Waits for writes and reads that begin from now on.
    fn wait_for_progress(&self, while_what: &str) {
        let (written, read, started) = (self.written(), self.read.load(Ordering::Relaxed), Instant::now());
        while self.written() < written + WRITES_WITHOUT_A_NODE
            || self.read.load(Ordering::Relaxed) < read + WRITES_WITHOUT_A_NODE
        {
            assert!(started.elapsed() < PATIENCE, "{while_what}: {} writes since", self.written() - written);
            thread::sleep(Duration::from_millis(20));
        }
    }
}

fn connected(engine: &CassandraEngine) -> f64 {
    engine.statistics().into_iter().find(|figure| figure.name == "nodes_connected").unwrap().value
}

fn wait_for_all_nodes(engine: &CassandraEngine) {
    let started = Instant::now();
    while connected(engine) < 3.0 {
        assert!(started.elapsed() < PATIENCE, "{} of 3 nodes are connected", connected(engine));
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn nodes_fail_and_nothing_acknowledged_is_lost() {
    let _turn = Store::take();
    let options = CassandraOptions {
        keyspace: "kv_faults".to_owned(),
        replication_factor: 3,
        // Less than the nodes take to find out that one of them has died, some 20 s.
        request_timeout: Duration::from_secs(10),
        ..options()
    };
    let engine = CassandraEngine::open(&options, TABLES).unwrap();
    wait_for_all_nodes(&engine);
    let load = Load::default();
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (load, engine) = (&load, &engine);
            scope.spawn(move || load.write(engine, writer));
        }
        scope.spawn(|| load.read(&engine));
        // Also ends the load when something below fails.
        let end = StopAtEnd(&load.stop);
        load.wait_for_progress("all nodes are there");
        cassandra("kill-node", 2);
        load.wait_for_progress("one node was killed");
        let failed = load.writes_failed.load(Ordering::Relaxed);
        assert_eq!(failed, 0, "writes were refused though a majority of the replicas was there");
        cassandra("start-node", 2);
        wait_for_all_nodes(&engine);
        load.wait_for_progress("the killed node is back");
        cassandra("pause-node", 3);
        load.wait_for_progress("one node answers nothing");
        cassandra("resume-node", 3);
        wait_for_all_nodes(&engine);
        load.wait_for_progress("the paused node is back");
        drop(end);
    });
    let acknowledged = load.acknowledged.into_inner();
    println!("{} writes acknowledged, {} requests failed", acknowledged.len(), load.failed.into_inner());
    drop(engine);

    // A second look, by an engine that remembers nothing.
    let engine = CassandraEngine::open(&options, TABLES).unwrap();
    let (mut points, mut rows) = (Keys::new(), Keys::new());
    for id in &acknowledged {
        points.push(|b| b.extend_from_slice(id), |_| ());
        rows.push(|b| b.extend_from_slice(&[&[4][..], &id[1..]].concat()), |b| b.extend_from_slice(id));
    }
    for (table, keys) in [(POINTS, &points), (COUNTED, &rows)] {
        let mut lost = 0;
        engine
            .multi_get(table, keys, &mut |at, value| lost += usize::from(value != Some(&acknowledged[at][..])))
            .unwrap();
        assert_eq!(lost, 0, "of {} writes", acknowledged.len());
    }
}

/// Two nodes of three are down: without a majority nothing is acknowledged, everything fails in time, and works again
/// once they are back.
#[test]
fn without_a_majority_requests_fail_in_time() {
    let _turn = Store::take();
    let options = CassandraOptions {
        keyspace: "kv_faults".to_owned(),
        replication_factor: 3,
        request_timeout: Duration::from_secs(4),
        ..options()
    };
    let engine = CassandraEngine::open(&options, TABLES).unwrap();
    wait_for_all_nodes(&engine);
    let write = || {
        let mut batch = WriteBatch::new();
        batch.put_key(POINTS, Key::new(b"majority", 8), b"");
        engine.commit(batch)
    };
    write().unwrap();
    cassandra("pause-node", 2);
    cassandra("pause-node", 3);
    let outcomes = [write(), write(), engine.get(POINTS, Key::new(b"majority", 8), &mut |_| ()).map(drop)];
    cassandra("resume-node", 2);
    cassandra("resume-node", 3);
    for outcome in outcomes {
        let error = outcome.expect_err("acknowledged by one of three");
        assert!(matches!(error, KvError::Unavailable { .. } | KvError::Timeout { .. }), "{error}");
    }
    let started = Instant::now();
    while write().is_err() {
        assert!(started.elapsed() < PATIENCE, "it does not recover");
    }
    wait_for_all_nodes(&engine);
}

struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
