//! All edges at a vertex, as rows: what is removed with it.

use graph_model::{EdgeId, LabelId, VertexId};
use key_codec::{CodecError, GraphNumber, key, tables};
use kv::{GoOn, Key, Keys, KvError, Partitions, Read, TableId};

/// Reads the id of an edge from a key.
pub type ReadEdgeKey = fn(Key<'_>) -> Result<EdgeId, CodecError>;

/// Takes an edge and its value, and says whether to go on.
pub type TakeEdge<'t, E> = dyn FnMut(EdgeId, &[u8]) -> Result<bool, E> + 't;

/// Where the edges of a vertex are that start at it, and those that end at it.
pub const TABLES: [(TableId, ReadEdgeKey); 2] =
    [(tables::EDGE_OUT, key::read_edge_out_key), (tables::EDGE_IN, key::read_edge_in_key)];

/// Gives the edges of labels that start at a vertex to `take`, then those that end at it, each with its value, until
/// `take` returns false; says whether it never did. One round, whatever the number of labels. An edge from a vertex to
/// itself comes twice.
///
/// # Errors
/// Those of the engine, of keys, and of `take`.
pub fn each_edge_at<E: From<KvError> + From<CodecError>>(
    read: &(impl Read + ?Sized),
    graph: GraphNumber,
    labels: impl Iterator<Item = LabelId>,
    id: &VertexId,
    take: &mut TakeEdge<'_, E>,
) -> Result<bool, E> {
    let mut partitions = Keys::new();
    for label in labels {
        partitions.push(|bytes| key::edge_partition(bytes, graph, label, id), |_| ());
    }
    let lists = TABLES.map(|(table, _)| (table, &partitions));
    let [(_, read_outgoing), (_, read_incoming)] = TABLES;
    let mut is_whole = Ok(true);
    read.scan_each(Partitions::of(&lists), &mut |at, entry| {
        let read_key = if at < partitions.len() { read_outgoing } else { read_incoming };
        let taken = read_key(entry.key).map_err(E::from).and_then(|edge| take(edge, entry.value));
        if matches!(taken, Ok(true)) {
            return GoOn::Next;
        }
        is_whole = taken;
        GoOn::AtPartition(usize::MAX)
    })?;
    is_whole
}
