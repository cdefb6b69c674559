//! Values of scripts and bytecode: literals, constants, predicates, nested traversals.

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;
use compact_str::CompactString;

use crate::bytecode::Bytecode;
use crate::datetime::DateTime;
use crate::enums::{Cardinality, Enum};
use crate::predicate::Predicate;
use crate::script::Expression;
use crate::traversal::Traversal;

/// Names and texts, most of them short.
pub type Text = CompactString;

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

/// A length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Duration {
    /// Whole seconds, rounded down.
    pub seconds: i64,
    /// Nanoseconds to add, below 10^9.
    pub nanoseconds: u32,
}

impl Duration {
    /// Reads the days, hours, minutes and seconds of ISO 8601: `P1DT2H3M4.5S`. Each part may be negative.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (is_negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let rest = text.strip_prefix('P')?;
        let (days, time) = rest.split_once('T').map_or((rest, None), |(days, time)| (days, Some(time)));
        let mut total: i128 = 0;
        let mut add = |part: &str, unit: i128| -> Option<()> {
            let nanoseconds =
                if unit == 1 { seconds(part)? } else { i128::from(part.parse::<i64>().ok()?) * 1_000_000_000 };
            total = total.checked_add(nanoseconds.checked_mul(unit)?)?;
            Some(())
        };
        if !days.is_empty() {
            add(days.strip_suffix('D')?, 86_400)?;
        }
        let mut parts = time.unwrap_or_default();
        for (suffix, unit) in [('H', 3600), ('M', 60), ('S', 1)] {
            if let Some((part, rest)) = parts.split_once(suffix) {
                add(part, unit)?;
                parts = rest;
            }
        }
        if !parts.is_empty() || (days.is_empty() && time.is_none_or(str::is_empty)) {
            return None;
        }
        let total = if is_negative { -total } else { total };
        Some(Self {
            seconds: i64::try_from(total.div_euclid(1_000_000_000)).ok()?,
            nanoseconds: u32::try_from(total.rem_euclid(1_000_000_000)).ok()?,
        })
    }
}

/// Nanoseconds of a number of seconds with up to nine decimal places.
fn seconds(text: &str) -> Option<i128> {
    let (is_negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) || fraction.len() > 9 {
        return None;
    }
    let total =
        i128::from(whole.parse::<i64>().ok()?) * 1_000_000_000 + format!("{fraction:0<9}").parse::<i128>().ok()?;
    Some(if is_negative { -total } else { total })
}

impl std::fmt::Display for Duration {
    /// Writes seconds alone, which every reader of ISO 8601 takes.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let total = i128::from(self.seconds) * 1_000_000_000 + i128::from(self.nanoseconds);
        let sign = if total < 0 { "-" } else { "" };
        let (seconds, fraction) = (total.unsigned_abs() / 1_000_000_000, total.unsigned_abs() % 1_000_000_000);
        write!(f, "PT{sign}{seconds}")?;
        if fraction > 0 {
            write!(f, ".{}", format!("{fraction:09}").trim_end_matches('0'))?;
        }
        f.write_str("S")
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

/// The kinds of elements that can be referred to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// A vertex.
    Vertex,
    /// An edge.
    Edge,
    /// A property of a vertex.
    VertexProperty,
}

impl ElementKind {
    /// The class's name as scripts write it.
    #[must_use]
    pub fn class(self) -> &'static str {
        match self {
            Self::Vertex => "Vertex",
            Self::Edge => "Edge",
            Self::VertexProperty => "VertexProperty",
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_written() {
        for (text, written, seconds, nanoseconds) in [
            ("PT1S", "PT1S", 1, 0),
            ("PT-1.5S", "PT-1.5S", -2, 500_000_000),
            ("-PT1.5S", "PT-1.5S", -2, 500_000_000),
            ("P1DT2H3M4.5S", "PT93784.5S", 93_784, 500_000_000),
            ("PT0S", "PT0S", 0, 0),
        ] {
            let duration = Duration { seconds, nanoseconds };
            assert_eq!(Duration::parse(text), Some(duration), "{text}");
            assert_eq!(duration.to_string(), written);
        }
        for text in ["", "P", "PT", "1S", "PT1", "PTS", "PT1.S", "PT1.1234567890S", "P1", "PT99999999999999999999S"] {
            assert_eq!(Duration::parse(text), None, "{text}");
        }
    }
}
