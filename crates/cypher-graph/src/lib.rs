//! How are the nodes and relationships of a Cypher query read and written?
//!
//! What it is: a [`Store`] is a graph, strict or auto, as one query works on it: it gives and takes the language's
//! values, keeps what it has read, knows what the query has deleted, and counts what is held, read and changed. What it
//! is not: it knows no steps and no expressions, and commits nothing but the units of `CALL {} IN TRANSACTIONS`.

mod counters;
mod error;
mod graph;
pub mod limits;

pub use counters::Counters;
pub use error::{Accessed, defect, from_access};
pub use graph::{
    Access, BeginUnit, JOINT, NodeContent, RelationshipContent, Store, Wanted, become_node, node, numbered_node,
    vertex_id,
};

/// What reading and writing a graph gives.
pub type Result<T> = std::result::Result<T, cypher_value::Error>;
