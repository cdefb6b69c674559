//! Values of scripts and bytecode: literals, constants, predicates, nested traversals.

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;

use crate::bytecode::Bytecode;
use crate::predicate::Predicate;
use crate::script::Expression;
use crate::traversal::Traversal;
use query_value::{Cardinality, DateTime, Duration, ElementKind, Enum};

pub use query_value::Text;

/// A value. `Deferred` and `Bytecode` occur only before lowering.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// True or false.
    Boolean(bool),
    /// 8-bit integer.
    Byte(i8),
    /// 16-bit integer.
    Short(i16),
    /// 32-bit integer.
    Int(i32),
    /// 64-bit integer.
    Long(i64),
    /// Integer of any length.
    BigInteger(BigInt),
    /// 32-bit float.
    Float(f32),
    /// 64-bit float.
    Double(f64),
    /// Decimal number of any length.
    BigDecimal(BigDecimal),
    /// A character.
    Char(char),
    /// A text.
    Text(Text),
    /// Bytes.
    Binary(Box<[u8]>),
    /// The 128 bits of a UUID, most significant first.
    Uuid(u128),
    /// A moment with its offset.
    DateTime(DateTime),
    /// The moment of execution: `datetime()`.
    Now,
    /// A random UUID made at execution: `UUID()`.
    NewUuid,
    /// A length of time.
    Duration(Duration),
    /// Values in order.
    List(Vec<Self>),
    /// Different values, in the order of first appearance. Whether two are equal is for the execution to say.
    Set(Vec<Self>),
    /// Pairs of key and value, in order.
    Map(Vec<(Self, Self)>),
    /// A constant.
    Enum(Enum),
    /// A value with the cardinality it is written with: `single(1)`.
    WithCardinality(Cardinality, Box<Self>),
    /// A test of values.
    Predicate(Box<Predicate>),
    /// A strategy with its options.
    Strategy(Box<Strategy>),
    /// A vertex or an edge by its id.
    Element(Box<ElementReference>),
    /// A nested traversal.
    Traversal(Box<Traversal>),
    /// A nested traversal before lowering.
    Bytecode(Box<Bytecode>),
    /// What has to be evaluated first: a variable, a finished traversal, a method's result.
    Deferred(Box<Expression>),
}

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

/// A traversal strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct Strategy {
    /// The class's name without its package.
    pub name: Text,
    /// Its options in the order given.
    pub options: Vec<(Text, Value)>,
}

/// An element named by its id.
#[derive(Clone, Debug, PartialEq)]
pub struct ElementReference {
    /// What it is.
    pub kind: ElementKind,
    /// Its id.
    pub id: Value,
    /// Its label, as the sender knows it.
    pub label: Text,
}
