//! Bulk loading: files (CSV, text, JSON lines) into a HugeGraph-compatible server, by a mapping file of
//! hugegraph-loader's version 2 form.
//!
//! The path of a row: `source.rs` opens a file (gzip, character set) -> `reader.rs` cuts it into records with exact
//! line numbers -> `builder.rs` makes the vertex or edge a mapping asks for, each value coerced by `coerce.rs` to the
//! type the server's schema gives -> `parse.rs` collects batches on blocking threads -> `insert.rs` sends a batch, and
//! halves a refused one until only the bad rows are left out -> `rejects.rs` writes those down, with file, line and
//! reason. `pipeline.rs` drives it all, vertices of all structs first, then edges; `verify.rs` counts on the server.
//!
//! Memory is bounded: batches wait in a channel of fixed length, and at most `in_flight` are being sent.
//!
//! [`load_offline`] does the same straight into a store that this process has open (`offline.rs`): sorted runs instead
//! of requests.
//!
//! It is not a server, and it names no storage engine: it speaks HTTP/JSON through `api-client`, or hands rows to `kv`.
//! Start reading at [`load()`].

mod builder;
mod builder_plan;
mod catalogue;
mod coerce;
mod dates;
mod error;
mod insert;
pub mod limits;
mod load;
mod mapping;
mod mapping_check;
mod offline;
mod options;
mod parse;
mod pipeline;
mod primary_key;
mod progress;
mod reader;
mod rejects;
mod schema_file;
mod source;
mod summary;
mod verify;

pub use error::LoadError;
pub use load::load;
pub use mapping::Mapping;
pub use mapping_check::{parse_mapping, read_mapping};
pub use offline::{
    ElementFiles, OfflineOptions, StoredElement, StoredElements, StoredRows, load_elements, load_offline, load_stored,
};
pub use options::LoadOptions;
pub use progress::{ConsoleProgress, LoadObserver, LoadPlan, Phase, SilentObserver};
pub use summary::{Counted, LabelSummary, LoadSummary, OfflineSummary};
