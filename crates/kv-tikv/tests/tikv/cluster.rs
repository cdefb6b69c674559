//! The cluster under test, and prefixes in it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kv::conformance::{Harness, TABLES};
use kv::Engine;
use kv_tikv::{TikvEngine, TikvOptions};

/// Where PD is.
pub(crate) fn pd() -> String {
    std::env::var("RHIZOME_TEST_TIKV_PD").unwrap_or_else(|_| panic!("set RHIZOME_TEST_TIKV_PD to the address of PD (host:port)"))
}

/// A prefix nobody else uses.
pub(crate) fn new_prefix() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("test-{}-{}-{count}", since_1970.as_nanos(), std::process::id())
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

pub(crate) fn open(prefix: &str) -> TikvEngine {
    TikvEngine::open(&options(prefix), TABLES).unwrap()
}

/// One prefix for each engine of a case.
pub(crate) struct Fresh {
    prefix: Option<String>,
}

impl Fresh {
    pub(crate) fn new() -> Self {
        Self { prefix: None }
    }

    fn erase(&mut self) {
        if let Some(prefix) = self.prefix.take()
            && !std::thread::panicking()
        {
            TikvEngine::erase(&options(&prefix)).unwrap();
        }
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        self.erase();
    }
}

impl Harness for Fresh {
    fn fresh(&mut self) -> Box<dyn Engine> {
        self.erase();
        let prefix = new_prefix();
        let engine = open(&prefix);
        self.prefix = Some(prefix);
        Box::new(engine)
    }

    fn reopen(&mut self) -> Box<dyn Engine> {
        Box::new(open(self.prefix.as_deref().unwrap()))
    }
}
