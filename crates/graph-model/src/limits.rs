//! Limits of the model, each with its reason. Exceeding one is a [`crate::IdError`] or a schema error that names it.

/// Bytes of a vertex id's text in UTF-8. HugeGraph's limit; ids are repeated in every edge key.
pub const VERTEX_ID_BYTES_MAX: usize = 16_384;

/// Characters of an edge id's text. HugeGraph's limit: two vertex ids and the sort values.
pub const EDGE_ID_CHARS_MAX: usize = 65_536;

/// Milliseconds of automatic ids reserved ahead in the store, so that a restart or a clock set back never repeats one.
pub const ID_RESERVATION_MS: u64 = 60_000;
