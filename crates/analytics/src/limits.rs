//! Sizes and defaults, each with its reason.

/// Vertices of a graph: numbers have 32 bits, and the last one means "none".
pub const VERTICES_MAX: usize = u32::MAX as usize - 1;

/// About how many edges and vertices one part of parallel work has: some hundred microseconds, so that threads end
/// together and a cancelled run stops soon.
pub const PART_WORK: usize = 1 << 16;

/// Sources that one word of a search from many sources holds.
pub const SOURCES_PER_WORD: usize = 64;

/// Sources whose results are added up in one vector, one after the other, by one thread. It decides the order in which
/// floats are added, so it must not depend on the number of threads.
pub const SOURCES_PER_SUM: usize = 8;

/// Such vectors at a time: the memory of betweenness.
pub const SUMS_AT_A_TIME: usize = 8;

/// Frontier edges below which a search goes on from its frontier: with more than 1/15 of the edges left to look at,
/// it is cheaper to ask every vertex not reached whether one of its neighbours is in the frontier. (Beamer, Asanovic,
/// Patterson: Direction-Optimizing Breadth-First Search, 2012.)
pub const BOTTOM_UP_EDGES: usize = 15;

/// A search goes back to its frontier when that is less than 1/18 of the vertices. (Same source.)
pub const TOP_DOWN_VERTICES: usize = 18;

/// Steps of a sequential loop between two looks at the watch.
pub const STEPS_PER_CHECK: usize = 1 << 16;

/// Iterations where nothing else is asked for.
pub const ITERATIONS_MAX_DEFAULT: u64 = 100;

/// Results of a listing (cycles, pairs, paths) where nothing else is asked for.
pub const RESULTS_DEFAULT: usize = 1_000;

/// Parts in which edges are turned round: each takes 4 bytes a vertex to know where its edges go.
pub const TRANSPOSED_BLOCKS: usize = 4;

/// Ranks whose tolerance is below this are passed on with 64 bits, others with 32, which takes half the memory traffic.
/// Numbers of 32 bits are right to 6e-8 of their value, and ranks add up to 1, so that the changes of an iteration can
/// become this small.
pub const RANK_TOLERANCE_OF_32_BITS: f64 = 1e-7;

/// Buckets of a search by weight that have a list of their own; what is further away waits in one list.
pub const BUCKETS: u64 = 256;

/// Vertices of a bucket that a thread takes at a time.
pub const BUCKET_PART: usize = 64;

/// A thread goes on alone with what it has put into the bucket at hand, unless that is so much that others should
/// help. (Zhang et al.: Optimizing Ordered Graph Algorithms with GraphIt, 2020: bucket fusion.)
pub const BUCKET_ALONE: usize = 1_000;
