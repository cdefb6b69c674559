//! Sorted rows that reach a table without the write path: no log, no table in memory, no merging of files later.
//!
//! [`crate::Engine::sorted_writer`] takes the rows of one table in the order of their keys, [`crate::Engine::ingest`]
//! makes what several writers took visible. Nothing can be read before; what is never ingested is thrown away with its
//! [`SortedRows`].

use std::any::Any;

use crate::limits::{KEY_BYTES_MAX, VALUE_BYTES_MAX};
use crate::{Key, KvError, TableId, TableSpec};

/// Takes rows of one table in the order of their keys. Several may be at work at once, each in a thread of its own.
pub trait SortedWriter: Send {
    /// Appends a row. Its key must be greater than the one before.
    ///
    /// # Errors
    /// [`KvError::OutOfOrder`], [`KvError::KeyTooLong`], [`KvError::ValueTooLong`], or that the rows cannot be stored
    /// ([`KvError::DiskFull`] and others). A writer that failed is of no use any more; dropping it leaves nothing
    /// behind.
    fn put(&mut self, key: Key<'_>, value: &[u8]) -> Result<(), KvError>;

    /// Writes the rows to disk, as durable as any write, but not yet ingested.
    ///
    /// # Errors
    /// That the rows cannot be stored ([`KvError::DiskFull`] and others).
    fn finish(self: Box<Self>) -> Result<SortedRows, KvError>;
}

/// Rows of a table, in order and ready to be ingested. Dropping it throws them away.
pub struct SortedRows {
    table: TableId,
    extent: Extent,
    content: Box<dyn Any + Send>,
}

impl SortedRows {
    /// What an engine's writer has taken. `content` is the engine's own: it must free what it holds when it is dropped.
    #[must_use]
    pub fn new(table: TableId, extent: Extent, content: Box<dyn Any + Send>) -> Self {
        Self { table, extent, content }
    }

    /// The table they belong to.
    #[must_use]
    pub fn table(&self) -> TableId {
        self.table
    }

    /// Which rows they are.
    #[must_use]
    pub fn extent(&self) -> &Extent {
        &self.extent
    }

    /// The engine's own content, as the type its writer gave.
    ///
    /// # Errors
    /// [`KvError::Other`] where the rows are those of another engine.
    pub fn into_content<T: 'static>(self) -> Result<T, KvError> {
        match self.content.downcast() {
            Ok(content) => Ok(*content),
            Err(_) => Err(KvError::Other { detail: "sorted rows belong to the engine that wrote them".to_owned() }),
        }
    }
}

impl std::fmt::Debug for SortedRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SortedRows")
            .field("table", &self.table)
            .field("rows", &self.extent.rows)
            .finish_non_exhaustive()
    }
}

/// Number, size and ends of sorted rows; what a writer checks as it takes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Number of rows.
    pub rows: u64,
    /// Bytes of their keys and values.
    pub bytes: u64,
    /// The first key.
    pub first: Vec<u8>,
    /// The last key.
    pub last: Vec<u8>,
}

impl Extent {
    /// Counts in a row that comes next.
    ///
    /// # Errors
    /// [`KvError::OutOfOrder`], [`KvError::KeyTooLong`], [`KvError::ValueTooLong`]; the row is not counted then.
    pub fn add(&mut self, table: &'static str, key: Key<'_>, value: &[u8]) -> Result<(), KvError> {
        let key = key.as_bytes();
        if key.len() > KEY_BYTES_MAX {
            return Err(KvError::KeyTooLong { table, bytes: key.len(), limit_bytes: KEY_BYTES_MAX });
        }
        if value.len() > VALUE_BYTES_MAX {
            return Err(KvError::ValueTooLong { table, bytes: value.len(), limit_bytes: VALUE_BYTES_MAX });
        }
        if self.rows == 0 {
            self.first.extend_from_slice(key);
        } else if *key <= *self.last {
            return Err(KvError::OutOfOrder { table, row: self.rows });
        }
        self.last.clear();
        self.last.extend_from_slice(key);
        self.rows += 1;
        self.bytes += (key.len() + value.len()) as u64;
        Ok(())
    }
}

/// Checks what is to be ingested at once: known tables, and of each table rows that begin after those before them end.
/// Engines call it before they ingest anything. Rows without a row are left out.
///
/// # Errors
/// [`KvError::UnknownTable`], [`KvError::OutOfOrder`].
pub fn check_sorted(tables: &'static [TableSpec], all: Vec<SortedRows>) -> Result<Vec<SortedRows>, KvError> {
    let all: Vec<SortedRows> = all.into_iter().filter(|rows| rows.extent.rows > 0).collect();
    for (at, rows) in all.iter().enumerate() {
        let table = TableSpec::find(tables, rows.table)?.name;
        let before = all.iter().take(at).rev().find(|before| before.table == rows.table);
        if before.is_some_and(|before| rows.extent.first <= before.extent.last) {
            return Err(KvError::OutOfOrder { table, row: 0 });
        }
    }
    Ok(all)
}
