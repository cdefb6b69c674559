//! Steps over a small graph in memory: people who know each other and what they made.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

mod algorithms;
mod functions;
mod graph;
mod matching;
