//! What is wrong with a message.

/// Why a message cannot be read or written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CodecError {
    /// It ends before its values do.
    #[error("the message ends within a value")]
    End,
    /// There are bytes after its end.
    #[error("{count} bytes after the end of the message")]
    Trailing {
        /// How many.
        count: usize,
    },
    /// A limit of [`crate::limits`] is exceeded.
    #[error("more than {max} {what} ({limit})")]
    TooLarge {
        /// What is too much.
        what: &'static str,
        /// The name of the limit.
        limit: &'static str,
        /// Its value.
        max: usize,
    },
    /// A type code or name that is unknown.
    #[error("unknown type {name}")]
    UnknownType {
        /// The code or name.
        name: String,
    },
    /// A value that is not of its type.
    #[error("'{found}' is not {expected}")]
    Value {
        /// What was found.
        found: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A script of another language inside bytecode, which is never run.
    #[error("lambdas are not supported")]
    Lambda,
    /// A value that cannot be written, or not at this place.
    #[error("{what} cannot be {done}")]
    Misplaced {
        /// What it is.
        what: &'static str,
        /// What cannot be done with it.
        done: &'static str,
    },
    /// Text that is not JSON.
    #[error("not JSON: {message}")]
    Json {
        /// The parser's message, with the place.
        message: String,
    },
}

impl CodecError {
    #[expect(clippy::needless_pass_by_value, reason = "most arguments are literals and numbers")]
    pub(crate) fn value(found: impl ToString, expected: &'static str) -> Self {
        let found: String = found.to_string().chars().take(60).collect();
        Self::Value { found, expected }
    }
}
