//! Conditions checked against keys of every type; start at the property test at the end.

use std::borrow::Cow;
use std::ops::Bound::{Excluded, Included, Unbounded};

use graph_model::{Cardinality, DataType};
use jiff::tz::TimeZone;
use proptest::prelude::*;

use super::*;
use crate::Catalogue;
use crate::fixture::{CHANGE, catalogue, key, text};

fn check(key: &str, predicate: NewPredicate<'_>) -> Result<Predicate, ConditionError> {
    check_in(&catalogue(), key, predicate)
}

fn check_in(catalogue: &Catalogue, key: &str, predicate: NewPredicate<'_>) -> Result<Predicate, ConditionError> {
    let conditions = catalogue.check_conditions(&[(Cow::Borrowed(key), predicate)], &TimeZone::UTC)?;
    assert_eq!(conditions.len(), 1);
    Ok(conditions.iter().next().unwrap().predicate.clone())
}

fn range<'a>(low: Bound<Literal<'a>>, high: Bound<Literal<'a>>) -> NewPredicate<'a> {
    NewPredicate::Range { low, high }
}

fn interval(low: Bound<Value>, high: Bound<Value>) -> Result<Predicate, ConditionError> {
    Ok(Predicate::Range(Interval { low, high }))
}

#[test]
fn bounds_that_are_no_value_become_their_neighbours() {
    let (int, float) = (Literal::Integer, Literal::Float);
    let age = |low, high| check("age", range(low, high));
    assert_eq!(age(Excluded(int(28)), Unbounded), interval(Excluded(Value::Int(28)), Unbounded));
    assert_eq!(age(Excluded(float(28.5)), Unbounded), interval(Included(Value::Int(29)), Unbounded));
    assert_eq!(age(Unbounded, Excluded(float(-28.5))), interval(Unbounded, Included(Value::Int(-29))));
    assert_eq!(age(Included(float(28.0)), Unbounded), interval(Included(Value::Int(28)), Unbounded));
    assert_eq!(age(Unbounded, Excluded(int(3_000_000_000))), interval(Unbounded, Included(Value::Int(i32::MAX))));
    assert_eq!(age(Included(int(3_000_000_000)), Unbounded), Ok(Predicate::OneOf(Vec::new())));
    assert_eq!(age(Included(float(-1e300)), Unbounded), interval(Included(Value::Int(i32::MIN)), Unbounded));
    assert!(matches!(age(Included(float(f64::NAN)), Unbounded), Err(ConditionError::NotANumber { .. })));
    let day = Value::Date(1_577_923_200_000);
    assert_eq!(check("since", range(Unbounded, Excluded(text("2020-01-02")))), interval(Unbounded, Excluded(day)));
}

#[test]
fn outside_is_a_union() {
    let outside = |a, b| check("age", NewPredicate::Outside(Literal::Integer(a), Literal::Float(b)));
    assert_eq!(outside(3, 7.0), Ok(Predicate::Outside(Value::Int(3), Value::Int(7))));
    assert_eq!(outside(3, 7.5), Ok(Predicate::Outside(Value::Int(3), Value::Int(7))));
    assert_eq!(outside(7, 3.0), Ok(Predicate::Range(Interval::ALL)));
    assert!(outside(3, 7.0).unwrap().accepts(&Value::Int(8)));
    assert!(!outside(3, 7.0).unwrap().accepts(&Value::Int(7)));
}

#[test]
fn what_has_no_order_no_words_or_no_items_is_refused() {
    let one = || Included(Literal::Integer(1));
    assert!(matches!(check("name", range(one(), Unbounded)), Err(ConditionError::NoOrder { .. })));
    assert!(matches!(check("days", range(one(), Unbounded)), Err(ConditionError::NoOrder { .. })));
    assert!(matches!(check("age", NewPredicate::TextContains("x".into())), Err(ConditionError::NoText { .. })));
    assert!(matches!(check("tags", NewPredicate::TextContains("x".into())), Err(ConditionError::NoText { .. })));
    let contains = NewPredicate::Contains { value: None, text: "x".into() };
    assert!(matches!(check("name", contains), Err(ConditionError::NoCollection { .. })));
    let error = check("agee", NewPredicate::Equal(Literal::Integer(1))).unwrap_err();
    assert_eq!(error.to_string(), "undefined property key 'agee'; did you mean 'age'?");
    assert!(matches!(check("age", NewPredicate::Equal(text("1"))), Err(ConditionError::Value(_))));
}

