//! Neo4j's Query API: Cypher over HTTP, at `/db/{database}/query/v2`.
//!
//! What it is: a service below `/db` of an HTTP server ([`QueryApi`]): queries that stand alone, transactions by id,
//! results as plain JSON or as JSON with types. What it is not: it knows no graph and no Cypher; transactions are
//! carried out by `cypher-session`, on the same threads as Bolt's.
//!
//! Invariants:
//! - A request and its answer are bounded; so are transactions, by `cypher-session`.
//! - Rows are written as JSON where they are made, and never held as values.
//! - A client that goes away ends its query.
//!
//! The protocol: <https://neo4j.com/docs/query-api/current/>.

mod ask;
mod collect;
mod json;
mod open;
mod server;
mod status;
mod typed;

pub use server::{Options, QueryApi};
