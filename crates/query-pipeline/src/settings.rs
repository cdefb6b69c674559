//! How plans are carried out.

use crate::limits;

/// How a plan is carried out. Deadline and cancellation are those of the graph's reader.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Bytes that the query may hold.
    pub memory_max: u64,
    /// Traversers an operator takes at once.
    pub batch: usize,
    /// Whether elements in results carry their properties.
    pub materialize: bool,
    /// Whether operators are measured.
    pub profile: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { memory_max: limits::MEMORY_MAX, batch: limits::BATCH, materialize: true, profile: false }
    }
}
