//! Reading: of the database as it is, and of snapshots.

use kv::{Cursor, Entry, GoOn, Key, Keys, KvError, Read, RowRange, TableId, TableSpec, prefix_end, successor};
use rocksdb::{DBRawIteratorWithThreadMode, ReadOptions, SnapshotWithThreadMode};

use crate::limits::{MULTI_GET_KEYS_MAX, MULTI_GET_KEYS_MIN};
use crate::row_cache::Looked;
use crate::store::{Database, Store};

/// The database at one moment.
pub(crate) struct Snapshot<'a> {
    store: &'a Store,
    /// Refers to `snapshot`; declared before it, so dropped first.
    read_options: ReadOptions,
    snapshot: SnapshotWithThreadMode<'a, Database>,
}

impl<'a> Snapshot<'a> {
    pub(crate) fn take(store: &'a Store) -> Self {
        let snapshot = store.database.snapshot();
        let mut read_options = ReadOptions::default();
        read_options.set_snapshot(&snapshot);
        Self { store, read_options, snapshot }
    }

    fn options_of_scan(&self) -> ReadOptions {
        let mut options = ReadOptions::default();
        options.set_snapshot(&self.snapshot);
        options
    }
}

impl Read for Store {
    fn get(&self, table: TableId, key: Key<'_>, found: &mut dyn FnMut(&[u8])) -> Result<bool, KvError> {
        if !self.is_reread(table) {
            return get(self, &self.read_options, table, key, found);
        }
        let ticket = match self.rows.get(table, key.as_bytes(), found) {
            Looked::Found => return Ok(true),
            Looked::Missed(ticket) => ticket,
            Looked::Passed => return get(self, &self.read_options, table, key, found),
        };
        get(self, &self.read_options, table, key, &mut |value| {
            self.rows.keep(ticket, table, key.as_bytes(), value);
            found(value);
        })
    }

    fn multi_get(
        &self,
        table: TableId,
        keys: &Keys,
        found: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), KvError> {
        multi_get(self, &self.read_options, table, keys, found)
    }

    fn scan<'a>(&'a self, table: TableId, range: RowRange<'_>) -> Result<Box<dyn Cursor + 'a>, KvError> {
        scan(self, ReadOptions::default(), table, range)
    }

    fn scan_partitions<'a>(
        &'a self,
        table: TableId,
        prefix: &[u8],
        after: Option<Key<'_>>,
    ) -> Result<Box<dyn Cursor + 'a>, KvError> {
        scan_partitions(self, ReadOptions::default(), table, prefix, after)
    }

    fn scan_each(
        &self,
        table: TableId,
        partitions: &Keys,
        visit: &mut dyn FnMut(usize, Entry<'_>) -> GoOn,
    ) -> Result<(), KvError> {
        scan_each(self, ReadOptions::default(), table, partitions, visit)
    }
}

impl Read for Snapshot<'_> {
    fn get(&self, table: TableId, key: Key<'_>, found: &mut dyn FnMut(&[u8])) -> Result<bool, KvError> {
        get(self.store, &self.read_options, table, key, found)
    }

    fn multi_get(
        &self,
        table: TableId,
        keys: &Keys,
        found: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), KvError> {
        multi_get(self.store, &self.read_options, table, keys, found)
    }

    fn scan<'a>(&'a self, table: TableId, range: RowRange<'_>) -> Result<Box<dyn Cursor + 'a>, KvError> {
        scan(self.store, self.options_of_scan(), table, range)
    }

    fn scan_partitions<'a>(
        &'a self,
        table: TableId,
        prefix: &[u8],
        after: Option<Key<'_>>,
    ) -> Result<Box<dyn Cursor + 'a>, KvError> {
        scan_partitions(self.store, self.options_of_scan(), table, prefix, after)
    }

    fn scan_each(
        &self,
        table: TableId,
        partitions: &Keys,
        visit: &mut dyn FnMut(usize, Entry<'_>) -> GoOn,
    ) -> Result<(), KvError> {
        scan_each(self.store, self.options_of_scan(), table, partitions, visit)
    }
}

fn get(
    store: &Store,
    options: &ReadOptions,
    table: TableId,
    key: Key<'_>,
    found: &mut dyn FnMut(&[u8]),
) -> Result<bool, KvError> {
    let value = store
        .database
        .get_pinned_cf_opt(store.family(table)?, key.as_bytes(), options)
        .map_err(|error| store.error("reading", error))?;
    if let Some(value) = &value {
        found(value);
    }
    Ok(value.is_some())
}

