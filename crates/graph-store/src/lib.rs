//! Graphs in a storage engine: the catalogue, reading and writing of elements, paging, tasks.
//!
//! What it is: [`Store`] (the graphs of one engine) and [`Graph`] (one of them). Everything is synchronous; a write is prepared and
//! handed to the engine, and its [`Pending`] outcome is waited for by a thread or awaited by a task. What it is not: it knows no JSON, no
//! HTTP and no concrete engine.
//!
//! Invariants:
//! - A write is one batch: an element, both its adjacency entries and its index entries, or nothing. (A vertex with more than
//!   [`limits::DELETE_EDGES_PER_BATCH`] edges loses them in several batches, itself in the last.)
//! - What a writer read stays true until it has committed: writers hold stripe locks ([`stripes`]) over what they read and write, and
//!   start again when the catalogue changed under them.
//! - Index entries are written in the batch of their element, and say the same as the element ([`index`]).
//! - Reads see committed data only.
//!
//! Start reading at [`Graph`]; `insert.rs` is the hot path.

mod adjacency;
mod cluster;
mod compact;
mod delete;
mod dropped;
mod error;
mod graph;
mod graphs;
mod id_generator;
mod index;
mod ingest;
mod insert;
pub mod limits;
mod list;
mod list_edges;
mod memory;
mod olap;
mod page;
mod pending;
mod purge;
mod query;
mod read;
mod removal;
mod scan;
mod schema;
mod select;
mod settings;
mod snapshot;
mod store;
mod stripes;
mod task;
mod task_queue;
mod transfer;
mod update;
mod update_batch;
mod variables;

pub use adjacency::GraphReader;
pub use cluster::ClusterOptions;
pub use error::{End, StoreError};
pub use graph::{Graph, GraphOptions};
pub use graphs::{Clear, GraphConf};
pub use index::{IndexFault, IndexReport};
pub use ingest::Encoder;
pub use insert::Wait;
pub use list::{Budget, Listed, Range, VertexQuery, Visit};
pub use list_edges::EdgeQuery;
pub use olap::OlapJob;
pub use pending::Pending;
pub use purge::{PurgeOptions, Purged};
pub use scan::{Scan, Shard};
pub use schema::Alter;
pub use select::VertexSelector;
pub use store::{Store, StoreOptions};
pub use transfer::{Copied, CopyProgress, TableSum};
