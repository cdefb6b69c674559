//! Graphs in a storage engine: the catalogue, reading and writing of elements, paging, tasks.
//!
//! What it is: [`Graph`], one graph over an engine; which graphs there are is `graph-host`'s to know. Everything is
//! synchronous; a write is prepared and handed to the engine, and its [`Pending`] outcome is waited for by a thread or
//! awaited by a task. What it is not: it knows no JSON, no HTTP and no concrete engine.
//!
//! Invariants:
//! - A write is one batch: an element, both its adjacency entries and its index entries, or nothing. (A vertex with
//!   more than [`limits::DELETE_EDGES_PER_BATCH`] edges loses them in several batches, itself in the last.)
//! - What a writer read stays true until it has committed: writers hold stripe locks ([`stripe_locks`]) over what they
//!   read and write, and start again when the catalogue changed under them.
//! - Index entries are written in the batch of their element, and say the same as the element ([`index`]).
//! - Reads see committed data only; those of a [`Transaction`] also what it has written.
//!
//! Start reading at [`Graph`]; `write/insert.rs` is the hot path.

mod core;
mod index;
pub mod limits;
mod query;
mod read;
mod reader;
mod write;

pub use element_counts::{Counted, RECORD as COUNTS_RECORD};
pub use store_error::{End, StoreError};

pub use crate::core::clock::now_ms;
pub use crate::core::graph::Graph;
pub use crate::core::options::GraphOptions;
pub use crate::core::pending::Pending;
pub use crate::core::shared::{ChangeRight, IDS_RESERVED, Peers, RetiredWriters, Shared, StripesSeen};
pub use crate::core::texts::not_found;
pub use crate::core::{graph_version, stored_catalogue, stored_settings};
pub use crate::read::progress::{Listed, Range, Visit};
pub use crate::reader::Reader;
pub use crate::reader::graph_reader::GraphReader;
pub use crate::reader::lists::{EdgeQuery, VertexQuery};
pub use crate::reader::scan::{Scan, Shard};
pub use crate::reader::select::VertexSelector;
pub use crate::write::Writer;
pub use crate::write::ingest::Encoder;
pub use crate::write::schema::Schema;
pub use crate::write::transaction::Transaction;
pub use stripe_locks::{StripesLock, Wait};

/// What maintenance of a graph is made of: elements and index entries as they are stored, and the frame in which they
/// are changed. Reading and writing of elements is not done with these, but with [`Reader`] and [`Writer`].
pub mod parts {
    pub use crate::core::clock::is_expired;
    pub use crate::core::expiry::{delete_expiry, put_expiry};
    pub use crate::core::fetch::fetch;
    pub use crate::core::stored::{Stored, stored_edges, stored_element, stored_elements, stored_vertices};
    pub use crate::core::texts::element_id_text;
    pub use crate::index::label_index::{needs_label_index, put_label_index_entry};
    pub use crate::index::write_unit::{Refusal, WriteUnit};
    pub use crate::write::delete::remove_vertex_wholly;
    pub use crate::write::rows::{put_vertex, remove_edge, remove_vertex};
    pub use key_codec::index_entries::{Entry, add_entries, values_in_row};
    pub use stripe_locks::{Locks, Mask};
}
