//! Which elements a batch writes, and what is there of them.

use graph_model::LabelId;
use key_codec::{CodecError, key, tables, value};
use kv::{Keys, Operation, Read, WriteBatch};
use twox_hash::XxHash3_128;

/// Why a batch cannot be counted: storage failed, or a row is damaged.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// An element that a batch writes.
pub(crate) struct Row {
    pub(crate) is_edge: bool,
    /// Of its table and key.
    pub(crate) hash: u128,
    /// Its label once the batch is written; `None`: it is removed.
    pub(crate) after: Option<LabelId>,
    /// Its place in the batch.
    at: usize,
}

/// The elements of a batch, each once, as its last write to them leaves them.
pub(crate) fn rows_of(batch: &WriteBatch, of_vertices: bool, of_edges: bool) -> Result<Vec<Row>, CodecError> {
    let mut rows = Vec::new();
    for (at, operation) in batch.iter().enumerate() {
        let is_edge = match operation.table() {
            tables::VERTEX if of_vertices => false,
            tables::EDGE_OUT if of_edges => true,
            _ => continue,
        };
        let after = match operation {
            Operation::Put { key, .. } if is_edge => Some(key::read_edge_label(key)?),
            Operation::Put { value, .. } => Some(value::read_vertex_head(value)?.label),
            Operation::Delete { .. } => None,
        };
        // With a seed for each table, as both may have the same key.
        let hash = XxHash3_128::oneshot_with_seed(u64::from(is_edge), operation.key().as_bytes());
        rows.push(Row { is_edge, hash, after, at });
    }
    if rows.len() > 1 {
        rows.sort_unstable_by_key(|row| (row.hash, std::cmp::Reverse(row.at)));
        rows.dedup_by_key(|row| row.hash);
        rows.sort_unstable_by_key(|row| row.at);
    }
    Ok(rows)
}

/// The labels that the elements have now; `None` where there is none. Two rounds at most.
pub(crate) fn labels_now(read: &dyn Read, batch: &WriteBatch, rows: &[Row]) -> Result<Vec<Option<LabelId>>, Failure> {
    let mut labels = vec![None; rows.len()];
    for (table, of_edges) in [(tables::VERTEX, false), (tables::EDGE_OUT, true)] {
        let (mut keys, mut places) = (Keys::new(), Vec::new());
        let mut wanted = rows.iter().enumerate().filter(|(_, row)| row.is_edge == of_edges).peekable();
        for (at, operation) in batch.iter().enumerate() {
            if let Some((place, _)) = wanted.next_if(|(_, row)| row.at == at) {
                let key = operation.key();
                keys.push(|b| b.extend_from_slice(key.partition()), |b| b.extend_from_slice(key.row()));
                places.push(place);
            }
        }
        if keys.is_empty() {
            continue;
        }
        let mut damaged = None;
        read.multi_get(table, &keys, &mut |at, found| {
            let (Some(found), Some(place)) = (found, places.get(at)) else { return };
            let label = match keys.get(at) {
                Some(key) if of_edges => key::read_edge_label(key),
                _ => value::read_vertex_head(found).map(|head| head.label),
            };
            match (label, labels.get_mut(*place)) {
                (Ok(label), Some(slot)) => *slot = Some(label),
                (Err(error), _) => damaged = Some(error),
                (Ok(_), None) => {}
            }
        })?;
        if let Some(error) = damaged {
            return Err(error.into());
        }
    }
    Ok(labels)
}
