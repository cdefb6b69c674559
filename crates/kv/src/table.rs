//! Tables: fixed, known when an engine is opened.

use crate::{Key, KvError};

/// A table, as its position in the list of [`TableSpec`]s the engine was opened with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableId(pub u8);

impl TableId {
    /// The position in the list of tables.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// What an engine must know of a table to lay it out well.
#[derive(Clone, Copy, Debug)]
pub struct TableSpec {
    /// Name in the store: lower-case letters and underscores. Part of the on-disk format.
    pub name: &'static str,
    /// Length in bytes of the self-delimiting partition a full key begins with; `None` where the bytes are no key of
    /// the table. Engines that concatenate partition and row use it to build filters on partitions.
    pub partition_len: fn(&[u8]) -> Option<usize>,
    /// Whether rows are read by ranges within a partition (true) or only one by one.
    pub ranged: bool,
    /// Whether rows are read one by one, and the same ones again, so that an engine does well to keep those read lately
    /// at hand.
    pub reread: bool,
}

impl TableSpec {
    /// The table at the position `id`.
    ///
    /// # Errors
    /// [`KvError::UnknownTable`] where `tables` has no such position.
    pub fn find(tables: &'static [Self], id: TableId) -> Result<&'static Self, KvError> {
        tables.get(id.index()).ok_or(KvError::UnknownTable { index: id.index(), tables: tables.len() })
    }

    /// `bytes`, a full key of this table, split into partition and row.
    ///
    /// # Errors
    /// [`KvError::Corrupt`] where they do not begin with a partition.
    pub fn key<'a>(&self, bytes: &'a [u8]) -> Result<Key<'a>, KvError> {
        match (self.partition_len)(bytes) {
            Some(len) => Ok(Key::new(bytes, len)),
            None => Err(KvError::Corrupt { detail: format!("table {}: {bytes:02x?} is no key of it", self.name) }),
        }
    }
}
