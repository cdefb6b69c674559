//! The engine against a cluster: `scripts/test-tikv.sh` starts one and runs these tests. By hand: set
//! `RHIZOME_TEST_TIKV_PD` to the address of PD (`host:port`) of a cluster that holds nothing of value, and pass
//! `--ignored` (or `--include-ignored`).
//!
//! Every engine has a prefix of its own, so tests run side by side; what they wrote is deleted at their end.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod age;
mod cluster;
mod conflicts;
mod conformance;
mod records;
mod secured;
mod store;
mod unreachable;
