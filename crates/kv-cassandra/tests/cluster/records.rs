//! The property store keeps its promises on this engine.

use std::sync::Arc;

use kv::Engine;
use property_store::TABLES;
use property_store::conformance::Harness;

use crate::support::Store;

struct Records(Store);

impl Records {
    fn take() -> Self {
        Self(Store::with_tables("property_tests", TABLES))
    }
}

impl Harness for Records {
    fn fresh(&mut self) -> Arc<dyn Engine> {
        Arc::new(self.0.fresh())
    }

    fn reopen(&mut self) -> Arc<dyn Engine> {
        Arc::new(self.0.open())
    }
}

property_store::conformance_suite!(Records::take());
