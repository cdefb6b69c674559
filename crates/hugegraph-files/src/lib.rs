//! What the RocksDB folders of a stopped Apache HugeGraph (1.0 to 1.7) hold: definitions, vertices, edges, variables
//! and users.
//!
//! What it is: the layout of its rows, read. What it is not: it names no storage engine ([`kv::ForeignStore`] is the
//! store), writes nothing, and knows nothing of where the elements go.
//!
//! HugeGraph keeps three stores: `m` (definitions), `g` (elements) and `s` (users and tasks). A table is named by its
//! graph, `+` and a few letters: `v` vertices, `oe` edges by their source, `ie` the same by their target, others for
//! indexes. What belongs to the system (users, variables, tasks) are vertices and edges of labels with negative
//! numbers, whose definitions are not stored.
//!
//! Invariants: decoding never panics, whatever the bytes; an error names folder, table and key.
//!
//! Start reading at [`Source`].

mod bytes;
mod elements;
mod error;
mod limits;
mod places;
mod schema;
mod source;
mod system;
mod users;
mod value;

pub use elements::Found;
pub use error::FilesError;
pub use places::{Place, Places};
pub use schema::Schema;
pub use source::{ElementTable, Rows, Source, Stores};
