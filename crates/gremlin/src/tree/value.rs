//! What values are and hold.

use super::Value;

impl Value {
    /// What the value is, for errors.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean(_) => "a boolean",
            Self::Byte(_) | Self::Short(_) | Self::Int(_) | Self::Long(_) | Self::BigInteger(_) => "an integer",
            Self::Float(_) | Self::Double(_) | Self::BigDecimal(_) => "a fractional number",
            Self::Char(_) => "a character",
            Self::Text(_) => "a string",
            Self::Binary(_) => "bytes",
            Self::Uuid(_) | Self::NewUuid => "a UUID",
            Self::DateTime(_) | Self::Now => "a datetime",
            Self::Duration(_) => "a duration",
            Self::List(_) => "a list",
            Self::Set(_) => "a set",
            Self::Map(_) => "a map",
            Self::Enum(_) => "an enum constant",
            Self::WithCardinality(..) => "a value with a cardinality",
            Self::Predicate(_) => "a predicate",
            Self::Strategy(_) => "a strategy",
            Self::Element(_) => "an element",
            Self::Traversal(_) | Self::Bytecode(_) => "a traversal",
            Self::Deferred(_) => "an expression",
        }
    }

    /// The integer, whatever its width; none for other values and those beyond 64 bits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Byte(number) => Some((*number).into()),
            Self::Short(number) => Some((*number).into()),
            Self::Int(number) => Some((*number).into()),
            Self::Long(number) => Some(*number),
            Self::BigInteger(number) => i64::try_from(number).ok(),
            _ => None,
        }
    }

    /// The text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
}