fn multi_get(
    store: &Store,
    options: &ReadOptions,
    table: TableId,
    keys: &Keys,
    found: &mut dyn FnMut(usize, Option<&[u8]>),
) -> Result<(), KvError> {
    if keys.len() <= MULTI_GET_KEYS_MIN {
        for (index, key) in keys.iter().enumerate() {
            if !get(store, options, table, key, &mut |value| found(index, Some(value)))? {
                found(index, None);
            }
        }
        return Ok(());
    }
    let family = store.family(table)?;
    let all: Vec<&[u8]> = keys.iter().map(|key| key.as_bytes()).collect();
    let mut sorted: Vec<(&[u8], usize)> = Vec::new();
    let mut values = Vec::new();
    for (chunk, some) in all.chunks(MULTI_GET_KEYS_MAX).enumerate() {
        // RocksDB would sort them too, but compares them through a virtual function each time.
        sorted.clear();
        sorted.extend(some.iter().copied().zip(0..));
        sorted.sort_unstable();
        let in_order = sorted.iter().map(|(key, _)| *key);
        let read = store.database.batched_multi_get_cf_opt(family, in_order, true, options);
        values.clear();
        values.resize_with(some.len(), || None);
        for (value, (_, at)) in read.into_iter().zip(&sorted) {
            if let Some(place) = values.get_mut(*at) {
                *place = value.map_err(|error| store.error("reading", error))?;
            }
        }
        for (at, value) in values.iter().enumerate() {
            found(chunk * MULTI_GET_KEYS_MAX + at, value.as_deref());
        }
    }
    Ok(())
}

fn scan<'a>(
    store: &'a Store,
    mut options: ReadOptions,
    table: TableId,
    range: RowRange<'_>,
) -> Result<Box<dyn Cursor + 'a>, KvError> {
    let spec = TableSpec::find(store.tables, table)?;
    let start = [range.partition, range.start].concat();
    let end = match range.end {
        Some(end) => Some([range.partition, end].concat()),
        None => prefix_end(range.partition),
    };
    if let Some(end) = end {
        options.set_iterate_upper_bound(end);
    }
    // Only a start that has this partition may be looked up in the filters, which are made of partitions.
    let filtered = spec.ranged && (spec.partition_len)(&start) == Some(range.partition.len());
    options.set_prefix_same_as_start(filtered);
    options.set_total_order_seek(!filtered);
    let mut rows = store.database.raw_iterator_cf_opt(store.family(table)?, options);
    rows.seek(&start);
    Ok(Box::new(RowCursor { store, rows, split: Split::At(range.partition.len()), started: false }))
}

fn scan_partitions<'a>(
    store: &'a Store,
    mut options: ReadOptions,
    table: TableId,
    prefix: &[u8],
    after: Option<Key<'_>>,
) -> Result<Box<dyn Cursor + 'a>, KvError> {
    let spec = TableSpec::find(store.tables, table)?;
    if let Some(end) = prefix_end(prefix) {
        options.set_iterate_upper_bound(end);
    }
    options.set_total_order_seek(true);
    let mut rows = store.database.raw_iterator_cf_opt(store.family(table)?, options);
    match after.map(|key| key.as_bytes()).filter(|after| *after >= prefix) {
        Some(after) => rows.seek(successor(after)),
        None => rows.seek(prefix),
    }
    Ok(Box::new(RowCursor { store, rows, split: Split::ByTable(spec), started: false }))
}

/// One iterator for all partitions: making one costs more than the few rows most partitions have.
fn scan_each(
    store: &Store,
    mut options: ReadOptions,
    table: TableId,
    partitions: &Keys,
    visit: &mut dyn FnMut(usize, Entry<'_>) -> GoOn,
) -> Result<(), KvError> {
    let spec = TableSpec::find(store.tables, table)?;
    let whole = |key: Key<'_>| (spec.partition_len)(key.as_bytes()) == Some(key.as_bytes().len());
    let filtered = spec.ranged && partitions.iter().all(whole);
    options.set_prefix_same_as_start(filtered);
    options.set_total_order_seek(!filtered);
    let mut rows = store.database.raw_iterator_cf_opt(store.family(table)?, options);
    let mut at = 0;
    while let Some(partition) = partitions.get(at) {
        let partition = partition.as_bytes();
        let mut next = at + 1;
        rows.seek(partition);
        while let Some((key, value)) = rows.item().filter(|(key, _)| key.starts_with(partition)) {
            if let GoOn::AtPartition(to) = visit(at, Entry { key: Key::new(key, partition.len()), value }) {
                next = next.max(to);
                break;
            }
            rows.next();
        }
        rows.status().map_err(|error| store.error("reading", error))?;
        at = next;
    }
    Ok(())
}

/// Where a key's partition ends.
enum Split {
    At(usize),
    ByTable(&'static TableSpec),
}

/// A walk that has been set to its first row.
struct RowCursor<'a> {
    store: &'a Store,
    rows: DBRawIteratorWithThreadMode<'a, Database>,
    split: Split,
    started: bool,
}

impl Cursor for RowCursor<'_> {
    fn next(&mut self) -> Result<Option<Entry<'_>>, KvError> {
        if self.started {
            self.rows.next();
        }
        self.started = true;
        let Some((key, value)) = self.rows.item() else {
            self.rows.status().map_err(|error| self.store.error("reading", error))?;
            return Ok(None);
        };
        let key = match self.split {
            Split::At(partition_len) => Key::new(key, partition_len),
            Split::ByTable(spec) => spec.key(key)?,
        };
        Ok(Some(Entry { key, value }))
    }
}
