//! Limits and sizes of traversals, each with its reason.

/// Vertices whose edges are read in one go: enough to keep all cores busy for milliseconds, few enough that the edges
/// of a block are small compared with the traversal's memory.
pub const BLOCK_VERTICES: usize = 4_096;

/// Vertices in the first block of a frontier: few, because a limit can be reached at once.
pub const FIRST_BLOCK_VERTICES: usize = 64;

/// Where many vertices are wanted, the first block has this part of so many, if that is more: some edges lead to each.
pub const FIRST_BLOCK_SHARE: usize = 16;

/// How much larger each block is than the one before, up to [`BLOCK_VERTICES`].
pub const BLOCK_GROWTH: usize = 4;

/// Vertices read by one thread before it takes the next ones.
pub const CHUNK_VERTICES: usize = 128;

/// Fewer vertices than this are read by the calling thread: waking others takes longer than the reading.
pub const PARALLEL_VERTICES_MIN: usize = 256;

/// Bytes read between two charges to the memory of the traversal: charging is an atomic operation. Threads together
/// hold so much more than is counted each.
pub(crate) const BYTES_PER_CHARGE: usize = 16 * 1_024;

/// Paths put together between two looks at the deadline.
pub(crate) const PATHS_PER_CHECK: usize = 1_024;

/// Bytes a vertex takes in a traversal besides its text: its id, hash, and a few words in the sets of an algorithm.
pub const NODE_BYTES: usize = 72;

/// Bytes an edge takes while its block is at hand.
pub const EDGE_BYTES: usize = 16;

/// Bytes an edge takes while its block is at hand, where vertices are numbers: twice a number, in lists that may be
/// twice as long as needed.
pub(crate) const NUMBERED_EDGE_BYTES: usize = 16;

/// Bytes a vertex takes in a traversal where vertices are numbers: two numbers and a few words in the sets of an
/// algorithm, and its id among the graph's numbers, which a traversal can make many of.
pub(crate) const NUMBERED_NODE_BYTES: usize = NODE_BYTES;

/// Bytes an edge takes besides, while its block is at hand, that leads to a vertex without a number: the vertex's id,
/// in a list that may be twice as long as needed, and its number.
pub(crate) const NEW_VERTEX_BYTES: usize = 2 * size_of::<graph_model::VertexId>() + size_of::<Option<crate::Node>>();

/// Bytes a recorded edge takes: its key, label and sort values in a hash map.
pub const RECORDED_EDGE_BYTES: usize = 64;

/// Bytes a pair of vertices takes while the edge between them is looked up: in a hash set, in two lists of what to look
/// for, and with what was found.
pub(crate) const PAIR_BYTES: usize = 192;

/// Bytes a step of a path takes in a [`crate::PathTree`].
pub const PATH_STEP_BYTES: usize = 16;

/// Memory of one traversal where the caller does not say.
pub const MEMORY_BYTES_MAX_DEFAULT: usize = 256 * 1024 * 1024;

/// Vertices whose edges a search by weight, or a walk of rays and rings, reads at once: most of the gain of reading
/// many is had with these, and little is read in vain when few results are asked for.
pub const READ_AHEAD_VERTICES: usize = 64;

/// Steps of a traversal: more than the diameter of any graph that such a walk is of use in; HugeGraph's bound.
pub const DEPTH_MAX: u64 = 5_000;

/// Bytes of a vertex in a [`crate::search`] ball: its hops, the one before, and its places in the lists of edges.
pub(crate) const BALL_PLACE_BYTES: usize = 24;

/// Bytes of a vertex in a state of a pattern: its entry in an ordered hash set.
pub(crate) const PLACE_BYTES: usize = 32;

/// Bytes of an edge of a search: as read, as a successor, as one to go back along, and while it is open.
pub(crate) const ARC_BYTES: usize = 40;

/// Bytes of a path found besides its vertices.
pub(crate) const PATH_BYTES: usize = 24;

/// Rings of so many hops need no search from both ends: their middle hop joins two neighbours.
pub(crate) const SHORT_RING_HOPS: u32 = 3;

/// Vertices of paths passed between two looks at the deadline: a pass costs some ten nanoseconds.
pub(crate) const STEPS_PER_CHECK: u32 = 4_096;

/// States of a path pattern, which is the length of its longest path.
pub const PATTERN_STATES_MAX: u64 = DEPTH_MAX;

/// Bytes of a neighbour kept: its number and two bits.
pub(crate) const NEIGHBOUR_BYTES: usize = 8;

/// Bytes of an edge between two layers: its end and its weight.
pub(crate) const LAYER_EDGE_BYTES: usize = 16;

/// Bytes of a vertex of a layer: its place in the list of its edges and in the sets of those that lead on.
pub(crate) const LAYER_VERTEX_BYTES: usize = 64;

/// The seed with which samples are drawn, so that the same request to the same graph is answered alike.
pub const SAMPLE_SEED: u64 = 0x5EED;

/// Bytes of a vertex of a layer that is counted.
pub(crate) const COUNTED_VERTEX_BYTES: usize = 40;

/// Bytes of a vertex whose edges are kept for the next sources: its place in the list of them.
pub(crate) const BACK_VERTEX_BYTES: usize = 24;

/// Bytes of a vertex that shares neighbours with a source: its place in a map and in a list.
pub(crate) const SHARING_VERTEX_BYTES: usize = 64;

/// Bytes of a neighbour shared, in a list that may be twice as long as needed.
pub(crate) const SHARED_NEIGHBOUR_BYTES: usize = 8;

/// Bytes of a vertex that is ranked: its rank, twice, and its places in lists.
pub(crate) const RANKED_VERTEX_BYTES: usize = 96;
