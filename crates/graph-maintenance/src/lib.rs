//! How a stored graph is kept right in the background: indexes are built and verified, labels and their data removed,
//! what has expired is purged, values of analyses are set and removed.
//!
//! What it is: work of jobs and of commands that goes through many elements of one graph, some at a time, while others
//! read and write it. What it is not: it decides neither when this is done nor on which thread (`graph-host` does), and
//! answers no requests. It writes through `graph-store`'s [`parts`](graph_store::parts): each step locks what it
//! changes, reads it again under the locks, and is one batch.
//!
//! Invariants:
//! - Every step can be repeated: what a crash or a shutdown cuts short is run again from the start, and leads to the
//!   same state.
//! - Between steps no locks are held, and the task is asked whether it must stop ([`Progress`]).
//! - Nothing is deleted under a label before all writers know that it is being removed.
//!
//! Start reading at [`rebuild_indexes`].

mod analytical;
mod check;
mod ingested;
pub mod limits;
mod progress;
mod purge;
mod rebuild;
mod removal;
mod rows;
mod steps;

pub use crate::analytical::{clear_analytical, set_analytical};
pub use crate::check::{IndexFault, IndexReport, check_indexes};
pub use crate::ingested::Ingested;
pub use crate::progress::Progress;
pub use crate::purge::{Purged, note_expiries, purge};
pub use crate::rebuild::{rebuild_indexes, suspend_indexes};
pub use crate::removal::remove_label;
pub use crate::rows::{ElementRow, ElementRows};
