//! Edges as a walk reads them: at a vertex, in a direction.

use compact_str::CompactString;
use graph_model::{Direction, Edge, EdgeId, LabelId, Properties, Value, VertexId};

/// Which edges of a vertex to read, and what of them.
#[derive(Clone, Copy, Debug)]
pub struct EdgeRead<'a> {
    /// At which end of its edges the vertex is.
    pub direction: Direction,
    /// Only edges of these labels, in this order, none twice and none a parent label; `None`: of all labels.
    pub labels: Option<&'a [LabelId]>,
    /// At most this many edges of one vertex, over both directions and all labels; `None`: all.
    pub limit: Option<u64>,
    /// Whether properties are needed.
    pub properties: bool,
}

/// Which edges of a label are wanted, by the values of its sort keys. Rows at a vertex are in the order of these, so a
/// range of them is read; what is read may lie outside all the same, so it must be tested again.
#[derive(Clone, Debug, PartialEq)]
pub struct SortRange {
    /// The label.
    pub label: LabelId,
    /// What the first sort keys are equal to: texts and numbers.
    pub equal: Vec<Value>,
    /// Whether `equal` has a value for each sort key.
    pub is_whole: bool,
    /// The least value of the next sort key: a number, or a text of ASCII characters without `!`.
    pub low: Option<Value>,
    /// Its greatest value: a number.
    pub high: Option<Value>,
}

/// An edge as its owner, the vertex it was read at, sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeRow {
    /// Position of the owner among the vertices asked for.
    pub owner: usize,
    /// The other end; the owner itself for a loop.
    pub other: VertexId,
    /// The edge's label.
    pub label: LabelId,
    /// Whether the owner is the edge's source.
    pub outgoing: bool,
    /// The edge's sort values, as in its id.
    pub sort_values: CompactString,
    /// Its properties; empty unless asked for.
    pub properties: Properties,
    /// When it ceases to exist; `None`: never.
    pub expires_at_ms: Option<i64>,
}

impl EdgeRow {
    /// The whole edge, given the id of its owner.
    #[must_use]
    pub fn into_edge(self, owner: VertexId) -> Edge {
        let Self { owner: _, other, label, outgoing, sort_values, properties, expires_at_ms } = self;
        let (source, target) = if outgoing { (owner, other) } else { (other, owner) };
        Edge { id: EdgeId { label, source, sort_values, target }, properties, expires_at_ms }
    }
}
