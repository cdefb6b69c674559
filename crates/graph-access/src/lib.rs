//! What may be asked of one graph: the port between those who read or write a graph and those who store it.
//!
//! What it is: traits and plain data. [`WalkRead`] is what a walk needs, [`NumberedRead`] the same by numbers,
//! [`GraphRead`] adds look-ups, scans and queries, [`GraphWrite`] a unit of writes. Executors of query languages,
//! algorithms and access control use these traits; `graph-store` implements them. What it is not: it stores nothing and
//! knows no engine, no JSON and no HTTP.
//!
//! Invariants:
//! - Readers pull. A [`Cursor`] hands out batches of bounded size when it is asked to, so the reader decides when to go
//!   on, when to stop, and how much memory is in use; a cursor that is dropped stops reading.
//! - Writers see their own writes, and nobody else does before they commit.
//! - Every read looks at its [`Budget`] while it works, and fails once the time is up or the caller has gone.
//! - Errors carry a kind and a text that is fit for the client; nothing above the port needs to know the engine's
//!   errors.
//!
//! Start reading at [`GraphRead`].

mod budget;
mod cursor;
mod edge_read;
mod error;
mod guard;
pub mod limits;
mod numbered;
mod read;
mod rights;
mod write;

pub use budget::{Budget, Interrupted};
pub use cursor::{Batches, Cursor, drain};
pub use edge_read::{EdgeRead, EdgeRow, SortRange};
pub use error::AccessError;
pub use guard::{Guarded, GuardedWrite, denied};
pub use numbered::{NumberedEdge, NumberedRead};
pub use read::{GraphRead, Lookup, WalkRead};
pub use rights::{Allowed, ElementRights, GraphRights, LabelRights};
pub use write::{Committing, GraphWrite, WriteCheck};
