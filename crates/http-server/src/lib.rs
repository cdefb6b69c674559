//! HTTP/1 on a listener: how it is spoken, and which service answers an address.
//!
//! What it is: [`serve`] accepts connections, limits and ends them, and hands requests to the service of their address
//! ([`Mounts`]): one that is compiled in, and others by the first segment of the path, which may change the protocol
//! ([`Upgrade`]). With it come the parts of a service: [`Address`] and [`Query`], bodies ([`read_body`]), [`Reply`],
//! [`caught()`]. What it is not: it knows no resource, no graph and no form of errors.
//!
//! Invariants:
//! - Addresses are split into segments first, and each segment is percent-decoded exactly once, so segments may hold
//!   any character.
//! - A refused request is answered; its connection is not simply dropped.
//! - What a page of another site makes a browser send changes nothing and shows nothing ([`Refusal`]).
//! - Every wait for a client has a bound, except on connections that changed their protocol: their service bounds
//!   those.

mod accept;
mod address;
mod body;
mod caught;
mod client;
mod connection;
mod credentials;
mod forwarded;
pub mod limits;
mod mount;
mod origin;
mod query;
mod reply;
mod server;
mod starting;

pub use accept::{accepts_coding, accepts_gzip, prefers_open_metrics};
pub use address::{Address, NotDecoded, decode};
pub use body::{BodyError, discard, read_body};
pub use caught::caught;
pub use client::{last_login, note_login, peer};
pub use credentials::{PAGE_HEADER, SESSION_COOKIE, Shown, WrongCredentials, credentials, request_id, session_token};
pub use mount::{Boxed, HttpResponse, Mount, Mounts, Service, Switched, Upgrade};
pub use origin::Refusal;
pub use query::Query;
pub use reply::{Reply, Work};
pub use server::{Options, ServeError, serve};
pub use starting::answer_starting;
