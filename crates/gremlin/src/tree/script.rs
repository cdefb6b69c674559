//! Expressions of scripts.

use super::{Expression, Value};

impl Expression {
    /// The expression as an argument.
    #[must_use]
    pub fn into_value(self) -> Value {
        match self {
            Self::Value(value) => value,
            other => Value::Deferred(Box::new(other)),
        }
    }

    /// What the expression is, for errors.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Value(value) => value.kind(),
            Self::Variable(_) => "a variable",
            Self::Query(_) => "a traversal",
            Self::Transaction(..) => "a transaction",
            Self::Schema { .. } => "a schema call",
            Self::Method { .. } | Self::Entry(..) => "a result",
        }
    }
}
