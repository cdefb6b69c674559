//! A batch of writes: one arena of bytes and a list of operations over it.

use std::any::Any;

use crate::limits::{BATCH_BYTES_MAX, KEY_BYTES_MAX, VALUE_BYTES_MAX};
use crate::{Key, KvError, TableId, TableSpec, sorted_positions};

/// Writes that are applied atomically.
///
/// Keys and values are appended to one arena, so a batch costs two growing allocations, not two for each write.
#[derive(Default)]
pub struct WriteBatch {
    arena: Vec<u8>,
    operations: Vec<Span>,
    guards: Guards,
    /// The group that operations are appended to.
    group: u32,
}

/// What a batch holds until it has been written or has failed.
#[derive(Default)]
pub struct Guards {
    guards: Vec<Box<dyn Any + Send>>,
    when_written: Vec<Box<dyn FnOnce() + Send>>,
    when_settled: Vec<Box<dyn FnOnce(bool) + Send>>,
}

impl Guards {
    /// Lets everything go, once the batch `is_written` or has failed, and before its outcome is reported.
    pub fn release(self, is_written: bool) {
        if is_written {
            self.when_written.into_iter().for_each(|call| call());
            self.when_settled.into_iter().for_each(|call| call(true));
        }
    }

    /// The same for a batch that was refused: nothing of it was written, or ever will be.
    pub fn refuse(self) {
        self.when_settled.into_iter().for_each(|call| call(false));
    }
}

#[derive(Clone, Copy)]
struct Span {
    table: TableId,
    put: bool,
    group: u32,
    key_start: usize,
    partition_end: usize,
    key_end: usize,
    value_end: usize,
}

/// One write of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation<'a> {
    /// Sets the value of a key.
    Put {
        /// Where.
        table: TableId,
        /// Under which key.
        key: Key<'a>,
        /// The new value; may be empty.
        value: &'a [u8],
    },
    /// Removes a key; it need not exist.
    Delete {
        /// Where.
        table: TableId,
        /// Which key.
        key: Key<'a>,
    },
}

impl<'a> Operation<'a> {
    /// Where it writes.
    #[must_use]
    pub fn table(&self) -> TableId {
        let (Self::Put { table, .. } | Self::Delete { table, .. }) = self;
        *table
    }

    /// The key it writes.
    #[must_use]
    pub fn key(&self) -> Key<'a> {
        let (Self::Put { key, .. } | Self::Delete { key, .. }) = self;
        *key
    }
}

impl WriteBatch {
    /// An empty batch.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty batch with room for `operations` writes of `bytes` bytes in all.
    #[must_use]
    pub fn with_capacity(operations: usize, bytes: usize) -> Self {
        Self { arena: Vec::with_capacity(bytes), operations: Vec::with_capacity(operations), ..Self::default() }
    }

    /// Removes all writes but keeps the allocations; what was given to [`WriteBatch::hold`] is dropped.
    pub fn clear(&mut self) {
        self.arena.clear();
        self.operations.clear();
        self.guards = Guards::default();
        self.group = 0;
    }

