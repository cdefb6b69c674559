//! The other relations between values: equality, comparison and the order in which rows are sorted.
//!
//! Equality ([`equals`]) and comparison ([`compare`]) are ternary: none means unknown, as a comparison with null is.
//! Order ([`order`]) is total. All agree with equivalence where they know an answer, but for NaN, which equals nothing.

use std::cmp::Ordering;

use crate::number;
use crate::temporal::{DateTime, Duration, Time};
use crate::value::{Map, Path, Point, Value};

/// Whether two values are equal: `=`. None if that is unknown. Values of different types differ.
pub fn equals(a: &Value, b: &Value) -> Option<bool> {
    match (a, b) {
        (Value::Null, _) | (_, Value::Null) => None,
        (Value::Float(a), Value::Float(b)) => Some(a == b),
        (Value::List(a), Value::List(b)) => {
            if a.len() != b.len() {
                return Some(false);
            }
            all(a.iter().zip(b.iter()).map(|(a, b)| equals(a, b)))
        }
        (Value::Map(a), Value::Map(b)) => {
            if a.len() != b.len() || !a.keys().all(|name| b.contains_key(name)) {
                return Some(false);
            }
            all(a.iter().filter_map(|(name, a)| b.get(name).map(|b| equals(a, b))))
        }
        (Value::Point(a), Value::Point(b)) => {
            Some(a.srid == b.srid && a.x == b.x && a.y == b.y && a.z.unwrap_or(0.0) == b.z.unwrap_or(0.0))
        }
        _ => Some(a == b),
    }
}

/// Whether all are true; unknown if none is false and one is unknown.
fn all(facts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = true;
    for fact in facts {
        match fact {
            Some(false) => return Some(false),
            Some(true) => {}
            None => known = false,
        }
    }
    known.then_some(true)
}

/// What a comparison finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// One is less, equal, or greater.
    Ordered(Ordering),
    /// Both are numbers and one is NaN: every comparison is false.
    NotANumber,
    /// Nothing can be said: every comparison is null.
    Unknown,
}

impl Comparison {
    /// Whether the ordering is one of those that `test` takes; none if nothing can be said.
    pub fn is(self, test: impl Fn(Ordering) -> bool) -> Option<bool> {
        match self {
            Self::Ordered(ordering) => Some(test(ordering)),
            Self::NotANumber => Some(false),
            Self::Unknown => None,
        }
    }
}

/// Compares two values, as `<` and its like do: numbers, texts, booleans, points in time of one type, and lists of
/// them, element by element. All else, durations too, is unknown.
pub fn compare(a: &Value, b: &Value) -> Comparison {
    let known = |ordering: Option<Ordering>| ordering.map_or(Comparison::NotANumber, Comparison::Ordered);
    match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => Comparison::Ordered(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => known(a.partial_cmp(b)),
        (Value::Integer(a), Value::Float(b)) => known(number::compare(*a, *b)),
        (Value::Float(a), Value::Integer(b)) => known(number::compare(*b, *a).map(Ordering::reverse)),
        (Value::String(a), Value::String(b)) => Comparison::Ordered(a.cmp(b)),
        (Value::Boolean(a), Value::Boolean(b)) => Comparison::Ordered(a.cmp(b)),
        (Value::Date(a), Value::Date(b)) => Comparison::Ordered(a.cmp(b)),
        (Value::LocalTime(a), Value::LocalTime(b)) => Comparison::Ordered(a.cmp(b)),
        (Value::Time(a), Value::Time(b)) => Comparison::Ordered(time_order(*a, *b)),
        (Value::LocalDateTime(a), Value::LocalDateTime(b)) => Comparison::Ordered(a.cmp(b)),
        (Value::DateTime(a), Value::DateTime(b)) => Comparison::Ordered(moment_order(a, b)),
        (Value::List(a), Value::List(b)) => {
            for (a, b) in a.iter().zip(b.iter()) {
                match compare(a, b) {
                    Comparison::Ordered(Ordering::Equal) => {}
                    other => return other,
                }
            }
            Comparison::Ordered(a.len().cmp(&b.len()))
        }
        _ => Comparison::Unknown,
    }
}

