//! Partitions of edges, those at their sources and those at their targets.

use key_codec::tables;
use kv::{Key, Keys, TableId};

/// Partitions to read: of edges at their source, then of edges at their target.
#[derive(Default)]
pub struct Lists {
    outgoing: Keys,
    incoming: Keys,
}

impl Lists {
    /// Appends the partition that `write` writes, of edges at their source (`outgoing`) or at their target.
    pub fn push(&mut self, outgoing: bool, write: impl FnOnce(&mut Vec<u8>)) {
        let keys = if outgoing { &mut self.outgoing } else { &mut self.incoming };
        keys.push(write, |_| ());
    }

    /// The next partition.
    pub(crate) fn first(&self) -> Option<Key<'_>> {
        self.outgoing.get(0).or_else(|| self.incoming.get(0))
    }

    /// Removes the next `count` partitions; all of them where there are fewer.
    pub(crate) fn remove_first(&mut self, count: usize) {
        let of_incoming = count.saturating_sub(self.outgoing.len());
        self.outgoing.remove_first(count);
        self.incoming.remove_first(of_incoming);
    }

    /// Both lists, for [`kv::Partitions`].
    #[must_use]
    pub fn of_tables(&self) -> [(TableId, &Keys); 2] {
        [(tables::EDGE_OUT, &self.outgoing), (tables::EDGE_IN, &self.incoming)]
    }
}