    /// Number of writes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Whether there is nothing to write.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Bytes of all keys and values.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.arena.len()
    }

    /// Appends a put whose partition, row and value the three functions write.
    pub fn put(
        &mut self,
        table: TableId,
        partition: impl FnOnce(&mut Vec<u8>),
        row: impl FnOnce(&mut Vec<u8>),
        value: impl FnOnce(&mut Vec<u8>),
    ) {
        let key_start = self.arena.len();
        partition(&mut self.arena);
        let partition_end = self.arena.len();
        row(&mut self.arena);
        let key_end = self.arena.len();
        value(&mut self.arena);
        let value_end = self.arena.len();
        self.operations.push(Span {
            table,
            put: true,
            group: self.group,
            key_start,
            partition_end,
            key_end,
            value_end,
        });
    }

    /// Appends a put of the same value as the last put, under another key: the value's bytes are copied, not encoded
    /// again.
    pub fn put_same_value(
        &mut self,
        table: TableId,
        partition: impl FnOnce(&mut Vec<u8>),
        row: impl FnOnce(&mut Vec<u8>),
    ) {
        let last = self.operations.last().copied();
        self.put(table, partition, row, |_| ());
        if let (Some(last), Some(new)) = (last, self.operations.last_mut()) {
            self.arena.extend_from_within(last.key_end..last.value_end);
            new.value_end = self.arena.len();
        }
    }

    /// Appends a delete whose partition and row the two functions write.
    pub fn delete(&mut self, table: TableId, partition: impl FnOnce(&mut Vec<u8>), row: impl FnOnce(&mut Vec<u8>)) {
        let key_start = self.arena.len();
        partition(&mut self.arena);
        let partition_end = self.arena.len();
        row(&mut self.arena);
        let key_end = self.arena.len();
        self.operations.push(Span {
            table,
            put: false,
            group: self.group,
            key_start,
            partition_end,
            key_end,
            value_end: key_end,
        });
    }

    /// Appends a delete of an already encoded key.
    pub fn delete_key(&mut self, table: TableId, key: Key<'_>) {
        self.delete(table, |b| b.extend_from_slice(key.partition()), |b| b.extend_from_slice(key.row()));
    }

    /// Appends a put of an already encoded key and value.
    pub fn put_key(&mut self, table: TableId, key: Key<'_>, value: &[u8]) {
        self.put(
            table,
            |b| b.extend_from_slice(key.partition()),
            |b| b.extend_from_slice(key.row()),
            |b| b.extend_from_slice(value),
        );
    }

    /// Ends a group of writes that make no sense without each other (an element with its index entries); what follows
    /// belongs to the next. Engines that are not atomic across partitions ([`crate::Capabilities`]) may write groups
    /// apart, but never a part of one. A batch without groups is one group.
    pub fn end_group(&mut self) {
        self.group = self.group.saturating_add(1);
    }

    /// The group that writes are appended to now.
    #[must_use]
    pub fn group(&self) -> u32 {
        self.group
    }

    /// Appends the following writes to this group: for writes found after others of their group.
    /// [`WriteBatch::order_groups`] brings groups together again.
    pub fn set_group(&mut self, group: u32) {
        self.group = group;
    }

    /// Sorts the writes by group, keeping their order within each: for engines that write groups apart.
    pub fn order_groups(&mut self) {
        if !self.operations.is_sorted_by_key(|span| span.group) {
            self.operations.sort_by_key(|span| span.group);
        }
    }

    /// Keeps `guard` until the batch has been written or has failed: for locks that must be held until then, regardless
    /// of which thread waits.
    pub fn hold(&mut self, guard: Box<dyn Any + Send>) {
        self.guards.guards.push(guard);
    }

    /// Has `call` called once the batch has been written, before its guards are let go and its outcome is reported. If
    /// the batch fails, or its outcome is not known, it is dropped without a call.
    pub fn when_written(&mut self, call: Box<dyn FnOnce() + Send>) {
        self.guards.when_written.push(call);
    }

    /// Has `call` called with true once the batch has been written, with false if it was refused. If it failed in
    /// another way it may still be written, and `call` is dropped.
    pub fn when_settled(&mut self, call: Box<dyn FnOnce(bool) + Send>) {
        self.guards.when_settled.push(call);
    }

    /// Takes what was given to [`WriteBatch::hold`] and the calls below it; engines release it after writing.
    #[must_use]
    pub fn take_guards(&mut self) -> Guards {
        std::mem::take(&mut self.guards)
    }

    /// Sorts the writes by table and key, keeping the order of writes to the same key. Sorted batches insert into
    /// ordered engines much faster.
    pub fn sort(&mut self) {
        let writes = self.operations.iter().map(|span| (span.table, self.key(span)));
        if !writes.clone().is_sorted() {
            let order = sorted_positions(writes);
            self.operations = order.filter_map(|position| self.operations.get(position).copied()).collect();
        }
    }

    /// Checks every write against the tables of an engine and the limits of this crate; engines call it before they
    /// write.
    ///
    /// # Errors
    /// [`KvError::BatchTooLarge`], [`KvError::KeyTooLong`], [`KvError::ValueTooLong`], [`KvError::UnknownTable`].
    pub fn check(&self, tables: &'static [TableSpec]) -> Result<(), KvError> {
        if self.bytes() > BATCH_BYTES_MAX {
            return Err(KvError::BatchTooLarge { bytes: self.bytes(), limit_bytes: BATCH_BYTES_MAX });
        }
        for span in &self.operations {
            let table = TableSpec::find(tables, span.table)?.name;
            let (key_bytes, value_bytes) = (span.key_end - span.key_start, span.value_end - span.key_end);
            if key_bytes > KEY_BYTES_MAX {
                return Err(KvError::KeyTooLong { table, bytes: key_bytes, limit_bytes: KEY_BYTES_MAX });
            }
            if value_bytes > VALUE_BYTES_MAX {
                return Err(KvError::ValueTooLong { table, bytes: value_bytes, limit_bytes: VALUE_BYTES_MAX });
            }
        }
        Ok(())
    }

    /// The writes in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Operation<'_>> {
        self.operations.iter().map(|span| self.operation(span))
    }

    /// The writes in order, each with the number of its group. Numbers do not fall, unless the batch was sorted, but
    /// may leave gaps.
    pub fn iter_groups(&self) -> impl ExactSizeIterator<Item = (u32, Operation<'_>)> {
        self.operations.iter().map(|span| (span.group, self.operation(span)))
    }

    fn key(&self, span: &Span) -> &[u8] {
        self.arena.get(span.key_start..span.key_end).unwrap_or_default()
    }

    fn operation(&self, span: &Span) -> Operation<'_> {
        let key = Key::new(self.key(span), span.partition_end - span.key_start);
        if span.put {
            let value = self.arena.get(span.key_end..span.value_end).unwrap_or_default();
            Operation::Put { table: span.table, key, value }
        } else {
            Operation::Delete { table: span.table, key }
        }
    }
}

