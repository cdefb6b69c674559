//! Limits of the store, each with its reason.

/// Times a number that several processes take from is tried to be raised. Each failure is the success of another
/// process.
pub const SWAP_RETRIES_MAX: u32 = 1_000;

/// Edges deleted in one batch when a vertex is deleted. Bounds the memory of deleting a vertex with very many edges.
pub const DELETE_EDGES_PER_BATCH: usize = 10_000;

/// Elements fetched in one round when a list goes through an index.
pub const LIST_FETCH_VERTICES: usize = 128;

/// Lists of a vertex's edges, of a label in a direction each, that are read ahead together; the next ones are another
/// round.
pub const PARTITIONS_AHEAD: usize = 4_096;

/// Rows a scan reads between two looks at its deadline and cancellation. A row costs about a microsecond.
pub const ROWS_PER_CHECK: u32 = 256;

/// Times a write starts again because the schema changed under it. Changes are rare; more than this many in a row is a
/// defect.
pub const CATALOGUE_RETRIES_MAX: u32 = 64;

/// Bytes of a page token's text. A position holds at most two vertex ids and sort values.
pub const PAGE_TOKEN_BYTES_MAX: usize = 131_072;

/// Characters of a graph's name, as in HugeGraph.
pub const GRAPH_NAME_CHARS_MAX: usize = 48;

/// Ranges of an index one query may walk: the values of `within`, multiplied where it is asked of several fields. Each
/// is a search.
pub const INDEX_RANGES_MAX: usize = 10_000;

/// Elements of an index that are remembered to narrow what another index finds; beyond, they are compared only after
/// they were fetched. HugeGraph's `query.index_intersect_threshold`.
pub const INTERSECT_IDS_MAX: usize = 1_000;

/// Vertices a traversal may start at when they are chosen by label or properties: they are held in memory.
pub const SELECTED_VERTICES_MAX: usize = 100_000;

/// Elements one scan gives out that is not read page by page. HugeGraph's capacity of a query; its tools then split the
/// shard.
pub const SCAN_RECORDS_MAX: u64 = 800_000;

/// Elements whose ids are looked at to find the first and the last one of a shard, where it is the only one: some
/// milliseconds.
pub const SHARD_IDS_READ_MAX: usize = 10_000;

/// Entries of one element in one index label: words of its text, items of its collection. Each is a write; HugeGraph's
/// collections are no larger either.
pub const INDEX_ENTRIES_PER_ELEMENT_MAX: usize = 65_535;

/// Index entries that one batch adds and removes, those of one element beyond it included: they are held in memory,
/// some 100 bytes each.
pub const INDEX_ENTRIES_PER_BATCH_MAX: usize = 500_000;

/// Rows that one transaction writes, those of indexes and deletions included: they are held in memory until it commits,
/// some 200 bytes each besides their content. One element has two or three, and one in each index.
pub const TRANSACTION_ROWS_MAX: usize = 200_000;

/// Elements that a transaction which only inserts holds without their rows: it makes them when it has more, or when
/// something reads what it wrote. Bulk imports of a statement have some hundreds to thousands.
pub const UNREAD_ELEMENTS_MAX: usize = 10_000;

/// Bytes of the values of such elements.
pub const UNREAD_BYTES_MAX: usize = 4 << 20;

/// Bytes of keys and values that one transaction writes. It becomes one batch, which [`kv::limits::BATCH_BYTES_MAX`]
/// bounds; half of that leaves room for entries in unique indexes.
pub const TRANSACTION_BYTES_MAX: usize = 32 << 20;

/// Elements looked at in one step of building or checking an index. Meanwhile nobody else writes elements near them,
/// Time a write may take from looking at the clock to being stored; the purge looks back so far for rows that came
/// late. Much longer than any request may take; a row that came later still is found by the next start.
pub const EXPIRY_WRITE_MS_MAX: i64 = 600_000;

/// Rows of expired elements looked at at one time: the edges among them go in one batch, and the vertices' batches are
/// Bytes of a graph's configuration, keys and values together. One in use is below 2 KiB.
pub const GRAPH_CONF_BYTES_MAX: usize = 65_536;

/// Bytes beyond itself of a value that is kept in memory with others of its property: a longer one is read each time,
/// since it would push out many short ones.
pub(crate) const KEPT_VALUE_BYTES_MAX: usize = 1_024;

/// Bytes of the runs into which the vertices of a label are cut to estimate how many there are: of some ten thousand.
pub const ESTIMATE_RUN_BYTES: u64 = 256 << 10;

/// Runs that must have been read for an estimate, so that the ends of the first and the last one matter little.
pub const ESTIMATE_RUNS_MIN: usize = 4;
