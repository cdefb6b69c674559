//! The API driven over TCP, on a store in memory.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "test code")]

mod compatibility;
mod graph;
mod graphs;
mod protocol;
mod server;
