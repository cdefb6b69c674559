//! Rows that are written but not yet stored, over what is stored: how a unit of writes sees its own.
//!
//! An [`Overlay`] reads like the engine under it would after the writes of its [`UnitRows`]. Where it scans several
//! partitions, those of the engine come first, in the engine's order, each with its rows merged; partitions that only
//! the unit has follow in the order of their bytes. So no order among partitions is asked of the engine.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, btree_set};
use std::iter::Peekable;
use std::ops::{Bound, Deref};

use crate::batch::{Operation, WriteBatch};
use crate::engine::{Cursor, Entry, GoOn, Read, RowRange};
use crate::error::KvError;
use crate::key::{Key, Keys, prefix_end};
use crate::partitions::Partitions;
use crate::table::TableId;

/// The last write to each key of a unit.
#[derive(Default)]
pub struct UnitRows {
    tables: BTreeMap<TableId, Table>,
    rows: usize,
    bytes: usize,
}

type Table = BTreeSet<Written>;
type Rows<'a> = Peekable<btree_set::Range<'a, Written>>;

/// A table nothing is written to.
static NOTHING: Table = Table::new();

/// What a row is written to be, ordered by its key: one allocation, as a unit has thousands of them.
struct Written {
    /// The key, then the value.
    bytes: Box<[u8]>,
    key_len: usize,
    partition_len: usize,
    is_deleted: bool,
}

impl Written {
    fn new(operation: &Operation<'_>) -> Self {
        let key = operation.key();
        let value = match operation {
            Operation::Put { value, .. } => Some(*value),
            Operation::Delete { .. } => None,
        };
        Self {
            bytes: [key.as_bytes(), value.unwrap_or_default()].concat().into(),
            key_len: key.as_bytes().len(),
            partition_len: key.partition().len(),
            is_deleted: value.is_none(),
        }
    }

    fn key(&self) -> &[u8] {
        self.bytes.get(..self.key_len).unwrap_or_default()
    }

    /// `None`: deleted.
    fn value(&self) -> Option<&[u8]> {
        if self.is_deleted { None } else { self.bytes.get(self.key_len..) }
    }
}

impl Borrow<[u8]> for Written {
    fn borrow(&self) -> &[u8] {
        self.key()
    }
}

impl Ord for Written {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(other.key())
    }
}

impl PartialOrd for Written {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Eq for Written {}

impl PartialEq for Written {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl UnitRows {
    /// Rows that are held, deletions included.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Bytes of their keys and values.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes over the writes of a batch, in their order.
    pub fn write(&mut self, batch: &WriteBatch) {
        for operation in batch.iter() {
            let written = Written::new(&operation);
            self.bytes += written.bytes.len();
            self.rows += 1;
            if let Some(before) = self.table_mut(operation.table()).replace(written) {
                self.bytes -= before.bytes.len();
                self.rows -= 1;
            }
        }
    }

    fn table_mut(&mut self, table: TableId) -> &mut Table {
        self.tables.entry(table).or_default()
    }

    fn get(&self, table: TableId, key: &[u8]) -> Option<&Written> {
        self.tables.get(&table)?.get(key)
    }

    /// The rows from a key on, before `end`.
    fn range(&self, table: TableId, start: Bound<&[u8]>, end: Option<&[u8]>) -> Rows<'_> {
        let end = end.map_or(Bound::Unbounded, Bound::Excluded);
        self.tables.get(&table).unwrap_or(&NOTHING).range::<[u8], _>((start, end)).peekable()
    }

    /// The rows of a partition.
    fn partition(&self, table: TableId, partition: &[u8]) -> Rows<'_> {
        self.range(table, Bound::Included(partition), prefix_end(partition).as_deref())
    }
}

/// The rows of a unit over what an engine, or a snapshot of it, has.
pub struct Overlay<B, R> {
    base: B,
    rows: R,
}

impl<B, R> Overlay<B, R> {
    /// Rows over a base.
    #[must_use]
    pub fn new(base: B, rows: R) -> Self {
        Self { base, rows }
    }

