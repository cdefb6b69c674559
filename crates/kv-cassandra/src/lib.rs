//! The storage engine on Apache Cassandra or ScyllaDB.
//!
//! [`CassandraEngine`] implements [`kv::Engine`] in a keyspace of a cluster. No other crate names the driver. This one
//! does not know what the tables hold, and starts no cluster.
//!
//! # Layout
//! A table of the interface is a table of the store, `(p, r) -> v`: the partition is the partition key, so that its
//! rows are together on the same replicas, and the row is the clustering key, so that they are in order. Two further
//! tables are `kv_settings`, which has the format version, and `kv_intents`.
//!
//! # What is atomic, and what a reader may see
//! - A write is acknowledged when enough replicas have it ([`ReplicaConsistency`]), and a read asks enough replicas to
//!   find it. It is never lost while a majority of the replicas of its partition keeps its disks.
//! - The writes of a group ([`kv::WriteBatch::end_group`]) are all applied eventually. To one partition they are one
//!   mutation, seen as a whole by a reader of one table. To several they are sent as a logged batch, which the cluster
//!   completes by itself; groups too large for that, and all while the cluster's log does not work, become an intent
//!   first, which this engine completes ([`limits::INTENT_SWEEP_INTERVAL`], and at each start). A reader may see a part
//!   of a group before the rest, usually for less than a millisecond.
//! - A failed batch may have some of its groups written, and one with an unknown outcome may be completed later. Newer
//!   writes to the same keys stay, because all writes of a batch carry the time of the batch.
//! - Of two writes to one key the later timestamp wins. Timestamps increase monotonically within a process. Between
//!   processes they depend on the clocks of their machines, which must be synchronised (NTP); a difference is logged as
//!   a warning at startup and reported in the metrics.
//! - [`kv::Engine::compare_and_swap`] is a lightweight transaction, linearizable across processes.
//! - Each page of a scan is read at its own time. Partitions come in the order of their tokens; a prefix that is not a
//!   whole partition is filtered here, so such a scan reads the whole table. It does so by ranges of tokens, up to
//!   [`limits::RANGES_AHEAD`] at once, each from its replicas.
//!
//! # Failures
//! A request that can be repeated is sent again, to another node where possible, until the request timeout; nodes that
//! bring no answers are asked last. Then it fails with [`kv::KvError::Unavailable`] or [`kv::KvError::Timeout`]. The
//! driver finds nodes that come back by itself. Requests and bytes under way are bounded ([`limits`]), so a cluster
//! that hangs costs callers their time, not their memory.
//!
//! # First start
//! Keyspace and tables are made where they are missing. Nodes before version 5.1 can disagree when two clients make one
//! table at the same moment, so start one server first, and others when it is up.
//!
//! Where to start reading: `engine.rs` for the calls, `plan.rs` for which requests a batch becomes, `client.rs` for
//! what a request goes through, `cursor.rs` and `ranges.rs` for scans, `intent.rs` for the repair.

mod breaker;
mod client;
mod clock;
mod coordinators;
mod cursor;
mod engine;
mod error;
mod figures;
mod intent;
pub mod limits;
mod many;
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
