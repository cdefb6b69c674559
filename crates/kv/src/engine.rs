//! The traits an engine implements.

use std::sync::Arc;

use crate::{
    Checkpoint, Commit, Key, Keys, KvError, Partitions, SortedRows, SortedWriter, TableId, WriteBatch, WriteLog,
};

/// What an engine can and cannot do. Callers consult this; they never ask which engine it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// A batch over several partitions is applied as a whole or not at all, and seen so. Where not, each group of it
    /// ([`WriteBatch::end_group`]) is applied as a whole in the end, though a reader may see a part of it before; a
    /// batch that failed may have some of its groups applied.
    pub atomic_across_partitions: bool,
    /// [`Engine::snapshot`] shows one moment in time.
    pub snapshot_reads: bool,
    /// [`Read::scan_partitions`] returns partitions in the order of their bytes.
    pub ordered_partitions: bool,
    /// [`Engine::delete_prefix`] costs the same however much it deletes.
    pub cheap_prefix_delete: bool,
    /// Content survives the end of the process.
    pub persistent: bool,
    /// Other processes may read and write the same content concurrently: locks in this process's memory do not exclude
    /// them.
    pub shared: bool,
    /// Calls wait for a network and must not block a thread that others need.
    pub remote: bool,
    /// [`Engine::sorted_writer`] and [`Engine::ingest`] work.
    pub sorted_ingest: bool,
}

/// Rows of one partition: from `start` (inclusive) to `end` (exclusive, `None`: to the last row).
#[derive(Clone, Copy, Debug)]
pub struct RowRange<'a> {
    /// The partition.
    pub partition: &'a [u8],
    /// First row to return.
    pub start: &'a [u8],
    /// First row not to return.
    pub end: Option<&'a [u8]>,
}

impl<'a> RowRange<'a> {
    /// All rows of a partition.
    #[must_use]
    pub fn all(partition: &'a [u8]) -> Self {
        Self { partition, start: &[], end: None }
    }
}

/// A key and its value, borrowed from a cursor until it moves.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The key.
    pub key: Key<'a>,
    /// The value.
    pub value: &'a [u8],
}

/// A position in a scan. Rows come in key order within a partition.
pub trait Cursor {
    /// The next entry, or `None` at the end.
    fn next(&mut self) -> Result<Option<Entry<'_>>, KvError>;
}

/// Where [`Read::scan_each`] continues after a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoOn {
    /// With the next row of the partition, or the next partition after the last one.
    Next,
    /// With the first row of the partition at this later position of the list; a position beyond the list ends the
    /// scan.
    AtPartition(usize),
}

/// Reading: the engine as it is now, or a snapshot of it.
pub trait Read {
    /// Calls `found` with the value of `key`, if there is one, and says whether there was.
    fn get(&self, table: TableId, key: Key<'_>, found: &mut dyn FnMut(&[u8])) -> Result<bool, KvError>;

    /// Calls `found` once for every key, in order, with its position and its value. One round for the whole batch. Of
    /// an engine, each value is of some moment during the call; of a snapshot, all are of its moment.
    fn multi_get(
        &self,
        table: TableId,
        keys: &Keys,
        found: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), KvError>;

    /// Rows of one partition in order. Sees a single moment in time where the engine has snapshots.
    fn scan<'a>(&'a self, table: TableId, range: RowRange<'_>) -> Result<Box<dyn Cursor + 'a>, KvError>;

    /// All rows of all partitions that begin with `prefix` (a prefix of the partition's own bytes; empty: the whole
    /// table), after the key `after` where given. On an engine without ordered partitions the order among partitions is
    /// the engine's own, but stable, so that `after` resumes it.
    fn scan_partitions<'a>(
        &'a self,
        table: TableId,
        prefix: &[u8],
        after: Option<Key<'_>>,
    ) -> Result<Box<dyn Cursor + 'a>, KvError>;

