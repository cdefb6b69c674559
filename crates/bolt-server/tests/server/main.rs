//! The server over TCP, with queries in memory.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails where it panics"
)]

mod client;
mod memory;
mod rules;
mod sessions;
