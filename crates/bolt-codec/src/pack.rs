//! PackStream 1: how values are bytes.

mod read;
mod structure;
mod write;

pub use read::Reader;
pub use write::{
    Dictionary, boolean, bytes, float, integer, list_header, map_header, null, structure_header, text, value,
};

use crate::version::Version;

/// What a connection has agreed on about values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The version that is spoken.
    pub version: Version,
    /// Whether moments carry UTC instead of the clock's time: from 5.0 on, and before that where the client asks for
    /// it.
    pub is_utc: bool,
}

impl Dialect {
    /// What a version has without further agreement.
    #[must_use]
    pub fn of(version: Version) -> Self {
        Self { version, is_utc: version.has_element_ids() }
    }
}
