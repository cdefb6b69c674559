//! How two values compare: equality (`1 == 1.0`), comparability within a type, and a total order over all types.
//!
//! The rules are those of Apache TinkerPop 3.8 ("Gremlin Semantics"). Numbers are compared by their exact values. Only
//! a decimal number is compared with the shortest decimal that a float is written as, so `0.1m == 0.1d`; the total
//! order takes exact values there too.

use std::cmp::Ordering;

use bigdecimal::BigDecimal;

use crate::enums::Enum;
use crate::exact::{Number, exact};
use crate::value::{Map, Tree, Value};

/// Whether two values are equal: `P.eq`. NaN equals nothing, values of different types are not equal, numbers of
/// different types may be.
#[must_use]
pub fn equals(a: &Value, b: &Value) -> bool {
    let differ_in_size = match (a, b) {
        (Value::List(a), Value::List(b)) => a.len() != b.len(),
        (Value::Set(a), Value::Set(b)) => a.len() != b.len(),
        (Value::Map(a), Value::Map(b)) => a.len() != b.len(),
        (Value::Path(a), Value::Path(b)) => a.objects.len() != b.objects.len(),
        (Value::String(a), Value::String(b)) => return a == b,
        _ => false,
    };
    !differ_in_size && compare(a, b) == Some(Ordering::Equal)
}

/// Compares two values of one type: `P.lt` and its like. None if they cannot be compared: they, or values in them, are
/// of different types, or one is NaN.
#[must_use]
pub fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    if rank(a) != rank(b) {
        return None;
    }
    match (a, b) {
        (Value::List(a), Value::List(b)) => pairwise(a.iter(), b.iter(), compare),
        (Value::Path(a), Value::Path(b)) => pairwise(a.objects.iter(), b.objects.iter(), compare),
        (Value::Set(_) | Value::BulkSet(_), _) => pairwise(sorted(a).into_iter(), sorted(b).into_iter(), compare),
        (Value::Map(a), Value::Map(b)) => pairwise(entries(a).into_iter(), entries(b).into_iter(), |a, b| {
            let (key, value) = (compare(a.0, b.0)?, compare(a.1, b.1)?);
            Some(key.then(value))
        }),
        (Value::Entry(a), Value::Entry(b)) => {
            let (key, value) = (compare(&a.0, &b.0)?, compare(&a.1, &b.1)?);
            Some(key.then(value))
        }
        (Value::Property(a), Value::Property(b)) => {
            let value = compare(&a.value, &b.value)?;
            Some(a.key.cmp(&b.key).then(value))
        }
        (Value::BigDecimal(a), Value::Float(_) | Value::Double(_)) => shown_and_decimal(b, a).map(Ordering::reverse),
        (Value::Float(_) | Value::Double(_), Value::BigDecimal(b)) => shown_and_decimal(a, b),
        _ if a.is_number() => numbers(a, b),
        _ => match (a.element_id(), b.element_id()) {
            (Some(a), Some(b)) => compare(a, b),
            _ => scalars(a, b).or_else(|| (a == b).then_some(Ordering::Equal)),
        },
    }
}

/// Orders any two values: null, booleans, numbers, dates, strings and tokens (`T`), UUIDs, vertices, edges, properties,
/// paths, sets, lists, maps, entries, and the rest by type. NaN comes after all numbers.
#[must_use]
pub fn order(a: &Value, b: &Value) -> Ordering {
    let by_rank = rank(a).cmp(&rank(b));
    if by_rank.is_ne() {
        return by_rank;
    }
    let ordered = |a: &Value, b: &Value| Some(order(a, b));
    let found = match (a, b) {
        (Value::List(a), Value::List(b)) => pairwise(a.iter(), b.iter(), ordered),
        (Value::Path(a), Value::Path(b)) => pairwise(a.objects.iter(), b.objects.iter(), ordered),
        (Value::Set(_) | Value::BulkSet(_), _) => pairwise(sorted(a).into_iter(), sorted(b).into_iter(), ordered),
        (Value::Map(a), Value::Map(b)) => {
            pairwise(entries(a).into_iter(), entries(b).into_iter(), |a, b| Some(order_pair(a, b)))
        }
        (Value::Entry(a), Value::Entry(b)) => Some(order_pair((&a.0, &a.1), (&b.0, &b.1))),
        (Value::Property(a), Value::Property(b)) => Some(a.key.cmp(&b.key).then_with(|| order(&a.value, &b.value))),
        (Value::Tree(a), Value::Tree(b)) => Some(order_trees(a, b)),
        _ if a.is_number() => Some(numbers(a, b).unwrap_or_else(|| is_nan(a).cmp(&is_nan(b)))),
        _ => match (a.element_id(), b.element_id()) {
            (Some(a), Some(b)) => Some(order(a, b)),
            _ => key_order(a, b).or_else(|| scalars(a, b)),
        },
    };
    found.unwrap_or(Ordering::Equal)
}

