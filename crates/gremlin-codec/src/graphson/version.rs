//! The versions of GraphSON.

/// How JSON is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Plain JSON, as version 1 writes it without types.
    Untyped,
    /// Version 2: numbers and elements have types, collections have not.
    V2,
    /// Version 3: collections have types too.
    V3,
}
