//! What a traversal needs of a graph.

use graph_model::{Direction, LabelId, Properties, Vertex, VertexId};

use crate::TraversalError;

/// Which edges of a vertex to read, and what of them.
#[derive(Clone, Copy, Debug)]
pub struct EdgeRead<'a> {
    /// At which end of its edges the vertex is.
    pub direction: Direction,
    /// Only of these labels, in their order and none twice, which are no parents; `None`: of all.
    pub labels: Option<&'a [LabelId]>,
    /// At most so many of one vertex, over both directions and all labels; `None`: all.
    pub limit: Option<u64>,
    /// Whether properties are needed.
    pub properties: bool,
}

/// An edge as its owner, the vertex it was read at, sees it.
#[derive(Debug)]
pub struct EdgeAt<'a> {
    /// Position of the owner among those asked for.
    pub owner: usize,
    /// The other end; the owner itself for a loop.
    pub other: VertexId,
    /// The edge's label.
    pub label: LabelId,
    /// Whether the owner is the edge's source.
    pub outgoing: bool,
    /// The edge's sort values, as in its id.
    pub sort_values: &'a str,
    /// Its properties; empty unless asked for.
    pub properties: Properties,
}

/// Read access to a graph. Calls come from several threads at once.
pub trait GraphRead: Sync {
    /// Gives the edges of `owners` to `visit` until it fails. Edges of one owner come in a fixed order: outgoing before
    /// incoming, then by label, sort values and other end. Edges of different owners may come mixed. Looks at the
    /// deadline and the caller while it reads.
    fn edges_at(
        &self,
        owners: &[&VertexId],
        read: &EdgeRead<'_>,
        visit: &mut dyn FnMut(EdgeAt<'_>) -> Result<(), TraversalError>,
    ) -> Result<(), TraversalError>;

    /// The vertices with the given ids, in the same order; `None` where there is none.
    fn vertices(&self, ids: &[VertexId]) -> Result<Vec<Option<Vertex>>, TraversalError>;

    /// Fails when the time is over or nobody waits for the answer any more.
    fn check(&self) -> Result<(), TraversalError>;
}
