//! Rows read ahead of many partitions in one round, where a scan of each would be a round over a network.

use std::collections::VecDeque;

use kv::{Cursor, Entry, GoOn, Key, KvError, Partitions, Read, RowRange, TableId, successor};

use crate::{BYTES_AHEAD, ROWS_AHEAD};

/// The first rows of partitions, in the order of their lists.
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
    /// Reads the first rows of the partitions in one round, up to [`ROWS_AHEAD`] or those that reach [`BYTES_AHEAD`].
    ///
    /// # Errors
    /// Those of the engine.
    pub fn read(read: &dyn Read, partitions: Partitions<'_>) -> Result<Self, KvError> {
        let mut found: VecDeque<Rows> = VecDeque::from_iter([Rows::default()]);
        let (mut rows, mut bytes, mut is_full) = (0, 0, false);
        read.scan_each(partitions, &mut |at, entry| {
            while found.len() <= at {
                found.back_mut().into_iter().for_each(|before| before.is_whole = true);
                found.push_back(Rows::default());
            }
            found.back_mut().into_iter().for_each(|own| own.push(entry));
            rows += 1;
            bytes += entry.key.as_bytes().len() + entry.value.len();
            is_full = rows >= ROWS_AHEAD || bytes >= BYTES_AHEAD;
            if is_full { GoOn::AtPartition(usize::MAX) } else { GoOn::Next }
        })?;
        if !is_full {
            found.back_mut().into_iter().for_each(|last| last.is_whole = true);
            found.resize_with(partitions.count(), || Rows { is_whole: true, ..Rows::default() });
        }
        Ok(Self { partitions: found })
    }

    /// Whether nothing that was read is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.partitions.is_empty()
    }

    /// The rows of the next partition of the lists, `None` where none of it was read.
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

#[cfg(test)]
mod tests {
    use graph_model::{LabelId, VertexId};
    use key_codec::{GraphNumber, key, tables};
    use kv::{Engine as _, Keys, MemoryEngine, WriteBatch};

    use super::*;

    /// Long values fill what is read ahead before the rows do; those left out come all the same.
    #[test]
    fn what_is_read_ahead_is_bounded_by_bytes_too() {
        let engine = MemoryEngine::open(tables::TABLES);
        let (table, value) = (tables::EDGE_OUT, vec![7; BYTES_AHEAD / 2]);
        let mut partitions = Keys::new();
        for label in [1, 2] {
            let owner = VertexId::Number(1);
            partitions.push(|bytes| key::edge_partition(bytes, GraphNumber(1), LabelId(label), &owner), |_| ());
        }
        let keys: Vec<&[u8]> = partitions.iter().map(|key| key.as_bytes()).collect();
        let mut batch = WriteBatch::new();
        for (key, row) in keys.iter().flat_map(|key| (0..4_u8).map(move |row| (key, row))) {
            batch.put(
                table,
                |bytes| bytes.extend_from_slice(key),
                |bytes| bytes.push(row),
                |bytes| bytes.extend_from_slice(&value),
            );
        }
        engine.submit(batch).wait().unwrap();
        let mut ahead = Ahead::read(&engine, Partitions::of(&[(table, &partitions)])).unwrap();
        assert_eq!(ahead.partitions.iter().map(|rows| rows.ends.len()).collect::<Vec<_>>(), [2]);
        let mut rows = ahead.next(&engine, table, keys[0]).unwrap();
        let mut given = Vec::new();
        while let Some(entry) = rows.next().unwrap() {
            given.push((entry.key.row().to_vec(), entry.value.len()));
        }
        assert_eq!(given, (0..4_u8).map(|row| (vec![row], value.len())).collect::<Vec<_>>());
        assert!(ahead.next(&engine, table, keys[1]).is_none());
    }
}
