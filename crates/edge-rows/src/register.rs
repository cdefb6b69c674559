//! Telling the cache of a graph what a batch of writes changes.

use adjacency::{Cache, Unsure, Write, Writing};
use key_codec::{key, tables, value};
use kv::{Operation, WriteBatch};

/// Registers the edges and vertices a batch writes, until it has been written or has failed; `is_unsure`: a batch that
/// has failed may be written later, and stays registered unless it was refused. The locks of the write must be held.
pub fn register(cache: &Cache, batch: &mut WriteBatch, is_unsure: bool) {
    let Some(write) = registered(cache, batch) else { return };
    if is_unsure {
        let unsure = Unsure::of(write);
        batch.when_settled(Box::new(|_| unsure.end()));
    } else {
        batch.hold(Box::new(write));
    }
}

fn registered(cache: &Cache, batch: &WriteBatch) -> Option<Write> {
    let mut writing = cache.writing()?;
    let (mut text, mut rows_of) = (Vec::new(), None);
    for operation in batch.iter() {
        let partition = operation.key().partition();
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
                let Ok(id) = key::read_vertex_partition(partition, &mut text) else { return unknown(cache, writing) };
                writing.touch_row(id);
                continue;
            }
            _ => continue,
        };
        let Ok((label, owner)) = key::read_edge_partition(partition, &mut text) else {
            return unknown(cache, writing);
        };
        writing.touch(owner, outgoing, label);
    }
    writing.registered()
}

/// A key that is not one of ours: what it changes is not known, so that nothing is kept any more.
fn unknown(cache: &Cache, writing: Writing<'_>) -> Option<Write> {
    drop(writing);
    cache.turn_off();
    None
}
