//! The order of writes by table and key.

use crate::TableId;

/// The positions of writes, ordered by table and key; those to one key stay in the order they came in.
///
/// Keys lie far apart in memory and begin alike (with their graph, for instance), so comparing them waits for memory,
/// then for bytes that say nothing. What is compared here is a number: the table, and the first bytes after those that
/// all keys of the table share. The keys themselves are only compared where that number is the same.
pub fn sorted_positions<'k>(
    writes: impl Iterator<Item = (TableId, &'k [u8])> + Clone,
) -> impl ExactSizeIterator<Item = usize> {
    let shared = Shared::of(writes.clone());
    let mut ranks: Vec<Rank<'k>> = writes
        .enumerate()
        .map(|(position, (table, key))| Rank { head: head(table, shared.rest(table, key)), key, position })
        .collect();
    ranks.sort_by(|a, b| a.head.cmp(&b.head).then_with(|| a.key.cmp(b.key)));
    ranks.into_iter().map(|rank| rank.position)
}

struct Rank<'k> {
    head: u64,
    key: &'k [u8],
    position: usize,
}

/// By table, a key and how many of its first bytes all keys share.
#[derive(Default)]
struct Shared<'k>(Vec<Option<(&'k [u8], usize)>>);

impl<'k> Shared<'k> {
    fn of(writes: impl Iterator<Item = (TableId, &'k [u8])>) -> Self {
        let mut shared = Self::default();
        for (table, key) in writes {
            if shared.0.len() <= table.index() {
                shared.0.resize(table.index() + 1, None);
            }
            let Some(of_table) = shared.0.get_mut(table.index()) else { continue };
            let (first, length) = of_table.get_or_insert((key, key.len()));
            // Mostly nothing changes, and comparing many bytes at once is quicker than one by one.
            if first.get(..*length) != key.get(..*length) {
                *length = first.iter().zip(key).take_while(|(a, b)| a == b).count();
            }
        }
        shared
    }

    /// What follows the bytes that all keys of the table share.
    fn rest<'b>(&self, table: TableId, key: &'b [u8]) -> &'b [u8] {
        let length = self.0.get(table.index()).copied().flatten().map_or(0, |(_, length)| length);
        key.get(length..).unwrap_or_default()
    }
}

/// A number that is less only where the table or, in the same table, the bytes are less.
fn head(table: TableId, bytes: &[u8]) -> u64 {
    let first = bytes.first_chunk().copied().unwrap_or_else(|| {
        let mut padded = [0; size_of::<u64>()];
        padded.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        padded
    });
    u64::from(table.0) << (u64::BITS - u8::BITS) | u64::from_be_bytes(first) >> u8::BITS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys() -> impl Strategy<Value = Vec<(u8, Vec<u8>)>> {
        // Few bytes, so that keys begin alike, are the same, or are the beginning of others; a prefix that all of a
        // table may share.
        let key = prop::collection::vec(prop::sample::select(&[0_u8, 1, 255][..]), 0..12);
        let keys = prop::collection::vec((prop::sample::select(&[0_u8, 3, 255][..]), key), 0..80);
        (prop::collection::vec(any::<u8>(), 0..20), keys).prop_map(|(prefix, keys)| {
            keys.into_iter().map(|(table, key)| (table, [prefix.as_slice(), &key].concat())).collect()
        })
    }

    proptest! {
        #[test]
        fn it_is_the_order_of_tables_and_keys(keys in keys()) {
            let writes = keys.iter().map(|(table, key)| (TableId(*table), key.as_slice()));
            let found: Vec<usize> = sorted_positions(writes).collect();
            let mut expected: Vec<usize> = (0..keys.len()).collect();
            expected.sort_by_key(|&position| &keys[position]);
            prop_assert_eq!(found, expected);
        }
    }
}
