//! Every strategy on every type it is for, and the refusals.

use proptest::prelude::*;

use super::*;
use crate::fixture::*;
use crate::{Literal, NewVertex};

fn key_of(data_type: DataType, cardinality: Cardinality) -> PropertyKey {
    let new = key("k", data_type, cardinality);
    let catalogue = Catalogue::default().create_property_key(&new, &CHANGE).unwrap().change.catalogue;
    PropertyKey::clone(catalogue.property_key_named("k").unwrap())
}

fn single(data_type: DataType, strategy: UpdateStrategy, old: Value, new: Value) -> Result<Value, ElementError> {
    merge_values(&key_of(data_type, Cardinality::Single), strategy, old, new)
}

fn ints(numbers: &[i32]) -> Vec<Value> {
    numbers.iter().map(|number| Value::Int(*number)).collect()
}

#[test]
fn sums_are_decimal_and_exact() {
    use UpdateStrategy::Sum;
    let double = |a, b| single(DataType::Double, Sum, Value::Double(a), Value::Double(b));
    assert_eq!(double(0.1, 0.2), Ok(Value::Double(0.3)));
    assert_eq!(double(1e300, 1e-300), Ok(Value::Double(1e300)));
    assert_eq!(double(-1.5, 1.5), Ok(Value::Double(0.0)));
    assert_eq!(double(1e16, 1.0), Ok(Value::Double(10_000_000_000_000_001.0)));
    let float = |a, b| single(DataType::Float, Sum, Value::Float(a), Value::Float(b));
    assert_eq!(float(0.1, 0.2), Ok(Value::Float(0.3)));
    for beyond in [
        double(f64::MAX, f64::MAX),
        double(f64::NAN, 1.0),
        double(f64::INFINITY, f64::NEG_INFINITY),
        float(f32::MAX, f32::MAX),
        single(DataType::Byte, Sum, Value::Byte(127), Value::Byte(1)),
        single(DataType::Int, Sum, Value::Int(i32::MIN), Value::Int(-1)),
        single(DataType::Long, Sum, Value::Long(i64::MAX), Value::Long(1)),
    ] {
        assert!(matches!(beyond, Err(ElementError::Strategy { strategy: "SUM", .. })), "{beyond:?}");
    }
}

#[test]
fn the_larger_and_the_smaller_of_numbers_and_dates() {
    use UpdateStrategy::{Bigger, Smaller};
    let pick = |strategy, a, b| single(DataType::Double, strategy, Value::Double(a), Value::Double(b)).unwrap();
    assert_eq!(pick(Bigger, -1.0, -2.0), Value::Double(-1.0));
    assert_eq!(pick(Smaller, -1.0, -2.0), Value::Double(-2.0));
    assert!(pick(Bigger, f64::NAN, f64::INFINITY).same(&Value::Double(f64::NAN)));
    assert_eq!(pick(Smaller, f64::NAN, f64::INFINITY), Value::Double(f64::INFINITY));
    assert!(pick(Bigger, 0.0, -0.0).same(&Value::Double(-0.0)), "of equal ones the new one");
    let date = |strategy| single(DataType::Date, strategy, Value::Date(-5), Value::Date(7)).unwrap();
    assert_eq!((date(Bigger), date(Smaller)), (Value::Date(7), Value::Date(-5)));
}

#[test]
fn collections() {
    use UpdateStrategy::{Append, Eliminate, Intersection, Override, Union};
    for (strategy, list, set) in [
        (Union, &[1, 2, 3, 4][..], &[1, 2, 3, 4][..]),
        (Intersection, &[2, 3], &[2, 3]),
        (Append, &[1, 2, 2, 3, 4, 3, 2, 4], &[1, 2, 3, 4]),
        (Eliminate, &[1], &[1]),
        (Override, &[4, 3, 2, 4], &[4, 3, 2]),
    ] {
        let lists = (Value::List(ints(&[1, 2, 2, 3])), Value::List(ints(&[4, 3, 2, 4])));
        let merged = merge_values(&key_of(DataType::Int, Cardinality::List), strategy, lists.0, lists.1);
        assert_eq!(merged, Ok(Value::List(ints(list))), "{}", strategy.name());
        let sets = (Value::Set(ints(&[1, 2, 3])), Value::Set(ints(&[4, 3, 2])));
        let merged = merge_values(&key_of(DataType::Int, Cardinality::Set), strategy, sets.0, sets.1);
        assert_eq!(merged, Ok(Value::Set(ints(set))), "{}", strategy.name());
    }
}

