//! The storage engine on embedded RocksDB.
//!
//! What it is: [`RocksDbEngine`], which implements [`kv::Engine`] with one column family for each table, and the only
//! crate that names RocksDB; and [`ForeignRocksDb`], which reads a RocksDB of another program. What it is not: it knows
//! nothing of what the tables hold.
//!
//! Invariants:
//! - Every batch goes through the write-ahead log as one record of it, so it is there as a whole or not at all. Sorted
//!   rows go around the log: their files are on disk before the list of files names them, all of a table's at once.
//! - Readers never see half of a batch (unless [`MemtableWrites::Unordered`] was asked for).
//! - Where the log is kept, it holds every write with its moment, and says where rows went around it.
//! - A folder is open in one process at a time, and a folder of something else is never written to.
//!
//! Where to start reading: `engine.rs` for the calls, `writer.rs` for how small commits share one write, `options.rs`
//! for how RocksDB is configured and why.

mod checkpoint;
mod clock;
mod engine;
mod error;
mod folder;
mod foreign;
mod ingest;
mod limits;
mod log;
mod options;
mod prefix;
mod read;
mod record;
mod split;
mod statistics;
mod store;
mod writer;

pub use engine::RocksDbEngine;
pub use foreign::ForeignRocksDb;
pub use options::{Compression, Durability, MemtableWrites, RocksDbOptions};
