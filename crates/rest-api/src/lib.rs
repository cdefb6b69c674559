//! HugeGraph's REST API over the graphs of a store.
//!
//! What it is: [`serve`] answers HTTP/1 on a listener. It is the only crate that knows HTTP, status codes and the Java class names
//! clients tell errors by. What it is not: it holds no graph semantics (`graph-store`), reads and writes no JSON of elements and
//! definitions itself (`rest-json`), and knows no storage engine.
//!
//! A request's way: `server.rs` (connections) -> `answer.rs` (its life from admission to answer) -> `routes.rs` (the one table of
//! addresses) -> `resources/` (one file for each kind of resource) -> `errors.rs` (the one table of failures).
//!
//! Invariants:
//! - Addresses are split into segments first, and each segment is percent-decoded exactly once, so ids may hold any character.
//! - A refused request is answered, with the reason and what to do; its connection is not simply dropped.
//! - A panic costs the one request it happens in.
//! - What can take long runs on a bounded pool of threads, with a deadline, and stops when the client goes away.

mod address;
mod answer;
mod body;
mod call;
mod connection;
mod directory;
mod errors;
pub mod limits;
mod names;
mod openapi;
mod options;
mod query;
mod reply;
mod resources;
mod routes;
mod server;

pub use options::{ApiOptions, Limits};
pub use server::{ServeError, serve};
