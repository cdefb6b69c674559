//! Tests of values: comparisons, texts, types, and their combinations.
//!
//! A comparison of what cannot be compared is neither true nor false (three-valued logic of Kleene): its negation is
//! not true either. [`Predicate::test`] takes it for false at the end.

use std::cmp::Ordering;

use regex::{Regex, RegexBuilder};

use crate::compare::{compare, equals};
use crate::comparison::{Comparison, Interval, TextTest};
use crate::enums::GType;
use crate::error::ValueError;
use crate::limits::REGEX_BYTES_MAX;
use crate::value::{Set, Text, Value};

/// A test of a value, ready to be run often.
#[derive(Clone, Debug)]
pub enum Predicate {
    /// Compares with a value.
    Compare(Comparison, Value),
    /// Compares with two values.
    Range(Interval, Value, Value),
    /// Equals one of them.
    Within(Members),
    /// Equals none of them.
    Without(Members),
    /// Tests a text with another.
    Text(TextTest, Text),
    /// Has a part that matches a regular expression, or (`true`) has none.
    Regex(Box<Regex>, bool),
    /// Is of a type or one derived from it.
    TypeOf(GType),
    /// The opposite.
    Not(Box<Self>),
    /// All hold.
    And(Vec<Self>),
    /// One holds.
    Or(Vec<Self>),
}

/// Values that a value is looked for in.
#[derive(Clone, Debug, Default)]
pub struct Members {
    values: Set,
    /// All are texts, so that equality is equivalence and the set can be asked.
    are_texts: bool,
}

impl FromIterator<Value> for Members {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        let values: Set = values.into_iter().collect();
        let are_texts = values.iter().all(|value| matches!(value, Value::String(_)));
        Self { values, are_texts }
    }
}

impl Members {
    /// Whether one of them equals a value.
    #[must_use]
    pub fn contains(&self, value: &Value) -> bool {
        if self.are_texts {
            return matches!(value, Value::String(_)) && self.values.contains(value);
        }
        self.values.iter().any(|member| equals(value, member))
    }

    /// The values, each once.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Value> {
        self.values.iter()
    }
}

impl Predicate {
    /// Tests a text; `regex` and `notRegex` compile their expression, which matches in time linear to the text.
    ///
    /// # Errors
    /// The regular expression is wrong or too large.
    pub fn text(test: TextTest, argument: &str) -> Result<Self, ValueError> {
        let is_negated = match test {
            TextTest::Regex => false,
            TextTest::NotRegex => true,
            _ => return Ok(Self::Text(test, argument.into())),
        };
        let compiled = RegexBuilder::new(argument).size_limit(REGEX_BYTES_MAX).build();
        let regex = compiled.map_err(|error| ValueError::Regex {
            pattern: argument.chars().take(100).collect(),
            reason: error.to_string(),
        })?;
        Ok(Self::Regex(Box::new(regex), is_negated))
    }

    /// Tests the type by a name as it is registered: `String`, `Integer`, `Vertex`.
    ///
    /// # Errors
    /// No type has the name.
    pub fn type_named(name: &str) -> Result<Self, ValueError> {
        type_named(name).map(Self::TypeOf).ok_or_else(|| ValueError::TypeName { name: name.to_owned() })
    }

    /// Whether a value passes.
    #[must_use]
    pub fn test(&self, value: &Value) -> bool {
        self.evaluate(value) == Some(true)
    }

    /// Whether a value passes; none if that cannot be said.
    #[must_use]
    pub fn evaluate(&self, value: &Value) -> Option<bool> {
        match self {
            Self::Compare(Comparison::Eq, other) => Some(equals(value, other)),
            Self::Compare(Comparison::Neq, other) => Some(!equals(value, other)),
            Self::Compare(comparison, other) => ordered(*comparison, value, other),
            Self::Range(Interval::Inside, low, high) => {
                and([ordered(Comparison::Gt, value, low), ordered(Comparison::Lt, value, high)])
            }
            Self::Range(Interval::Between, low, high) => {
                and([ordered(Comparison::Gte, value, low), ordered(Comparison::Lt, value, high)])
            }
            Self::Range(Interval::Outside, low, high) => {
                or([ordered(Comparison::Lt, value, low), ordered(Comparison::Gt, value, high)])
            }
            Self::Within(members) => Some(members.contains(value)),
            Self::Without(members) => Some(!members.contains(value)),
            Self::Text(test, argument) => text(*test, value.as_text()?, argument),
            Self::Regex(regex, is_negated) => Some(regex.is_match(value.as_text()?) != *is_negated),
            Self::TypeOf(gtype) => Some(is_of(value, *gtype)),
            Self::Not(inner) => inner.evaluate(value).map(|passes| !passes),
            Self::And(all) => and(all.iter().map(|inner| inner.evaluate(value))),
            Self::Or(all) => or(all.iter().map(|inner| inner.evaluate(value))),
        }
    }

