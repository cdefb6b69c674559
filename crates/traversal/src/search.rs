//! Finding all paths between two sets of vertices: the part that the path traversers share.
//!
//! Both ends grow in turns, one layer of the graph at a time ([`Ball`]). A path of `n` hops is found when the first end
//! has grown `ceil(n / 2)` layers and the other `floor(n / 2)`: its first hops are edges read from the first end, its
//! last hops edges read from the other. Only integers are kept: the edges read, and how far each vertex is from its
//! end. Paths are then walked one after the other, shorter ones first, and only where the other end can still be
//! reached in time; so no more of them exist at once than the answer holds.
//!
//! What it is not: for walks of one given step after the other see `layers.rs`.
//!
//! Start reading at [`Search::run`].

mod arcs;
mod ball;
mod pattern;
mod walk;

pub(crate) use arcs::Arcs;
pub(crate) use ball::{Ball, Visited};
pub(crate) use pattern::{Pattern, Places};
pub use walk::SearchLimits;
pub(crate) use walk::{Rule, Search, keep};
