//! Which conditions an index of an auto graph serves, in which values say their own types.
//!
//! An index leads to all that a query takes as equal, or as between bounds, and to some more, which is compared. What
//! it could miss is left out: collections, since one and several values of a key look alike; NaN, which equals nothing;
//! texts with characters from U+D800 on as bounds, since texts sort by UTF-16 in Gremlin and by characters in an index;
//! numbers of very many digits, which have no place in an index.

use std::ops::Bound;

use graph_schema::{Interval as Bounds, Predicate as Stored};
use query_value::{Comparison, Interval, Predicate, TextTest, Value};

use crate::encode;

/// Values of `within()` that are looked up one by one; of more all elements are read.
const WITHIN_MAX: usize = 1_000;

/// What an index is asked for a predicate; none where it could miss something.
#[must_use]
pub fn indexed(predicate: &Predicate) -> Option<Stored> {
    let range = |low, high| Some(Stored::Range(Bounds { low, high }));
    match predicate {
        Predicate::Compare(Comparison::Eq, value) => Some(Stored::Equal(equal(value)?)),
        Predicate::Compare(Comparison::Gt, value) => range(Bound::Excluded(bound(value)?), Bound::Unbounded),
        Predicate::Compare(Comparison::Gte, value) => range(Bound::Included(bound(value)?), Bound::Unbounded),
        Predicate::Compare(Comparison::Lt, value) => range(Bound::Unbounded, Bound::Excluded(bound(value)?)),
        Predicate::Compare(Comparison::Lte, value) => range(Bound::Unbounded, Bound::Included(bound(value)?)),
        Predicate::Range(Interval::Inside, low, high) => {
            range(Bound::Excluded(bound(low)?), Bound::Excluded(bound(high)?))
        }
        Predicate::Range(Interval::Between, low, high) => {
            range(Bound::Included(bound(low)?), Bound::Excluded(bound(high)?))
        }
        Predicate::Within(values) if (1..=WITHIN_MAX).contains(&values.iter().len()) => {
            Some(Stored::OneOf(values.iter().map(equal).collect::<Option<_>>()?))
        }
        Predicate::Text(TextTest::StartingWith, start) => {
            let low = tagged(&Value::from(start.to_string()))?;
            let high = tagged_value::text_after(start).and_then(|text| tagged(&Value::from(text)));
            range(Bound::Included(low), high.map_or(Bound::Unbounded, Bound::Excluded))
        }
        _ => None,
    }
}

fn tagged(value: &Value) -> Option<graph_model::Value> {
    encode(value).ok().map(graph_model::Value::Any)
}

/// A value whose equals an index leads to.
fn equal(value: &Value) -> Option<graph_model::Value> {
    match value {
        Value::Float(number) if number.is_nan() => None,
        Value::Double(number) if number.is_nan() => None,
        number if number.is_number() => short(value),
        Value::Bool(_) | Value::String(_) | Value::Uuid(_) | Value::Char(_) | Value::DateTime(_) => tagged(value),
        Value::Duration(_) | Value::Bytes(_) => tagged(value),
        _ => None,
    }
}

/// A value that an index has before or after others.
fn bound(value: &Value) -> Option<graph_model::Value> {
    match value {
        Value::String(text) if text.chars().any(|own| own >= '\u{D7FF}') => None,
        Value::String(_) | Value::DateTime(_) | Value::Duration(_) => tagged(value),
        number if number.is_number() => equal(value),
        _ => None,
    }
}

/// A number that has a place: one with very many digits has none.
fn short(value: &Value) -> Option<graph_model::Value> {
    let stored = tagged(value)?;
    let graph_model::Value::Any(bytes) = &stored else { return None };
    let token = tagged_value::read(bytes).ok()?;
    tagged_value::nearest_float(token).is_some().then_some(stored)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_index_could_miss_is_not_asked() {
        let eq = |value| indexed(&Predicate::Compare(Comparison::Eq, value));
        assert!(eq(Value::from("x")).is_some() && eq(Value::Int(1)).is_some());
        assert!(eq(Value::Double(f64::NAN)).is_none() && eq(Value::Null).is_none());
        assert!(eq(Value::List(std::sync::Arc::new(vec![Value::Int(1)]))).is_none());
        let above = |value| indexed(&Predicate::Compare(Comparison::Gt, value));
        assert!(above(Value::from("x")).is_some() && above(Value::from("\u{1F600}")).is_none());
        assert!(above(Value::Bool(false)).is_none());
    }
}
