//! The log of an engine: what was written, in the order in which it was.

use crate::KvError;

/// A record of a log: one or more batches, all of which or none is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogRecord<'a> {
    /// The engine's number of the first write in it.
    pub first: u64,
    /// That of the last one.
    pub last: u64,
    /// When its last batch was handed over, in milliseconds since 1970 UTC: before any of it was acknowledged. `None`
    /// where the log does not say.
    pub moment_ms: Option<i64>,
    /// Rows were, or are about to be, added to the store around the log: the records before and after it do not make
    /// up what is stored.
    pub breaks: bool,
    /// The record, as [`WriteLog::replay`] takes it.
    pub bytes: &'a [u8],
}

/// How far a log was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogEnd {
    /// To its end.
    Done,
    /// To the bound that was given.
    More,
    /// What follows cannot be read at present: it is not there, or not yet.
    Stuck,
    /// Writes between what was read and this number are not in the log any more.
    Gap(u64),
}

/// The log of an engine that keeps it. Numbers of writes have no holes but where rows were added around the log.
pub trait WriteLog: Send + Sync {
    /// The number of the last write when the engine was opened.
    fn opened_at(&self) -> u64;

    /// The number of the last write that is done.
    fn last(&self) -> u64;

    /// Gives the records after a write to `found`, in order, until they have this many bytes.
    ///
    /// # Errors
    /// [`KvError::Io`], [`KvError::Corrupt`] for a record this program cannot read.
    fn read(&self, after: u64, bytes_max: u64, found: &mut dyn FnMut(LogRecord<'_>)) -> Result<LogEnd, KvError>;

    /// Removes what is kept only for being read, up to a write; and, oldest first, what is more than `bytes_max`. Says
    /// how many bytes are kept still.
    ///
    /// # Errors
    /// [`KvError::Io`].
    fn release(&self, up_to: u64, bytes_max: u64) -> Result<u64, KvError>;

    /// Writes a record into a store that holds exactly what was written before it; the number of the last write then.
    ///
    /// # Errors
    /// [`KvError::Corrupt`] for what is no record of this engine's, and those of a commit.
    fn replay(&self, record: &[u8]) -> Result<u64, KvError>;

    /// A short text kept with the store. It is gone once the store was opened without keeping its log, so it says that
    /// the log since has no holes.
    ///
    /// # Errors
    /// [`KvError::Io`].
    fn mark(&self) -> Result<Option<String>, KvError>;

    /// Replaces that text; it is on the disk then.
    ///
    /// # Errors
    /// [`KvError::Io`], [`KvError::DiskFull`].
    fn set_mark(&self, text: &str) -> Result<(), KvError>;
}
