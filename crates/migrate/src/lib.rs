//! Migration from a living HugeGraph (0.12 to 1.7) or another server of this project by REST, or from the files of a
//! stopped HugeGraph.
//!
//! What it is: it copies schema, variables, vertices, edges, and where asked the users with their rights and password
//! hashes, into an open store ([`into_store`]) or a running server ([`into_server`]). The source is only read.
//! What it is not: it follows no changes. Whoever writes to the source meanwhile is noticed by the comparison at the
//! end, not copied.
//!
//! The way of an element: `fetch.rs` reads pages of shards, several at a time, and appends their elements to files in
//! a work folder; `journal.rs` records each page once it is on disk, so an interrupted migration goes on there. When
//! all are there, the target takes the files: a store through the sorted load of `bulk-load` (`store.rs`), a server in
//! batches (`server.rs`). Then counts and sums over the contents (`digest.rs`) are compared, label by label.
//!
//! Invariants:
//! - Memory is bounded: a page (about [`limits::PAGE_BYTES_GOAL`]) for each worker, and what the load is given.
//! - Doing it again changes nothing: definitions that are there must be equal, elements replace equal ones.
//! - Nothing is left out without being named in the summary's warnings.
//!
//! [`from_files`] does the same from the RocksDB folders of a stopped HugeGraph, without REST and JSON (`files.rs`).
//!
//! Start reading at `run.rs`.

mod definitions;
mod digest;
mod elements;
mod error;
mod fetch;
mod files;
mod journal;
pub mod limits;
mod options;
mod rows;
mod run;
mod server;
mod store;
mod summary;
mod target;
mod users;

pub use error::MigrateError;
pub use files::from_files;
pub use options::{FilesOptions, MigrateObserver, MigrateOptions, SilentMigration, StoreTarget};
pub use run::{into_server, into_store};
pub use summary::{LabelComparison, MigrateSummary};
