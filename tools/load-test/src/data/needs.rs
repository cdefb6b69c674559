//! Which parts of a data set are needed.

/// What a scenario wants to find on the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Property keys and labels.
    pub schema: bool,
    /// Vertices to refer to.
    pub vertices: bool,
    /// Edges to refer to; they need vertices.
    pub edges: bool,
    /// An index of the vertices' names; it needs vertices.
    pub index: bool,
    /// Edges that make a network to walk in, of which right answers are known; they need vertices.
    pub network: bool,
}

impl Needs {
    /// What two need together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            schema: self.schema || other.schema,
            vertices: self.vertices || other.vertices,
            edges: self.edges || other.edges,
            index: self.index || other.index,
            network: self.network || other.network,
        }
    }
}
