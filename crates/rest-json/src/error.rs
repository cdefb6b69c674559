//! What is wrong with a body.

use graph_model::ErrorKind;

/// A body that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// Bytes that are no text.
    #[error("the body is not UTF-8: byte {offset} is wrong")]
    NotUtf8 {
        /// Where the first wrong byte is, from 0.
        offset: usize,
    },
    /// No bytes, or blanks only.
    #[error("the body is empty; it must be JSON")]
    Empty,
    /// Text that is no JSON.
    #[error("the body is not JSON: {reason} at line {line} column {column}")]
    Malformed {
        /// What the parser met.
        reason: String,
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
    },
    /// JSON of another type than expected.
    #[error("{place}: {reason} at line {line} column {column}")]
    WrongType {
        /// Which part of the body: `[3].properties`.
        place: String,
        /// What came and what was expected.
        reason: String,
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
    },
    /// A field that must be there is absent or null.
    #[error("{place}: '{field}' is missing")]
    MissingField {
        /// Which part of the body.
        place: String,
        /// The field.
        field: &'static str,
    },
    /// A list without elements.
    #[error("the list of {elements} is empty")]
    EmptyList {
        /// `vertices` or `edges`.
        elements: &'static str,
    },
    /// A null where an element should be.
    #[error("[{index}]: null is no element of a list of {elements}")]
    NullEntry {
        /// `vertices` or `edges`.
        elements: &'static str,
        /// Its position, from 0.
        index: usize,
    },
    /// More than the limit.
    #[error("too many {elements} at once, the limit is {limit}; send them in several requests")]
    TooMany {
        /// What there is too much of.
        elements: &'static str,
        /// The limit.
        limit: usize,
    },
    /// A name that is none of a fixed set.
    #[error("{field}: '{got}' is unknown; it must be one of {allowed}")]
    UnknownName {
        /// The field.
        field: &'static str,
        /// What was given.
        got: String,
        /// The names, joined with commas.
        allowed: String,
    },
    /// An object or an array that no value of an auto graph can be.
    #[error("property '{key}': {reason}")]
    Untaggable {
        /// Name of the property.
        key: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Conditions on properties that are no JSON object.
    #[error("'properties' must be a JSON object such as {{\"name\":\"marko\"}}, percent-encoded, but got: {text}")]
    Conditions {
        /// What was given, shortened.
        text: String,
    },
    /// A text that begins like a predicate and is none.
    #[error("'{text}' is not a predicate: {reason}; a value that begins with P. needs keep_start_p=true")]
    Predicate {
        /// What was given, shortened.
        text: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A predicate of a name that does not exist.
    #[error("predicate '{name}' does not exist; there are {known}")]
    UnknownPredicate {
        /// The name given, shortened.
        name: String,
        /// Those there are.
        known: &'static str,
    },
}

impl DecodeError {
    /// What the error means to the client.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::UnknownPredicate { .. } => ErrorKind::NotSupported,
            _ => ErrorKind::BadInput,
        }
    }
}
