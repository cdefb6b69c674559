//! Walking through a graph: neighbourhoods, paths, similarity.
//!
//! What it is: algorithms over a [`GraphRead`], a whole frontier at a time. What it is not: it knows no storage, no schema, no JSON and
//! no HTTP; labels and property keys are numbers, conditions on properties are functions given to it.
//!
//! Invariants:
//! - Inside a traversal vertices are [`Node`]s, consecutive numbers; ids are hashed once for each edge read.
//! - Results depend on the graph and the request only, never on which thread was faster: blocks of a frontier are read in parallel and
//!   put together in the order of the frontier.
//! - Everything that grows with the graph is charged to the traversal's memory ([`Traversal::charge`]); the deadline and the caller's
//!   going away are looked at by the reader while it reads, and by [`Traversal::check`] elsewhere.
//!
//! Start reading at [`Traversal::expand`]; `neighbourhood.rs` is the simplest user of it.

mod adjacency;
mod error;
pub mod limits;
mod neighbourhood;
mod nodes;
mod path;
mod read;
mod shortest;
mod similarity;
mod step;
mod traversal;
mod weighted;

#[cfg(test)]
mod fixture;

pub use adjacency::{Adjacency, Neighbours};
pub use error::TraversalError;
pub use neighbourhood::{KNeighbour, KOut, Reached, ReachedPaths, k_neighbour, k_out};
pub use nodes::{Node, NodeMap, NodeSet};
pub use path::{Path, PathEnd, PathTree};
pub use read::{EdgeAt, EdgeRead, GraphRead};
pub use shortest::{ShortestPath, all_shortest_paths, shortest_path};
pub use similarity::{
    CommonNeighbourWeight, common_neighbour_score, jaccard, jaccard_similars, neighbours, same_neighbours,
};
pub use step::{Condition, LabelCondition, Step, Weight};
pub use traversal::{Counters, Traversal, blocks};
pub use weighted::{WeightedPath, WeightedPaths, lightest_path, lightest_paths};