/// Orders the keys of maps of elements: tokens stand among texts, by their names.
fn key_order(a: &Value, b: &Value) -> Option<Ordering> {
    let key = |value: &Value| match value {
        Value::Enum(Enum::T(token)) => Some(Value::from(token.name())),
        Value::String(_) => Some(value.clone()),
        _ => None,
    };
    if matches!((a, b), (Value::String(_), Value::String(_))) {
        return None;
    }
    scalars(&key(a)?, &key(b)?)
}

fn order_pair(a: (&Value, &Value), b: (&Value, &Value)) -> Ordering {
    order(a.0, b.0).then_with(|| order(a.1, b.1))
}

fn order_trees(a: &Tree, b: &Tree) -> Ordering {
    let sorted = |tree: &'_ Tree| -> Vec<(Value, Tree)> {
        let mut entries: Vec<_> = tree.0.iter().map(|(key, tree)| (key.clone(), tree.clone())).collect();
        entries.sort_by(|a, b| order(&a.0, &b.0));
        entries
    };
    let (a, b) = (sorted(a), sorted(b));
    let pairs = a.iter().zip(&b).map(|(a, b)| order(&a.0, &b.0).then_with(|| order_trees(&a.1, &b.1)));
    pairs.fold(Ordering::Equal, Ordering::then).then(a.len().cmp(&b.len()))
}

/// Compares items in turns; what ends first is less. None if a pair before the first difference cannot be compared.
fn pairwise<I>(
    mut a: impl Iterator<Item = I>,
    mut b: impl Iterator<Item = I>,
    compare: impl Fn(I, I) -> Option<Ordering>,
) -> Option<Ordering> {
    let mut found = Ordering::Equal;
    loop {
        match (a.next(), b.next()) {
            (None, None) => return Some(found),
            (None, Some(_)) => return Some(found.then(Ordering::Less)),
            (Some(_), None) => return Some(found.then(Ordering::Greater)),
            // All pairs must be comparable, those after the first difference too.
            (Some(a), Some(b)) => found = found.then(compare(a, b)?),
        }
    }
}

/// The items of a set in the total order, as often as they occurred.
fn sorted(set: &Value) -> Vec<&Value> {
    let mut items: Vec<&Value> = match set {
        Value::Set(items) => items.iter().collect(),
        Value::BulkSet(items) => items.keys().collect(),
        _ => Vec::new(),
    };
    items.sort_by(|a, b| order(a, b));
    items
}

fn entries(map: &Map) -> Vec<(&Value, &Value)> {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_by(|a, b| order_pair(*a, *b));
    entries
}

fn is_nan(value: &Value) -> bool {
    match value {
        Value::Float(number) => number.is_nan(),
        Value::Double(number) => number.is_nan(),
        _ => false,
    }
}

/// Infinities are beyond all decimal numbers; none if the float is NaN.
fn shown_and_decimal(float: &Value, decimal: &BigDecimal) -> Option<Ordering> {
    if let Some(shown) = shown(float) {
        return Some(shown.cmp(decimal));
    }
    exact(float)?.infinity().map(|infinity| infinity.cmp(&0))
}

