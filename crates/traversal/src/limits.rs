//! Limits and sizes of traversals, each with its reason.

/// Vertices whose edges are read in one go: enough to keep all cores busy for milliseconds, few enough that the edges of a block are
/// small beside the traversal's memory.
pub const BLOCK_VERTICES: usize = 4_096;

/// Vertices in the first block of a frontier: few, because a limit can be reached at once.
pub const FIRST_BLOCK_VERTICES: usize = 64;

/// How much larger each block is than the one before, up to [`BLOCK_VERTICES`].
pub const BLOCK_GROWTH: usize = 4;

/// Vertices read by one thread before it takes the next ones.
pub const CHUNK_VERTICES: usize = 128;

/// Fewer vertices than this are read by the calling thread: waking others takes longer than the reading.
pub const PARALLEL_VERTICES_MIN: usize = 256;

/// Edges read between two charges to the memory of the traversal: charging is an atomic operation.
pub const EDGES_PER_CHARGE: usize = 1_024;

/// Bytes a vertex takes in a traversal besides its text: its id, hash, and a few words in the sets of an algorithm.
pub const NODE_BYTES: usize = 72;

/// Bytes an edge takes while its block is at hand.
pub const EDGE_BYTES: usize = 16;

/// Bytes a recorded edge takes: its key, label and sort values in a hash map.
pub const RECORDED_EDGE_BYTES: usize = 64;

/// Bytes a step of a path takes in a [`crate::PathTree`].
pub const PATH_STEP_BYTES: usize = 16;

/// Memory of one traversal where the caller does not say.
pub const MEMORY_BYTES_MAX_DEFAULT: usize = 256 * 1024 * 1024;

/// Vertices whose edges a search by weight reads at once: most of the gain of reading many is had with these.
pub const READ_AHEAD_VERTICES: usize = 64;

/// Steps of a traversal: more than the diameter of any graph that such a walk is of use in; HugeGraph's bound.
pub const DEPTH_MAX: u64 = 5_000;
