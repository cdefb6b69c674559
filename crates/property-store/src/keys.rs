//! Keys: big-endian, so that byte order is numeric order.
//!
//! | table | partition | row | value |
//! |---|---|---|---|
//! | `settings` | name | (empty) | format version, direction |
//! | `node` | id, 8 bytes | (empty) | record |
//! | `edge` | source, 8 bytes | target, 8 bytes | record |

use std::fmt;

use kv::{Key, TableId, TableSpec};

pub(crate) const SETTINGS: TableId = TableId(0);
const NODE: TableId = TableId(1);
const EDGE: TableId = TableId(2);

/// Bytes of one number of a key; the first one is the partition.
const PARTITION_BYTES: usize = 8;
/// Bytes of the longest key.
const EDGE_KEY_BYTES: usize = 16;

/// The tables an engine must be opened with.
pub static TABLES: &[TableSpec] = &[
    TableSpec { name: "settings", partition_len: whole, ranged: false, reread: false },
    TableSpec { name: "node", partition_len: first_number, ranged: false, reread: false },
    TableSpec { name: "edge", partition_len: first_number, ranged: true, reread: false },
];

fn whole(bytes: &[u8]) -> Option<usize> {
    Some(bytes.len())
}

fn first_number(bytes: &[u8]) -> Option<usize> {
    (bytes.len() >= PARTITION_BYTES).then_some(PARTITION_BYTES)
}

/// The two ends of an edge: source, target. In an undirected store both orders name the same edge.
pub type EdgeEnds = (u64, u64);

/// What a record is kept under: a node's id or an edge's ends.
pub trait RecordKey: sealed::Bytes + Copy + Ord + Send + Sync + fmt::Debug {
    /// The key's name in errors (`node 7`).
    fn describe(self) -> String;
}

impl RecordKey for u64 {
    fn describe(self) -> String {
        format!("node {self}")
    }
}

impl RecordKey for EdgeEnds {
    fn describe(self) -> String {
        format!("edge {} -> {}", self.0, self.1)
    }
}

/// A key's bytes, without an allocation.
#[derive(Clone, Copy, Debug)]
pub struct KeyBytes {
    bytes: [u8; EDGE_KEY_BYTES],
    len: usize,
}

impl KeyBytes {
    fn node(id: u64) -> Self {
        Self { bytes: (u128::from(id) << 64).to_be_bytes(), len: PARTITION_BYTES }
    }

    fn edge(source: u64, target: u64) -> Self {
        Self { bytes: (u128::from(source) << 64 | u128::from(target)).to_be_bytes(), len: EDGE_KEY_BYTES }
    }

    /// As the engine takes it.
    #[must_use]
    pub fn as_key(&self) -> Key<'_> {
        Key::new(self.bytes.get(..self.len).unwrap_or_default(), PARTITION_BYTES)
    }
}

pub(crate) mod sealed {
    use super::{EDGE, EDGE_KEY_BYTES, EdgeEnds, Key, KeyBytes, NODE, PARTITION_BYTES, TableId};

    /// How a key is written. Only node ids and edge ends are keys.
    pub trait Bytes: Sized {
        /// The table of these keys.
        const TABLE: TableId;

        /// Length of [`Self::bytes`].
        const KEY_BYTES: usize;

        /// The key's bytes: a big-endian number for each part.
        fn bytes(self) -> KeyBytes;

        /// Reads a key back; `None` where the bytes are none.
        fn read(key: Key<'_>) -> Option<Self>;

        /// The key before this one, in order; `None` for the first.
        fn before(self) -> Option<Self>;

        /// The same key with the smaller end first, for stores of undirected edges.
        #[must_use]
        fn undirected(self) -> Self;
    }

    impl Bytes for u64 {
        const TABLE: TableId = NODE;
        const KEY_BYTES: usize = PARTITION_BYTES;

        fn bytes(self) -> KeyBytes {
            KeyBytes::node(self)
        }

        fn read(key: Key<'_>) -> Option<Self> {
            key.as_bytes().try_into().ok().map(Self::from_be_bytes)
        }

        fn before(self) -> Option<Self> {
            self.checked_sub(1)
        }

        fn undirected(self) -> Self {
            self
        }
    }

    impl Bytes for EdgeEnds {
        const TABLE: TableId = EDGE;
        const KEY_BYTES: usize = EDGE_KEY_BYTES;

        fn bytes(self) -> KeyBytes {
            KeyBytes::edge(self.0, self.1)
        }

        fn read(key: Key<'_>) -> Option<Self> {
            let (source, target) = key.as_bytes().split_first_chunk::<8>()?;
            let target: [u8; 8] = target.try_into().ok()?;
            Some((u64::from_be_bytes(*source), u64::from_be_bytes(target)))
        }

        fn before(self) -> Option<Self> {
            match self.1.checked_sub(1) {
                Some(target) => Some((self.0, target)),
                None => Some((self.0.checked_sub(1)?, u64::MAX)),
            }
        }

        fn undirected(self) -> Self {
            (self.0.min(self.1), self.0.max(self.1))
        }
    }
}
