//! The engine against real Cassandra nodes: needs `RHIZOME_TEST_CASSANDRA` (see `scripts/test-cassandra.sh`).
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking, its helpers too")]

mod conformance;
mod faults;
mod records;
mod speed;
mod store;
mod support;
