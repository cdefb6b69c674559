//! An engine in memory: for tests, and for graphs that need not survive the process.
//!
//! Each table is one persistent ordered map. A copy of a map costs the same however large it is, so snapshots and scans
//! take one and then neither block writers nor see them.

use std::ops::Bound;
use std::sync::Arc;

use imbl::OrdMap;
use parking_lot::RwLock;

use crate::limits::RUNS_MAX;
use crate::{
    Capabilities, Commit, Cursor, Engine, Entry, Extent, Key, Keys, KvError, Operation, Read, RowRange, Run,
    SortedRows, SortedWriter, Statistic, TableId, TableSpec, WriteBatch, check_sorted, prefix_end,
};

/// How many rows a cursor takes from its copy of the map at once: enough to make the search for the next run cheap, few
/// enough that a scan which stops early has done little in vain.
const CURSOR_ROWS: usize = 64;

/// Estimated memory of a row in addition to its key and value: two counted allocations and its entry in the map.
const ROW_BYTES: usize = 112;

/// How many rows a delete by prefix takes away before it lets writers in.
const DELETED_ROWS: usize = 4096;

type Rows = OrdMap<Arc<[u8]>, Row>;

#[derive(Clone)]
struct Row {
    partition_len: usize,
    value: Arc<[u8]>,
}

/// An engine whose content lives as long as it does.
pub struct MemoryEngine {
    tables: &'static [TableSpec],
    content: RwLock<Content>,
}

/// One moment of the content.
#[derive(Clone)]
struct Content {
    tables: Vec<Table>,
}

#[derive(Clone, Default)]
struct Table {
    rows: Rows,
    bytes: usize,
}

impl MemoryEngine {
    /// An empty engine with these tables.
    #[must_use]
    pub fn open(tables: &'static [TableSpec]) -> Self {
        let content = Content { tables: vec![Table::default(); tables.len()] };
        Self { tables, content: RwLock::new(content) }
    }

    fn write(&self, mut batch: WriteBatch) -> Result<(), KvError> {
        batch.check(self.tables)?;
        let guards = batch.take_guards();
        let mut content = self.content.write();
        for operation in batch.iter() {
            match operation {
                Operation::Put { table, key, value } => content.table_mut(table)?.put(key, value),
                Operation::Delete { table, key } => content.table_mut(table)?.delete(key.as_bytes()),
            }
        }
        drop(content);
        guards.release(true);
        Ok(())
    }

    fn now(&self) -> Content {
        self.content.read().clone()
    }

    fn rows(&self, table: TableId) -> Result<Rows, KvError> {
        Ok(self.content.read().table(table)?.rows.clone())
    }
}

impl Content {
    fn table(&self, id: TableId) -> Result<&Table, KvError> {
        self.tables.get(id.index()).ok_or(KvError::UnknownTable { index: id.index(), tables: self.tables.len() })
    }

    fn table_mut(&mut self, id: TableId) -> Result<&mut Table, KvError> {
        let tables = self.tables.len();
        self.tables.get_mut(id.index()).ok_or(KvError::UnknownTable { index: id.index(), tables })
    }
}

impl Table {
    fn put(&mut self, key: Key<'_>, value: &[u8]) {
        let row = Row { partition_len: key.partition().len(), value: value.into() };
        self.bytes += key.as_bytes().len() + value.len();
        if let Some(old) = self.rows.insert(key.as_bytes().into(), row) {
            self.bytes -= key.as_bytes().len() + old.value.len();
        }
    }

    fn delete(&mut self, key: &[u8]) {
        if let Some(old) = self.rows.remove(key) {
            self.bytes -= key.len() + old.value.len();
        }
    }
}

fn get(rows: &Rows, key: Key<'_>) -> Option<Arc<[u8]>> {
    rows.get(key.as_bytes()).map(|row| Arc::clone(&row.value))
}

fn multi_get(rows: &Rows, keys: &Keys, found: &mut dyn FnMut(usize, Option<&[u8]>)) {
    for (index, key) in keys.iter().enumerate() {
        found(index, rows.get(key.as_bytes()).map(|row| &*row.value));
    }
}

fn scan<'a>(rows: Rows, range: RowRange<'_>) -> Box<dyn Cursor + 'a> {
    let at = |row: &[u8]| [range.partition, row].concat();
    let end = match range.end {
        Some(end) => Some(at(end)),
        None => prefix_end(range.partition),
    };
    Box::new(MemoryCursor::new(rows, Bound::Included(at(range.start)), end))
}

fn scan_partitions<'a>(rows: Rows, prefix: &[u8], after: Option<Key<'_>>) -> Box<dyn Cursor + 'a> {
    let start = match after {
        Some(after) if after.as_bytes() >= prefix => Bound::Excluded(after.as_bytes().to_vec()),
        _ => Bound::Included(prefix.to_vec()),
    };
    Box::new(MemoryCursor::new(rows, start, prefix_end(prefix)))
}

