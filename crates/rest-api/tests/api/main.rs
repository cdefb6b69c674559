//! The API driven over TCP, on a store in memory.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "test code")]

mod algorithm_jobs;
mod algorithms;
mod analyses;
mod auto;
mod batch_update;
mod compatibility;
mod graph;
mod graphs;
mod index_labels;
mod matrix;
mod modern;
mod modes;
mod path_traversers;
mod protocol;
mod queries;
mod remote;
mod rights;
mod server;
mod small;
mod traversers;
mod users;
mod watched;
