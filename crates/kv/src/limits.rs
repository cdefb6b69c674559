//! Every limit of the storage interface, with its reason. Engines refuse what exceeds them in
//! [`crate::Engine::submit`].

/// Longest key (partition and row together), in bytes: what fits a 16-bit length, the smallest limit among the engines
/// this interface is made for. Keys are compared on every step of a search, so long ones are slow long before this.
pub const KEY_BYTES_MAX: usize = 65_535;

/// Longest value, in bytes: a value is held in memory as a whole at least three times on its way (request, batch,
/// engine).
pub const VALUE_BYTES_MAX: usize = 16 << 20;

/// Largest batch, in bytes of keys and values: an engine holds a batch in memory as a whole, and a batch that is larger
/// than the engine's write buffer stalls everybody else's writes. A client's largest request stays far below.
pub const BATCH_BYTES_MAX: usize = 64 << 20;

/// Runs a part of a table is cut into at most: they are listed in one answer. Beyond, runs are larger than was asked
/// for.
pub const RUNS_MAX: usize = 10_000;