impl Read for MemoryEngine {
    fn get(&self, table: TableId, key: Key<'_>, found: &mut dyn FnMut(&[u8])) -> Result<bool, KvError> {
        let value = get(&self.content.read().table(table)?.rows, key);
        if let Some(value) = &value {
            found(value);
        }
        Ok(value.is_some())
    }

    fn multi_get(
        &self,
        table: TableId,
        keys: &Keys,
        found: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), KvError> {
        multi_get(&self.rows(table)?, keys, found);
        Ok(())
    }

    fn scan<'a>(&'a self, table: TableId, range: RowRange<'_>) -> Result<Box<dyn Cursor + 'a>, KvError> {
        Ok(scan(self.rows(table)?, range))
    }

    fn scan_partitions<'a>(
        &'a self,
        table: TableId,
        prefix: &[u8],
        after: Option<Key<'_>>,
    ) -> Result<Box<dyn Cursor + 'a>, KvError> {
        Ok(scan_partitions(self.rows(table)?, prefix, after))
    }
}

impl Read for Content {
    fn get(&self, table: TableId, key: Key<'_>, found: &mut dyn FnMut(&[u8])) -> Result<bool, KvError> {
        let value = get(&self.table(table)?.rows, key);
        if let Some(value) = &value {
            found(value);
        }
        Ok(value.is_some())
    }

    fn multi_get(
        &self,
        table: TableId,
        keys: &Keys,
        found: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), KvError> {
        multi_get(&self.table(table)?.rows, keys, found);
        Ok(())
    }

    fn scan<'a>(&'a self, table: TableId, range: RowRange<'_>) -> Result<Box<dyn Cursor + 'a>, KvError> {
        Ok(scan(self.table(table)?.rows.clone(), range))
    }

    fn scan_partitions<'a>(
        &'a self,
        table: TableId,
        prefix: &[u8],
        after: Option<Key<'_>>,
    ) -> Result<Box<dyn Cursor + 'a>, KvError> {
        Ok(scan_partitions(self.table(table)?.rows.clone(), prefix, after))
    }
}

impl Engine for MemoryEngine {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            atomic_across_partitions: true,
            snapshot_reads: true,
            ordered_partitions: true,
            cheap_prefix_delete: false,
            persistent: false,
            shared: false,
            remote: false,
            sorted_ingest: true,
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
        let mut batch = WriteBatch::new();
        match new {
            Some(value) => batch.put_key(table, key, value),
            None => batch.delete_key(table, key),
        }
        batch.check(self.tables)?;
        let mut content = self.content.write();
        let table = content.table_mut(table)?;
        if get(&table.rows, key).as_deref() != expected {
            return Ok(false);
        }
        match new {
            Some(value) => table.put(key, value),
            None => table.delete(key.as_bytes()),
        }
        Ok(true)
    }

    fn snapshot<'a>(&'a self) -> Result<Box<dyn Read + 'a>, KvError> {
        Ok(Box::new(self.now()))
    }

    fn delete_prefix(&self, table: TableId, prefix: &[u8]) -> Result<(), KvError> {
        if prefix.is_empty() {
            return Err(KvError::EmptyPrefix { table: TableSpec::find(self.tables, table)?.name });
        }
        let rows = self.rows(table)?;
        let end = prefix_end(prefix);
        let mut range = rows.range::<_, [u8]>((Bound::Included(prefix), end_bound(end.as_deref()))).peekable();
        // Nothing promises that all of it goes at once, and others want to write in between.
        while range.peek().is_some() {
            let mut content = self.content.write();
            let table = content.table_mut(table)?;
            for (key, _) in range.by_ref().take(DELETED_ROWS) {
                table.delete(key);
            }
        }
        Ok(())
    }

    fn compact(&self, table: TableId, _prefix: &[u8]) -> Result<(), KvError> {
        // Nothing deleted is kept.
        TableSpec::find(self.tables, table).map(drop)
    }

    fn split(&self, table: TableId, prefix: &[u8], target_bytes: u64) -> Result<Vec<Run>, KvError> {
        let rows = self.rows(table)?;
        let end = prefix_end(prefix);
        let range = || rows.range::<_, [u8]>((Bound::Included(prefix), end_bound(end.as_deref())));
        let size = |key: &[u8], row: &Row| (key.len() + row.value.len()) as u64;
        let total: u64 = range().map(|(key, row)| size(key, row)).sum();
        // Two neighbours are larger than the target together.
        let target = target_bytes.max(total.div_ceil(RUNS_MAX as u64 / 2));
        let mut runs = Vec::new();
        let mut run = Run { start: prefix.to_vec(), bytes: 0 };
        let mut last = prefix;
        for (key, row) in range() {
            if run.bytes > 0 && run.bytes + size(key, row) > target {
                runs.push(std::mem::replace(&mut run, Run { start: last.to_vec(), bytes: 0 }));
            }
            run.bytes += size(key, row);
            last = key;
        }
        runs.push(run);
        Ok(runs)
    }

    fn sorted_writer<'a>(&'a self, table: TableId) -> Result<Box<dyn SortedWriter + 'a>, KvError> {
        let name = TableSpec::find(self.tables, table)?.name;
        Ok(Box::new(MemorySorted { table, name, extent: Extent::default(), rows: Vec::new() }))
    }

    fn ingest(&self, rows: Vec<SortedRows>) -> Result<(), KvError> {
        let mut all = Vec::new();
        for rows in check_sorted(self.tables, rows)? {
            all.push((rows.table(), rows.into_content::<SortedContent>()?));
        }
        let mut content = self.content.write();
        for (table, rows) in all {
            let table = content.table_mut(table)?;
            for (key, row) in rows {
                table.put(Key::new(&key, row.partition_len), &row.value);
            }
        }
        Ok(())
    }

    fn sync(&self) -> Result<(), KvError> {
        Ok(())
    }

    fn memory(&self) -> Vec<Statistic> {
        let content = self.content.read();
        let bytes: usize = content.tables.iter().map(|table| table.bytes + table.rows.len() * ROW_BYTES).sum();
        vec![figure("content", "Keys and values, and an estimate of what the maps themselves need", bytes)]
    }

    fn statistics(&self) -> Vec<Statistic> {
        let content = self.content.read();
        let entries = content.tables.iter().map(|table| table.rows.len()).sum();
        let bytes = content.tables.iter().map(|table| table.bytes).sum();
        vec![
            figure("entries", "Entries of all tables", entries),
            figure("content_bytes", "Bytes of all keys and values, without what the maps themselves need", bytes),
        ]
    }
}

