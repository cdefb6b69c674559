//! Async client of a HugeGraph-compatible server (Rhizome, Apache HugeGraph 1.5 and 1.7).
//!
//! It speaks the REST contract over HTTP/JSON: schema, vertices, edges, tasks, graph mode. It chooses the URL layout
//! from the server's version, retries what can be retried (no connection, overload), and turns every refusal into a
//! typed [`ClientError`] that keeps the server's own words.
//!
//! It is not an object mapper: elements go in as JSON text or [`serde_json::Value`], so that a loader can serialise
//! once. It knows nothing of this project's server crates.
//!
//! Start at [`Client::connect`], then `client/elements.rs` for reading and writing the graph.

mod client;
mod error;
mod limits;
mod options;
mod schema_types;

pub use client::elements::{ElementKind, Page, VertexId};
pub use client::graph_admin::{GraphMode, StartedTask, Task};
pub use client::scan::Shard;
pub use client::{Client, Versions};
pub use error::ClientError;
pub use limits::{COUNT_PAGE_ELEMENTS, ERROR_TEXT_BYTES_MAX, RETRY_AFTER_MAX_MS};
pub use options::{ClientOptions, RetryPolicy};
pub use schema_types::{Cardinality, DataType, EdgeLabel, IdStrategy, PropertyKey, Schema, VertexLabel};
