//! The engine does what the storage interface says.

use kv::Engine;
use kv::conformance::Harness;

use crate::support::Store;

impl Harness for Store {
    fn fresh(&mut self) -> Box<dyn Engine> {
        Box::new(Store::fresh(self))
    }

    fn reopen(&mut self) -> Box<dyn Engine> {
        Box::new(self.open())
    }
}

kv::conformance_suite!(Store::take());
