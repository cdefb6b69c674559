//! The storage engine on a TiKV cluster.
//!
//! What it is: [`TikvEngine`], which implements [`kv::Engine`] with TiKV's transactions, and the only crate that names
//! TiKV. Any number of processes may have it open over the same cluster and prefix. What it is not: it knows nothing of
//! what the tables hold.
//!
//! Invariants:
//! - A batch is one transaction: all of it is there, or nothing; a reader never sees a part.
//! - What was acknowledged is seen by every read that begins later, in any process.
//! - All keys of an engine begin with its prefix; a prefix that holds something else is never written to.
//! - A failed call says whether it may have written, and no call takes longer than its time limit.
//!
//! Where to start reading: `engine.rs` for the calls, `shared.rs` for how calls are tried again, `write.rs` for what
//! becomes of a batch, `pages.rs` for scans, `layout.rs` for the bytes.

mod begun;
mod engine;
mod error;
mod identity;
mod layout;
pub mod limits;
mod lookups;
mod options;
mod pages;
mod read;
mod regions;
mod shared;
mod statistics;
mod write;

pub use engine::TikvEngine;
pub use options::{TikvOptions, TikvTls};
