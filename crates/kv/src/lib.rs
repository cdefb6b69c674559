//! The storage interface: small wide-column tables, `(partition, row) -> value`, rows ordered inside a partition.
//!
//! What it is: the traits every storage engine implements ([`Engine`], [`Read`], [`Cursor`]), the data that crosses
//! them ([`Key`], [`Keys`], [`WriteBatch`], [`TableSpec`], [`Capabilities`], [`KvError`]), reads that see writes not
//! yet committed ([`Overlay`]), an in-memory engine, an engine that injects faults into another one, and the
//! conformance suite every engine runs (feature `conformance`).
//!
//! What it is not: it knows nothing of graphs, encodes nothing (that is `key-codec`) and has no async runtime. Engines
//! that need one own it and show these blocking, batch-first calls.
//!
//! Invariants:
//! - A [`WriteBatch`] becomes visible and durable as a whole or not at all (an engine that cannot says so in
//!   [`Capabilities`]).
//! - Operations of one batch apply in order: the last one on a key wins.
//! - Sorted rows that are ingested become visible and durable table by table, each as a whole or not at all.
//! - A commit that was reported as done survives a crash of the process.
//! - Keys and values are opaque bytes; a partition is self-delimiting, so that `partition ++ row` sorts like
//!   `(partition, row)`.
//!
//! Start reading at [`Engine`].

#[cfg(any(test, feature = "conformance"))]
#[macro_use]
pub mod conformance;

mod batch;
mod checkpoint;
mod commit;
mod engine;
mod error;
mod fault;
mod foreign;
mod ingest;
mod key;
pub mod limits;
mod log;
mod memory;
mod order;
mod overlay;
mod partitions;
mod table;
mod waiting;

pub use batch::{Guards, Operation, WriteBatch};
pub use checkpoint::{Checkpoint, UNFINISHED_FILE};
pub use commit::{Commit, CommitQueue, CommitSender};
pub use engine::{Capabilities, Cursor, Engine, Entry, GoOn, Read, RowRange, Run, Statistic};
pub use error::KvError;
pub use fault::{Fault, FaultEngine, Faults};
pub use foreign::{ForeignRow, ForeignRows, ForeignStore};
pub use ingest::{Extent, SortedRows, SortedWriter, check_sorted};
pub use key::{Key, KeyBuf, Keys, prefix_end, successor};
pub use log::{LogEnd, LogRecord, WriteLog};
pub use memory::MemoryEngine;
pub use order::sorted_positions;
pub use overlay::{Overlay, UnitRows};
pub use partitions::Partitions;
pub use table::{TableId, TableSpec};
pub use waiting::{check_may_wait, check_nothing_refused, without_waiting};