/// The decimal number that a float is written as; none for those that are not finite.
fn shown(float: &Value) -> Option<BigDecimal> {
    match float {
        Value::Float(number) => f64::from(*number).to_string().parse().ok(),
        Value::Double(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

/// Compares numbers by their exact values; none if one is NaN.
fn numbers(a: &Value, b: &Value) -> Option<Ordering> {
    match (exact(a)?, exact(b)?) {
        (Number::Integer(a), Number::Integer(b)) => Some(a.cmp(&b)),
        (Number::Float(a), Number::Float(b)) => a.partial_cmp(&b),
        (Number::Integer(a), Number::Float(b)) => integer_and_float(a, b),
        (Number::Float(a), Number::Integer(b)) => integer_and_float(b, a).map(Ordering::reverse),
        (a, b) => match (a.infinity(), b.infinity()) {
            (Some(a), b) => Some(a.cmp(&b.unwrap_or(0))),
            (None, Some(b)) => Some(0.cmp(&b)),
            (None, None) => Some(a.to_decimal()?.cmp(&b.to_decimal()?)),
        },
    }
}

/// None if the float is NaN.
fn integer_and_float(integer: i64, float: f64) -> Option<Ordering> {
    // 2^63, the first float above all integers of 64 bits.
    const ABOVE: f64 = 9_223_372_036_854_775_808.0;
    if float.is_nan() {
        return None;
    }
    if float >= ABOVE {
        return Some(Ordering::Less);
    }
    if float < -ABOVE {
        return Some(Ordering::Greater);
    }
    #[expect(clippy::cast_possible_truncation, reason = "in range, and the fraction is compared below")]
    let whole = float.trunc() as i64;
    let fraction = float.fract();
    let by_fraction = || 0.0_f64.partial_cmp(&fraction);
    if integer == whole { by_fraction() } else { Some(integer.cmp(&whole)) }
}

/// Compares scalars of one type other than numbers; none for other values.
fn scalars(a: &Value, b: &Value) -> Option<Ordering> {
    Some(match (a, b) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::DateTime(a), Value::DateTime(b)) => {
            let instant = a.since_epoch().cmp(&b.since_epoch());
            instant.then_with(|| a.local().cmp(&b.local()))
        }
        (Value::String(a), Value::String(b)) => a.encode_utf16().cmp(b.encode_utf16()),
        // Texts of UUIDs order as their bits do.
        (Value::Uuid(a), Value::Uuid(b)) => a.cmp(b),
        (Value::Char(a), Value::Char(b)) => a.cmp(b),
        (Value::Duration(a), Value::Duration(b)) => a.cmp(b),
        (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
        (Value::Enum(a), Value::Enum(b)) => a.cmp(b),
        _ => return None,
    })
}

/// The place of a value's type among all types. Numbers share one.
fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        number if number.is_number() => 2,
        Value::DateTime(_) => 3,
        Value::String(_) | Value::Enum(Enum::T(_)) => 4,
        Value::Uuid(_) => 5,
        Value::Vertex(_) => 6,
        Value::Edge(_) => 7,
        Value::VertexProperty(_) => 8,
        Value::Property(_) => 9,
        Value::Path(_) => 10,
        Value::Set(_) | Value::BulkSet(_) => 11,
        Value::List(_) => 12,
        Value::Map(_) => 13,
        Value::Entry(_) => 14,
        Value::Char(_) => 15,
        Value::Bytes(_) => 16,
        Value::Duration(_) => 17,
        Value::Tree(_) => 18,
        Value::Graph(_) => 19,
        Value::Enum(constant) => 20 + constant_rank(*constant),
        _ => u8::MAX,
    }
}

