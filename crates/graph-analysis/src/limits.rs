//! Limits of analyses, each with its reason.

/// Bytes that projections and runs may take where the settings do not say: a graph of 100 million edges.
pub const MEMORY_BYTES_MAX_DEFAULT: u64 = 2 * 1024 * 1024 * 1024;

/// About how many bytes of a table one thread reads before it takes the next part.
pub(crate) const RUN_BYTES: u64 = 8 * 1024 * 1024;

/// Rows between two looks whether to stop.
pub(crate) const ROWS_PER_CHECK: usize = 4_096;

/// Vertices read at once for the value of a property.
pub(crate) const READ_BATCH: usize = 1_000;

/// Vertices written in one batch.
pub(crate) const WRITE_BATCH: usize = 500;

/// Rows of a result where nothing else is asked for.
pub(crate) const ROWS_DEFAULT: usize = 100;

/// Bytes of a result kept with its task, as JSON.
pub(crate) const RESULT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Bytes for each vertex while ids are read: its id, and its place in the table of ids.
pub(crate) const VERTEX_BYTES: u64 = size_of::<graph_model::VertexId>() as u64 + 10;

/// Bytes that a thread keeps before it tells the others.
pub(crate) const KEPT_PER_LOOK: u64 = 64 * 1024;

/// Threads of a run at most: more only wait for memory.
pub(crate) const THREADS_MAX: usize = 16;

/// Projections that are kept under names.
pub(crate) const PROJECTIONS_MAX: usize = 64;

/// Ids whose numbers a thread looks up one after the other, with nothing between them.
pub(crate) const LOOK_UPS: usize = 1_024;
