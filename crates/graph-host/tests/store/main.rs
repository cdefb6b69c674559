//! What must hold of a store beyond a single call: over restarts, under faults, among threads, over time.
//!
//! One file a question; [`fixture`] has what they share. `tests/model.rs` asks whether a graph holds what was put into
//! it.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "test code")]

#[path = "../common/mod.rs"]
mod common;

mod adjacency;
mod auto;
mod auto_indexes;
mod budget;
mod cluster;
mod company;
mod concurrent;
mod counts;
mod expiry;
mod faults;
mod fixture;
mod freeze;
mod graphs;
mod jobs;
mod parked;
mod promises;
mod purge;
mod removal;
mod restart;
mod rounds;
mod snapshots;
mod tasks;
mod transaction;
mod transfer;
mod walks;
