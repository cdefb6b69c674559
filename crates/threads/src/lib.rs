//! Threads and the processors they run on: who goes first ([`stand_back`]), and who runs where ([`run_on`]).
//!
//! What it is not: it starts no threads. What the system does not offer, or refuses, changes nothing: a thread runs as
//! it would have.

mod priority;
mod processors;

pub use priority::stand_back;
pub use processors::{processors, run_anywhere, run_on};
