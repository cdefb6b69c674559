//! The vertices whose edges one batch writes, collected so that they are looked up together: by the hashes of their ids
//! alone, which need not be copied then. Of two vertices with the same hash both are marked, which costs a read more.

use crate::marks::Mark;

/// See the module.
#[derive(Default)]
pub(crate) struct Touched {
    entries: Vec<Entry>,
}

/// A vertex, by the hash of its id, and what is written of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) hash: u64,
    pub(crate) mark: Mark,
}

impl Touched {
    pub(crate) fn push(&mut self, hash: u64, mark: Mark) {
        self.entries.push(Entry { hash, mark });
    }

    /// All of them, those next to each other whose keys are equal.
    pub(crate) fn sorted_by_key(&mut self, key: impl Fn(u64) -> usize) -> &[Entry] {
        self.entries.sort_unstable_by_key(|entry| key(entry.hash));
        &self.entries
    }
}
