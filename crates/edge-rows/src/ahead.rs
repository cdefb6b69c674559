//! Rows read ahead of many partitions in one round, where a scan of each would be a round over a network.

use std::collections::VecDeque;

use kv::{Cursor, Entry, GoOn, Key, Keys, KvError, Read, RowRange, TableId, successor};

use crate::ROWS_AHEAD;

/// The first rows of partitions of one table, in the order of a list.
#[derive(Default)]
pub struct Ahead {
    partitions: VecDeque<Rows>,
}

/// The rows of a partition, all or the first ones.
#[derive(Default)]
struct Rows {
    /// Keys and values, one after the other.
    bytes: Vec<u8>,
    /// Where each row's partition, key and value end.
    ends: VecDeque<[usize; 3]>,
    is_whole: bool,
}

impl Ahead {
    /// Reads up to so many rows of the partitions, in one round ([`ROWS_AHEAD`]).
    ///
    /// # Errors
    /// Those of the engine.
    pub fn read(read: &dyn Read, table: TableId, partitions: &Keys) -> Result<Self, KvError> {
        let mut found: VecDeque<Rows> = VecDeque::from_iter([Rows::default()]);
        let mut rows = 0;
        read.scan_each(table, partitions, &mut |at, entry| {
            while found.len() <= at {
                found.back_mut().into_iter().for_each(|before| before.is_whole = true);
                found.push_back(Rows::default());
            }
            found.back_mut().into_iter().for_each(|own| own.push(entry));
            rows += 1;
            if rows < ROWS_AHEAD { GoOn::Next } else { GoOn::AtPartition(usize::MAX) }
        })?;
        if rows < ROWS_AHEAD {
            found.back_mut().into_iter().for_each(|last| last.is_whole = true);
            found.resize_with(partitions.len(), || Rows { is_whole: true, ..Rows::default() });
        }
        Ok(Self { partitions: found })
    }

    /// Whether nothing that was read is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.partitions.is_empty()
    }

    /// The rows of the next partition of the list, `None` where none of it was read.
    pub fn next<'a>(&mut self, read: &'a dyn Read, table: TableId, partition: &[u8]) -> Option<Box<dyn Cursor + 'a>> {
        let rows = self.partitions.pop_front()?;
        Some(Box::new(Continued { rows, given: None, further: None, read, table, partition: partition.to_vec() }))
    }
}

impl Rows {
    fn push(&mut self, entry: Entry<'_>) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(entry.key.as_bytes());
        let key_end = self.bytes.len();
        self.bytes.extend_from_slice(entry.value);
        self.ends.push_back([start + entry.key.partition().len(), key_end, self.bytes.len()]);
    }
}

/// The rows read ahead of a partition, then the others.
struct Continued<'a> {
    rows: Rows,
    /// Where the last row given begins and ends.
    given: Option<[usize; 4]>,
    further: Option<Box<dyn Cursor + 'a>>,
    read: &'a dyn Read,
    table: TableId,
    partition: Vec<u8>,
}

impl Cursor for Continued<'_> {
    fn next(&mut self) -> Result<Option<Entry<'_>>, KvError> {
        if let Some([partition_end, key_end, end]) = self.rows.ends.pop_front() {
            let start = self.given.map_or(0, |given| given[3]);
            self.given = Some([start, partition_end, key_end, end]);
            return Ok(self.last());
        }
        if self.rows.is_whole {
            return Ok(None);
        }
        let further = match self.further.take() {
            Some(further) => further,
            None => {
                let start = self.last().map(|entry| successor(entry.key.row())).unwrap_or_default();
                let range = RowRange { partition: &self.partition, start: &start, end: None };
                self.read.scan(self.table, range)?
            }
        };
        self.further.insert(further).next()
    }
}

impl Continued<'_> {
    /// The last row given of those read ahead.
    fn last(&self) -> Option<Entry<'_>> {
        let [start, partition_end, key_end, end] = self.given?;
        let key = Key::new(self.rows.bytes.get(start..key_end)?, partition_end - start);
        Some(Entry { key, value: self.rows.bytes.get(key_end..end)? })
    }
}
