//! Which bytes are where: `prefix 0x00 table partition row` as key, the value and a mark as value.

use kv::{Key, KvError, TableId, TableSpec, prefix_end};

/// Ends the prefix, which has no such byte, so that no prefix reaches into another.
const PREFIX_END: u8 = 0;
/// The table of the engine's own row, which no real table has as number.
const OWN_TABLE: u8 = 0xFF;
/// Ends every value: TiKV's transactions have no empty values. Another byte could say that a value is written in
/// another way.
const PLAIN_VALUE: u8 = 0;

/// The bytes of one engine.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The prefix with its end.
    prefix: Vec<u8>,
    tables: &'static [TableSpec],
}

impl Layout {
    pub(crate) fn new(prefix: &str, tables: &'static [TableSpec]) -> Self {
        Self { prefix: [prefix.as_bytes(), &[PREFIX_END]].concat(), tables }
    }

    pub(crate) fn tables(&self) -> &'static [TableSpec] {
        self.tables
    }

    /// The full key of `bytes` (a key or the beginning of one) in a table.
    pub(crate) fn full(&self, table: TableId, bytes: &[u8]) -> Vec<u8> {
        let mut full = Vec::with_capacity(self.prefix.len() + 1 + bytes.len());
        full.extend_from_slice(&self.prefix);
        full.push(table.0);
        full.extend_from_slice(bytes);
        full
    }

    /// Bytes that come before the key in a full key.
    fn head_len(&self) -> usize {
        self.prefix.len() + 1
    }

    /// The key within a full one, as bytes.
    pub(crate) fn bytes<'a>(&self, full: &'a [u8]) -> &'a [u8] {
        full.get(self.head_len()..).unwrap_or_default()
    }

    /// The key within a full one of the table.
    pub(crate) fn key<'a>(&self, table: &TableSpec, full: &'a [u8]) -> Result<Key<'a>, KvError> {
        table.key(self.bytes(full))
    }

    /// The row that says which tables there are.
    pub(crate) fn own_row(&self) -> Vec<u8> {
        self.full(TableId(OWN_TABLE), b"tables")
    }

    /// Everything of this engine: first key and the one behind the last.
    pub(crate) fn everything(&self) -> (Vec<u8>, Vec<u8>) {
        (self.prefix.clone(), end_of(&self.prefix))
    }
}

/// The key behind everything that begins with `full`, which begins with an engine's prefix and so does not consist of
/// 0xFF only.
pub(crate) fn end_of(full: &[u8]) -> Vec<u8> {
    prefix_end(full).unwrap_or_default()
}

/// A value as it is stored.
pub(crate) fn stored(value: &[u8]) -> Vec<u8> {
    let mut stored = Vec::with_capacity(value.len() + 1);
    stored.extend_from_slice(value);
    stored.push(PLAIN_VALUE);
    stored
}

/// The value that was stored.
pub(crate) fn value(stored: &[u8]) -> Result<&[u8], KvError> {
    match stored.split_last() {
        Some((&PLAIN_VALUE, value)) => Ok(value),
        Some((mark, _)) => {
            Err(KvError::Corrupt { detail: format!("a value of TiKV ends with the unknown mark {mark:#04x}") })
        }
        None => Err(KvError::Corrupt { detail: "a value of TiKV has no mark".to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_every_byte_and_bad_ones_are_told() {
        for bytes in [&b""[..], b"\0", b"abc", b"abc\0"] {
            assert_eq!(value(&stored(bytes)).unwrap(), bytes);
        }
        assert!(value(b"").is_err() && value(b"abc").is_err());
    }

    #[test]
    fn prefixes_do_not_reach_into_each_other() {
        let of = |prefix: &str| Layout::new(prefix, kv::conformance::TABLES);
        let (start, end) = of("a").everything();
        for other in ["a-", "aa", "b", "A"] {
            let key = of(other).full(TableId(0), b"\xFF\xFF");
            assert!(key < start || key >= end, "{other}");
        }
        let key = of("a").full(TableId(OWN_TABLE), b"\xFF\xFF");
        assert!(start <= key && key < end);
    }
}