#[test]
fn collections_are_compared_whole_or_by_item() {
    let tag = |value: &str| Value::Text(value.into());
    assert_eq!(check("tags", NewPredicate::Equal(text("x"))), Ok(Predicate::ContainsAny(vec![tag("x")])));
    let both = check("tags", NewPredicate::Equal(Literal::Array(vec![text("x"), text("y")]))).unwrap();
    assert!(both.accepts(&Value::Set(vec![tag("y"), tag("x")])));
    assert!(!both.accepts(&Value::Set(vec![tag("y")])));
    let bare = NewPredicate::Contains { value: Some(Literal::Integer(7)), text: "7".into() };
    assert_eq!(check("tags", bare), Ok(Predicate::ContainsAny(vec![tag("7")])));
    let some = check("tags", NewPredicate::OneOf(vec![text("x"), text("x"), text("z")])).unwrap();
    assert_eq!(some, Predicate::ContainsAny(vec![tag("x"), tag("z")]));
    assert!(some.accepts(&Value::Set(vec![tag("y"), tag("z")])));
}

#[test]
fn an_element_without_the_property_passes_nothing() {
    let catalogue = catalogue();
    let given = [(Cow::Borrowed("age"), NewPredicate::NotEqual(Literal::Integer(3)))];
    let conditions = catalogue.check_conditions(&given, &TimeZone::UTC).unwrap();
    let age = catalogue.property_key_named("age").unwrap().id;
    let with = |value| Properties::from_iter([(age, Value::Int(value))]);
    assert!(conditions.matches(&with(4)));
    assert!(!conditions.matches(&with(3)));
    assert!(!conditions.matches(&Properties::new()));
}

#[test]
fn the_last_condition_on_a_property_counts() {
    let given = [
        (Cow::Borrowed("age"), NewPredicate::Equal(Literal::Integer(3))),
        (Cow::Borrowed("name"), NewPredicate::Equal(text("x"))),
        (Cow::Borrowed("age"), NewPredicate::Equal(Literal::Integer(4))),
    ];
    let conditions = catalogue().check_conditions(&given, &TimeZone::UTC).unwrap();
    assert_eq!(conditions.len(), 2);
    let age = catalogue().property_key_named("age").unwrap().id;
    assert_eq!(conditions.get(age).unwrap().predicate, Predicate::Equal(Value::Int(4)));
}

proptest! {
    /// Whatever numbers a client compares with: the typed interval holds exactly the values the untyped comparison
    /// holds.
    #[test]
    fn typed_intervals_are_the_untyped_ones(
        low in -300.0..300.0f64, high in -300.0..300.0f64, halves in any::<bool>(),
        strict in any::<[bool; 2]>(), value in any::<i8>(),
    ) {
        let step = if halves { 0.5 } else { 1.0 };
        let (low, high) = ((low / step).round() * step, (high / step).round() * step);
        let small = catalogue()
            .create_property_key(&key("small", DataType::Byte, Cardinality::Single), &CHANGE)
            .unwrap()
            .change
            .catalogue;
        let bound =
            |number, strict| if strict { Excluded(Literal::Float(number)) } else { Included(Literal::Float(number)) };
        let predicate = check_in(&small, "small", range(bound(low, strict[0]), bound(high, strict[1]))).unwrap();
        let number = f64::from(value);
        let above = if strict[0] { number > low } else { number >= low };
        let below = if strict[1] { number < high } else { number <= high };
        prop_assert_eq!(predicate.accepts(&Value::Byte(value)), above && below);
        let outside =
            check_in(&small, "small", NewPredicate::Outside(Literal::Float(low), Literal::Float(high))).unwrap();
        prop_assert_eq!(outside.accepts(&Value::Byte(value)), number < low || number > high);
    }
}
