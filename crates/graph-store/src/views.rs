//! The ways to use a graph, one for each wing. No wing uses these: it names what it needs of another in its imports.

use crate::Graph;
use crate::read::Reader;

impl Graph {
    /// To read elements.
    #[must_use]
    pub fn reader(&self) -> Reader<'_> {
        Reader::new(self)
    }
}
