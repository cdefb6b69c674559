//! What is wrong with bytes of a client.

/// Why bytes cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    /// The message ends before its values do.
    #[error("the message ends within a value")]
    End,
    /// There are bytes after the last value.
    #[error("{count} bytes after the end of the message")]
    Trailing {
        /// How many.
        count: usize,
    },
    /// A limit of [`crate::limits`], or one of the server, is exceeded.
    #[error("more than {max} {what} ({limit})")]
    TooLarge {
        /// What is too much.
        what: &'static str,
        /// The name of the limit.
        limit: &'static str,
        /// Its value.
        max: usize,
    },
    /// A byte that begins no value.
    #[error("0x{marker:02X} begins no value of PackStream 1")]
    Marker {
        /// The byte.
        marker: u8,
    },
    /// Text that is not UTF-8.
    #[error("a text is not UTF-8")]
    Utf8,
    /// A value where another kind belongs, or one that is out of its range.
    #[error("{found} instead of {expected}")]
    Value {
        /// What was found.
        found: String,
        /// What belongs there.
        expected: &'static str,
    },
    /// A structure that is unknown in this version of the protocol.
    #[error("the structure 0x{tag:02X} with {fields} fields is unknown in Bolt {version}")]
    Structure {
        /// Its tag.
        tag: u8,
        /// How many fields it has.
        fields: usize,
        /// The version spoken.
        version: crate::Version,
    },
    /// A value that clients may not send.
    #[error("{what} cannot be a parameter")]
    Parameter {
        /// What it is.
        what: &'static str,
    },
}

impl CodecError {
    #[expect(clippy::needless_pass_by_value, reason = "most arguments are literals and numbers")]
    pub(crate) fn value(found: impl ToString, expected: &'static str) -> Self {
        let found: String = found.to_string().chars().take(60).collect();
        Self::Value { found, expected }
    }
}
