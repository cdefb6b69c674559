//! Predicates by name and arguments.

use query_value::{Enum, GType};

use super::{Predicate, TypeName, Value};
use crate::error::ErrorKind;
use query_value::{Comparison, Interval, TextTest};

impl Predicate {
    /// Whether a name is one of a predicate's that is never a step's too.
    #[must_use]
    pub fn is_name(name: &str) -> bool {
        matches!(name, "typeOf" | "within" | "without")
            || Comparison::from_name(name).is_some()
            || Interval::from_name(name).is_some()
            || TextTest::from_name(name).is_some()
    }

    /// A predicate by its name and arguments, as scripts and bytecode give them. `not`, `and` and `or` take predicates.
    ///
    /// # Errors
    /// The name is unknown, or the arguments are not those it takes.
    pub fn from_call(name: &str, arguments: Vec<Value>) -> Result<Self, ErrorKind> {
        let given = arguments.len();
        let wrong = |expected| {
            Err(ErrorKind::Argument { step: name.to_owned(), index: 1, expected, found: format!("{given} arguments") })
        };
        let mut arguments = arguments.into_iter();
        match name {
            "within" => return Ok(Self::Within(arguments.collect())),
            "without" => return Ok(Self::Without(arguments.collect())),
            "and" | "or" => {
                let inner: Result<Vec<_>, _> = arguments.map(|value| predicate(name, value)).collect();
                return Ok(if name == "and" { Self::and(inner?) } else { Self::or(inner?) });
            }
            _ => {}
        }
        let (Some(first), second, None) = (arguments.next(), arguments.next(), arguments.next()) else {
            return wrong("one or two arguments");
        };
        if let Some(interval) = Interval::from_name(name) {
            let Some(second) = second else { return wrong("two arguments") };
            return Ok(Self::Range(interval, first, second));
        }
        if second.is_some() {
            return wrong("one argument");
        }
        if let Some(comparison) = Comparison::from_name(name) {
            return Ok(Self::Compare(comparison, first));
        }
        if let Some(test) = TextTest::from_name(name) {
            return Ok(Self::Text(test, first));
        }
        match name {
            "typeOf" => type_name(&first).map(Self::TypeOf),
            "not" => Ok(predicate(name, first)?.negated()),
            _ => Err(ErrorKind::Method { name: name.to_owned(), target: "P" }),
        }
    }

    /// All of them hold. Conjunctions among them are merged into one.
    #[must_use]
    pub fn and(predicates: Vec<Self>) -> Self {
        let mut all = Vec::with_capacity(predicates.len());
        for predicate in predicates {
            match predicate {
                Self::And(inner) => all.extend(inner),
                other => all.push(other),
            }
        }
        Self::And(all)
    }

    /// One of them holds. Disjunctions among them are merged into one.
    #[must_use]
    pub fn or(predicates: Vec<Self>) -> Self {
        let mut all = Vec::with_capacity(predicates.len());
        for predicate in predicates {
            match predicate {
                Self::Or(inner) => all.extend(inner),
                other => all.push(other),
            }
        }
        Self::Or(all)
    }

    /// The opposite.
    #[must_use]
    pub fn negated(self) -> Self {
        if let Self::Not(inner) = self { *inner } else { Self::Not(Box::new(self)) }
    }
}

fn predicate(step: &str, value: Value) -> Result<Predicate, ErrorKind> {
    match value {
        Value::Predicate(predicate) => Ok(*predicate),
        other => Err(ErrorKind::Argument {
            step: step.to_owned(),
            index: 1,
            expected: "a predicate",
            found: other.kind().to_owned(),
        }),
    }
}

fn type_name(value: &Value) -> Result<TypeName, ErrorKind> {
    match value {
        Value::Enum(Enum::GType(gtype)) => Ok(TypeName::Known(*gtype)),
        // Names that another enumeration has too.
        Value::Enum(constant) if GType::from_name(&constant.name().to_ascii_uppercase()).is_some() => {
            Ok(GType::from_name(&constant.name().to_ascii_uppercase())
                .map_or(TypeName::Known(GType::Null), TypeName::Known))
        }
        Value::Null => Ok(TypeName::Known(GType::Null)),
        Value::Text(name) => Ok(TypeName::Named(name.clone())),
        other => Err(ErrorKind::Argument {
            step: "typeOf".to_owned(),
            index: 1,
            expected: "a GType or the name of a type",
            found: other.kind().to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connectives_are_flat_and_double_negation_vanishes() {
        let one = || Predicate::Compare(Comparison::Eq, Value::Int(1));
        let nested = Predicate::and(vec![Predicate::and(vec![one(), one()]), one()]);
        assert_eq!(nested, Predicate::And(vec![one(), one(), one()]));
        assert_eq!(one().negated().negated(), one());
    }

    #[test]
    fn wrong_arguments_are_errors() {
        for (name, arguments) in [
            ("eq", vec![]),
            ("eq", vec![Value::Null, Value::Null]),
            ("between", vec![Value::Int(1)]),
            ("not", vec![Value::Int(1)]),
            ("and", vec![Value::Int(1)]),
            ("typeOf", vec![Value::Int(1)]),
            ("nothing", vec![Value::Int(1)]),
        ] {
            assert!(Predicate::from_call(name, arguments).is_err(), "{name}");
        }
    }
}
