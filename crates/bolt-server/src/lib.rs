//! Bolt on a listener: how Neo4j's drivers ask.
//!
//! What it is: [`serve`] accepts connections, agrees on a version, and answers messages in their order: a state machine
//! ([`Machine`]) decides what may come when, `bolt-codec` reads and writes, and transactions are carried out by
//! `cypher-session`. A connection reads ahead while a query runs, so that RESET and a closed connection stop it.
//! What it is not: it knows no graph and no Cypher.
//!
//! Invariants:
//! - Each message is answered once, in the order in which they came, and nothing is done before a user is known.
//! - After a failure nothing is done until RESET; a failure before that, or a message out of place, ends the
//!   connection.
//! - Every wait for a client has a bound, and so has all that is held for one ([`limits`]).
//! - Rows go to the client as they come; when it takes none, the query waits.

mod answers;
mod connection;
mod handshake;
mod inbox;
pub mod limits;
mod machine;
mod pipe;
mod server;
mod shared;
mod stream;
mod summary;

pub use machine::{Decision, Machine, State};
pub use server::{ServeError, serve};
pub use shared::Options;
