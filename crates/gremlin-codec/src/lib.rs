//! How TinkerPop's drivers write values, traversals, requests and answers: GraphBinary 1 and GraphSON (2, 3 and
//! untyped).
//!
//! What is read are requests, whose arguments are [`gremlin::Value`]s: values, bytecode, predicates, references to
//! elements. What is written are answers, whose results are [`query_value::Value`]s. No I/O, no execution, no copy of a
//! result. Everything read is bounded by [`limits`]; nothing read makes this crate panic. Start reading at [`Request`]
//! and [`Response`], then [`graph_binary`] and [`graphson`].

mod error;
mod form;
pub mod graph_binary;
pub mod graphson;
pub mod limits;
mod message;
mod text;

pub use error::CodecError;
pub use message::{Request, Response};
pub use text::text;
