//! What does a whole graph look like? Ranks, components, communities, paths, similarity, over a compact copy in memory.
//!
//! What it is: a [`Graph`] in compressed sparse rows, with 32-bit vertex numbers, and algorithms that take one and a
//! [`Run`]. What it is not: it knows no storage, no ids, no labels and no HTTP.
//!
//! Invariants:
//! - Every target in a [`Csr`] is below its number of vertices, and its offsets ascend: [`Csr`] can only be made so.
//!   Vertex numbers that a caller gives are checked before work begins. The algorithms index by them.
//! - Results depend on the graph, the parameters and the seed only. Work is cut into parts by the graph, never by the
//!   number of threads, and sums of floats are put together in the order of the parts.
//! - Each iteration, and each part of one, asks the [`Watch`] whether to go on.
//! - No recursion over the graph.
//!
//! Start reading at [`Graph`] and [`algorithms::run`], which calls them by name.
#![expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers of vertices are below 2^32 and targets below the number of vertices, by construction of Csr"
)]

pub mod algorithms;
pub mod betweenness;
mod blocks;
pub mod closeness;
pub mod colouring;
pub mod communities;
pub mod components;
pub mod cores;
mod csr;
pub mod cuts;
pub mod cycles;
pub mod degree;
mod error;
pub mod flow;
pub mod forest;
mod graph;
pub mod kronecker;
pub mod label_propagation;
pub mod leiden;
pub mod limits;
pub mod links;
pub mod neighbours;
mod random;
pub mod rank;
mod run;
pub mod search;
pub mod shortest;
pub mod similarity;
pub mod spectral;
pub mod stepping;
mod table;
pub mod triangles;
pub mod truss;
pub mod walks;

pub use blocks::Columns;
pub use csr::{Csr, Edge};
pub use error::AnalyticsError;
pub use graph::{Graph, View};
pub use run::{Progress, Run, Stop, Watch};
pub use table::{Column, Params, Table, VERTEX, Value, Values};

/// The number of a vertex: consecutive from 0.
pub type Vertex = u32;

/// A result or why there is none.
pub type Result<T> = std::result::Result<T, AnalyticsError>;
