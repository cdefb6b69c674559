//! The graphs of one engine: opening, creating, clearing, copying and purging them.

pub(crate) mod compact;
pub(crate) mod dropped;
pub(crate) mod graphs;
pub(crate) mod memory;
pub(crate) mod purge;
pub(crate) mod snapshot;
pub(crate) mod store;
pub(crate) mod transfer;
