//! Which ways of choosing nodes fit a pattern?
//!
//! What it is: a multiway join of lists of neighbours. A [`Pattern`] says which nodes are known, which relationships
//! lead from them, and what must not be there; a [`Join`] takes ways of choosing the known nodes and hands on those of
//! choosing all, with how often each is found. Nodes are numbers. What it is not: it knows no language, no rows, no
//! labels and no storage; a [`Host`] tests nodes, and looks at time and memory for it.
//!
//! Invariants:
//! - Relationships need no identity: of those between two nodes as many are left out as the way there has used, since
//!   all of them lead to the same nodes.
//! - A node that nothing behind it asks for is not chosen but counted, and ways that agree in all that is asked for
//!   still are carried on as one, with how many they are.
//! - What is held is bounded: ways are carried on in parts, the last ones found first where they become many.
//!
//! Start reading at [`Join::advance`].

mod host;
mod join;
pub mod limits;
mod pattern;
mod pool;
mod stage;
mod tested;

pub use host::{Give, Host};
pub use join::Join;
pub use pattern::{Hop, HopKind, Pattern};
pub use tested::Tested;
