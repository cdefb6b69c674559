//! What the explorer asks that HugeGraph's API has no word for: sessions of browsers, what is wrong with a text of
//! Gremlin, which queries were slow, scenes that are kept with a graph, figures of the last hour, and load tests of
//! this server.
//!
//! What it is: [`ExplorerApi`] answers the addresses below `/rhizome` that are listed in `route.rs`; others there
//! belong to the service it is mounted beside. What it is not: it carries no query out, and has no users of its own: a
//! session is a token of `auth`, which the browser keeps as a cookie.
//!
//! Invariants:
//! - No script of a page can read a session, and it counts only beside a header that pages of other sites cannot send
//!   ([`http_server::session_token`]).
//! - A check of a text runs nothing.
//! - Documents are rows of their graph, and load tests come in as requests at the server's own address: neither has a
//!   right that its caller lacks.
//!
//! Start reading at [`ExplorerApi`].

mod check;
mod describe;
mod documents;
mod limits;
mod load;
mod route;
mod series;
mod server;
mod session;
mod slow;

pub use load::LoadTests;
pub use server::{ExplorerApi, Options};
