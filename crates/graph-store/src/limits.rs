//! Limits of the store, each with its reason.

/// Edges deleted in one batch when a vertex is deleted. Bounds the memory of deleting a vertex with very many edges.
pub const DELETE_EDGES_PER_BATCH: usize = 10_000;

/// Elements deleted in one batch when a label is removed.
pub const REMOVAL_ELEMENTS_PER_BATCH: usize = 10_000;

/// Vertices fetched in one round when a list goes through the label index.
pub const LIST_FETCH_VERTICES: usize = 128;

/// Rows a scan reads between two looks at its deadline and cancellation. A row costs about a microsecond.
pub const ROWS_PER_CHECK: u32 = 256;

/// Times a write starts again because the schema changed under it. Changes are rare; more than this many in a row is a defect.
pub const CATALOGUE_RETRIES_MAX: u32 = 64;

/// Tasks waiting for their turn in one store. Each holds a schema element in deletion.
pub const TASKS_QUEUED_MAX: usize = 10_000;

/// Bytes of a page token's text. A position holds at most two vertex ids and sort values.
pub const PAGE_TOKEN_BYTES_MAX: usize = 131_072;

/// Milliseconds of automatic ids reserved ahead in the store, so that a restart or a clock set back never repeats one.
pub const ID_RESERVATION_MS: u64 = 60_000;

/// Characters of a graph's name, as in HugeGraph.
pub const GRAPH_NAME_CHARS_MAX: usize = 48;

/// Bytes of a graph's configuration, keys and values together. One in use is below 2 KiB.
pub const GRAPH_CONF_BYTES_MAX: usize = 65_536;

/// Bytes of one batch when a graph is copied for a snapshot: large enough that its cost is that of its bytes, and all the memory a copy
/// takes.
pub const COPY_BATCH_BYTES: usize = 1 << 20;
