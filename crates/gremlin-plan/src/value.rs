//! Values and predicates of scripts as values of queries.

use gremlin::{ErrorKind, Nullable, Predicate as Test, TypeName as Named, Value as Literal};
use query_plan::{PlanError, Text};
use query_value::{DateTime, Enum, Predicate, Value, ValueError};

fn error(kind: &ErrorKind) -> PlanError {
    PlanError::new(kind.to_string())
}

/// The value of a literal.
pub(crate) fn plain(value: &Literal) -> Result<Value, PlanError> {
    Ok(match value {
        Literal::Now => {
            let now = jiff::Timestamp::now();
            DateTime::from_epoch(now.as_second(), now.subsec_nanosecond().into()).map_or(Value::Null, Value::DateTime)
        }
        Literal::NewUuid => Value::Uuid(uuid::Uuid::new_v4().as_u128()),
        Literal::WithCardinality(cardinality, value) => {
            let cardinality = Value::Enum(Enum::Cardinality(*cardinality));
            Value::Entry(std::sync::Arc::new((cardinality, plain(value)?)))
        }
        Literal::Map(pairs) => Value::map(pairs_of(pairs)?),
        Literal::List(items) => Value::list(all(items)?),
        Literal::Set(items) => Value::set(all(items)?),
        other => other.to_plain().map_err(|kind| error(&kind))?,
    })
}

/// The values of literals.
pub(crate) fn all(values: &[Literal]) -> Result<Vec<Value>, PlanError> {
    values.iter().map(plain).collect()
}

/// The values of pairs.
pub(crate) fn pairs_of(pairs: &[(Literal, Literal)]) -> Result<Vec<(Value, Value)>, PlanError> {
    pairs.iter().map(|(key, value)| Ok((plain(key)?, plain(value)?))).collect()
}

/// Names; null is none of any element's.
pub(crate) fn names(names: &[Nullable]) -> Vec<Text> {
    names.iter().map(|name| name.0.clone().unwrap_or_default()).collect()
}

/// A test.
pub(crate) fn predicate(test: &Test) -> Result<Predicate, PlanError> {
    let wrong = |error: ValueError| PlanError::new(error.to_string());
    let several = |tests: &[Test]| tests.iter().map(predicate).collect::<Result<Vec<_>, _>>();
    Ok(match test {
        Test::Compare(comparison, value) => Predicate::Compare(*comparison, plain(value)?),
        Test::Range(interval, low, high) => Predicate::Range(*interval, plain(low)?, plain(high)?),
        Test::Within(values) => Predicate::Within(all(values)?.into_iter().collect()),
        Test::Without(values) => Predicate::Without(all(values)?.into_iter().collect()),
        Test::Text(test, value) => Predicate::text(*test, value.as_text().unwrap_or_default()).map_err(wrong)?,
        Test::TypeOf(Named::Known(gtype)) => Predicate::TypeOf(*gtype),
        Test::TypeOf(Named::Named(name)) => Predicate::type_named(name).map_err(wrong)?,
        Test::Not(inner) => Predicate::Not(Box::new(predicate(inner)?)),
        Test::And(inner) => Predicate::And(several(inner)?),
        Test::Or(inner) => Predicate::Or(several(inner)?),
    })
}
