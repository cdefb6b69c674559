//! Stores that another program has written, and that are only read: their tables have names and layouts of their own.

use std::path::Path;

use crate::error::KvError;

/// A store of another program. Nothing is ever written to it.
pub trait ForeignStore: Send + Sync {
    /// Where it is.
    fn folder(&self) -> &Path;

    /// Names of its tables.
    fn tables(&self) -> &[String];

    /// Bytes of its files, the log not counted.
    fn bytes(&self) -> u64;

    /// A number that grows with every write to the store.
    fn sequence(&self) -> u64;

    /// All rows of a table in the order of their keys.
    ///
    /// # Errors
    /// [`KvError::NotAStore`] for a name that is not among the tables.
    fn rows(&self, table: &str) -> Result<Box<dyn ForeignRows + '_>, KvError>;
}

/// A row: its key and its value.
pub type ForeignRow<'a> = (&'a [u8], &'a [u8]);

/// Rows of a table, read one after the other.
pub trait ForeignRows: Send {
    /// The next row, key and value; `None` behind the last one.
    ///
    /// # Errors
    /// That the store cannot be read, or is damaged.
    fn next(&mut self) -> Result<Option<ForeignRow<'_>>, KvError>;
}
