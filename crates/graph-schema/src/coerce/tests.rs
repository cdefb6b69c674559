//! Coercion of values to the data type and cardinality of their property key.

use DataType::{Blob, Boolean, Byte, Date, Double, Float, Int, Long, Object, Text, Uuid};
use graph_model::PropertyKeyId;
use proptest::prelude::*;

use super::*;
use crate::definition::{AggregateType, Status, UserData, WriteType};
use crate::fixture::text;

fn key(data_type: DataType, cardinality: Cardinality) -> PropertyKey {
    PropertyKey {
        id: PropertyKeyId(1),
        name: "k".to_owned(),
        data_type,
        cardinality,
        aggregate_type: AggregateType::None,
        write_type: WriteType::Oltp,
        status: Status::Created,
        user_data: UserData::default(),
        default_value: None,
    }
}

fn single(data_type: DataType, literal: &Literal<'_>) -> Result<Value, ValueError> {
    coerce(&key(data_type, Cardinality::Single), literal, &TimeZone::UTC)
}

fn int(number: i64) -> Literal<'static> {
    Literal::Integer(number)
}

fn real(number: f64) -> Literal<'static> {
    Literal::Float(number)
}

#[test]
fn every_notation_of_every_type_is_taken() {
    let object = Value::Object("{\"a\":[1,2.0,\"x\\\"\\u0001\",null,true]}".into());
    let array = || {
        Literal::Array(vec![
            int(1),
            real(2.0),
            text("x\"\u{1}"),
            Literal::Null,
            Literal::Object(Cow::Borrowed("{\"b\":2}")),
        ])
    };
    let uuid = 0x835e_1153_9281_4957_8691_cf79_258e_90eb;
    let bytes = |bytes: &[u8]| Value::Blob(bytes.into());
    for (data_type, literal, expected) in [
        (Boolean, Literal::Boolean(true), Value::Boolean(true)),
        (Byte, int(-128), Value::Byte(-128)),
        (Byte, int(127), Value::Byte(127)),
        (Int, int(i64::from(i32::MIN)), Value::Int(i32::MIN)),
        (Int, int(i64::from(i32::MAX)), Value::Int(i32::MAX)),
        (Long, int(i64::MIN), Value::Long(i64::MIN)),
        (Float, real(0.1), Value::Float(0.1)),
        (Float, int(3), Value::Float(3.0)),
        (Float, text("-Infinity"), Value::Float(f32::NEG_INFINITY)),
        (Double, real(1e300), Value::Double(1e300)),
        (Double, int(-3), Value::Double(-3.0)),
        (Double, text("NaN"), Value::Double(f64::NAN)),
        (Double, text("Infinity"), Value::Double(f64::INFINITY)),
        (Text, text("\u{e9}"), Value::Text("\u{e9}".into())),
        (Text, text(""), Value::Text("".into())),
        (Date, text("2020-1-2"), Value::Date(1_577_923_200_000)),
        (Date, text("2020-01-02 03:04:05.6"), Value::Date(1_577_934_245_600)),
        (Date, int(-1), Value::Date(-1)),
        (Uuid, text("835e1153-9281-4957-8691-cf79258e90eb"), Value::Uuid(uuid)),
        (Uuid, text("835E1153928149578691CF79258E90EB"), Value::Uuid(uuid)),
        (Blob, text("AQL/"), bytes(&[1, 2, 255])),
        (Blob, text("AQ"), bytes(&[1])),
        (Blob, text("AQ=="), bytes(&[1])),
        (Blob, text(""), bytes(&[])),
        (Blob, text("0x01fF"), bytes(&[1, 255])),
        (Blob, text("0x"), bytes(&[])),
        (Blob, Literal::Array(vec![int(1), int(-1), int(255)]), bytes(&[1, 255, 255])),
        (Object, int(5), Value::Object("5".into())),
        (Object, text("a\n"), Value::Object("\"a\\n\"".into())),
        (Object, real(1e300), Value::Object("1e300".into())),
        (Object, array(), Value::Object("[1,2.0,\"x\\\"\\u0001\",null,{\"b\":2}]".into())),
        (Object, Literal::Object(Cow::Borrowed("{\"a\":[1,2.0,\"x\\\"\\u0001\",null,true]}")), object),
    ] {
        let value = single(data_type, &literal).unwrap();
        assert!(value.same(&expected), "{data_type:?} {literal:?}: {value:?}");
    }
}

#[test]
fn what_does_not_fit_is_refused_with_what_would() {
    for (data_type, literal, fragment) in [
        (Boolean, int(1), "a BOOLEAN (true or false), but got 1"),
        (Boolean, text("true"), "but got the string 'true'"),
        (Byte, int(128), "a BYTE (whole number from -128 to 127), but got 128"),
        (Int, int(2_147_483_648), "an INT"),
        (Int, real(1.0), "but got 1.0"),
        (Int, text("1"), "but got the string '1'"),
        (Long, real(1e19), "a LONG"),
        (Float, real(1e39), "a FLOAT (number up to 3.4e38"),
        (Float, text("inf"), "a FLOAT"),
        (Double, text("1.5"), "a DOUBLE"),
        (Text, int(1), "a TEXT (string), but got 1"),
        (Text, Literal::Array(vec![]), "but got an array"),
        (Date, text("yesterday"), "a DATE (yyyy-MM-dd"),
        (Date, text("2020-02-30"), "a DATE"),
        (Date, real(1.5), "a DATE"),
        (Uuid, text("835e1153"), "a UUID"),
        (Uuid, text("{835e1153-9281-4957-8691-cf79258e90eb}"), "a UUID"),
        (Uuid, int(1), "a UUID"),
        (Blob, text("0x1"), "a BLOB"),
        (Blob, text("0xzz"), "a BLOB"),
        (Blob, text("0x\u{e9}"), "a BLOB"),
        (Blob, text("*"), "a BLOB"),
        (Blob, int(1), "a BLOB"),
        (Blob, Literal::Array(vec![int(256)]), "a BLOB"),
        (Text, Literal::Null, "is null; leave it out"),
        (Object, Literal::Null, "is null; leave it out"),
    ] {
        let message = single(data_type, &literal).unwrap_err().to_string();
        assert!(message.starts_with("property 'k' ") && message.contains(fragment), "{message}");
    }
    let long = "x".repeat(5_000);
    assert!(single(Int, &text(&long)).unwrap_err().to_string().len() < 300);
}

