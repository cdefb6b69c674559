//! The property store keeps its promises on this engine.

use std::sync::Arc;

use kv::Engine;
use property_store::TABLES;
use property_store::conformance::Harness;

use crate::cluster::Prefix;

/// Engines for cases, with a prefix each.
#[derive(Default)]
struct Records(Option<Prefix>);

impl Harness for Records {
    fn fresh(&mut self) -> Arc<dyn Engine> {
        Arc::new(self.0.insert(Prefix::new()).open_with(TABLES))
    }

    fn reopen(&mut self) -> Arc<dyn Engine> {
        Arc::new(self.0.as_ref().unwrap().open_with(TABLES))
    }
}

property_store::conformance_suite!(Records::default(); #[ignore = "needs a TiKV cluster: scripts/test-tikv.sh"]);
