//! The suite of the storage interface, once for each way of writing.
#![expect(clippy::expect_used, reason = "test code")]

use std::sync::Arc;

use kv::conformance::{Harness, TABLES};
use kv::{Engine, FaultEngine};
use kv_rocksdb::{Durability, RocksDbEngine, RocksDbOptions};
use tempfile::TempDir;

struct Folders {
    options: RocksDbOptions,
    folder: Option<TempDir>,
}

impl Folders {
    fn new(options: RocksDbOptions) -> Self {
        Self { options, folder: None }
    }
}

impl Harness for Folders {
    fn fresh(&mut self) -> Box<dyn Engine> {
        let folder = TempDir::new().expect("a folder");
        self.options.path = folder.path().to_path_buf();
        self.folder = Some(folder);
        self.reopen()
    }

    fn reopen(&mut self) -> Box<dyn Engine> {
        Box::new(RocksDbEngine::open(&self.options, TABLES).expect("open"))
    }
}

fn small() -> RocksDbOptions {
    RocksDbOptions { memory_budget_bytes: 16 << 20, ..RocksDbOptions::default() }
}

mod as_configured {
    kv::conformance_suite!(super::Folders::new(super::small()));
}

/// An engine whose commits all take the way through the queue.
struct Queued(Folders);

impl Harness for Queued {
    fn fresh(&mut self) -> Box<dyn Engine> {
        // Without faults it passes everything on, and its `commit` is a `submit`.
        Box::new(FaultEngine::new(Arc::<dyn Engine>::from(self.0.fresh())))
    }

    fn reopen(&mut self) -> Box<dyn Engine> {
        Box::new(FaultEngine::new(Arc::<dyn Engine>::from(self.0.reopen())))
    }
}

mod all_through_the_queue {
    use super::{Durability, Folders, Queued, RocksDbOptions, small};
    kv::conformance_suite!(Queued(Folders::new(RocksDbOptions {
        direct_write_bytes_min: usize::MAX,
        durability: Durability::Fsync,
        ..small()
    })));
}

/// Write buffers so small that most of what is read comes from files.
mod from_files {
    use super::{Folders, RocksDbOptions, small};
    use kv_rocksdb::{Compression, MemtableWrites};
    kv::conformance_suite!(Folders::new(RocksDbOptions {
        write_buffer_bytes: 64 << 10,
        direct_write_bytes_min: 0,
        compression: Compression::Zstd,
        memtable_writes: MemtableWrites::Concurrent,
        ..small()
    }));
}
