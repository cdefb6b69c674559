//! All edges at a vertex, as rows: what is removed with it.

use graph_model::{Edge, EdgeId, LabelId, VertexId};
use graph_schema::Catalogue;
use key_codec::{CodecError, key, tables, value};
use kv::{GoOn, Key, Keys, KvError, Read, TableId};

use crate::core::graph::Graph;
use store_error::StoreError;

/// Reads the id of an edge from a key.
type ReadKey = fn(Key<'_>) -> Result<EdgeId, CodecError>;

/// Takes an edge and its value, and says whether to go on.
pub(super) type TakeEdge<'t, E> = dyn FnMut(EdgeId, &[u8]) -> Result<bool, E> + 't;

/// Where the edges of a vertex are that start at it, and those that end at it.
pub(super) const TABLES: [(TableId, ReadKey); 2] =
    [(tables::EDGE_OUT, key::read_edge_out_key), (tables::EDGE_IN, key::read_edge_in_key)];

/// Gives the edges that start at a vertex to `take`, then those that end at it, each with its value, until `take`
/// returns false; says whether it never did. One round for each direction, whatever the number of labels. An edge from
/// a vertex to itself comes twice.
pub(super) fn each_edge_at<E: From<KvError> + From<CodecError>>(
    read: &(impl Read + ?Sized),
    graph: &Graph,
    catalogue: &Catalogue,
    id: &VertexId,
    take: &mut TakeEdge<'_, E>,
) -> Result<bool, E> {
    let labels: Vec<LabelId> = catalogue.edge_labels().map(|label| label.id).collect();
    let mut partitions = Keys::new();
    for label in &labels {
        partitions.push(|bytes| key::edge_partition(bytes, graph.number, *label, id), |_| ());
    }
    for (table, read_key) in TABLES {
        let mut is_whole = Ok(true);
        read.scan_each(table, &partitions, &mut |_, entry| {
            let taken = read_key(entry.key).map_err(E::from).and_then(|edge| take(edge, entry.value));
            if matches!(taken, Ok(true)) {
                return GoOn::Next;
            }
            is_whole = taken;
            GoOn::AtPartition(usize::MAX)
        })?;
        if !is_whole? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Gives every edge that starts or ends at a vertex to `take`, expired ones too; a loop twice.
pub(super) fn all_edges_at(
    read: &(impl Read + ?Sized),
    graph: &Graph,
    catalogue: &Catalogue,
    id: &VertexId,
    take: &mut dyn FnMut(Edge) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    each_edge_at(read, graph, catalogue, id, &mut |id, value| {
        let (expires_at_ms, properties) = value::read_edge(value)?;
        take(Edge { id, properties, expires_at_ms }).map(|()| true)
    })
    .map(drop)
}