    /// The predicate with other values to compare with, such as those that labels of `where()` stand for. Texts of text
    /// tests stay.
    ///
    /// # Errors
    /// The first one of the function.
    pub fn map_values<E>(&self, to: &mut dyn FnMut(&Value) -> Result<Value, E>) -> Result<Self, E> {
        let several = |all: &[Self], to: &mut dyn FnMut(&Value) -> Result<Value, E>| {
            all.iter().map(|inner| inner.map_values(to)).collect::<Result<Vec<_>, E>>()
        };
        Ok(match self {
            Self::Compare(comparison, value) => Self::Compare(*comparison, to(value)?),
            Self::Range(interval, low, high) => Self::Range(*interval, to(low)?, to(high)?),
            Self::Within(members) => Self::Within(members.iter().map(to).collect::<Result<_, E>>()?),
            Self::Without(members) => Self::Without(members.iter().map(to).collect::<Result<_, E>>()?),
            Self::Not(inner) => Self::Not(Box::new(inner.map_values(to)?)),
            Self::And(all) => Self::And(several(all, to)?),
            Self::Or(all) => Self::Or(several(all, to)?),
            Self::Text(..) | Self::Regex(..) | Self::TypeOf(_) => self.clone(),
        })
    }
}

fn ordered(comparison: Comparison, value: &Value, other: &Value) -> Option<bool> {
    let found = compare(value, other)?;
    Some(match comparison {
        Comparison::Eq => found == Ordering::Equal,
        Comparison::Neq => found != Ordering::Equal,
        Comparison::Lt => found.is_lt(),
        Comparison::Lte => found.is_le(),
        Comparison::Gt => found.is_gt(),
        Comparison::Gte => found.is_ge(),
    })
}

fn and(all: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut result = Some(true);
    for one in all {
        match one {
            Some(false) => return one,
            None => result = None,
            Some(true) => {}
        }
    }
    result
}

fn or(all: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut result = Some(false);
    for one in all {
        match one {
            Some(true) => return one,
            None => result = None,
            Some(false) => {}
        }
    }
    result
}

/// None for regular expressions, which are compiled.
fn text(test: TextTest, text: &str, argument: &str) -> Option<bool> {
    Some(match test {
        TextTest::StartingWith => text.starts_with(argument),
        TextTest::NotStartingWith => !text.starts_with(argument),
        TextTest::EndingWith => text.ends_with(argument),
        TextTest::NotEndingWith => !text.ends_with(argument),
        TextTest::Containing => text.contains(argument),
        TextTest::NotContaining => !text.contains(argument),
        TextTest::Regex | TextTest::NotRegex => return None,
    })
}

/// Whether a value is of a type or one derived from it.
#[must_use]
pub fn is_of(value: &Value, gtype: GType) -> bool {
    match gtype {
        GType::Number => value.is_number(),
        GType::Property => matches!(value, Value::Property(_) | Value::VertexProperty(_)),
        GType::Map => matches!(value, Value::Map(_) | Value::Tree(_)),
        _ => value.gtype() == Some(gtype),
    }
}

