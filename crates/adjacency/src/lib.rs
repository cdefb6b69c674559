//! Which vertices neighbour which, as numbers, in memory?
//!
//! What it is: a cache. A [`Table`] gives vertices 32-bit numbers and keeps, for each vertex and direction, one list of
//! the numbers of its neighbours, label by label, in the order of the stored rows; for labels the numbers of their
//! vertices; and in each [`Column`] the values of a property. A [`Cache`] is what one graph has: it hands out its
//! current table and is told of every write. A [`Pool`] is the memory that the caches of all graphs share.
//! [`NumberMap`] and [`NumberSet`] are what walks remember numbers with.
//!
//! What it is not: it reads and writes no storage. Whoever reads a graph fills it ([`Table::publish`]) and answers what
//! it does not have.
//!
//! Invariants:
//! - **A list is never stale.** A writer registers each vertex whose edges it changes before it writes
//!   ([`Cache::writing`]), which marks the lists concerned, so that whoever looks at them next removes them, and
//!   deregisters when the write has succeeded or failed.
//!   A reader takes a [`Ticket`] before it reads rows; [`Table::publish`] refuses the list if a write of the vertex was
//!   registered then or has been since.
//! - So it is with the vertices of a label: a write of any of them removes their list, and one of any vertex keeps what
//!   is being read from being kept ([`Table::publish_members`]).
//! - So it is with the value of a property of a vertex ([`Table::publish_values`]): a write of its row removes it.
//!   Checks of the ends of edges ask it for labels ([`Cache::labels`]).
//! - A write that failed, but may take effect later, stays registered ([`Unsure`]) for a time
//!   ([`Cache::end_doubts`]).
//! - Where other processes may write too, a table serves one period during which they do not ([`Cache::table`]).
//! - Numbers are never reused. A table that is given up is closed: its numbers stay valid for those that hold it, its
//!   lists are no longer given out.
//! - Memory is bounded by the pool: lists are evicted, those not used for longest first, and a table with too many
//!   vertices is given up.
//! - Lists whose edges can expire are not kept.
//!
//! Start reading at [`Table::at_hand`].

mod ahead;
mod cache;
mod columns;
mod labels;
pub mod limits;
mod lists;
mod marks;
mod members;
mod numbers;
mod piece;
mod pool;
mod rest;
mod sets;
mod stripes;
mod table;
mod touched;

pub use ahead::ReadAhead;
pub use cache::{Cache, Unsure, Write, Writing};
pub use columns::{Column, ColumnOf, label_of, value_of};
pub use labels::{Labels, Unread};
pub use lists::{NumberLists, Wanted};
pub use piece::{Found, State};
pub use pool::{Figures, Pool};
pub use sets::{NumberMap, NumberSet};
pub use stripes::Ticket;
pub use table::Table;

#[cfg(test)]
mod tests;
