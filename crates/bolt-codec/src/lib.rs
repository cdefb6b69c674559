//! How Neo4j's drivers write it: Bolt 4.4 and 5.0 to 5.8.
//!
//! What it is: the handshake ([`negotiate`], [`manifest`]), framing ([`Dechunker`], [`message()`]), values as
//! PackStream 1 ([`pack`]), requests ([`Request`]) and answers ([`Answer`]), for servers and for clients. What it is
//! not: it keeps no state of a connection, and does no I/O.
//!
//! Invariants:
//! - Whatever bytes are read, nothing panics, and what is held is in proportion to them: messages, nesting and values
//!   are bounded ([`limits`]).
//! - Values are written in their smallest form, and any form is read.
//!
//! The protocol: <https://neo4j.com/docs/bolt/current/>.

mod answer;
mod chunk;
mod error;
mod handshake;
pub mod limits;
mod message;
pub mod pack;
mod version;

pub use answer::{Answer, failure, ignored, record, success};
pub use chunk::{Dechunker, END, message};
pub use error::CodecError;
pub use handshake::{MAGIC, Negotiated, Opening, PROPOSALS_BYTES, answer, choice, manifest, negotiate, opening};
pub use message::{Credentials, Extra, Fetch, Hello, NotificationFilter, Request, Route, Run, is_fetch, is_reset};
pub use pack::Dialect;
pub use version::Version;