    /// [`scan_partitions`](Self::scan_partitions) by somebody who reads all of a large part once: what others read must
    /// not make room for it in the engine's caches.
    fn scan_once<'a>(
        &'a self,
        table: TableId,
        prefix: &[u8],
        after: Option<Key<'_>>,
    ) -> Result<Box<dyn Cursor + 'a>, KvError> {
        self.scan_partitions(table, prefix, after)
    }

    /// Gives the rows of many partitions to `visit`, with the position of the partition in `partitions`. Partitions
    /// come in the order of the lists, the rows of each in order. For engines where a scan costs more than its rows:
    /// over a network, partitions of several tables are asked for at once, too.
    fn scan_each(
        &self,
        partitions: Partitions<'_>,
        visit: &mut dyn FnMut(usize, Entry<'_>) -> GoOn,
    ) -> Result<(), KvError> {
        let mut at = 0;
        while let Some((table, partition)) = partitions.get(at) {
            let mut cursor = self.scan(table, RowRange::all(partition.as_bytes()))?;
            let mut next = at + 1;
            while let Some(entry) = cursor.next()? {
                if let GoOn::AtPartition(to) = visit(at, entry) {
                    next = next.max(to);
                    break;
                }
            }
            at = next;
        }
        Ok(())
    }
}

/// A part of a table, cut by size: the rows after `start`, up to and including the `start` of the next run (of the last
/// one: to the end).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The bytes of a key, which need not exist, before the first row.
    pub start: Vec<u8>,
    /// About how many bytes its rows take.
    pub bytes: u64,
}

/// A statistic that an engine reports for metrics.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistic {
    /// Name in the form of a metric: lower case, underscores, unit last (`block_cache_bytes`).
    pub name: &'static str,
    /// One line that says what it counts.
    pub help: &'static str,
    /// The figure now.
    pub value: f64,
}

/// A storage engine. Shared between threads; every call may block for as long as a disk or a network round takes.
pub trait Engine: Read + Send + Sync {
    /// The engine's name as in the configuration (`rocksdb`, `memory`).
    fn name(&self) -> &'static str;

    /// What this engine can do.
    fn capabilities(&self) -> Capabilities;

    /// Hands over a batch to be written. The answer can be waited for or awaited. Batches submitted together may be
    /// written together, in an order of the engine's choice; each is atomic on its own.
    fn submit(&self, batch: WriteBatch) -> Commit;

    /// Writes a batch and waits until it is as durable as the engine is configured to make it.
    fn commit(&self, batch: WriteBatch) -> Result<(), KvError> {
        self.submit(batch).wait()
    }

    /// Replaces the value of `key` by `new` if it is `expected` (`None`: absent, both ways), as one step that nothing
    /// comes between, in this process or another; says whether it did. A key written this way must never be written in
    /// another: some engines order the two kinds of writes apart. After an error the outcome is unknown: read the key,
    /// or repeat with a value nobody else writes.
    fn compare_and_swap(
        &self,
        table: TableId,
        key: Key<'_>,
        expected: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Result<bool, KvError>;

    /// A view that later writes do not change (see [`Capabilities::snapshot_reads`]).
    fn snapshot<'a>(&'a self) -> Result<Box<dyn Read + 'a>, KvError>;

    /// Deletes every row of every partition that begins with `prefix`. `prefix` must not be empty.
    /// `prefix` must not reach beyond the partition. Not atomic with anything else; repeating it is harmless.
    fn delete_prefix(&self, table: TableId, prefix: &[u8]) -> Result<(), KvError>;

    /// Reclaims the space of deleted and overwritten data in the partitions that begin with `prefix`, if the engine
    /// keeps such data for a while. Changes nothing that can be read, and blocks neither reads nor writes. Can take as
    /// long as rewriting the range.
    fn compact(&self, table: TableId, prefix: &[u8]) -> Result<(), KvError>;

