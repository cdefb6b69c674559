//! An engine in memory that promises as little as one over a network may: what callers must be able to live with.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use crate::{
    Capabilities, Commit, Cursor, Engine, Entry, Key, KeyBuf, Keys, KvError, MemoryEngine, Operation, Read, RowRange,
    Run, Statistic, TableId, TableSpec, WriteBatch,
};

/// Rows copied at one time by a scan over partitions.
const PAGE_ROWS: usize = 100;

/// A [`MemoryEngine`] whose partitions come in the order of their hashes, whose snapshots move, whose groups of a batch
/// are written apart, and which says that other processes write it, too.
pub struct ScatteredEngine {
    inner: MemoryEngine,
    tables: &'static [TableSpec],
}

impl ScatteredEngine {
    /// An empty engine with these tables.
    #[must_use]
    pub fn open(tables: &'static [TableSpec]) -> Self {
        Self { inner: MemoryEngine::open(tables), tables }
    }

    fn write(&self, mut batch: WriteBatch) -> Result<(), KvError> {
        batch.check(self.tables)?;
        let guards = batch.take_guards();
        let mut group = WriteBatch::new();
        let mut at = None;
        for (number, operation) in batch.iter_groups() {
            assert!(at <= Some(number), "groups come one after the other");
            if at.replace(number).is_some_and(|before| before != number) {
                self.inner.commit(std::mem::take(&mut group))?;
            }
            match operation {
                Operation::Put { table, key, value } => group.put_key(table, key, value),
                Operation::Delete { table, key } => group.delete_key(table, key),
            }
        }
        let outcome = self.inner.commit(group);
        guards.release(outcome.is_ok());
        outcome
    }

    /// Partitions that begin with `prefix`, in their order here.
    fn partitions(&self, table: TableId, prefix: &[u8]) -> Result<Vec<(u64, Vec<u8>)>, KvError> {
        let mut partitions: Vec<(u64, Vec<u8>)> = Vec::new();
        let mut cursor = self.inner.scan_partitions(table, prefix, None)?;
        while let Some(entry) = cursor.next()? {
            let partition = entry.key.partition();
            if partitions.last().is_none_or(|(_, last)| last != partition) {
                partitions.push((hash(partition), partition.to_vec()));
            }
        }
        partitions.sort();
        Ok(partitions)
    }
}

fn hash(partition: &[u8]) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(partition)
}

impl Read for ScatteredEngine {
    fn get(&self, table: TableId, key: Key<'_>, found: &mut dyn FnMut(&[u8])) -> Result<bool, KvError> {
        self.inner.get(table, key, found)
    }

    fn multi_get(
        &self,
        table: TableId,
        keys: &Keys,
        found: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), KvError> {
        self.inner.multi_get(table, keys, found)
    }

    fn scan<'a>(&'a self, table: TableId, range: RowRange<'_>) -> Result<Box<dyn Cursor + 'a>, KvError> {
        self.inner.scan(table, range)
    }

    fn scan_partitions<'a>(
        &'a self,
        table: TableId,
        prefix: &[u8],
        after: Option<Key<'_>>,
    ) -> Result<Box<dyn Cursor + 'a>, KvError> {
        let mut partitions = self.partitions(table, prefix)?;
        let mut first_row = Vec::new();
        if let Some(after) = after {
            assert!(!after.partition().is_empty(), "a scan resumes after a key with a partition");
            let place = (hash(after.partition()), after.partition().to_vec());
            partitions.retain(|partition| *partition >= place);
            if partitions.first() == Some(&place) {
                first_row = crate::successor(after.row());
            }
        }
        let partitions = partitions.into_iter().map(|(_, partition)| partition).collect::<Vec<_>>().into_iter();
        Ok(Box::new(Scattered {
            engine: self,
            table,
            partitions,
            first_row,
            page: Vec::new().into_iter(),
            current: None,
        }))
    }
}

