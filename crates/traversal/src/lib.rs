//! Walking through a graph: neighbourhoods, paths, similarity.
//!
//! What it is: algorithms over [`graph_access::WalkRead`], a whole frontier at a time. What it is not: it knows no
//! storage, no schema, no JSON and no HTTP; labels and property keys are numbers, conditions on properties are
//! functions given to it.
//!
//! Invariants:
//! - Inside a traversal vertices are [`Node`]s, consecutive numbers. Where the graph has numbers of its own
//!   ([`graph_access::NumberedRead`]) and no properties of edges matter, no id is looked at, and the edges of the
//!   answer are looked up at its end; else ids are hashed once for each edge read.
//! - Results depend on the graph and the request only, never on which thread was faster: blocks of a frontier are read
//!   in parallel ([`Traversal::parallel_on`]) and put together in the order of the frontier.
//! - It starts no threads: a traversal uses the pool it is given, or the calling thread alone.
//! - Everything that grows with the graph is charged to the traversal's memory ([`Traversal::charge`]); the deadline
//!   and the caller's going away are looked at by the reader while it reads, and by [`Traversal::check`] elsewhere.
//!
//! Start reading at [`Traversal::expand`]; `neighbourhood.rs` is the simplest user of it.

mod adjacency;
mod count;
mod customized_paths;
mod error;
mod fusiform_similarity;
mod layers;
pub mod limits;
mod neighbor_rank;
mod neighbourhood;
mod nodes;
mod path;
mod paths;
mod personal_rank;
mod recorded;
mod ring_choice;
mod rings;
mod search;
mod shortest;
mod similarity;
mod step;
mod surroundings;
mod traversal;
mod weighted;

#[cfg(test)]
mod brute_force;
#[cfg(test)]
mod by_numbers;
#[cfg(test)]
mod fixture;

pub use count::{CountRules, count};
pub use customized_paths::{CustomizedCrosspoints, CustomizedPath, SortBy, customized_crosspoints, customized_paths};
pub use error::TraversalError;
pub use fusiform_similarity::{FusiformRules, Similar, fusiform_similarity};
pub use layers::LayerStep;
pub use neighbor_rank::{RankStep, neighbor_rank};
pub use neighbourhood::{KNeighbour, KOut, Reached, ReachedPaths, k_neighbour, k_out};
pub use nodes::{Node, NodeSet};
pub use path::Path;
pub use paths::{TemplateLimits, crosspoints, multi_node_shortest_paths, nearest_paths, paths, template_paths};
pub use personal_rank::{PersonalRankRules, personal_rank};
pub use rings::rings_through;
pub use search::SearchLimits;
pub use shortest::{ShortestPath, all_shortest_paths, shortest_path};
pub use similarity::{CommonNeighbourWeight, common_neighbour_score, jaccard, jaccard_similars, same_neighbours};
pub use step::{Condition, LabelCondition, Step, Weight};
pub use surroundings::{rays, rings_reached};
pub use traversal::{Counters, Traversal};
pub use weighted::{WeightedPath, WeightedPaths, lightest_path, lightest_paths};

pub(crate) use adjacency::{Adjacency, Neighbours};
pub(crate) use nodes::NodeMap;
pub(crate) use path::{PathEnd, PathTree};
pub(crate) use traversal::{blocks, blocks_for};