    /// The rows.
    #[must_use]
    pub fn rows(&self) -> &R {
        &self.rows
    }

    /// The rows, to write more of them.
    pub fn rows_mut(&mut self) -> &mut R {
        &mut self.rows
    }
}

impl<B, R> Read for Overlay<B, R>
where
    B: Deref,
    B::Target: Read,
    R: Borrow<UnitRows>,
{
    fn get(&self, table: TableId, key: Key<'_>, found: &mut dyn FnMut(&[u8])) -> Result<bool, KvError> {
        match self.rows.borrow().get(table, key.as_bytes()) {
            Some(written) => {
                written.value().into_iter().for_each(found);
                Ok(!written.is_deleted)
            }
            None => self.base.get(table, key, found),
        }
    }

    fn multi_get(
        &self,
        table: TableId,
        keys: &Keys,
        found: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), KvError> {
        let written = |at| keys.get(at).and_then(|key| self.rows.borrow().get(table, key.as_bytes()));
        // Results come in the order of the keys, so what is stored is asked for all of them or for none.
        if (0..keys.len()).all(|at| written(at).is_some()) {
            (0..keys.len()).filter_map(|at| Some((at, written(at)?))).for_each(|(at, row)| found(at, row.value()));
            return Ok(());
        }
        self.base.multi_get(table, keys, &mut |at, stored| match written(at) {
            Some(row) => found(at, row.value()),
            None => found(at, stored),
        })
    }

    fn scan<'a>(&'a self, table: TableId, range: RowRange<'_>) -> Result<Box<dyn Cursor + 'a>, KvError> {
        let stored = self.base.scan(table, range)?;
        let start = [range.partition, range.start].concat();
        let end = range.end.map_or_else(|| prefix_end(range.partition), |end| Some([range.partition, end].concat()));
        // A range that ends before it begins has no rows, and none can be asked of a map.
        if end.as_ref().is_some_and(|end| *end < start) {
            return Ok(stored);
        }
        let written = self.rows.borrow().range(table, Bound::Included(&start), end.as_deref());
        Ok(Box::new(Merged {
            stored: Some(stored),
            ahead: None,
            partition: range.partition.to_vec(),
            written,
            rest: BTreeSet::new(),
            rows: self.rows.borrow(),
            table,
            shown: Stored::default(),
        }))
    }

    fn scan_partitions<'a>(
        &'a self,
        table: TableId,
        prefix: &[u8],
        after: Option<Key<'_>>,
    ) -> Result<Box<dyn Cursor + 'a>, KvError> {
        let rows: &UnitRows = self.rows.borrow();
        let mut own: BTreeSet<Vec<u8>> = BTreeSet::new();
        for written in rows.range(table, Bound::Included(prefix), prefix_end(prefix).as_deref()) {
            let partition = written.bytes.get(..written.partition_len).unwrap_or_default();
            if own.last().is_none_or(|last| last != partition) {
                own.insert(partition.to_vec());
            }
        }
        let mut merged = Merged {
            stored: None,
            ahead: None,
            partition: Vec::new(),
            written: NOTHING.range::<[u8], _>(..).peekable(),
            rest: own,
            rows,
            table,
            shown: Stored::default(),
        };
        let is_stored = |partition: &[u8]| -> Result<bool, KvError> {
            Ok(self.base.scan(table, RowRange::all(partition))?.next()?.is_some())
        };
        let Some(after) = after else {
            merged.stored = Some(self.base.scan_partitions(table, prefix, None)?);
            return Ok(Box::new(merged));
        };
        merged.go_on_after(after);
        // Stored partitions that the scan will not meet any more were before `after`.
        let mut rest = BTreeSet::new();
        for partition in std::mem::take(&mut merged.rest) {
            if !is_stored(&partition)? {
                rest.insert(partition);
            }
        }
        if is_stored(after.partition())? {
            merged.stored = Some(self.base.scan_partitions(table, prefix, Some(after))?);
        } else {
            rest = rest.split_off(after.partition());
        }
        rest.remove(after.partition());
        merged.rest = rest;
        Ok(Box::new(merged))
    }

    fn scan_each(
        &self,
        partitions: Partitions<'_>,
        visit: &mut dyn FnMut(usize, Entry<'_>) -> GoOn,
    ) -> Result<(), KvError> {
        // The engine has its own way to read many partitions, where the unit has written to none of them.
        let rows: &UnitRows = self.rows.borrow();
        let is_written =
            |(table, partition): (TableId, Key<'_>)| rows.partition(table, partition.as_bytes()).peek().is_some();
        if !partitions.iter().any(is_written) {
            return self.base.scan_each(partitions, visit);
        }
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

/// A copy of a stored row.
#[derive(Default)]
struct Stored {
    key: Vec<u8>,
    partition_len: usize,
    value: Vec<u8>,
}

impl Stored {
    fn copy(entry: Entry<'_>) -> Self {
        Self {
            key: entry.key.as_bytes().to_vec(),
            partition_len: entry.key.partition().len(),
            value: entry.value.to_vec(),
        }
    }

    fn partition(&self) -> &[u8] {
        self.key.get(..self.partition_len).unwrap_or_default()
    }
}

/// A scan of what is stored, and of what is written over it.
struct Merged<'a> {
    /// `None` after the last stored row.
    stored: Option<Box<dyn Cursor + 'a>>,
    /// The next stored row, where it is known.
    ahead: Option<Stored>,
    /// The partition that is read, and its written rows that are still to come.
    partition: Vec<u8>,
    written: Rows<'a>,
    /// Written partitions that have not been met; those that are left are not stored, and read at the end.
    rest: BTreeSet<Vec<u8>>,
    rows: &'a UnitRows,
    table: TableId,
    /// The stored row that was given last.
    shown: Stored,
}

impl<'a> Merged<'a> {
    fn enter(&mut self, partition: Vec<u8>) {
        self.rest.remove(&partition);
        self.written = self.rows.partition(self.table, &partition);
        self.partition = partition;
    }

    /// Leaves out the written rows of a partition up to a key.
    fn go_on_after(&mut self, after: Key<'_>) {
        let end = prefix_end(after.partition());
        self.written = self.rows.range(self.table, Bound::Excluded(after.as_bytes()), end.as_deref());
        self.partition = after.partition().to_vec();
    }

    fn look_ahead(&mut self) -> Result<(), KvError> {
        if self.ahead.is_none()
            && let Some(stored) = &mut self.stored
        {
            self.ahead = stored.next()?.map(Stored::copy);
            if self.ahead.is_none() {
                self.stored = None;
            }
        }
        Ok(())
    }

    /// The next written row, if it comes before the stored one; of the same key, it takes its place.
    fn next_written(&mut self) -> Option<&'a Written> {
        let key = self.written.peek()?.key();
        if let Some(ahead) = self.ahead.as_ref().filter(|ahead| ahead.partition() == self.partition) {
            match key.cmp(ahead.key.as_slice()) {
                Ordering::Less => {}
                Ordering::Equal => self.ahead = None,
                Ordering::Greater => return None,
            }
        }
        self.written.next()
    }
}

impl Cursor for Merged<'_> {
    fn next(&mut self) -> Result<Option<Entry<'_>>, KvError> {
        loop {
            self.look_ahead()?;
            if let Some(written) = self.next_written() {
                if let Some(value) = written.value() {
                    return Ok(Some(Entry { key: Key::new(written.key(), written.partition_len), value }));
                }
            } else if let Some(ahead) = self.ahead.take() {
                if ahead.partition() != self.partition {
                    self.enter(ahead.partition().to_vec());
                    self.ahead = Some(ahead);
                    continue;
                }
                self.shown = ahead;
                let key = Key::new(&self.shown.key, self.shown.partition_len);
                return Ok(Some(Entry { key, value: &self.shown.value }));
            } else if let Some(partition) = self.rest.pop_first() {
                self.enter(partition);
            } else {
                return Ok(None);
            }
        }
    }
}

#[cfg(test)]
mod tests;
