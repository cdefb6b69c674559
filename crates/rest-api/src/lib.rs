//! HugeGraph's REST API over the graphs of a store.
//!
//! What it is: [`service()`] answers the API behind an HTTP server. It is the only crate that knows HugeGraph's
//! addresses, their status codes and the Java class names by which clients recognize errors. What it is not: it speaks
//! no HTTP itself (`http-server`), gives out no threads (`serving`), holds no graph semantics (`graph-store`), reads
//! and writes no JSON of elements and definitions (`rest-json`), and knows no storage engine.
//!
//! A request's way: `answer.rs` (its life from admission to answer) -> `routes.rs` (the table of addresses; traversers
//! bring their own lines) -> `resources/` (one file for each kind of resource) -> `errors.rs` (the one table of
//! failures). `directory.rs` has the table of addresses as data.
//!
//! Invariants:
//! - A refused request is answered, with the reason and what to do.
//! - A panic costs the one request it happens in.
//! - What can take long runs on a bounded pool of threads, with a deadline, and stops when the client goes away.

mod access;
mod answer;
mod call;
mod conditions;
#[cfg(test)]
mod described;
mod directory;
pub mod limits;
mod names;
mod options;
mod resources;
mod route;
mod routes;
mod service;
mod watch;

pub use conditions::CONDITIONS;
pub use options::{ApiOptions, Limits, LogLevel};
pub use service::service;
