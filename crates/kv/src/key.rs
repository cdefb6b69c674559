//! Keys: one run of bytes that begins with the partition.

/// A key: `partition ++ row` in one slice, and where the partition ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key<'a> {
    bytes: &'a [u8],
    partition_len: usize,
}

impl<'a> Key<'a> {
    /// A key from its bytes. `partition_len` beyond the end is taken as the end.
    #[must_use]
    pub fn new(bytes: &'a [u8], partition_len: usize) -> Self {
        Self { bytes, partition_len: partition_len.min(bytes.len()) }
    }

    /// Partition and row together: the order of these bytes is the order of the table on ordered engines.
    #[must_use]
    pub fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The partition.
    #[must_use]
    pub fn partition(&self) -> &'a [u8] {
        self.bytes.get(..self.partition_len).unwrap_or_default()
    }

    /// The row within the partition; may be empty.
    #[must_use]
    pub fn row(&self) -> &'a [u8] {
        self.bytes.get(self.partition_len..).unwrap_or_default()
    }
}

/// An owned, reusable key: append the partition, call [`KeyBuf::end_partition`], append the row.
#[derive(Clone, Debug, Default)]
pub struct KeyBuf {
    bytes: Vec<u8>,
    partition_len: Option<usize>,
}

impl KeyBuf {
    /// An empty key.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the content, keeps the allocation.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.partition_len = None;
    }

    /// Where to append bytes.
    pub fn bytes_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Marks the end of the partition; what follows is the row.
    pub fn end_partition(&mut self) {
        self.partition_len = Some(self.bytes.len());
    }

    /// The key. Without [`KeyBuf::end_partition`] all of it is partition.
    #[must_use]
    pub fn as_key(&self) -> Key<'_> {
        Key::new(&self.bytes, self.partition_len.unwrap_or(self.bytes.len()))
    }
}

/// Many keys in one allocation, for reads of a whole batch.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    arena: Vec<u8>,
    spans: Vec<Span>,
}

#[derive(Clone, Copy, Debug)]
struct Span {
    start: usize,
    partition_end: usize,
    end: usize,
}

impl Keys {
    /// No keys.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there is no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Appends a key that `partition` and `row` write.
    pub fn push(&mut self, partition: impl FnOnce(&mut Vec<u8>), row: impl FnOnce(&mut Vec<u8>)) {
        let start = self.arena.len();
        partition(&mut self.arena);
        let partition_end = self.arena.len();
        row(&mut self.arena);
        self.spans.push(Span { start, partition_end, end: self.arena.len() });
    }

    /// Key number `index`.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Key<'_>> {
        let span = self.spans.get(index)?;
        Some(Key::new(self.arena.get(span.start..span.end)?, span.partition_end - span.start))
    }

    /// Removes the first `count` keys; all of them where there are fewer.
    pub fn remove_first(&mut self, count: usize) {
        self.spans.drain(..count.min(self.spans.len()));
    }

    /// All keys in the order they were pushed.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Key<'_>> {
        self.spans.iter().map(|span| {
            Key::new(self.arena.get(span.start..span.end).unwrap_or_default(), span.partition_end - span.start)
        })
    }
}

/// The smallest run of bytes that is greater than `bytes`: the same and a zero. With it, "after" becomes "from".
#[must_use]
pub fn successor(bytes: &[u8]) -> Vec<u8> {
    [bytes, &[0]].concat()
}

/// The smallest run of bytes that is greater than everything beginning with `prefix`; `None` where nothing is (no
/// bytes, or 0xFF only). With it, "begins with" becomes a range.
#[must_use]
pub fn prefix_end(prefix: &[u8]) -> Option<Vec<u8>> {
    let (last, head) =
        prefix.iter().rposition(|byte| *byte != u8::MAX).and_then(|at| prefix.get(..=at)?.split_last())?;
    let mut end = head.to_vec();
    end.push(last + 1);
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_before_its_successor() {
        assert_eq!(prefix_end(b"ab"), Some(b"ac".to_vec()));
        assert_eq!(prefix_end(&[1, 0xFF, 0xFF]), Some(vec![2]));
        assert_eq!(prefix_end(&[0]), Some(vec![1]));
        assert_eq!(prefix_end(&[0xFF, 0xFF]), None);
        assert_eq!(prefix_end(&[]), None);
    }

    #[test]
    fn a_key_splits_where_the_partition_ends() {
        let mut key = KeyBuf::new();
        key.bytes_mut().extend_from_slice(b"part");
        key.end_partition();
        key.bytes_mut().extend_from_slice(b"row");
        assert_eq!(key.as_key().partition(), b"part");
        assert_eq!(key.as_key().row(), b"row");
        assert_eq!(key.as_key().as_bytes(), b"partrow");
        key.clear();
        assert_eq!(key.as_key().as_bytes(), b"");
    }

    #[test]
    fn keys_keep_their_order_and_bounds() {
        let mut keys = Keys::new();
        keys.push(|b| b.extend_from_slice(b"a"), |b| b.push(1));
        keys.push(|b| b.extend_from_slice(b"bb"), |_| ());
        assert_eq!(keys.len(), 2);
        assert_eq!(keys.get(0).map(|k| (k.partition(), k.row())), Some((&b"a"[..], &[1u8][..])));
        assert_eq!(keys.get(1).map(|k| (k.partition(), k.row())), Some((&b"bb"[..], &[][..])));
        assert_eq!(keys.get(2), None);
        assert_eq!(keys.iter().count(), 2);
    }
}