/// `a < b`.
pub fn less(a: &Value, b: &Value) -> Option<bool> {
    compare(a, b).is(Ordering::is_lt)
}

/// `a <= b`.
pub fn at_most(a: &Value, b: &Value) -> Option<bool> {
    compare(a, b).is(Ordering::is_le)
}

/// `a > b`.
pub fn greater(a: &Value, b: &Value) -> Option<bool> {
    compare(a, b).is(Ordering::is_gt)
}

/// `a >= b`.
pub fn at_least(a: &Value, b: &Value) -> Option<bool> {
    compare(a, b).is(Ordering::is_ge)
}

/// The order of any two values, by which `ORDER BY`, `min` and `max` go: total, and equal only for equivalent values.
/// Ascending: maps, nodes, relationships, lists, paths, points, bytes, moments, local moments, days, times, local
/// times, durations, texts, booleans, numbers, NaN, null.
pub fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => a.cmp(b),
        (Value::Float(a), Value::Float(b)) => float_order(*a, *b),
        (Value::Integer(a), Value::Float(b)) => number::compare(*a, *b).unwrap_or(Ordering::Less),
        (Value::Float(a), Value::Integer(b)) => number::compare(*b, *a).map_or(Ordering::Greater, Ordering::reverse),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
        (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
        (Value::List(a), Value::List(b)) => {
            let different = a.iter().zip(b.iter()).map(|(a, b)| order(a, b)).find(|ordering| ordering.is_ne());
            different.unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        (Value::Map(a), Value::Map(b)) => map_order(a, b),
        (Value::Date(a), Value::Date(b)) => a.cmp(b),
        (Value::LocalTime(a), Value::LocalTime(b)) => a.cmp(b),
        (Value::Time(a), Value::Time(b)) => time_order(*a, *b),
        (Value::LocalDateTime(a), Value::LocalDateTime(b)) => a.cmp(b),
        (Value::DateTime(a), Value::DateTime(b)) => moment_order(a, b),
        (Value::Duration(a), Value::Duration(b)) => duration_order(a, b),
        (Value::Point(a), Value::Point(b)) => point_order(a, b),
        (Value::Node(a), Value::Node(b)) => a.id.cmp(&b.id),
        (Value::Relationship(a), Value::Relationship(b)) => a.id.cmp(&b.id),
        (Value::Path(a), Value::Path(b)) => path_order(a, b),
        _ => rank(a).cmp(&rank(b)),
    }
}

/// The place of a type in the order.
fn rank(value: &Value) -> u8 {
    match value {
        Value::Map(_) => 0,
        Value::Node(_) => 1,
        Value::Relationship(_) => 2,
        Value::List(_) => 3,
        Value::Path(_) => 4,
        Value::Point(_) => 5,
        Value::Bytes(_) => 6,
        Value::DateTime(_) => 7,
        Value::LocalDateTime(_) => 8,
        Value::Date(_) => 9,
        Value::Time(_) => 10,
        Value::LocalTime(_) => 11,
        Value::Duration(_) => 12,
        Value::String(_) => 13,
        Value::Boolean(_) => 14,
        Value::Integer(_) | Value::Float(_) => 15,
        Value::Null => 16,
    }
}

