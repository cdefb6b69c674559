//! The suite of the storage interface, through a row cache over engines with and without snapshots, and while other
//! processes come and go.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kv::conformance::{Harness, ScatteredEngine, TABLES};
use kv::{Engine, MemoryEngine};
use row_cache::{AloneSince, RowCacheEngine};

/// Few sets, so that rows also make room for others.
const BYTES: usize = 32 << 10;

struct Cached {
    inner: fn() -> Arc<dyn Engine>,
    alone_since: fn() -> AloneSince,
}

impl Harness for Cached {
    fn fresh(&mut self) -> Box<dyn Engine> {
        Box::new(RowCacheEngine::new((self.inner)(), TABLES, BYTES, (self.alone_since)()))
    }
}

fn memory() -> Arc<dyn Engine> {
    Arc::new(MemoryEngine::open(TABLES))
}

fn scattered() -> Arc<dyn Engine> {
    Arc::new(ScatteredEngine::open(TABLES))
}

fn always() -> AloneSince {
    Box::new(|| Some(0))
}

/// Seven lookups of a period, then three of none.
fn at_times() -> AloneSince {
    let lookups = AtomicU64::new(0);
    Box::new(move || {
        let lookup = lookups.fetch_add(1, Ordering::SeqCst);
        (lookup % 10 < 7).then_some(lookup / 10)
    })
}

mod with_snapshots {
    kv::conformance_suite!(super::Cached { inner: super::memory, alone_since: super::always });
}

mod without_snapshots {
    kv::conformance_suite!(super::Cached { inner: super::scattered, alone_since: super::always });
}

mod among_others {
    kv::conformance_suite!(super::Cached { inner: super::memory, alone_since: super::at_times });
}