    /// Cuts what begins with `prefix` (a prefix of a partition's own bytes) into runs of about `target_bytes`, in
    /// order; the first one starts at `prefix`. Sizes are estimates, and there are some [`crate::limits::RUNS_MAX`]
    /// runs at most, larger ones where need be. An engine without ordered partitions gives one run.
    fn split(&self, table: TableId, prefix: &[u8], target_bytes: u64) -> Result<Vec<Run>, KvError>;

    /// A writer for rows of a table that come in the order of their keys and are ingested later (see
    /// [`Capabilities::sorted_ingest`]).
    ///
    /// # Errors
    /// [`KvError::Unsupported`] for engines that cannot, [`KvError::UnknownTable`].
    fn sorted_writer<'a>(&'a self, _table: TableId) -> Result<Box<dyn SortedWriter + 'a>, KvError> {
        Err(KvError::Unsupported { engine: self.name(), operation: "ingesting sorted rows" })
    }

    /// Adds the rows of sorted writers of this engine to their tables, replacing the values of existing keys. Within a
    /// table, the rows of each writer must begin after the last row of the writer before it in the list. Readers, also
    /// after a crash, see all new rows of a table or none; tables are ingested in the order in which they first appear.
    /// On return everything survives a power failure.
    ///
    /// # Errors
    /// [`KvError::Unsupported`] for engines that cannot, [`KvError::OutOfOrder`] before anything is ingested.
    fn ingest(&self, _rows: Vec<SortedRows>) -> Result<(), KvError> {
        Err(KvError::Unsupported { engine: self.name(), operation: "ingesting sorted rows" })
    }

    /// How many writes were completed here after their calls had failed, or the processes that made them had died. Who
    /// keeps what was read must read it again when this has grown.
    fn writes_completed_late(&self) -> u64 {
        0
    }

    /// Where writes are ordered by clocks of the processes that make them: a moment no earlier than that of any write
    /// submitted here before. 0 where the store itself orders them.
    fn write_clock(&self) -> u64 {
        0
    }

    /// Orders every later write of this process after a moment that another one read from its [`Self::write_clock`],
    /// whatever the clock of this machine says.
    fn follow_clock(&self, _moment: u64) {}

    /// A priority lane to the same store, with a queue of its own: for the few small calls by which processes that
    /// share it exchange heartbeats and changes, which must not wait behind a load. `None` if the engine does not queue
    /// calls.
    fn priority_lane(&self) -> Option<Arc<dyn Engine>> {
        None
    }

    /// Makes everything acknowledged so far survive a power failure, whatever the durability mode.
    fn sync(&self) -> Result<(), KvError>;

    /// Says why writes fail at present, where an engine knows: where one has failed, it tries another, which changes
    /// nothing that can be read. Engines that cannot know say nothing.
    ///
    /// # Errors
    /// That of the write ([`KvError::DiskFull`] and others).
    fn check_writable(&self) -> Result<(), KvError> {
        Ok(())
    }

    /// Makes a checkpoint of the store's files, for a backup. Writes go on meanwhile.
    ///
    /// # Errors
    /// [`KvError::Unsupported`] for engines without files of their own, [`KvError::DiskFull`], [`KvError::Io`].
    fn checkpoint(&self) -> Result<Checkpoint, KvError> {
        Err(KvError::Unsupported { engine: self.name(), operation: "checkpoints of its files" })
    }

    /// The log, of an engine that keeps it: see [`WriteLog`].
    fn log(&self) -> Option<&dyn WriteLog> {
        None
    }

    /// Figures for metrics.
    fn statistics(&self) -> Vec<Statistic>;

    /// Where the engine's memory goes, in bytes: parts that do not overlap, so that they can be added up.
    fn memory(&self) -> Vec<Statistic>;
}

