//! Reading the values of many keys in one round.

use key_codec::CodecError;
use kv::{Keys, Read, TableId};

use store_error::StoreError;

/// Reads the values of keys and decodes those that are there, given their position. The results are in the order of the
/// keys.
///
/// # Errors
/// Those of storage, and that of a value that cannot be decoded.
pub fn fetch<T>(
    read: &(impl Read + ?Sized),
    table: TableId,
    keys: &Keys,
    mut decode: impl FnMut(usize, &[u8]) -> Result<Option<T>, CodecError>,
) -> Result<Vec<Option<T>>, StoreError> {
    let mut values = Vec::with_capacity(keys.len());
    let mut damaged = None;
    if !keys.is_empty() {
        read.multi_get(table, keys, &mut |at, found| {
            let decoded = found.map_or(Ok(None), |bytes| decode(at, bytes));
            values.push(decoded.unwrap_or_else(|error| {
                damaged = Some(error);
                None
            }));
        })?;
    }
    damaged.map_or(Ok(values), |error| Err(error.into()))
}