type SortedContent = Vec<(Vec<u8>, Row)>;

/// Sorted rows that wait to be ingested.
struct MemorySorted {
    table: TableId,
    name: &'static str,
    extent: Extent,
    rows: SortedContent,
}

impl SortedWriter for MemorySorted {
    fn put(&mut self, key: Key<'_>, value: &[u8]) -> Result<(), KvError> {
        self.extent.add(self.name, key, value)?;
        let row = Row { partition_len: key.partition().len(), value: value.into() };
        self.rows.push((key.as_bytes().to_vec(), row));
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<SortedRows, KvError> {
        Ok(SortedRows::new(self.table, self.extent, Box::new(self.rows)))
    }
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people: exact up to 2^53")]
fn figure(name: &'static str, help: &'static str, value: usize) -> Statistic {
    Statistic { name, help, value: value as f64 }
}

fn end_bound(end: Option<&[u8]>) -> Bound<&[u8]> {
    end.map_or(Bound::Unbounded, Bound::Excluded)
}

/// A walk over a copy of a table, a run of rows at a time.
struct MemoryCursor {
    rows: Rows,
    start: Bound<Vec<u8>>,
    end: Option<Vec<u8>>,
    run: std::vec::IntoIter<(Arc<[u8]>, Row)>,
    current: Option<(Arc<[u8]>, Row)>,
}

impl MemoryCursor {
    fn new(rows: Rows, start: Bound<Vec<u8>>, end: Option<Vec<u8>>) -> Self {
        Self { rows, start, end, run: Vec::new().into_iter(), current: None }
    }

    fn next_run(&mut self) {
        let start = self.start.as_ref().map(Vec::as_slice);
        if let (Bound::Included(start) | Bound::Excluded(start), Some(end)) = (start, self.end.as_deref())
            && start >= end
        {
            return;
        }
        let range = self.rows.range::<_, [u8]>((start, end_bound(self.end.as_deref())));
        let run: Vec<(Arc<[u8]>, Row)> =
            range.take(CURSOR_ROWS).map(|(key, row)| (Arc::clone(key), row.clone())).collect();
        if let Some((last, _)) = run.last() {
            self.start = Bound::Excluded(last.to_vec());
        }
        self.run = run.into_iter();
    }
}

impl Cursor for MemoryCursor {
    fn next(&mut self) -> Result<Option<Entry<'_>>, KvError> {
        if self.run.len() == 0 {
            self.next_run();
        }
        self.current = self.run.next();
        Ok(self.current.as_ref().map(|(key, row)| Entry { key: Key::new(key, row.partition_len), value: &row.value }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{Harness, TABLES};

    struct Fresh;

    impl Harness for Fresh {
        fn fresh(&mut self) -> Box<dyn Engine> {
            Box::new(MemoryEngine::open(TABLES))
        }
    }

    mod suite {
        conformance_suite!(super::Fresh);
    }

    #[test]
    fn statistics_count_what_is_there() {
        let engine = MemoryEngine::open(TABLES);
        let figures = |engine: &MemoryEngine| -> Vec<f64> { engine.statistics().iter().map(|s| s.value).collect() };
        let key = Key::new(b"a\0row", 2);
        let mut batch = WriteBatch::new();
        batch.put_key(TableId(0), key, b"12345");
        batch.put_key(TableId(0), key, b"123");
        engine.commit(batch).unwrap();
        assert_eq!(figures(&engine), [1.0, 8.0]);
        engine.delete_prefix(TableId(0), b"a").unwrap();
        assert_eq!(figures(&engine), [0.0, 0.0]);
    }
}
