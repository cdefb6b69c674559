//! Limits of commands, each with its reason.

use std::time::Duration;

/// How often who waits for an index looks: short compared with any build, long compared with a look.
pub(crate) const LOOK: Duration = Duration::from_millis(20);

/// How long `db.awaitIndexes` waits unless it is told otherwise: as Neo4j does.
pub(crate) const AWAIT: Duration = Duration::from_secs(300);

/// Bytes of one row of `LOAD CSV`, unless settings say otherwise.
pub const ROW_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Bytes of a file that are read at once.
pub(crate) const READ_BYTES: usize = 64 * 1024;

/// A query that has less time than this waits for nothing.
pub(crate) const TIME_MIN: Duration = Duration::from_millis(10);

/// Elements that are read at once when their properties are looked at.
pub(crate) const BATCH: usize = 1000;
