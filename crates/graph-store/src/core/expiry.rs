//! Rows of the table `expiry`: one for each element that expires, ordered by time.

use graph_model::ElementRef;
use key_codec::{GraphNumber, key, tables};
use kv::WriteBatch;

/// Appends the row of an element that expires.
pub fn put_expiry(batch: &mut WriteBatch, graph: GraphNumber, expires_at_ms: Option<i64>, element: ElementRef<'_>) {
    if let Some(at) = expires_at_ms {
        batch.put(tables::EXPIRY, |b| key::expiry_partition(b, graph), |b| key::expiry_row(b, at, element), |_| ());
    }
}

/// Appends the removal of such a row. Where it is left out, the purge removes it when it is due.
pub fn delete_expiry(batch: &mut WriteBatch, graph: GraphNumber, expires_at_ms: Option<i64>, element: ElementRef<'_>) {
    if let Some(at) = expires_at_ms {
        batch.delete(tables::EXPIRY, |b| key::expiry_partition(b, graph), |b| key::expiry_row(b, at, element));
    }
}
