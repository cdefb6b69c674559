//! Property records of nodes and edges, on any storage engine.
//!
//! What it is: a library. A record is a JSON object, kept under a node's 64-bit id or under an edge's two ends (one
//! record per pair). [`PropertyStore::nodes`] and [`PropertyStore::edges`] offer the same operations over both: get,
//! insert, put, extend, merge, remove, batch get, scan, count. What it is not: it has no labels, schema or indexes
//! (that is `graph-store`), no server and no engine of its own: anything that implements [`kv::Engine`] will do, opened
//! with [`TABLES`].
//!
//! Invariants:
//! - One value format on all engines ([`record`]), with a version; bytes of another version are refused, never guessed
//!   at.
//! - Every write is one atomic batch, as far as the engine has that over partitions
//!   ([`kv::Capabilities::atomic_across_partitions`]); no failure is silent.
//! - What a read-modify-write ([`Records::insert`], [`Records::merge`], [`Records::remove`]) read is still true when it
//!   writes, whatever this process writes meanwhile; other processes that share an engine
//!   ([`kv::Capabilities::shared`]) are not excluded.
//! - Opening never deletes anything, and a read-only store refuses every write.
//!
//! ```
//! use std::sync::Arc;
//! use kv::MemoryEngine;
//! use property_store::{PropertyStore, StoreOptions, TABLES};
//! use serde_json::json;
//!
//! let engine = Arc::new(MemoryEngine::open(TABLES));
//! let store = PropertyStore::open(engine, StoreOptions::default())?;
//! let record = json!({"name": "Ann", "born": 1990, "tags": ["a", "b"]});
//! store.nodes().insert(7, record.as_object().unwrap())?;
//! let part = store.nodes().get(7, &["born"])?.unwrap();
//! assert_eq!(part["born"], 1990);
//! # Ok::<(), property_store::PropertyError>(())
//! ```
//!
//! Start reading at [`PropertyStore`], then [`Records`].

#[cfg(any(test, feature = "conformance"))]
#[macro_use]
pub mod conformance;

mod bulk;
mod error;
mod keys;
pub mod limits;
pub mod record;
mod records;
mod scan;
mod store;

// So that a program needs only this crate and one engine.
pub use kv;

pub use bulk::{BulkLoad, BulkOptions, BulkSummary};
pub use error::{PropertyError, RecordError};
pub use keys::{EdgeEnds, RecordKey, TABLES};
pub use record::Record;
pub use records::{Check, Records};
pub use scan::Scan;
pub use store::{Access, Direction, PropertyStore, StoreOptions};

/// The code of the readme is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
