//! Times of the hot paths: `make bench`, which compares them with saved ones, or `cargo bench -p hot-paths --
//! FILTER`.
#![expect(clippy::unwrap_used, reason = "benchmark code")]

use criterion::{Criterion, criterion_group, criterion_main};

use hot_paths::{CASES, PAIRS, insert_batch, insert_one_into, read_from};

fn in_memory(criterion: &mut Criterion) {
    for case in CASES.iter().chain(PAIRS) {
        // Made only if it is asked for: some have a store to fill.
        let mut work = None;
        criterion.bench_function(case.name, |bencher| bencher.iter(work.get_or_insert_with(case.make)));
    }
}

#[cfg(feature = "rocksdb")]
fn on_disk(criterion: &mut Criterion) {
    use std::sync::Arc;

    use kv::Engine;
    use kv_rocksdb::{RocksDbEngine, RocksDbOptions};

    type Make = fn(Arc<dyn Engine>) -> Box<dyn FnMut()>;
    let cases: [(&str, Make); 3] = [
        ("rocksdb/read-vertex", read_from),
        ("rocksdb/insert-vertex", insert_one_into),
        ("rocksdb/insert-200-vertices", insert_batch),
    ];
    for (name, make) in cases {
        let folder = tempfile::tempdir().unwrap();
        let mut work = None;
        criterion.bench_function(name, |bencher| {
            bencher.iter(work.get_or_insert_with(|| {
                let options = RocksDbOptions { path: folder.path().to_path_buf(), ..RocksDbOptions::default() };
                make(Arc::new(RocksDbEngine::open(&options, key_codec::tables::TABLES).unwrap()))
            }));
        });
        // The engine is closed before its folder vanishes.
        drop(work);
    }
}

#[cfg(not(feature = "rocksdb"))]
fn on_disk(_: &mut Criterion) {
    let _: [fn(_) -> _; 3] = [insert_batch, insert_one_into, read_from];
}

criterion_group!(benches, in_memory, on_disk);
criterion_main!(benches);