#[test]
fn strategies_must_fit_the_keys_of_what_they_merge() {
    let catalogue = catalogue();
    let checked = |name, strategy| catalogue.check_strategies(&[(Cow::Borrowed(name), strategy)]);
    let values = |name| match name {
        "age" => Value::Int(1),
        "since" => Value::Date(1),
        "name" => Value::Text("a".into()),
        _ => Value::Set(vec![Value::Text("a".into())]),
    };
    for strategy in UpdateStrategy::ALL {
        assert_eq!(UpdateStrategy::from_name(strategy.name()), Some(strategy));
        let fits = |name| {
            let key = catalogue.property_key_named(name).unwrap().id;
            let properties = || Properties::from_iter([(key, values(name))]);
            let strategies = checked(name, strategy).unwrap();
            assert_eq!(strategies.merge(&catalogue, &Properties::new(), properties()), Ok(properties()));
            strategies.merge(&catalogue, &properties(), properties()).is_ok()
        };
        let (number, compared) = match strategy {
            UpdateStrategy::Sum => (true, false),
            UpdateStrategy::Bigger | UpdateStrategy::Smaller => (true, true),
            _ => (false, false),
        };
        let any = strategy == UpdateStrategy::Override;
        assert_eq!(fits("age"), number || any, "{}", strategy.name());
        assert_eq!(fits("since"), compared || any, "{}", strategy.name());
        assert_eq!(fits("name"), any, "{}", strategy.name());
        assert_eq!(fits("tags"), any || !number, "{}", strategy.name());
    }
    assert!(matches!(checked("nmae", UpdateStrategy::Sum), Err(ElementError::UnknownKey { .. })));
    assert_eq!(UpdateStrategy::from_name("sum"), None);
}

#[test]
fn records_make_the_ids_that_inserts_make() {
    let catalogue = catalogue();
    let record = |label, id, properties: Vec<(Cow<'static, str>, Literal<'static>)>| {
        catalogue.check_vertex_record(&NewVertex { label: Some(Cow::Borrowed(label)), id, properties }, &RULES)
    };
    let named = || vec![(Cow::Borrowed("name"), text("a"))];
    assert_eq!(record("person", None, named()).unwrap().id.to_string(), "\"1:a\"");
    assert_eq!(record("person", Some(text("1:a")), named()).unwrap().id.to_string(), "\"1:a\"");
    for (refused, words) in [
        (record("person", Some(text("1:b")), named()), "the primary keys make the id"),
        (record("person", None, vec![]), "requires 'name'"),
        (record("thing", None, named()), "cannot be updated in a batch"),
        (record("doc", None, vec![]), "the id must be given"),
    ] {
        let error = refused.unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
}

proptest! {
    #[test]
    fn whole_sums_are_those_of_wider_numbers(a in any::<i32>(), b in any::<i32>()) {
        let sum = single(DataType::Int, UpdateStrategy::Sum, Value::Int(a), Value::Int(b));
        prop_assert_eq!(sum.ok(), i32::try_from(i64::from(a) + i64::from(b)).ok().map(Value::Int));
    }

    #[test]
    fn decimal_sums_of_cents_are_exact(a in -1_000_000_000i64..1_000_000_000, b in -1_000_000_000i64..1_000_000_000) {
        let cents = |n: i64| {
            let sign = if n < 0 { "-" } else { "" };
            format!("{sign}{}.{:02}", n.abs() / 100, n.abs() % 100).parse::<f64>()
        };
        let (a_value, b_value) = (Value::Double(cents(a).unwrap()), Value::Double(cents(b).unwrap()));
        let sum = single(DataType::Double, UpdateStrategy::Sum, a_value, b_value);
        prop_assert_eq!(sum, Ok(Value::Double(cents(a + b).unwrap())));
    }
}
