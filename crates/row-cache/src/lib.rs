//! Rows read lately, in bounded memory.
//!
//! What it is: [`RowCache`], and [`RowCacheEngine`], which puts one before an engine that other processes may write to.
//! What it is not: it knows nothing of what the rows hold, nor who the other processes are.
//!
//! Invariants:
//! - No row is found that a write may have changed which was reported before the lookup began, nor one that a write
//!   may be changing.
//! - Over a shared engine nothing is found of a time in which another process may have been writing.
//!
//! Where to start reading: `cache.rs`.

mod cache;
mod engine;
mod limits;
mod set;

pub use cache::{Looked, RowCache, RowCacheFigures, Ticket, Write, WrittenRow};
pub use engine::{AloneSince, RowCacheEngine};