/// The type of a registered name: that of its class.
fn type_named(name: &str) -> Option<GType> {
    Some(match name {
        "BigDecimal" => GType::BigDecimal,
        "BigInteger" => GType::BigInt,
        "ByteBuffer" => GType::Binary,
        "Boolean" => GType::Boolean,
        "Byte" => GType::Byte,
        "Character" => GType::Char,
        "OffsetDateTime" => GType::DateTime,
        "Double" => GType::Double,
        "Duration" => GType::Duration,
        "Edge" => GType::Edge,
        "Float" => GType::Float,
        "Graph" => GType::Graph,
        "Integer" => GType::Int,
        "List" => GType::List,
        "Long" => GType::Long,
        "Map" => GType::Map,
        "Number" => GType::Number,
        "Path" => GType::Path,
        "Property" => GType::Property,
        "Set" => GType::Set,
        "Short" => GType::Short,
        "String" => GType::String,
        "Tree" => GType::Tree,
        "UUID" => GType::Uuid,
        "Vertex" => GType::Vertex,
        "VertexProperty" => GType::VertexProperty,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison(comparison: Comparison, value: Value) -> Predicate {
        Predicate::Compare(comparison, value)
    }

    #[test]
    fn comparisons_of_nothing_and_nan() {
        let nan = || Value::Double(f64::NAN);
        for (value, test, other, passes) in [
            (Value::Null, Comparison::Eq, Value::Null, true),
            (Value::Null, Comparison::Lt, Value::Null, false),
            (Value::Null, Comparison::Lte, Value::Null, true),
            (nan(), Comparison::Eq, nan(), false),
            (nan(), Comparison::Neq, nan(), true),
            (nan(), Comparison::Lte, nan(), false),
            (Value::Double(1.0), Comparison::Gt, nan(), false),
            (nan(), Comparison::Neq, Value::Null, true),
            (Value::from("foo"), Comparison::Lt, Value::Double(1.0), false),
            (Value::from("foo"), Comparison::Neq, Value::Double(1.0), true),
        ] {
            assert_eq!(comparison(test, other.clone()).test(&value), passes, "{value:?} {test:?} {other:?}");
        }
    }

    #[test]
    fn what_cannot_be_said_stays_unsaid() {
        let unsaid = || comparison(Comparison::Lt, Value::Double(f64::NAN));
        let (yes, no) = (|| comparison(Comparison::Eq, Value::Int(1)), || comparison(Comparison::Neq, Value::Int(1)));
        let one = Value::Double(1.0);
        for (predicate, result) in [
            (Predicate::Not(Box::new(unsaid())), None),
            (Predicate::And(vec![yes(), unsaid()]), None),
            (Predicate::And(vec![unsaid(), no()]), Some(false)),
            (Predicate::Or(vec![unsaid(), yes()]), Some(true)),
            (Predicate::Or(vec![no(), unsaid()]), None),
            (Predicate::Not(Box::new(no())), Some(true)),
        ] {
            assert_eq!(predicate.evaluate(&one), result, "{predicate:?}");
        }
    }

    #[test]
    fn members_are_found_by_equality() {
        let numbers: Members = [Value::Int(1), Value::from("a")].into_iter().collect();
        assert!(Predicate::Within(numbers.clone()).test(&Value::Double(1.0)));
        assert!(Predicate::Without(numbers).test(&Value::from("b")));
        let texts: Members = ["a", "b"].into_iter().map(Value::from).collect();
        assert!(texts.contains(&"b".into()) && !texts.contains(&Value::Int(1)));
        assert!(!Predicate::Within(Members::default()).test(&Value::Null));
    }

    #[test]
    fn texts_and_types_are_tested() {
        let passes = |test, argument: &str, text: &str| Predicate::text(test, argument).unwrap().test(&text.into());
        assert!(passes(TextTest::StartingWith, "ma", "marko") && !passes(TextTest::NotStartingWith, "ma", "marko"));
        assert!(passes(TextTest::Regex, "r.*o", "marko") && passes(TextTest::NotRegex, "^r", "marko"));
        assert!(!Predicate::text(TextTest::NotContaining, "a").unwrap().test(&Value::Int(1)));
        assert!(Predicate::text(TextTest::Regex, "(").is_err());
        assert!(Predicate::text(TextTest::Regex, "(a{1000}){1000}").is_err());
        assert!(Predicate::TypeOf(GType::Number).test(&Value::Byte(1)));
        assert!(Predicate::type_named("String").unwrap().test(&"a".into()));
        assert!(Predicate::type_named("non-registered-Name").is_err());
    }

    #[test]
    fn intervals_have_their_ends() {
        let test = |interval, value| Predicate::Range(interval, Value::Int(1), Value::Int(3)).test(&Value::Int(value));
        assert_eq!([1, 2, 3].map(|value| test(Interval::Between, value)), [true, true, false]);
        assert_eq!([1, 2, 3].map(|value| test(Interval::Inside, value)), [false, true, false]);
        assert_eq!([0, 1, 3, 4].map(|value| test(Interval::Outside, value)), [true, false, false, true]);
    }
}
