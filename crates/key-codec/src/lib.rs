//! The only place where ids, values and schema elements become bytes: keys that sort like what they stand for, and
//! values.
//!
//! What it is: the tables of a graph ([`tables`]), their keys ([`key`], [`index_key`], [`index_entries`]), their
//! values ([`value`],
//! [`schema_value`]) and the format version. What it is not: it reads and writes nothing by itself.
//! `docs/storage-format.md` shows the same layouts as pictures; a change of one is a change of the other and of
//! [`FORMAT_VERSION`].
//!
//! Invariants:
//! - Keys are order-preserving and self-delimiting: `partition ++ row` sorts like `(partition, row)`, and no key is a
//!   prefix of another one of its table.
//! - Whatever bytes are read, decoding gives a value or a [`CodecError`]; it never panics and never allocates more than
//!   the input's size warrants.
//! - Every reader accepts exactly what its writer makes (one encoding per value), so equal keys are equal bytes.
//!
//! Start reading at [`tables`], then [`key`].

pub mod conf_value;
mod error;
pub mod index_entries;
pub mod index_key;
pub mod index_ranges;
mod index_value;
pub mod key;
mod ordered;
mod reader;
pub mod schema_value;
pub mod setting_value;
pub mod tables;
pub mod tagged_key;
pub mod task_value;
pub mod value;
mod varint;

pub use error::CodecError;

/// Version of everything this crate writes. A store of a version from [`FORMAT_VERSION_UPGRADABLE`] on is upgraded when
/// it is opened; a store that names any other version is refused.
pub const FORMAT_VERSION: u32 = 3;

/// The oldest version this program upgrades. Version 2 added tables, version 3 a row that programs before it would
/// leave wrong; all else is as it was.
pub const FORMAT_VERSION_UPGRADABLE: u32 = 1;

/// Number of a graph within a store; it is part of every key, so that graphs share tables and are dropped by prefix. 0
/// is the store itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GraphNumber(pub u32);

impl GraphNumber {
    /// The store itself: format version, list of graphs.
    pub const STORE: Self = Self(0);
}
