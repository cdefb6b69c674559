//! Sums over the contents of many elements that do not depend on their order, and the form of an element that is the
//! same however a server writes it.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use twox_hash::XxHash3_128;

/// How many elements, and the sum (modulo 2^128) of their hashes (XXH3, 128 bits): it tells what was lost or changed on
/// the way, not what somebody has forged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Digest {
    pub(crate) elements: u64,
    high: u64,
    low: u64,
}

impl Digest {
    /// Adds an element in its canonical form.
    pub(crate) fn add(&mut self, canonical: &[u8]) {
        self.merge(Self::of_sum(1, XxHash3_128::oneshot(canonical)));
    }

    /// Adds the elements of another one.
    pub(crate) fn merge(&mut self, other: Self) {
        *self = Self::of_sum(self.elements + other.elements, self.sum().wrapping_add(other.sum()));
    }

    /// The sum as text.
    pub(crate) fn hash(self) -> String {
        format!("{:032x}", self.sum())
    }

    fn sum(self) -> u128 {
        u128::from(self.high) << 64 | u128::from(self.low)
    }

    fn of_sum(elements: u64, sum: u128) -> Self {
        let halves = [sum >> 64, sum & u128::from(u64::MAX)].map(|half| u64::try_from(half).unwrap_or_default());
        Self { elements, high: halves[0], low: halves[1] }
    }
}

/// How values of a property compare.
#[derive(Clone, Debug, Default)]
struct KeyType {
    data_type: String,
    is_set: bool,
    /// The canonical form of the value that stands for an absent one.
    default: Option<Vec<u8>>,
}

/// Types of all property keys, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Types(HashMap<String, KeyType>);

impl Types {
    /// From the definitions of property keys.
    pub(crate) fn of(keys: &[Value]) -> Self {
        let text = |key: &Value, field: &str| key.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let of_key = |key: &Value| {
            let mut of =
                KeyType { data_type: text(key, "data_type"), is_set: text(key, "cardinality") == "SET", default: None };
            if let Some(value) = key.pointer("/user_data/~default_value") {
                let mut bytes = Vec::new();
                write_value(&mut bytes, value, &of);
                of.default = Some(bytes);
            }
            (text(key, "name"), of)
        };
        Self(keys.iter().map(of_key).collect())
    }

    /// Appends properties in an order of their own. What equals the default of its key is left out: servers may or may
    /// not show it.
    pub(crate) fn write_properties(&self, out: &mut Vec<u8>, properties: &Map<String, Value>) {
        let unknown = KeyType::default();
        let mut sorted: Vec<(&String, &Value)> = properties.iter().filter(|(_, value)| !value.is_null()).collect();
        sorted.sort_by_key(|(name, _)| *name);
        let mut bytes = Vec::new();
        for (name, value) in sorted {
            let of = self.0.get(name).unwrap_or(&unknown);
            bytes.clear();
            write_value(&mut bytes, value, of);
            if of.default.as_ref() != Some(&bytes) {
                write_text(out, name);
                out.extend_from_slice(&bytes);
            }
        }
    }
}

/// Appends a text with its length, so that two texts are never taken for two others.
pub(crate) fn write_text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(&(text.len() as u64).to_be_bytes());
    out.extend_from_slice(text.as_bytes());
}

fn write_value(out: &mut Vec<u8>, value: &Value, of: &KeyType) {
    let Value::Array(items) = value else { return write_single(out, value, &of.data_type) };
    out.push(b'[');
    out.extend_from_slice(&(items.len() as u64).to_be_bytes());
    let mut parts: Vec<Vec<u8>> = Vec::with_capacity(items.len());
    for item in items {
        let mut part = Vec::new();
        write_single(&mut part, item, &of.data_type);
        parts.push(part);
    }
    if of.is_set {
        parts.sort_unstable();
    }
    out.extend(parts.concat());
}

