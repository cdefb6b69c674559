//! How elements are treated.

use graph_schema::Analyzer;
use jiff::tz::TimeZone;

/// How a store treats the elements of all its graphs.
#[derive(Clone, Debug)]
pub struct GraphOptions {
    /// The zone in which dates without one are read and written.
    pub zone: TimeZone,
    /// Whether numbers and dates in primary-key ids are written in their sortable code (HugeGraph's default) or
    /// plainly.
    pub encode_primary_key_number: bool,
    /// How new search indexes cut texts. One that exists keeps its analyzer until it is rebuilt.
    pub analyzer: Analyzer,
    /// Memory in which the neighbours of vertices walked over lately are kept, of all graphs together; 0: none are
    /// kept. Stores that several processes share keep none.
    pub adjacency_cache_bytes: usize,
}

impl Default for GraphOptions {
    fn default() -> Self {
        Self {
            zone: TimeZone::UTC,
            encode_primary_key_number: true,
            analyzer: Analyzer::default(),
            adjacency_cache_bytes: 64 << 20,
        }
    }
}
