//! The API over TCP.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test code")]

mod documents;
mod load;
mod matrix;
mod server;
mod sessions;