#[test]
fn collections_are_taken_item_by_item() {
    let words = || Literal::Array(vec![text("b"), text("a"), text("b")]);
    let of = |cardinality, literal: &Literal<'_>| coerce(&key(Text, cardinality), literal, &TimeZone::UTC);
    let value = |word: &str| Value::Text(word.into());
    assert_eq!(of(Cardinality::List, &words()), Ok(Value::List(vec![value("b"), value("a"), value("b")])));
    assert_eq!(of(Cardinality::Set, &words()), Ok(Value::Set(vec![value("b"), value("a")])));
    assert_eq!(of(Cardinality::Set, &text("a")), Ok(Value::Set(vec![value("a")])));
    assert_eq!(of(Cardinality::List, &Literal::Array(vec![])), Ok(Value::List(vec![])));
    assert!(of(Cardinality::List, &Literal::Array(vec![text("a"), int(1)])).is_err());
    assert!(of(Cardinality::List, &Literal::Array(vec![Literal::Array(vec![text("a")])])).is_err());
    assert!(of(Cardinality::Set, &Literal::Array(vec![Literal::Null])).is_err());
    let many = Literal::Array(vec![text("a"); limits::COLLECTION_ITEMS_MAX + 1]);
    assert!(matches!(of(Cardinality::Set, &many), Err(ValueError::TooManyValues { count: 65_536, .. })));
    let nans = Literal::Array(vec![text("NaN"), real(0.0), real(-0.0), text("NaN")]);
    let set = coerce(&key(Double, Cardinality::Set), &nans, &TimeZone::UTC).unwrap();
    assert_eq!(set.items().len(), 3, "NaN is one value, the zeros are two");
}

fn is_of(value: &Value, data_type: DataType) -> bool {
    matches!(
        (value, data_type),
        (Value::Object(_), Object)
            | (Value::Boolean(_), Boolean)
            | (Value::Byte(_), Byte)
            | (Value::Int(_), Int)
            | (Value::Long(_), Long)
            | (Value::Float(_), Float)
            | (Value::Double(_), Double)
            | (Value::Text(_), Text)
            | (Value::Blob(_), Blob)
            | (Value::Date(_), Date)
            | (Value::Uuid(_), Uuid)
    )
}

fn literals() -> impl Strategy<Value = Literal<'static>> {
    let texts = prop_oneof![
        ".{0,40}",
        "0x[0-9a-f]{0,6}",
        "[A-Za-z0-9+/]{0,8}={0,2}",
        "[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}( [0-9]{2}:[0-9]{2}:[0-9]{2})?",
        "[0-9a-f]{32}",
        "NaN|-?Infinity",
    ];
    let leaf = prop_oneof![
        Just(Literal::Null),
        any::<bool>().prop_map(Literal::Boolean),
        any::<i64>().prop_map(Literal::Integer),
        (-300_i64..300).prop_map(Literal::Integer),
        any::<f64>().prop_map(Literal::Float),
        texts.prop_map(|text| Literal::Text(Cow::Owned(text))),
        Just(Literal::Object(Cow::Borrowed("{}"))),
    ];
    leaf.prop_recursive(2, 12, 6, |inner| prop::collection::vec(inner, 0..6).prop_map(Literal::Array))
}

proptest! {
    #[test]
    fn a_coerced_value_is_of_the_keys_type(
        literal in literals(),
        data_type in prop::sample::select(DataType::ALL.to_vec()),
        cardinality in prop::sample::select(vec![Cardinality::Single, Cardinality::List, Cardinality::Set]),
    ) {
        if let Ok(value) = coerce(&key(data_type, cardinality), &literal, &TimeZone::UTC) {
            match cardinality {
                Cardinality::Single => prop_assert!(is_of(&value, data_type)),
                Cardinality::List => prop_assert!(matches!(value, Value::List(_))),
                Cardinality::Set => prop_assert!(matches!(value, Value::Set(_))),
            }
            prop_assert!(value.items().iter().all(|item| is_of(item, data_type)));
        }
    }

    #[test]
    fn a_set_is_what_comparing_each_with_each_gives(numbers in prop::collection::vec(-3_i64..3, 0..30)) {
        let literal = Literal::Array(numbers.iter().copied().map(Literal::Integer).collect());
        let set = coerce(&key(Long, Cardinality::Set), &literal, &TimeZone::UTC).unwrap();
        let mut expected: Vec<Value> = Vec::new();
        for number in numbers.into_iter().map(Value::Long) {
            if !expected.iter().any(|item| item.same(&number)) {
                expected.push(number);
            }
        }
        prop_assert_eq!(set, Value::Set(expected));
    }
}
