//! Reading one graph.

use std::sync::Arc;

use compact_str::CompactString;
use graph_model::{Edge, EdgeId, LabelId, PropertyKeyId, Vertex, VertexId};
use graph_schema::{Catalogue, Conditions};

use crate::{AccessError, Cursor, EdgeRead, EdgeRow, NumberedRead, SortRange};

/// What a walk through a graph needs. Calls come from several threads at once.
pub trait WalkRead: Sync {
    /// The edges of `owners`. Edges of one owner come in a fixed order: outgoing before incoming, then by label, sort
    /// values and other end. Edges of different owners may come mixed.
    ///
    /// # Errors
    /// Those of storage, [`AccessError`] of the budget.
    fn edges_of<'a>(
        &'a self,
        owners: &'a [&'a VertexId],
        read: EdgeRead<'a>,
    ) -> Result<Box<dyn Cursor<EdgeRow> + 'a>, AccessError>;

    /// As [`Self::edges_of`]; edges outside the ranges of their labels may be left out.
    ///
    /// # Errors
    /// As [`Self::edges_of`].
    fn edges_in<'a>(
        &'a self,
        owners: &'a [&'a VertexId],
        read: EdgeRead<'a>,
        ranges: &[SortRange],
    ) -> Result<Box<dyn Cursor<EdgeRow> + 'a>, AccessError> {
        _ = ranges;
        self.edges_of(owners, read)
    }

    /// The vertices with the given ids, in the same order; `None` where there is none.
    ///
    /// # Errors
    /// Those of storage, [`AccessError`] of the budget.
    fn vertices(&self, ids: &[VertexId]) -> Result<Vec<Option<Vertex>>, AccessError>;

    /// Fails when the time is up or the result is no longer wanted.
    ///
    /// # Errors
    /// [`AccessError`] of the budget.
    fn check(&self) -> Result<(), AccessError>;

    /// Whether each read waits for a network, so that one of much is faster than several of little.
    fn is_remote(&self) -> bool {
        false
    }

    /// The same graph by numbers; `None` where it is read by ids only.
    fn numbered(&self) -> Option<&dyn NumberedRead> {
        None
    }
}

/// Elements to find by their label and by conditions on their properties.
///
/// In an auto graph an index gives candidates: all elements that meet the conditions, and some that do not. Who asks
/// compares them.
#[derive(Clone, Debug, Default)]
pub struct Lookup {
    /// Only of this label; a parent label of edges stands for its sub labels. `None`: of any.
    pub label: Option<LabelId>,
    /// Of vertices of an auto graph, whose label can be a set of names: those with the name of `label` among others
    /// too. Only with conditions.
    pub among_others: bool,
    /// Only elements that meet all of these. They need an index, or name all primary keys of the label; in an auto
    /// graph an index that serves for one of them, since what it leads to is compared anyway.
    pub conditions: Conditions,
    /// At most this many; `None`: all.
    pub limit: Option<u64>,
    /// Only these properties are needed of vertices, so that others may be missing in them; `None`: all.
    pub properties: Option<Vec<PropertyKeyId>>,
    /// The ids of vertices are not needed, so that they may be any.
    pub without_ids: bool,
}

/// Everything that can be read of a graph.
pub trait GraphRead: WalkRead {
    /// The schema by which the graph is read. It does not change during the life of the reader.
    fn catalogue(&self) -> &Arc<Catalogue>;

    /// The edges with the given ids, in the same order; `None` where there is none.
    ///
    /// # Errors
    /// Those of storage, [`AccessError`] of the budget.
    fn edges(&self, ids: &[EdgeId]) -> Result<Vec<Option<Edge>>, AccessError>;

    /// The edges of an auto graph by their ids, given by their texts ([`graph_schema::edge_id_key`]), in the same
    /// order; `None` where there is none. Costs two reads of many keys.
    ///
    /// # Errors
    /// A graph with a strict schema; those of storage, [`AccessError`] of the budget.
    fn edges_by_key(&self, ids: &[CompactString]) -> Result<Vec<Option<Edge>>, AccessError>;

    /// All vertices, or those of a label, in an order that stays the same between calls.
    ///
    /// # Errors
    /// Those of storage; a label whose vertices cannot be listed because it has no label index.
    fn scan_vertices<'a>(&'a self, label: Option<LabelId>) -> Result<Box<dyn Cursor<Vertex> + 'a>, AccessError>;

    /// All edges, or those of a label, each once, in an order that stays the same between calls.
    ///
    /// # Errors
    /// As [`Self::scan_vertices`].
    fn scan_edges<'a>(&'a self, label: Option<LabelId>) -> Result<Box<dyn Cursor<Edge> + 'a>, AccessError>;

    /// How many vertices there are, of a label or all. Reads no properties.
    ///
    /// # Errors
    /// As [`Self::scan_vertices`].
    fn count_vertices(&self, label: Option<LabelId>) -> Result<u64, AccessError>;

    /// How many vertices of a label there are, where that is known without counting them.
    fn known_vertex_count(&self, _label: LabelId) -> Option<u64> {
        None
    }

    /// About how many vertices a label has, of which some have been read from the first one on: so many, the last of
    /// them `last`. `None` where that cannot be told without reading the others.
    fn estimated_vertex_count(&self, _label: LabelId, _read: u64, _last: &VertexId) -> Option<u64> {
        None
    }

    /// How many edges there are, of a label or all; those of a parent label are those of its sub labels.
    ///
    /// # Errors
    /// As [`Self::scan_vertices`].
    fn count_edges(&self, label: Option<LabelId>) -> Result<u64, AccessError>;

    /// The vertices that an index or their primary keys lead to.
    ///
    /// # Errors
    /// Those of storage; conditions that no index serves.
    fn find_vertices<'a>(&'a self, lookup: Lookup) -> Result<Box<dyn Cursor<Vertex> + 'a>, AccessError>;

    /// The edges that an index leads to.
    ///
    /// # Errors
    /// Those of storage; conditions that no index serves.
    fn find_edges<'a>(&'a self, lookup: Lookup) -> Result<Box<dyn Cursor<Edge> + 'a>, AccessError>;
}