/// Enumerations are types of their own.
fn constant_rank(constant: Enum) -> u8 {
    let place = Enum::CLASSES.iter().position(|class| *class == constant.class());
    place.and_then(|place| u8::try_from(place).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;

    pub(crate) fn scalar() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            (-3..3_i8).prop_map(Value::Byte),
            (-3..3_i32).prop_map(Value::Int),
            any::<i64>().prop_map(Value::Long),
            any::<i64>().prop_map(|number| Value::from(bigdecimal::num_bigint::BigInt::from(number))),
            prop_oneof![any::<f32>(), Just(0.1), Just(f32::NAN), Just(-0.0)].prop_map(Value::Float),
            prop_oneof![any::<f64>(), Just(0.1), Just(1.0), Just(f64::INFINITY), Just(f64::NAN)]
                .prop_map(Value::Double),
            (any::<i16>(), -3..3_i64)
                .prop_map(|(digits, scale)| Value::from(BigDecimal::new(i64::from(digits).into(), scale))),
            "[ab\u{fffd}\u{10000}]{0,2}".prop_map(|text| Value::from(text.as_str())),
            (0..3_u128).prop_map(Value::Uuid),
            any::<char>().prop_map(Value::Char),
        ]
    }

    fn value() -> impl Strategy<Value = Value> {
        scalar().prop_recursive(3, 12, 3, |inner| {
            let several = prop::collection::vec(inner.clone(), 0..3);
            prop_oneof![
                several.clone().prop_map(Value::from),
                several.prop_map(Value::set),
                prop::collection::vec((inner.clone(), inner), 0..3).prop_map(Value::map),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_order_is_total(a in value(), b in value(), c in value()) {
            prop_assert_eq!(order(&a, &b), order(&b, &a).reverse());
            prop_assert_eq!(order(&a, &a), Ordering::Equal);
            if order(&a, &b).is_le() && order(&b, &c).is_le() {
                prop_assert!(order(&a, &c).is_le());
            }
            if a == b {
                prop_assert_eq!(order(&a, &b), Ordering::Equal);
            }
        }

        #[test]
        fn equality_is_comparison_to_equal(a in value(), b in value()) {
            prop_assert_eq!(equals(&a, &b), equals(&b, &a));
            prop_assert_eq!(compare(&a, &b), compare(&b, &a).map(Ordering::reverse));
            prop_assert_eq!(equals(&a, &b), compare(&a, &b) == Some(Ordering::Equal));
        }
    }

    #[test]
    fn numbers_of_all_types_are_equal_by_value() {
        let ones = [
            Value::Byte(1),
            Value::Short(1),
            Value::Int(1),
            Value::Long(1),
            Value::from(bigdecimal::num_bigint::BigInt::from(1)),
            Value::Float(1.0),
            Value::Double(1.0),
            Value::from("1.00".parse::<BigDecimal>().unwrap()),
        ];
        for a in &ones {
            for b in &ones {
                assert!(equals(a, b), "{a:?} {b:?}");
            }
            assert!(!equals(a, &Value::Double(f64::NAN)) && compare(a, &Value::from("1")).is_none());
            assert_eq!(compare(a, &Value::Double(f64::INFINITY)), Some(Ordering::Less));
        }
        assert!(equals(&Value::Double(0.1), &Value::from("0.1".parse::<BigDecimal>().unwrap())));
        assert!(!equals(&Value::Float(0.1), &Value::Double(0.1)));
        assert!(equals(&Value::Double(-0.0), &Value::Int(0)));
        assert_eq!(compare(&Value::Long(i64::MAX), &Value::Double(9_223_372_036_854_775_808.0)), Some(Ordering::Less));
    }

    #[test]
    fn types_follow_each_other_as_documented() {
        let sorted = [
            Value::Null,
            Value::Bool(false),
            Value::Bool(true),
            Value::Double(f64::NEG_INFINITY),
            Value::Int(1),
            Value::Double(2.0),
            Value::Double(f64::INFINITY),
            Value::Double(f64::NAN),
            Value::from(crate::DateTime::parse("2023-01-01T00:00:00Z").unwrap()),
            Value::from("bar"),
            Value::from("foo"),
            Value::from(Enum::T(crate::T::Id)),
            Value::from(Enum::T(crate::T::Label)),
            Value::from("name"),
            Value::Uuid(5),
            Value::set([Value::from("x")]),
            Value::list([Value::from("a"), Value::from("b")]),
            Value::list([Value::from("a"), Value::from("b"), Value::from("c")]),
            Value::map([("a".into(), "a".into()), ("b".into(), Value::Bool(false)), ("c".into(), "c".into())]),
            Value::map([("a".into(), "a".into()), ("b".into(), "b".into())]),
        ];
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                assert_eq!(order(a, b), i.cmp(&j), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn collections_need_comparable_items() {
        let list = |items: &[Value]| Value::list(items.iter().cloned());
        let (one, text) = (Value::Int(1), Value::from("a"));
        assert_eq!(compare(&list(&[]), &list(std::slice::from_ref(&one))), Some(Ordering::Less));
        assert_eq!(compare(&list(std::slice::from_ref(&one)), &list(std::slice::from_ref(&text))), None);
        assert!(equals(&Value::set([one, text.clone()]), &Value::set([text, Value::Double(1.0)])));
        let vertex = |id| Value::Vertex(Arc::new(crate::Vertex { id, label: "v".into(), properties: None }));
        assert!(equals(&vertex(Value::Int(1)), &vertex(Value::Long(1))));
        assert_eq!(compare(&vertex(Value::Int(1)), &vertex(Value::from("1"))), None);
    }
}
