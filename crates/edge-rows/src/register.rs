//! Telling the cache of a graph what a batch of writes changes.

use adjacency::{Cache, Write};
use key_codec::{key, tables, value};
use kv::{Operation, WriteBatch};

/// Registers the edges and vertices a batch writes, until what this returns is dropped. The locks of the write must be
/// held.
#[must_use]
pub fn register(cache: &Cache, batch: &WriteBatch) -> Option<Write> {
    let mut writing = cache.writing()?;
    let (mut text, mut rows_of) = (Vec::new(), None);
    for operation in batch.iter() {
        let outgoing = match operation.table() {
            tables::EDGE_OUT => true,
            tables::EDGE_IN => false,
            tables::VERTEX => {
                let label = match operation {
                    Operation::Put { value, .. } => value::read_vertex_head(value).ok().map(|head| head.label),
                    Operation::Delete { .. } => None,
                };
                if rows_of.replace(label) != Some(label) {
                    writing.touch_rows(label);
                }
                let Ok(id) = key::read_vertex_partition(operation.key().partition(), &mut text) else {
                    drop(writing);
                    cache.turn_off();
                    return None;
                };
                writing.touch_row(id);
                continue;
            }
            _ => continue,
        };
        let Ok((label, owner)) = key::read_edge_partition(operation.key().partition(), &mut text) else {
            drop(writing);
            // Not a key of ours: what it changes is not known.
            cache.turn_off();
            return None;
        };
        writing.touch(owner, outgoing, label);
    }
    writing.registered()
}
