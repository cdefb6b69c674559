//! Every value that is written is valid JSON and is read and coerced to the same value.
#![expect(clippy::unwrap_used, reason = "test code")]

use graph_model::{Cardinality, DataType, PropertyKeyId, Value};
use graph_schema::{AggregateType, PropertyKey, Status, UserData, WriteType, coerce};
use jiff::tz::TimeZone;
use proptest::prelude::*;
use rest_json::{decode_vertex, write_value};

/// Milliseconds of the years 1900 to 2200: dates far outside have no text of four-digit years.
const DATES_MS: std::ops::Range<i64> = -2_208_988_800_000..7_258_118_400_000;

fn key(data_type: DataType, cardinality: Cardinality) -> PropertyKey {
    PropertyKey {
        id: PropertyKeyId(1),
        name: "p".to_owned(),
        data_type,
        cardinality,
        aggregate_type: AggregateType::None,
        write_type: WriteType::Oltp,
        status: Status::Created,
        user_data: UserData::default(),
        default_value: None,
    }
}

/// The value as a client would get it and send it back.
fn there_and_back(value: &Value, key: &PropertyKey, zone: &TimeZone) -> Value {
    let mut body = br#"{"properties":{"p":"#.to_vec();
    write_value(&mut body, value, zone);
    body.extend_from_slice(b"}}");
    serde_json::from_slice::<serde_json::Value>(&body).unwrap();
    let vertex = decode_vertex(&body).unwrap();
    let (_, literal) = vertex.properties.first().unwrap();
    coerce(key, literal, zone).unwrap()
}

fn simple() -> impl Strategy<Value = (DataType, Value)> {
    prop_oneof![
        any::<bool>().prop_map(|value| (DataType::Boolean, Value::Boolean(value))),
        any::<i8>().prop_map(|value| (DataType::Byte, Value::Byte(value))),
        any::<i32>().prop_map(|value| (DataType::Int, Value::Int(value))),
        any::<i64>().prop_map(|value| (DataType::Long, Value::Long(value))),
        any::<u32>().prop_map(|bits| (DataType::Float, Value::Float(plain_f32(f32::from_bits(bits))))),
        any::<u64>().prop_map(|bits| (DataType::Double, Value::Double(plain_f64(f64::from_bits(bits))))),
        any::<String>().prop_map(|text| (DataType::Text, Value::Text(text.into()))),
        any::<Vec<u8>>()
            .prop_filter("base 64 that looks like hexadecimal", |bytes| !looks_like_hexadecimal(bytes))
            .prop_map(|bytes| (DataType::Blob, Value::Blob(bytes.into()))),
        DATES_MS.prop_map(|milliseconds| (DataType::Date, Value::Date(milliseconds))),
        any::<u128>().prop_map(|bits| (DataType::Uuid, Value::Uuid(bits))),
    ]
}

/// Whether the base 64 of these bytes begins with `0x`, which HugeGraph's JSON also uses to announce hexadecimal
/// digits: such a blob (one of 4096) is written as HugeGraph writes it, but is not read back as the same bytes.
fn looks_like_hexadecimal(bytes: &[u8]) -> bool {
    matches!(bytes, [0xd3, 0x10..=0x1f, ..])
}

/// Of the many NaNs JSON can tell only one.
fn plain_f32(value: f32) -> f32 {
    if value.is_nan() { f32::NAN } else { value }
}

fn plain_f64(value: f64) -> f64 {
    if value.is_nan() { f64::NAN } else { value }
}

/// Any JSON without fractional numbers: those have several notations.
fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Bool(true)),
        any::<i64>().prop_map(serde_json::Value::from),
        any::<String>().prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(4, 30, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(serde_json::Value::from),
            proptest::collection::vec((any::<String>(), inner), 0..5)
                .prop_map(|fields| serde_json::Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn single_values((data_type, value) in simple()) {
        let back = there_and_back(&value, &key(data_type, Cardinality::Single), &TimeZone::UTC);
        prop_assert!(value.same(&back), "{value:?} became {back:?}");
    }

    #[test]
    fn lists((data_type, value) in simple(), count in 0usize..4) {
        let list = Value::List(vec![value; count]);
        let back = there_and_back(&list, &key(data_type, Cardinality::List), &TimeZone::UTC);
        prop_assert!(list.same(&back), "{list:?} became {back:?}");
    }

    #[test]
    fn sets((data_type, value) in simple()) {
        let set = Value::Set(vec![value]);
        let back = there_and_back(&set, &key(data_type, Cardinality::Set), &TimeZone::UTC);
        prop_assert!(set.same(&back), "{set:?} became {back:?}");
    }

    #[test]
    fn objects_keep_their_content(json in json()) {
        let value = Value::Object(json.to_string().into());
        let key = key(DataType::Object, Cardinality::Single);
        let back = there_and_back(&value, &key, &TimeZone::UTC);
        let Value::Object(text) = &back else { return Err(TestCaseError::fail("no object")) };
        prop_assert_eq!(&serde_json::from_str::<serde_json::Value>(text).unwrap(), &json);
        prop_assert_eq!(there_and_back(&back, &key, &TimeZone::UTC), back.clone());
    }

    #[test]
    fn dates_in_another_zone(milliseconds in DATES_MS) {
        let zone = TimeZone::fixed(jiff::tz::offset(-5));
        let value = Value::Date(milliseconds);
        prop_assert_eq!(there_and_back(&value, &key(DataType::Date, Cardinality::Single), &zone), value);
    }
}