/// Appends one value. Numbers are compared as their type has them: HugeGraph writes `1.0E10` for `10000000000.0`.
fn write_single(out: &mut Vec<u8>, value: &Value, data_type: &str) {
    match (data_type, value) {
        #[expect(clippy::cast_possible_truncation, reason = "it was one of 32 bits")]
        ("FLOAT", Value::Number(number)) => {
            out.push(b'f');
            out.extend_from_slice(&(number.as_f64().unwrap_or(f64::NAN) as f32).to_bits().to_be_bytes());
        }
        ("DOUBLE", Value::Number(number)) => {
            out.push(b'd');
            out.extend_from_slice(&number.as_f64().unwrap_or(f64::NAN).to_bits().to_be_bytes());
        }
        (_, Value::Number(number)) if number.is_i64() => {
            out.push(b'i');
            out.extend_from_slice(&number.as_i64().unwrap_or_default().to_be_bytes());
        }
        ("UUID", Value::String(text)) => {
            out.push(b't');
            write_text(out, &text.to_ascii_lowercase());
        }
        (_, Value::String(text)) => {
            out.push(b't');
            write_text(out, text);
        }
        (_, other) => {
            out.push(b'o');
            write_text(out, &other.to_string());
        }
    }
}

/// Appends an id: a number and a text of the same digits are different ones.
pub(crate) fn write_id(out: &mut Vec<u8>, id: &Value) {
    write_single(out, id, "");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn types() -> Types {
        Types::of(&[
            json!({"name": "f", "data_type": "FLOAT", "cardinality": "SINGLE"}),
            json!({"name": "d", "data_type": "DOUBLE", "cardinality": "SINGLE"}),
            json!({"name": "set", "data_type": "TEXT", "cardinality": "SET"}),
            json!({"name": "list", "data_type": "TEXT", "cardinality": "LIST"}),
            json!({"name": "n", "data_type": "INT", "cardinality": "SINGLE", "user_data": {"~default_value": 7}}),
        ])
    }

    fn canonical(text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        types().write_properties(&mut out, serde_json::from_str::<Value>(text).unwrap().as_object().unwrap());
        out
    }

    #[test]
    fn the_form_of_numbers_and_the_order_of_sets_do_not_matter() {
        assert_eq!(canonical(r#"{"f":1.0E10,"d":1.0E-5}"#), canonical(r#"{"d":0.00001,"f":10000000000.0}"#));
        assert_eq!(canonical(r#"{"f":0.1}"#), canonical(r#"{"f":0.10000000149011612}"#));
        assert_ne!(canonical(r#"{"d":0.1}"#), canonical(r#"{"d":0.10000000149011612}"#));
        assert_eq!(canonical(r#"{"set":["b","a"]}"#), canonical(r#"{"set":["a","b"]}"#));
        assert_ne!(canonical(r#"{"list":["b","a"]}"#), canonical(r#"{"list":["a","b"]}"#));
        assert_eq!(canonical(r#"{"n":7}"#), canonical("{}"));
        assert_ne!(canonical(r#"{"n":8}"#), canonical("{}"));
        assert_ne!(canonical(r#"{"list":["ab","c"]}"#), canonical(r#"{"list":["a","bc"]}"#));
    }

    #[test]
    fn sums_do_not_depend_on_the_order_but_on_every_element() {
        let of = |parts: &[&[u8]]| {
            let mut digest = Digest::default();
            parts.iter().for_each(|part| digest.add(part));
            digest
        };
        assert_eq!(of(&[b"a", b"b", b"a"]), of(&[b"b", b"a", b"a"]));
        assert_ne!(of(&[b"a", b"b"]), of(&[b"a", b"c"]));
        assert_ne!(of(&[b"a"]), of(&[b"a", b"a"]));
        let mut merged = of(&[b"a"]);
        merged.merge(of(&[b"b", b"c"]));
        assert_eq!(merged, of(&[b"c", b"b", b"a"]));
        let text = serde_json::to_string(&merged).unwrap();
        assert_eq!(serde_json::from_str::<Digest>(&text).unwrap(), merged);
    }

    #[test]
    fn ids_keep_their_kind() {
        let of = |id: &Value| {
            let mut out = Vec::new();
            write_id(&mut out, id);
            out
        };
        assert_ne!(of(&json!(1)), of(&json!("1")));
    }
}
