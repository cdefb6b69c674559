//! How are the edges of a vertex read from rows, and kept as numbers?
//!
//! What it is: [`EdgeCursor`] reads the edges of many vertices batch by batch; [`Neighbours`] answers from a table of
//! `adjacency` and reads what that does not have; [`Ahead`] and [`each_edge_at`] read edges of all labels in one round;
//! [`register()`] tells the cache of a graph what a batch of writes
//! changes. What it is not: it knows no catalogue and takes no locks; `graph-store` does, and its tests (those of
//! `graph-host`) cover this crate.
//!
//! Invariants:
//! - Each batch sees committed data of its own moment.
//! - What is kept was read after its ticket was issued, and does not expire.
//!
//! Start reading at [`Neighbours::read`].

mod ahead;
mod at_vertex;
mod bounds;
mod cursor;
mod lists;
mod neighbours;
mod register;

use std::time::{SystemTime, UNIX_EPOCH};

use graph_access::{Budget, Interrupted};
use graph_model::LabelId;
use key_codec::{CodecError, GraphNumber};
use kv::{KvError, Read};

pub use ahead::Ahead;
pub use at_vertex::{ReadEdgeKey, TABLES, TakeEdge, each_edge_at};
pub use bounds::sort_prefix;
pub use cursor::EdgeCursor;
pub use lists::Lists;
pub use neighbours::Neighbours;
pub use register::register;

/// Rows read between two looks at the deadline and cancellation. A row costs about a microsecond.
const ROWS_PER_CHECK: u32 = 256;

/// Vertices up to which a range of the edges of each is read by a scan of its own. Of more, rows outside are passed
/// over in one scan of all, as opening a scan takes as long as reading about a hundred rows.
const RANGES_OWNERS_MAX: usize = 16;

/// Partitions of one direction that are listed at a time: keys of so many take about a MiB, however many vertices and
/// labels there are.
const PARTITIONS_MAX: usize = 16 * 1_024;

/// Edges that are read ahead at most, over a network: some hundred times the partitions that an engine has under way,
/// so that those thrown away at the end are few. They take some MiB.
const ROWS_AHEAD_MAX: usize = 16 * 1_024;

/// Edges of a vertex that are read ahead of all its labels in one round, where the engine is behind a network. A page
/// of a list is seldom larger.
pub const ROWS_AHEAD: usize = 1_024;

/// Bytes of such edges at which reading ahead stops: edges with long values must not fill the memory.
pub const BYTES_AHEAD: usize = 1 << 20;

/// How many times as many edges are read ahead as are asked for: who asks for few is likely to stop early.
const ROWS_AHEAD_FACTOR: usize = 16;

/// Edges of a vertex that are read at least, where a walk asks for fewer, so that the list kept of them serves other
/// walks too. Finding the first row takes as long as reading so many.
const LIST_ROWS_MIN: usize = 64;

/// Where edges are read.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// Of which graph.
    pub graph: GraphNumber,
    /// In what.
    pub read: &'a (dyn Read + Sync),
    /// All labels edges can have, in the order of their numbers.
    pub labels: &'a [LabelId],
    /// How long.
    pub budget: &'a Budget,
}

/// Why edges could not be read.
#[derive(Debug, thiserror::Error)]
pub enum RowsError {
    /// The engine failed.
    #[error(transparent)]
    Kv(#[from] KvError),
    /// A row is damaged.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// The time is up, or nobody waits any more.
    #[error("interrupted")]
    Interrupted(Interrupted),
    /// There are no numbers left for vertices.
    #[error("a walk meets more than {} vertices", adjacency::limits::NUMBERS_MAX)]
    TooManyVertices,
}

impl From<Interrupted> for RowsError {
    fn from(interrupted: Interrupted) -> Self {
        Self::Interrupted(interrupted)
    }
}

/// The time now, in milliseconds since 1970 UTC.
fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