/// A walk over partitions in the order of their hashes, each read when it is its turn.
struct Scattered<'a> {
    engine: &'a ScatteredEngine,
    table: TableId,
    partitions: std::vec::IntoIter<Vec<u8>>,
    /// Where to begin in the next partition.
    first_row: Vec<u8>,
    page: std::vec::IntoIter<(KeyBuf, Vec<u8>)>,
    current: Option<(KeyBuf, Vec<u8>)>,
}

impl Cursor for Scattered<'_> {
    fn next(&mut self) -> Result<Option<Entry<'_>>, KvError> {
        while self.page.len() == 0 {
            let Some(partition) = self.partitions.next() else {
                self.current = None;
                return Ok(None);
            };
            let start = std::mem::take(&mut self.first_row);
            let range = RowRange { partition: &partition, start: &start, end: None };
            let mut cursor = self.engine.inner.scan(self.table, range)?;
            let mut page = Vec::with_capacity(PAGE_ROWS);
            while let Some(entry) = cursor.next()? {
                let mut key = KeyBuf::new();
                key.bytes_mut().extend_from_slice(entry.key.partition());
                key.end_partition();
                key.bytes_mut().extend_from_slice(entry.key.row());
                page.push((key, entry.value.to_vec()));
            }
            self.page = page.into_iter();
        }
        self.current = self.page.next();
        Ok(self.current.as_ref().map(|(key, value)| Entry { key: key.as_key(), value }))
    }
}

impl Engine for ScatteredEngine {
    fn name(&self) -> &'static str {
        "scattered"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            atomic_across_partitions: false,
            snapshot_reads: false,
            ordered_partitions: false,
            cheap_prefix_delete: false,
            persistent: false,
            shared: true,
            remote: true,
            sorted_ingest: false,
        }
    }

    fn submit(&self, batch: WriteBatch) -> Commit {
        Commit::done(self.write(batch))
    }

    fn compare_and_swap(
        &self,
        table: TableId,
        key: Key<'_>,
        expected: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Result<bool, KvError> {
        self.inner.compare_and_swap(table, key, expected, new)
    }

    fn snapshot<'a>(&'a self) -> Result<Box<dyn Read + 'a>, KvError> {
        Ok(Box::new(Live(self)))
    }

    fn delete_prefix(&self, table: TableId, prefix: &[u8]) -> Result<(), KvError> {
        self.inner.delete_prefix(table, prefix)
    }

    fn compact(&self, table: TableId, prefix: &[u8]) -> Result<(), KvError> {
        self.inner.compact(table, prefix)
    }

    fn split(&self, table: TableId, prefix: &[u8], _target_bytes: u64) -> Result<Vec<Run>, KvError> {
        self.inner.split(table, prefix, u64::MAX / 2)
    }

    fn sync(&self) -> Result<(), KvError> {
        self.inner.sync()
    }

    fn statistics(&self) -> Vec<Statistic> {
        self.inner.statistics()
    }

    fn memory(&self) -> Vec<Statistic> {
        self.inner.memory()
    }
}

/// What is called a snapshot, and shows what is there now.
struct Live<'a>(&'a ScatteredEngine);

impl Read for Live<'_> {
    fn get(&self, table: TableId, key: Key<'_>, found: &mut dyn FnMut(&[u8])) -> Result<bool, KvError> {
        self.0.get(table, key, found)
    }

    fn multi_get(
        &self,
        table: TableId,
        keys: &Keys,
        found: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), KvError> {
        self.0.multi_get(table, keys, found)
    }

    fn scan<'a>(&'a self, table: TableId, range: RowRange<'_>) -> Result<Box<dyn Cursor + 'a>, KvError> {
        self.0.scan(table, range)
    }

    fn scan_partitions<'a>(
        &'a self,
        table: TableId,
        prefix: &[u8],
        after: Option<Key<'_>>,
    ) -> Result<Box<dyn Cursor + 'a>, KvError> {
        self.0.scan_partitions(table, prefix, after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{Harness, TABLES};

    struct Fresh;

    impl Harness for Fresh {
        fn fresh(&mut self) -> Box<dyn Engine> {
            Box::new(ScatteredEngine::open(TABLES))
        }
    }

    mod suite {
        conformance_suite!(super::Fresh);
    }
}
