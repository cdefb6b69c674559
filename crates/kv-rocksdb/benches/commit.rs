//! Commit rates by how batches enter memory and which thread writes them.
//!
//! `cargo bench -p kv-rocksdb --bench commit -- [seconds per row] [load filter] [memtable filter]`. Writes to the
//! system's folder for temporary files. "CPU" is the processor time of the whole process for one write, background work
//! included.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints; test code")]

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kv::{Engine, TableId, TableSpec, WriteBatch};
use kv_rocksdb::{MemtableWrites, RocksDbEngine, RocksDbOptions};

static TABLES: &[TableSpec] = &[
    TableSpec { name: "vertices", partition_len: |key| Some(key.len()), ranged: false, reread: false },
    TableSpec { name: "out_edges", partition_len: |key| (key.len() >= 10).then_some(10), ranged: true, reread: false },
    TableSpec { name: "in_edges", partition_len: |key| (key.len() >= 10).then_some(10), ranged: true, reread: false },
];

/// Vertex ids are drawn from this many.
const VERTICES: u64 = 1_000_000;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

fn vertices(random: &mut Random, count: usize) -> WriteBatch {
    let mut batch = WriteBatch::with_capacity(count, count * 50);
    for _ in 0..count {
        let id = [random.next().to_be_bytes(), random.next().to_be_bytes()];
        batch.put(
            TableId(0),
            |b| b.extend_from_slice(b"\x01\x10"),
            |b| id.iter().for_each(|part| b.extend_from_slice(part)),
            |v| v.extend_from_slice(b"thirty bytes of its properties"),
        );
    }
    batch
}

fn edges(random: &mut Random, count: usize) -> WriteBatch {
    let mut batch = WriteBatch::with_capacity(count * 2, count * 100);
    for _ in 0..count {
        let (from, to) = ((random.next() % VERTICES).to_be_bytes(), (random.next() % VERTICES).to_be_bytes());
        for (table, near, far) in [(TableId(1), from, to), (TableId(2), to, from)] {
            batch.put(
                table,
                |b| {
                    b.extend_from_slice(b"\x01\x08");
                    b.extend_from_slice(&near);
                },
                |b| {
                    b.extend_from_slice(b"\x03\x08");
                    b.extend_from_slice(&far);
                },
                |v| v.extend_from_slice(b"thirty bytes of its properties"),
            );
        }
    }
    batch
}

/// Processor time of this process so far, where the system tells.
fn cpu() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}

struct Load {
    name: &'static str,
    threads: u64,
    /// Commits each thread has under way at once.
    in_flight: usize,
    /// Vertices or edges of a batch.
    items: usize,
    make: fn(&mut Random, usize) -> WriteBatch,
}

const LOADS: &[Load] = &[
    Load { name: "batches of 200 vertices, 2 threads", threads: 2, in_flight: 1, items: 200, make: vertices },
    Load { name: "batches of 500 edges, 2 threads", threads: 2, in_flight: 1, items: 500, make: edges },
    Load { name: "batches of 20 vertices, 2 threads", threads: 2, in_flight: 1, items: 20, make: vertices },
    Load {
        name: "batches of 20 vertices, 2 threads with 32 each",
        threads: 2,
        in_flight: 32,
        items: 20,
        make: vertices,
    },
    Load {
        name: "batches of 200 vertices, 2 threads with 8 each",
        threads: 2,
        in_flight: 8,
        items: 200,
        make: vertices,
    },
    Load { name: "batches of 500 edges, 2 threads with 8 each", threads: 2, in_flight: 8, items: 500, make: edges },
    Load { name: "batches of 2500 edges, 2 threads with 4 each", threads: 2, in_flight: 4, items: 2500, make: edges },
    Load { name: "batches of 500 edges, 8 threads", threads: 8, in_flight: 1, items: 500, make: edges },
    Load { name: "batches of 200 vertices, 8 threads", threads: 8, in_flight: 1, items: 200, make: vertices },
    Load { name: "single vertices, 1 thread", threads: 1, in_flight: 1, items: 1, make: vertices },
    Load { name: "single vertices, 64 threads", threads: 64, in_flight: 1, items: 1, make: vertices },
    Load { name: "single vertices, 2 threads with 32 each", threads: 2, in_flight: 32, items: 1, make: vertices },
];

fn run(load: &Load, options: &RocksDbOptions, time: Duration) -> (f64, f64) {
    let folder = tempfile::tempdir().unwrap();
    let options = RocksDbOptions { path: folder.path().to_path_buf(), ..options.clone() };
    let engine = RocksDbEngine::open(&options, TABLES).unwrap();
    let items = AtomicU64::new(0);
    let (start, cpu_start) = (Instant::now(), cpu());
    std::thread::scope(|scope| {
        for thread in 0..load.threads {
            let (engine, items) = (&engine, &items);
            scope.spawn(move || {
                let mut random = Random(thread << 32);
                let mut pending = VecDeque::new();
                while start.elapsed() < time {
                    pending.push_back(engine.submit((load.make)(&mut random, load.items)));
                    if pending.len() >= load.in_flight {
                        pending.pop_front().unwrap().wait().unwrap();
                        items.fetch_add(load.items as u64, Ordering::Relaxed);
                    }
                }
                for commit in pending {
                    commit.wait().unwrap();
                    items.fetch_add(load.items as u64, Ordering::Relaxed);
                }
            });
        }
    });
    let (wall, items) = (start.elapsed(), items.into_inner());
    let spent = cpu().zip(cpu_start).map_or(f64::NAN, |(now, before)| (now - before).as_secs_f64());
    assert!(engine.snapshot().unwrap().scan_partitions(TableId(0), b"", None).is_ok());
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    let items = items as f64;
    (items / wall.as_secs_f64(), spent * 1e6 / items)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let seconds: f64 = arguments.first().and_then(|seconds| seconds.parse().ok()).unwrap_or(4.0);
    let filter = arguments.get(1).map_or("", String::as_str);
    let memtables = arguments.get(2).map_or("", String::as_str);
    println!("{:46} {:>10} {:>7} {:>12} {:>12}", "load", "memtable", "writer", "items/s", "CPU us/item");
    for load in LOADS.iter().filter(|load| load.name.contains(filter)) {
        for memtable_writes in [MemtableWrites::Serial, MemtableWrites::Concurrent, MemtableWrites::Unordered] {
            let memtable = format!("{memtable_writes:?}").to_lowercase();
            if !memtable.contains(memtables) {
                continue;
            }
            for (writer, direct_write_bytes_min) in [("own", 0), ("shared", usize::MAX)] {
                let options = RocksDbOptions { memtable_writes, direct_write_bytes_min, ..RocksDbOptions::default() };
                let (rate, cost) = run(load, &options, Duration::from_secs_f64(seconds));
                println!("{:46} {memtable:>10} {writer:>7} {rate:12.0} {cost:12.2}", load.name);
            }
        }
    }
}
