//! Priorities of threads ([`stand_back`]), and pinning them to processors ([`run_on`]).
//!
//! What it is not: it starts no threads. What the system does not offer, or refuses, changes nothing: a thread runs as
//! it would have.

mod priority;
mod processors;

pub use priority::stand_back;
pub use processors::{processors, run_anywhere, run_on};
