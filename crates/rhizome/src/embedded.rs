//! The embedded facade: names instead of numbers, values instead of literals, one call for each thing.

mod database;
mod element;
mod error;
mod graph;
mod schema;

pub use database::Database;
pub use element::{Edge, EdgeBuilder, IntoLiteral, Vertex, VertexBuilder};
pub use error::Error;
pub use graph::Graph;
pub use schema::{EdgeLabelBuilder, VertexLabelBuilder};
