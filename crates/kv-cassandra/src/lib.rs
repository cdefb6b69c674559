//! The storage engine on Apache Cassandra or ScyllaDB.
//!
//! What it is: [`CassandraEngine`], which implements [`kv::Engine`] in a keyspace of a cluster, and the only crate that
//! names the driver. What it is not: it knows nothing of what the tables hold, and starts no cluster.
//!
//! # Layout
//! A table of the interface is a table of the store, `(p, r) -> v`: the partition is the partition key, so that its
//! rows are together on the same replicas, and the row is the clustering key, so that they are in order. Beside them
//! are `kv_settings`, which says the format, and `kv_intents`.
//!
//! # What is atomic, and what a reader may see
//! - A write is acknowledged when enough replicas have it ([`ReplicaConsistency`]), and a read asks enough replicas to
//!   find it. It is never lost while a majority of the replicas of its partition keeps its disks.
//! - The writes of a group ([`kv::WriteBatch::end_group`]) are all there in the end. To one partition they are one
//!   mutation, seen as a whole by a reader of one table. To several they travel in a logged batch, which the cluster
//!   finishes by itself; groups too large for that become an intent first, which this engine finishes
//!   ([`limits::INTENT_SWEEP_INTERVAL`], and at each start). A reader may see some of a group before the rest, as a
//!   rule for less than a millisecond.
//! - A batch that failed may have some of its groups written, and one of which the outcome is unknown may be finished
//!   later on. Whatever was written since to the same keys stays, because all writes of a batch carry the time of the
//!   batch.
//! - Of two writes to one key the later timestamp wins. Within a process these only rise. Between processes they are
//!   the clocks of their machines: keep those together (NTP); a difference is warned of at the start and is a figure in
//!   the metrics.
//! - [`kv::Engine::compare_and_swap`] is a lightweight transaction: linearizable, whoever calls it.
//! - Scans see each page at its own moment. Partitions come in the order of their tokens; a prefix that is not a whole
//!   partition is compared here, so such a scan reads the whole table. It does so by ranges of tokens, up to
//!   [`limits::RANGES_AHEAD`] at once, each asked of its replicas.
//!
//! # Failures
//! A request that can be repeated is sent again, to another node where possible, until the request timeout; then it
//! fails with [`kv::KvError::Unavailable`] or [`kv::KvError::Timeout`]. The driver finds nodes that come back by
//! itself. Requests and bytes under way are bounded ([`limits`]), so a cluster that hangs costs callers their time, not
//! their memory.
//!
//! # First start
//! Keyspace and tables are made where they are missing. Nodes before version 5.1 can disagree when two clients make one
//! table at the same moment, so start one server first, and others when it is up.
//!
//! Where to start reading: `engine.rs` for the calls, `plan.rs` for which requests a batch becomes, `client.rs` for
//! what a request goes through, `cursor.rs` and `ranges.rs` for scans, `intent.rs` for the repair.

mod client;
mod clock;
mod cursor;
mod engine;
mod error;
mod figures;
mod intent;
pub mod limits;
mod options;
mod page;
mod plan;
mod ranges;
mod read;
mod refusal;
mod schema;
mod send;
mod statements;
mod statistics;
mod swap;
mod tls;
mod window;
mod write;

pub use engine::CassandraEngine;
pub use options::{CassandraOptions, ClientCertificate, Credentials, ReplicaConsistency, TlsOptions};