impl std::fmt::Debug for WriteBatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WriteBatch").field("operations", &self.len()).field("bytes", &self.bytes()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: TableId = TableId(0);

    #[test]
    fn sorting_keeps_the_order_of_writes_to_one_key() {
        let mut batch = WriteBatch::new();
        batch.put(T, |b| b.push(2), |_| (), |v| v.push(1));
        batch.put(T, |b| b.push(1), |_| (), |v| v.push(1));
        batch.delete(T, |b| b.push(2), |_| ());
        batch.put(T, |b| b.push(2), |_| (), |v| v.push(3));
        batch.sort();
        let values: Vec<(u8, Option<u8>)> = batch
            .iter()
            .map(|op| match op {
                Operation::Put { key, value, .. } => (key.as_bytes()[0], value.first().copied()),
                Operation::Delete { key, .. } => (key.as_bytes()[0], None),
            })
            .collect();
        assert_eq!(values, [(1, Some(1)), (2, Some(1)), (2, None), (2, Some(3))]);
    }

    #[test]
    fn writes_know_their_group() {
        let mut batch = WriteBatch::new();
        batch.put(T, |b| b.push(1), |_| (), |_| ());
        batch.delete(T, |b| b.push(2), |_| ());
        batch.end_group();
        batch.put(T, |b| b.push(3), |_| (), |_| ());
        batch.end_group();
        let groups: Vec<(u32, u8)> = batch.iter_groups().map(|(group, op)| (group, op.key().as_bytes()[0])).collect();
        assert_eq!(groups, [(0, 1), (0, 2), (1, 3)]);
    }

    #[test]
    fn groups_are_brought_together() {
        let mut batch = WriteBatch::new();
        for (group, key) in [(0, 1), (1, 2), (0, 3), (2, 4), (1, 5)] {
            batch.set_group(group);
            batch.put(T, |b| b.push(key), |_| (), |_| ());
        }
        batch.order_groups();
        let groups: Vec<(u32, u8)> = batch.iter_groups().map(|(group, op)| (group, op.key().as_bytes()[0])).collect();
        assert_eq!(groups, [(0, 1), (0, 3), (1, 2), (1, 5), (2, 4)]);
    }

    #[test]
    fn limits_are_checked() {
        static TABLES: &[TableSpec] =
            &[TableSpec { name: "t", partition_len: |k| Some(k.len()), ranged: false, reread: false }];
        let of = |table, key: usize, value: usize| {
            let mut batch = WriteBatch::new();
            batch.put(table, |b| b.resize(key, 1), |_| (), |v| v.resize(v.len() + value, 1));
            batch.check(TABLES)
        };
        assert!(of(T, KEY_BYTES_MAX, VALUE_BYTES_MAX).is_ok());
        assert!(matches!(of(T, KEY_BYTES_MAX + 1, 0), Err(KvError::KeyTooLong { table: "t", bytes: 65_536, .. })));
        assert!(matches!(of(T, 1, VALUE_BYTES_MAX + 1), Err(KvError::ValueTooLong { .. })));
        assert!(matches!(of(T, 1, BATCH_BYTES_MAX), Err(KvError::BatchTooLarge { .. })));
        assert!(matches!(of(TableId(1), 1, 1), Err(KvError::UnknownTable { index: 1, tables: 1 })));
    }

    #[test]
    fn the_same_value_is_written_twice() {
        let mut batch = WriteBatch::new();
        batch.put(T, |b| b.push(1), |b| b.push(9), |v| v.extend_from_slice(b"props"));
        batch.put_same_value(TableId(1), |b| b.push(7), |_| ());
        let last = batch.iter().last();
        assert_eq!(last, Some(Operation::Put { table: TableId(1), key: Key::new(&[7], 1), value: b"props" }));
    }
}
