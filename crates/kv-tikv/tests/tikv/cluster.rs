//! The cluster under test, and prefixes in it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kv::conformance::{Harness, TABLES};
use kv::{Engine, TableSpec};
use kv_tikv::{TikvEngine, TikvOptions};

/// Where PD is.
pub(crate) fn pd() -> String {
    std::env::var("RHIZOME_TEST_TIKV_PD")
        .unwrap_or_else(|_| panic!("set RHIZOME_TEST_TIKV_PD to the address of PD (host:port)"))
}

/// A prefix nobody else uses. What is under it is deleted in the end, unless the test failed.
pub(crate) struct Prefix(String);

impl Prefix {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Self(format!("test-{}-{}-{count}", since_1970.as_nanos(), std::process::id()))
    }

    pub(crate) fn name(&self) -> &str {
        &self.0
    }

    pub(crate) fn open(&self) -> TikvEngine {
        self.open_with(TABLES)
    }

    pub(crate) fn open_with(&self, tables: &'static [TableSpec]) -> TikvEngine {
        TikvEngine::open(&options(&self.0), tables).unwrap()
    }
}

impl Drop for Prefix {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            TikvEngine::erase(&options(&self.0)).unwrap();
        }
    }
}

/// Options for a prefix of the cluster under test.
pub(crate) fn options(prefix: &str) -> TikvOptions {
    TikvOptions {
        pd_endpoints: vec![pd()],
        prefix: prefix.to_owned(),
        // A store under test may be slow, or restart.
        request_timeout: Duration::from_secs(30),
        ..TikvOptions::default()
    }
}

/// Engines for cases, with a prefix each.
#[derive(Default)]
pub(crate) struct Fresh(Option<Prefix>);

impl Harness for Fresh {
    fn fresh(&mut self) -> Box<dyn Engine> {
        Box::new(self.0.insert(Prefix::new()).open())
    }

    fn reopen(&mut self) -> Box<dyn Engine> {
        Box::new(self.0.as_ref().unwrap().open())
    }
}
