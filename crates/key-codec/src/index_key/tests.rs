//! Tests of keys of indexes: order, delimiting, reading back.

use std::cmp::Ordering;

use graph_model::VertexId;
use kv::Key;
use proptest::prelude::*;

use super::*;
use crate::tables::{INDEX_EQUAL, INDEX_RANGE, INDEX_UNIQUE, TABLES};

const GRAPH: GraphNumber = GraphNumber(3);
const INDEX: LabelId = LabelId(300);

fn simple() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<bool>().prop_map(Value::Boolean),
        any::<i8>().prop_map(Value::Byte),
        any::<i32>().prop_map(Value::Int),
        any::<i64>().prop_map(Value::Long),
        any::<i64>().prop_map(Value::Date),
        any::<u32>().prop_map(|bits| Value::Float(f32::from_bits(bits))),
        any::<u64>().prop_map(|bits| Value::Double(f64::from_bits(bits))),
        any::<u128>().prop_map(Value::Uuid),
        "[\u{0}-\u{3}a-c]{0,6}".prop_map(|text| Value::Text(text.into())),
        "[\u{0}-\u{3}a]{509,515}".prop_map(|text| Value::Text(text.into())),
        prop::collection::vec(0u8..4, 0..6).prop_map(|bytes| Value::Blob(bytes.into())),
        ".{0,6}".prop_map(|text| Value::Object(text.into())),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => simple(),
        1 => prop::collection::vec(simple(), 0..4).prop_map(Value::List),
        1 => prop::collection::vec(simple(), 0..4).prop_map(Value::Set),
    ]
}

fn element_id() -> impl Strategy<Value = ElementId> {
    let vertex = || {
        prop_oneof![
            any::<i64>().prop_map(VertexId::Number),
            any::<u128>().prop_map(VertexId::Uuid),
            "[\u{0}-\u{3}a]{1,6}".prop_map(|text| VertexId::String(text.into())),
            "[1-3]:[\u{0}-\u{3}a]{0,6}".prop_map(|text| VertexId::String(text.into())),
        ]
    };
    prop_oneof![
        vertex().prop_map(ElementId::Vertex),
        (any::<u32>(), vertex(), "[\u{0}-\u{3}a!]{0,6}", vertex()).prop_map(|(label, source, sort, target)| {
            ElementId::Edge(EdgeId { label: LabelId(label), source, sort_values: sort.into(), target })
        }),
    ]
}

fn bytes_of(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_value(&mut bytes, Some(value));
    bytes
}

/// How two values of the same type compare.
fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    let floats = |a: f64, b: f64| match (a.is_nan(), b.is_nan()) {
        (false, false) => a.partial_cmp(&b),
        (a, b) => Some(a.cmp(&b)),
    };
    match (a, b) {
        (Value::Byte(a), Value::Byte(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Long(a), Value::Long(b)) | (Value::Date(a), Value::Date(b)) => Some(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => floats(f64::from(*a), f64::from(*b)),
        (Value::Double(a), Value::Double(b)) => floats(*a, *b),
        (Value::Boolean(a), Value::Boolean(b)) => Some(a.cmp(b)),
        (Value::Text(a), Value::Text(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (Value::Blob(a), Value::Blob(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

proptest! {
    #[test]
    fn values_sort_like_what_they_stand_for(a in simple(), b in simple()) {
        let (x, y) = (bytes_of(&a), bytes_of(&b));
        if let Some(order) = compare(&a, &b) {
            let cut = x.len().min(y.len()) > VALUE_BYTES_MAX;
            if !cut || order == Ordering::Equal {
                prop_assert_eq!(x.cmp(&y), order);
            }
        }
    }

    #[test]
    fn equal_keys_mean_equal_values(texts in ("a{510,514}[ab]{0,3}", "a{510,514}[ab]{0,3}")) {
        let [a, b] = [Value::Text(texts.0.into()), Value::Text(texts.1.into())];
        prop_assert_eq!(bytes_of(&a) == bytes_of(&b), a == b);
    }

    #[test]
    fn keys_delimit_themselves_and_lead_to_their_element(
        values in prop::collection::vec(value(), 1..4), id in element_id(),
    ) {
        let mut equal = Vec::new();
        equal_partition(&mut equal, GRAPH, INDEX, &values[0]);
        let partition_len = equal.len();
        for value in &values[1..] {
            put_value(&mut equal, Some(value));
        }
        put_value(&mut equal, None);
        put_element(&mut equal, id.as_ref());
        prop_assert_eq!((TABLES[INDEX_EQUAL.index()].partition_len)(&equal), Some(partition_len));
        prop_assert_eq!(read_row(Key::new(&equal, partition_len).row(), values.len()), Ok(id.clone()));
        prop_assert_eq!(read_index(&equal), Ok(INDEX));

        let mut range = Vec::new();
        index_partition(&mut range, GRAPH, INDEX);
        let partition_len = range.len();
        for value in &values {
            put_value(&mut range, Some(value));
        }
        put_element(&mut range, id.as_ref());
        prop_assert_eq!((TABLES[INDEX_RANGE.index()].partition_len)(&range), Some(partition_len));
        prop_assert_eq!(read_row(Key::new(&range, partition_len).row(), values.len()), Ok(id.clone()));

        let mut unique = Vec::new();
        let fields: Vec<Option<&Value>> = values.iter().map(Some).chain([None]).collect();
        unique_partition(&mut unique, GRAPH, INDEX, &fields);
        prop_assert_eq!((TABLES[INDEX_UNIQUE.index()].partition_len)(&unique), Some(unique.len()));
        let mut value = Vec::new();
        put_element(&mut value, id.as_ref());
        prop_assert_eq!(read_element(&value), Ok(id));
    }

    #[test]
    fn reading_any_bytes_never_panics(bytes in any::<Vec<u8>>(), values in 0usize..3) {
        drop(read_row(&bytes, values));
        drop(read_index(&bytes));
        if let Ok(id) = read_element(&bytes) {
            let mut written = Vec::new();
            put_element(&mut written, id.as_ref());
            prop_assert_eq!(written, bytes);
        }
    }
}

#[test]
fn floats_have_one_zero_and_one_nan() {
    assert_eq!(bytes_of(&Value::Double(0.0)), bytes_of(&Value::Double(-0.0)));
    assert_eq!(bytes_of(&Value::Float(f32::NAN)), bytes_of(&Value::Float(-f32::NAN)));
    assert!(bytes_of(&Value::Double(f64::NAN)) > bytes_of(&Value::Double(f64::INFINITY)));
    assert!(bytes_of(&Value::Double(-1.0)) < bytes_of(&Value::Double(-0.5)));
}

#[test]
fn a_set_has_one_form() {
    let set = |items: [i32; 3]| bytes_of(&Value::Set(items.map(Value::Int).to_vec()));
    assert_eq!(set([1, 2, 3]), set([3, 1, 2]));
    assert_ne!(
        bytes_of(&Value::List(vec![Value::Int(1), Value::Int(2)])),
        bytes_of(&Value::List(vec![Value::Int(2), Value::Int(1)]))
    );
}
