//! The protocol of TinkerPop's Gremlin Server: HTTP and WebSocket on one path.
//!
//! What it is: [`GremlinServer`], a service for `http-server`'s mounts. It reads requests in GraphBinary 1 and
//! GraphSON, has `query-service` carry them out on the threads of `serving`, and writes the results in batches. What it
//! is not: it evaluates nothing, encodes no value itself (`gremlin-codec`), and is not HugeGraph's form of
//! `POST /gremlin` (`rest-api`).
//!
//! A request's way: `socket.rs` or `http.rs` (frames, bodies) -> `wire.rs` (which codec) -> `ask.rs` (its arguments) ->
//! `work.rs` (threads, time limit, cancellation) -> `status.rs` (failures as codes of the protocol).
//!
//! Invariants:
//! - Every request is answered, also one that cannot be read.
//! - A client that goes away ends its queries.
//! - Admission, queues, threads and the end of the server are those of all other protocols.

mod ask;
mod driver;
mod http;
pub mod limits;
mod login;
mod server;
mod shared;
mod socket;
mod status;
mod wire;
mod work;

pub use server::{GremlinServer, NotThere};
pub use shared::Options;
