//! Errors of computing with values. The texts are those that clients of Gremlin know.

/// Why a value could not be computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// The result is beyond 64 bits; integers of any length have no such bound.
    #[error("long overflow")]
    Overflow,
    /// An integer or a decimal number was divided by zero.
    #[error("/ by zero")]
    DivisionByZero,
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
    /// An operation got a value it does not take.
    #[error("{operation} expects {expected}, found {found}")]
    Operand {
        /// The operation.
        operation: &'static str,
        /// What it takes.
        expected: &'static str,
        /// The kind of value found.
        found: &'static str,
    },
    /// A regular expression that cannot be used.
    #[error("'{pattern}' is not a regular expression: {reason}")]
    Regex {
        /// The expression.
        pattern: String,
        /// Why not.
        reason: String,
    },
    /// A result does not fit into the [`crate::function::Room`] that is left for it.
    #[error("a result takes more memory than is left for it")]
    NoRoom,
    /// A value that cannot be converted.
    #[error("{message}")]
    Conversion {
        /// What cannot be converted into what.
        message: String,
    },
    /// A formula that cannot be read or computed.
    #[error("{message}")]
    Formula {
        /// What is wrong.
        message: String,
    },
    /// A type's name that is not registered.
    #[error("{name} is not a registered type")]
    TypeName {
        /// The name.
        name: String,
    },
}
