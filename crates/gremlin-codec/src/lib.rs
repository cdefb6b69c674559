//! How TinkerPop's drivers write values, traversals, requests and answers: GraphBinary 1 and GraphSON (2, 3 and
//! untyped).
//!
//! Bytes to [`Item`]s, [`Request`]s and [`Response`]s and back. No I/O, no execution. Everything read is bounded by
//! [`limits`]; nothing read makes this crate panic. Start reading at [`Item`], then [`graph_binary`] and [`graphson`].

mod error;
pub mod graph_binary;
pub mod graphson;
mod item;
pub mod limits;
mod message;

pub use error::CodecError;
pub use item::{Edge, Item, Metrics, Path, Property, TraversalMetrics, Tree, Vertex, VertexProperty};
pub use message::{Request, Response};