/// Reading through a pointer.
macro_rules! read_through {
    ($pointer:ty) => {
        impl<T: Read + ?Sized> Read for $pointer {
            fn get(&self, table: TableId, key: Key<'_>, found: &mut dyn FnMut(&[u8])) -> Result<bool, KvError> {
                (**self).get(table, key, found)
            }

            fn multi_get(
                &self,
                table: TableId,
                keys: &Keys,
                found: &mut dyn FnMut(usize, Option<&[u8]>),
            ) -> Result<(), KvError> {
                (**self).multi_get(table, keys, found)
            }

            fn scan<'a>(&'a self, table: TableId, range: RowRange<'_>) -> Result<Box<dyn Cursor + 'a>, KvError> {
                (**self).scan(table, range)
            }

            fn scan_partitions<'a>(
                &'a self,
                table: TableId,
                prefix: &[u8],
                after: Option<Key<'_>>,
            ) -> Result<Box<dyn Cursor + 'a>, KvError> {
                (**self).scan_partitions(table, prefix, after)
            }

            fn scan_once<'a>(
                &'a self,
                table: TableId,
                prefix: &[u8],
                after: Option<Key<'_>>,
            ) -> Result<Box<dyn Cursor + 'a>, KvError> {
                (**self).scan_once(table, prefix, after)
            }

            fn scan_each(
                &self,
                partitions: Partitions<'_>,
                visit: &mut dyn FnMut(usize, Entry<'_>) -> GoOn,
            ) -> Result<(), KvError> {
                (**self).scan_each(partitions, visit)
            }
        }
    };
}

read_through!(Arc<T>);
read_through!(&T);

impl<T: Engine + ?Sized> Engine for Arc<T> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn capabilities(&self) -> Capabilities {
        (**self).capabilities()
    }

    fn submit(&self, batch: WriteBatch) -> Commit {
        (**self).submit(batch)
    }

    fn commit(&self, batch: WriteBatch) -> Result<(), KvError> {
        (**self).commit(batch)
    }

    fn compare_and_swap(
        &self,
        table: TableId,
        key: Key<'_>,
        expected: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Result<bool, KvError> {
        (**self).compare_and_swap(table, key, expected, new)
    }

    fn snapshot<'a>(&'a self) -> Result<Box<dyn Read + 'a>, KvError> {
        (**self).snapshot()
    }

    fn delete_prefix(&self, table: TableId, prefix: &[u8]) -> Result<(), KvError> {
        (**self).delete_prefix(table, prefix)
    }

    fn compact(&self, table: TableId, prefix: &[u8]) -> Result<(), KvError> {
        (**self).compact(table, prefix)
    }

    fn split(&self, table: TableId, prefix: &[u8], target_bytes: u64) -> Result<Vec<Run>, KvError> {
        (**self).split(table, prefix, target_bytes)
    }

    fn sorted_writer<'a>(&'a self, table: TableId) -> Result<Box<dyn SortedWriter + 'a>, KvError> {
        (**self).sorted_writer(table)
    }

    fn ingest(&self, rows: Vec<SortedRows>) -> Result<(), KvError> {
        (**self).ingest(rows)
    }

    fn writes_completed_late(&self) -> u64 {
        (**self).writes_completed_late()
    }

    fn write_clock(&self) -> u64 {
        (**self).write_clock()
    }

    fn follow_clock(&self, moment: u64) {
        (**self).follow_clock(moment);
    }

    fn priority_lane(&self) -> Option<Arc<dyn Engine>> {
        (**self).priority_lane()
    }

    fn sync(&self) -> Result<(), KvError> {
        (**self).sync()
    }

    fn check_writable(&self) -> Result<(), KvError> {
        (**self).check_writable()
    }

    fn checkpoint(&self) -> Result<Checkpoint, KvError> {
        (**self).checkpoint()
    }

    fn log(&self) -> Option<&dyn WriteLog> {
        (**self).log()
    }

    fn statistics(&self) -> Vec<Statistic> {
        (**self).statistics()
    }

    fn memory(&self) -> Vec<Statistic> {
        (**self).memory()
    }
}
