//! Reading: of the database as it is, and of snapshots.

use std::ops::Range;

use kv::{
    Cursor, Entry, GoOn, Key, Keys, KvError, Partitions, Read, RowRange, TableId, TableSpec, prefix_end, successor,
};
use rocksdb::{DBPinnableSlice, DBRawIteratorWithThreadMode, ReadOptions, SnapshotWithThreadMode};
use row_cache::{Looked, RowCache, Ticket};

use crate::limits::{
    MULTI_GET_FOUND_SHARE, MULTI_GET_KEYS_MAX, MULTI_GET_KEYS_MIN, MULTI_GET_KEYS_PROBED, SCAN_AHEAD_BYTES,
};
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
        if keys.len() <= MULTI_GET_KEYS_MIN {
            return one_by_one(self, table, keys, found);
        }
        let rows = self.is_reread(table).then_some(&self.rows);
        multi_get(self, &self.read_options, rows, table, keys, found)
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

    fn scan_once<'a>(
        &'a self,
        table: TableId,
        prefix: &[u8],
        after: Option<Key<'_>>,
    ) -> Result<Box<dyn Cursor + 'a>, KvError> {
        scan_partitions(self, once(ReadOptions::default()), table, prefix, after)
    }

    fn scan_each(
        &self,
        partitions: Partitions<'_>,
        visit: &mut dyn FnMut(usize, Entry<'_>) -> GoOn,
    ) -> Result<(), KvError> {
        scan_each(self, ReadOptions::default, partitions, visit)
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
        if keys.len() <= MULTI_GET_KEYS_MIN {
            return one_by_one(self, table, keys, found);
        }
        multi_get(self.store, &self.read_options, None, table, keys, found)
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

    fn scan_once<'a>(
        &'a self,
        table: TableId,
        prefix: &[u8],
        after: Option<Key<'_>>,
    ) -> Result<Box<dyn Cursor + 'a>, KvError> {
        scan_partitions(self.store, once(self.options_of_scan()), table, prefix, after)
    }

    fn scan_each(
        &self,
        partitions: Partitions<'_>,
        visit: &mut dyn FnMut(usize, Entry<'_>) -> GoOn,
    ) -> Result<(), KvError> {
        scan_each(self.store, || self.options_of_scan(), partitions, visit)
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

fn one_by_one(
    read: &dyn Read,
    table: TableId,
    keys: &Keys,
    found: &mut dyn FnMut(usize, Option<&[u8]>),
) -> Result<(), KvError> {
    for (index, key) in keys.iter().enumerate() {
        if !read.get(table, key, &mut |value| found(index, Some(value)))? {
            found(index, None);
        }
    }
    Ok(())
}

/// Reads what the row cache does not have, if there is one for what `options` can see.
fn multi_get(
    store: &Store,
    options: &ReadOptions,
    rows: Option<&RowCache>,
    table: TableId,
    keys: &Keys,
    found: &mut dyn FnMut(usize, Option<&[u8]>),
) -> Result<(), KvError> {
    let family = store.family(table)?;
    let all: Vec<&[u8]> = keys.iter().map(|key| key.as_bytes()).collect();
    let mut chunk = Chunk::default();
    for (number, keys) in all.chunks(MULTI_GET_KEYS_MAX).enumerate() {
        chunk.look(rows, table, keys);
        let read = match chunk.wanted.is_empty() {
            true => Vec::new(),
            false => {
                // RocksDB would sort them too, but compares them through a virtual function each time.
                chunk.wanted.sort_unstable_by_key(|wanted| (wanted.key, wanted.at));
                let in_order = chunk.wanted.iter().map(|wanted| wanted.key);
                store.database.batched_multi_get_cf_opt(family, in_order, true, options)
            }
        };
        for (value, wanted) in read.into_iter().zip(&chunk.wanted) {
            let Some(value) = value.map_err(|error| store.error("reading", error))? else { continue };
            if let Some((rows, ticket)) = rows.zip(wanted.ticket) {
                rows.keep(ticket, table, wanted.key, &value);
            }
            if let Some(place) = chunk.values.get_mut(wanted.at) {
                *place = Some(Value::Read(value));
            }
        }
        for (at, value) in chunk.values.iter().enumerate() {
            let value = value.as_ref().map(|value| match value {
                Value::Kept(range) => chunk.kept.get(range.clone()).unwrap_or_default(),
                Value::Read(value) => value,
            });
            found(number * MULTI_GET_KEYS_MAX + at, value);
        }
    }
    Ok(())
}

/// The keys of one call to RocksDB, and what is known about them.
#[derive(Default)]
struct Chunk<'k, 'v> {
    /// Bytes copied out of the row cache.
    kept: Vec<u8>,
    /// By position.
    values: Vec<Option<Value<'v>>>,
    /// Keys without a value yet.
    wanted: Vec<Wanted<'k>>,
}

/// A value on its way to the caller.
enum Value<'v> {
    /// A part of the bytes copied out of the row cache.
    Kept(Range<usize>),
    /// As returned by RocksDB.
    Read(DBPinnableSlice<'v>),
}

/// A key to look up in RocksDB.
struct Wanted<'k> {
    key: &'k [u8],
    at: usize,
    /// Present if its row may be cached.
    ticket: Option<Ticket>,
}

impl<'k> Chunk<'k, '_> {
    /// Takes what is in the row cache; the rest is wanted. Probes some keys first, and the others only if enough of
    /// those are cached: of a table much larger than the cache, few are.
    fn look(&mut self, rows: Option<&RowCache>, table: TableId, keys: &[&'k [u8]]) {
        self.kept.clear();
        self.values.clear();
        self.wanted.clear();
        self.values.resize_with(keys.len(), || None);
        // At least 1, as there is a key.
        let stride = keys.len().div_ceil(MULTI_GET_KEYS_PROBED);
        for (at, key) in keys.iter().enumerate().step_by(stride) {
            self.look_for(rows, table, at, key);
        }
        let probed = keys.len().div_ceil(stride);
        let found = probed - self.wanted.len();
        let rows = rows.filter(|_| found * MULTI_GET_FOUND_SHARE >= probed);
        for (at, key) in keys.iter().enumerate().filter(|(at, _)| at % stride != 0) {
            self.look_for(rows, table, at, key);
        }
    }

    fn look_for(&mut self, rows: Option<&RowCache>, table: TableId, at: usize, key: &'k [u8]) {
        let start = self.kept.len();
        let looked =
            rows.map_or(Looked::Passed, |rows| rows.get(table, key, &mut |value| self.kept.extend_from_slice(value)));
        let ticket = match looked {
            Looked::Found => {
                if let Some(place) = self.values.get_mut(at) {
                    *place = Some(Value::Kept(start..self.kept.len()));
                }
                return;
            }
            Looked::Missed(ticket) => Some(ticket),
            Looked::Passed => None,
        };
        self.wanted.push(Wanted { key, at, ticket });
    }
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

/// Blocks that are read once are not kept, and are read many at a time.
fn once(mut options: ReadOptions) -> ReadOptions {
    options.fill_cache(false);
    options.set_readahead_size(SCAN_AHEAD_BYTES);
    options
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

/// One iterator for all partitions of a table: making one costs more than the few rows most partitions have.
fn scan_each(
    store: &Store,
    options: impl Fn() -> ReadOptions,
    partitions: Partitions<'_>,
    visit: &mut dyn FnMut(usize, Entry<'_>) -> GoOn,
) -> Result<(), KvError> {
    let (mut start, mut next) = (0, 0);
    for (table, keys) in partitions.lists() {
        if next < start + keys.len() {
            let of_table = &mut |at, entry: Entry<'_>| match visit(start + at, entry) {
                GoOn::AtPartition(to) => GoOn::AtPartition(to.saturating_sub(start)),
                GoOn::Next => GoOn::Next,
            };
            next = start.saturating_add(scan_table(store, options(), (*table, keys), next - start, of_table)?);
        }
        start += keys.len();
    }
    Ok(())
}

/// Reads the partitions of one table from one on; where to go on, which may be behind the last one.
fn scan_table(
    store: &Store,
    mut options: ReadOptions,
    (table, partitions): (TableId, &Keys),
    mut at: usize,
    visit: &mut dyn FnMut(usize, Entry<'_>) -> GoOn,
) -> Result<usize, KvError> {
    let spec = TableSpec::find(store.tables, table)?;
    let whole = |key: Key<'_>| (spec.partition_len)(key.as_bytes()) == Some(key.as_bytes().len());
    let filtered = spec.ranged && partitions.iter().all(whole);
    options.set_prefix_same_as_start(filtered);
    options.set_total_order_seek(!filtered);
    let mut rows = store.database.raw_iterator_cf_opt(store.family(table)?, options);
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
    Ok(at)
}

/// Where a key's partition ends.
enum Split {
    At(usize),
    ByTable(&'static TableSpec),
}

/// An iterator positioned at its first row.
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