/// Floats, with NaN above all.
fn float_order(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// Smaller maps first, then by their sorted names, then by the values of these.
fn map_order(a: &Map, b: &Map) -> Ordering {
    let sorted = |map: &Map| {
        let mut names: Vec<_> = map.keys().cloned().collect();
        names.sort_unstable();
        names
    };
    a.len().cmp(&b.len()).then_with(|| {
        let names = sorted(a);
        names.cmp(&sorted(b)).then_with(|| {
            let pairs = names.iter().filter_map(|name| a.get(name).zip(b.get(name)));
            pairs.map(|(a, b)| order(a, b)).find(|ordering| ordering.is_ne()).unwrap_or(Ordering::Equal)
        })
    })
}

/// By the moment they name, then by the clock.
fn time_order(a: Time, b: Time) -> Ordering {
    a.utc_nanoseconds().cmp(&b.utc_nanoseconds()).then_with(|| a.offset.cmp(&b.offset))
}

/// By the moment, then by the clock and its zone.
fn moment_order(a: &DateTime, b: &DateTime) -> Ordering {
    let key = |moment: &DateTime| (moment.seconds, moment.nanoseconds, moment.offset);
    key(a).cmp(&key(b)).then_with(|| a.zone.cmp(&b.zone))
}

/// By the average length, then by the parts.
fn duration_order(a: &Duration, b: &Duration) -> Ordering {
    let parts = |duration: &Duration| (duration.months, duration.days, duration.seconds, duration.nanoseconds);
    a.average_nanoseconds().cmp(&b.average_nanoseconds()).then_with(|| parts(a).cmp(&parts(b)))
}

/// By the nodes and relationships in turn.
fn path_order(a: &Path, b: &Path) -> Ordering {
    let different = a.elements().zip(b.elements()).map(|(a, b)| order(&a, &b)).find(|ordering| ordering.is_ne());
    different.unwrap_or_else(|| a.len().cmp(&b.len()))
}

/// By the reference system, then by the coordinates.
fn point_order(a: &Point, b: &Point) -> Ordering {
    let heights = match (a.z, b.z) {
        (Some(a), Some(b)) => float_order(a, b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    };
    a.srid.cmp(&b.srid).then(float_order(a.x, b.x)).then(float_order(a.y, b.y)).then(heights)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{any_value, list};

    #[test]
    fn equality_is_ternary() {
        let null = || Value::Null;
        assert_eq!(equals(&list([1.into(), null()]), &list([2.into(), null()])), Some(false));
        assert_eq!(equals(&list([1.into(), null()]), &list([1.into(), null()])), None);
        assert_eq!(equals(&list([1.into(), 2.0.into()]), &list([1.0.into(), 2.into()])), Some(true));
        assert_eq!(equals(&1.into(), &"1".into()), Some(false));
        assert_eq!(equals(&f64::NAN.into(), &f64::NAN.into()), Some(false));
        assert_eq!(equals(&list([]), &list([null()])), Some(false));
        let map = |value: Value| Value::map([("k".into(), value)].into_iter().collect());
        assert_eq!(equals(&map(null()), &map(null())), None);
        assert_eq!(equals(&map(1.into()), &map(1.0.into())), Some(true));
    }

    #[test]
    fn comparison_knows_one_type_only() {
        assert_eq!(less(&1.into(), &1.5.into()), Some(true));
        assert_eq!(less(&"1".into(), &1.into()), None);
        assert_eq!(less(&f64::NAN.into(), &1.into()), Some(false));
        assert_eq!(less(&f64::NAN.into(), &"a".into()), None);
        assert_eq!(at_least(&list([1.into(), 0.into()]), &list([1.into()])), Some(true));
        assert_eq!(at_least(&list([1.into(), 2.into()]), &list([1.into(), Value::Null])), None);
        assert_eq!(at_least(&list([1.into(), 2.into()]), &list([3.into(), Value::Null])), Some(false));
    }

    proptest! {
        #[test]
        fn order_is_total_and_agrees_with_equivalence(a in any_value(), b in any_value(), c in any_value()) {
            prop_assert_eq!(order(&a, &b), order(&b, &a).reverse());
            prop_assert_eq!(order(&a, &b).is_eq(), a == b);
            if order(&a, &b).is_le() && order(&b, &c).is_le() {
                prop_assert!(order(&a, &c).is_le());
            }
        }

        #[test]
        fn comparison_agrees_with_order(a in any_value(), b in any_value()) {
            if let Comparison::Ordered(ordering) = compare(&a, &b) {
                prop_assert_eq!(ordering, order(&a, &b));
            }
            if let Some(equal) = equals(&a, &b) && equal {
                prop_assert!(order(&a, &b).is_eq());
            }
        }
    }
}
