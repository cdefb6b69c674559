//! Partitions to read, of one table or of several.

use crate::{Key, Keys, TableId};

/// Lists of partitions, each of one table, read one after the other as if they were one list. Their keys have no rows.
#[derive(Clone, Copy, Debug)]
pub struct Partitions<'a> {
    lists: &'a [(TableId, &'a Keys)],
}

impl<'a> Partitions<'a> {
    /// These lists.
    #[must_use]
    pub fn of(lists: &'a [(TableId, &'a Keys)]) -> Self {
        Self { lists }
    }

    /// The lists, one after the other.
    #[must_use]
    pub fn lists(self) -> &'a [(TableId, &'a Keys)] {
        self.lists
    }

    /// How many partitions there are in all lists.
    #[must_use]
    pub fn count(self) -> usize {
        self.lists.iter().map(|(_, keys)| keys.len()).sum()
    }

    /// Table and key of a partition; positions count through all lists.
    #[must_use]
    pub fn get(self, mut at: usize) -> Option<(TableId, Key<'a>)> {
        for (table, keys) in self.lists {
            match keys.get(at) {
                Some(key) => return Some((*table, key)),
                None => at -= keys.len(),
            }
        }
        None
    }

    /// All of them, in order.
    pub fn iter(self) -> impl Iterator<Item = (TableId, Key<'a>)> {
        self.lists.iter().flat_map(|(table, keys)| keys.iter().map(|key| (*table, key)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_through_all_lists() {
        let keys = |names: &[&str]| {
            let mut keys = Keys::new();
            names.iter().for_each(|name| keys.push(|bytes| bytes.extend_from_slice(name.as_bytes()), |_| ()));
            keys
        };
        let (first, none, last) = (keys(&["a", "b"]), Keys::new(), keys(&["c"]));
        let lists = [(TableId(1), &first), (TableId(2), &none), (TableId(3), &last)];
        let partitions = Partitions::of(&lists);
        let found: Vec<_> = (0..4).map(|at| partitions.get(at).map(|(table, key)| (table.0, key.as_bytes()))).collect();
        assert_eq!(found, [Some((1, &b"a"[..])), Some((1, b"b")), Some((3, b"c")), None]);
        assert_eq!((partitions.iter().count(), partitions.count()), (3, 3));
    }
}
