//! Canonical text: traversals and values as gremlin-lang writes them, one form for each.

use crate::tree::{Bytecode, Expression, Instruction, Predicate, Traversal, TypeName, Value};
use query_value::Enum;
use std::fmt::{self, Display, Formatter, Write};

impl Display for Traversal {
    /// Writes the traversal from the source `g`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_calls(f, "g", &self.to_bytecode())
    }
}

impl Display for Bytecode {
    /// Writes the traversal from the source `g`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_calls(f, "g", self)
    }
}

fn write_calls(f: &mut Formatter<'_>, root: &str, bytecode: &Bytecode) -> fmt::Result {
    f.write_str(root)?;
    for Instruction { name, arguments, .. } in bytecode.source.iter().chain(&bytecode.steps) {
        write!(f, ".{name}(")?;
        write_list(f, arguments)?;
        f.write_char(')')?;
    }
    Ok(())
}

fn write_list(f: &mut Formatter<'_>, values: &[Value]) -> fmt::Result {
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        value.fmt(f)?;
    }
    Ok(())
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Boolean(flag) => write!(f, "{flag}"),
            Self::Byte(number) => write!(f, "{number}b"),
            Self::Short(number) => write!(f, "{number}s"),
            Self::Int(number) => write!(f, "{number}"),
            Self::Long(number) => write!(f, "{number}l"),
            Self::BigInteger(number) => write!(f, "{number}n"),
            Self::Float(number) if number.is_finite() => write!(f, "{number:?}f"),
            Self::Float(number) => write_special(f, (*number).into()),
            Self::Double(number) if number.is_finite() => write!(f, "{number:?}d"),
            Self::Double(number) => write_special(f, *number),
            Self::BigDecimal(number) => {
                let (digits, scale) = number.as_bigint_and_exponent();
                write!(f, "{digits}e{}m", scale.saturating_neg())
            }
            Self::Char(character) => {
                f.write_str("Char(")?;
                write_text(f, character.encode_utf8(&mut [0; 4]))?;
                f.write_char(')')
            }
            Self::Text(text) => write_text(f, text),
            Self::Binary(bytes) => {
                f.write_str("Binary(\"")?;
                bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
                f.write_str("\")")
            }
            Self::Uuid(bits) => write!(f, "UUID(\"{}\")", uuid::Uuid::from_u128(*bits)),
            Self::DateTime(moment) => write!(f, "datetime(\"{moment}\")"),
            Self::Now => f.write_str("datetime()"),
            Self::NewUuid => f.write_str("UUID()"),
            Self::Duration(duration) => write!(f, "Duration(\"{duration}\")"),
            Self::List(items) => write_enclosed(f, '[', items, ']'),
            Self::Set(items) => write_enclosed(f, '{', items, '}'),
            Self::Map(pairs) => write_map(f, pairs),
            Self::Enum(constant) => write_constant(f, *constant),
            Self::WithCardinality(cardinality, value) => write!(f, "Cardinality.{}({value})", cardinality.name()),
            Self::Predicate(predicate) => predicate.fmt(f),
            Self::Strategy(strategy) if strategy.options.is_empty() => f.write_str(&strategy.name),
            Self::Strategy(strategy) => {
                write!(f, "new {}(", strategy.name)?;
                for (index, (key, value)) in strategy.options.iter().enumerate() {
                    write!(f, "{}{key}: {value}", if index > 0 { ", " } else { "" })?;
                }
                f.write_char(')')
            }
            Self::Element(element) => {
                write!(f, "{}({}, ", element.kind.class(), element.id)?;
                write_text(f, &element.label)?;
                f.write_char(')')
            }
            Self::Traversal(traversal) => write_calls(f, "__", &traversal.to_bytecode()),
            Self::Bytecode(bytecode) => write_calls(f, "__", bytecode),
            Self::Deferred(expression) => match &**expression {
                Expression::Variable(name) => f.write_str(name),
                other => write!(f, "<{}>", other.kind()),
            },
        }
    }
}

fn write_special(f: &mut Formatter<'_>, number: f64) -> fmt::Result {
    f.write_str(match number {
        _ if number.is_nan() => "NaN",
        _ if number < 0.0 => "-Infinity",
        _ => "Infinity",
    })
}

fn write_enclosed(f: &mut Formatter<'_>, open: char, items: &[Value], close: char) -> fmt::Result {
    f.write_char(open)?;
    write_list(f, items)?;
    f.write_char(close)
}

fn write_map(f: &mut Formatter<'_>, pairs: &[(Value, Value)]) -> fmt::Result {
    if pairs.is_empty() {
        return f.write_str("[:]");
    }
    for (index, (key, value)) in pairs.iter().enumerate() {
        f.write_str(if index > 0 { ", " } else { "[" })?;
        match key {
            Value::Text(text) => write_text(f, text)?,
            other => write!(f, "({other})")?,
        }
        write!(f, ": {value}")?;
    }
    f.write_char(']')
}

fn write_constant(f: &mut Formatter<'_>, constant: Enum) -> fmt::Result {
    write!(f, "{}.{}", constant.class(), constant.name())
}

/// Writes a text in double quotes. Only what cannot stand there is escaped.
fn write_text(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for character in text.chars() {
        match character {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            control if control.is_control() => write!(f, "\\u{:04x}", u32::from(control))?,
            other => f.write_char(other)?,
        }
    }
    f.write_char('"')
}

impl Display for Predicate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compare(comparison, value) => write!(f, "P.{}({value})", comparison.name()),
            Self::Range(interval, low, high) => write!(f, "P.{}({low}, {high})", interval.name()),
            Self::Within(values) => write_values(f, "within", values),
            Self::Without(values) => write_values(f, "without", values),
            Self::Text(test, value) => write!(f, "TextP.{}({value})", test.name()),
            Self::TypeOf(TypeName::Known(gtype)) => write!(f, "P.typeOf(GType.{})", gtype.name()),
            Self::TypeOf(TypeName::Named(name)) => {
                f.write_str("P.typeOf(")?;
                write_text(f, name)?;
                f.write_char(')')
            }
            Self::Not(inner) => write!(f, "P.not({inner})"),
            Self::And(inner) => write_chain(f, "and", inner),
            Self::Or(inner) => write_chain(f, "or", inner),
        }
    }
}

fn write_values(f: &mut Formatter<'_>, name: &str, values: &[Value]) -> fmt::Result {
    write!(f, "P.{name}(")?;
    if !values.is_empty() {
        write_list(f, values)?;
    }
    f.write_char(')')
}

fn write_chain(f: &mut Formatter<'_>, name: &str, predicates: &[Predicate]) -> fmt::Result {
    for (index, predicate) in predicates.iter().enumerate() {
        match index {
            0 => predicate.fmt(f)?,
            _ => write!(f, ".{name}({predicate})")?,
        }
    }
    Ok(())
}
