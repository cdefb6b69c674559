//! Equivalence: `==` and `Hash` of values, by which rows are grouped and made unique.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::mem::discriminant;

use crate::number;
use crate::value::{Map, Point, Value};

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Boolean(a), Self::Boolean(b)) => a == b,
            (Self::Integer(a), Self::Integer(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a == b || (a.is_nan() && b.is_nan()),
            (Self::Integer(a), Self::Float(b)) | (Self::Float(b), Self::Integer(a)) => {
                number::compare(*a, *b) == Some(Ordering::Equal)
            }
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Bytes(a), Self::Bytes(b)) => a == b,
            (Self::List(a), Self::List(b)) => a == b,
            (Self::Map(a), Self::Map(b)) => a == b,
            (Self::Date(a), Self::Date(b)) => a == b,
            (Self::LocalTime(a), Self::LocalTime(b)) => a == b,
            (Self::Time(a), Self::Time(b)) => a == b,
            (Self::LocalDateTime(a), Self::LocalDateTime(b)) => a == b,
            (Self::DateTime(a), Self::DateTime(b)) => a == b,
            (Self::Duration(a), Self::Duration(b)) => a == b,
            (Self::Point(a), Self::Point(b)) => a == b,
            (Self::Node(a), Self::Node(b)) => a == b,
            (Self::Relationship(a), Self::Relationship(b)) => a == b,
            (Self::Path(a), Self::Path(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Equal numbers have one hash, so floats that are integers are hashed as such.
        if let Self::Float(float) = self
            && let Some(whole) = number::whole(*float)
        {
            return Self::Integer(whole).hash(state);
        }
        discriminant(self).hash(state);
        match self {
            Self::Null => {}
            Self::Boolean(value) => value.hash(state),
            Self::Integer(value) => value.hash(state),
            Self::Float(value) => bits(*value).hash(state),
            Self::String(value) => value.hash(state),
            Self::Bytes(value) => value.hash(state),
            Self::List(values) => values.hash(state),
            Self::Map(entries) => hash_map(entries, state),
            Self::Date(value) => value.hash(state),
            Self::LocalTime(value) => value.hash(state),
            Self::Time(value) => value.hash(state),
            Self::LocalDateTime(value) => value.hash(state),
            Self::DateTime(value) => value.hash(state),
            Self::Duration(value) => value.hash(state),
            Self::Point(value) => value.hash(state),
            Self::Node(value) => value.hash(state),
            Self::Relationship(value) => value.hash(state),
            Self::Path(value) => value.hash(state),
        }
    }
}

/// Hashes entries so that their order does not matter.
fn hash_map<H: Hasher>(entries: &Map, state: &mut H) {
    let mut names: Vec<_> = entries.iter().collect();
    names.sort_unstable_by_key(|(name, _)| name.as_str());
    names.hash(state);
}

/// The bits of a float, the same for all that are equivalent.
fn bits(float: f64) -> u64 {
    if float.is_nan() { f64::NAN.to_bits() } else { (float + 0.0).to_bits() }
}

/// What makes a point the one it is.
fn parts(point: &Point) -> (u32, u64, u64, Option<u64>) {
    (point.srid, bits(point.x), bits(point.y), point.z.map(bits))
}

impl PartialEq for Point {
    fn eq(&self, other: &Self) -> bool {
        parts(self) == parts(other)
    }
}

impl Eq for Point {}

impl Hash for Point {
    fn hash<H: Hasher>(&self, state: &mut H) {
        parts(self).hash(state);
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasher, RandomState};

    use super::*;

    #[track_caller]
    fn same(a: impl Into<Value>, b: impl Into<Value>) {
        let (a, b, hasher) = (a.into(), b.into(), RandomState::new());
        assert_eq!(a, b);
        assert_eq!(hasher.hash_one(&a), hasher.hash_one(&b), "{a:?} {b:?}");
    }

    #[test]
    fn equivalent_values_have_one_hash() {
        same(Value::Null, Value::Null);
        same(1, 1.0);
        same(0, -0.0);
        same(f64::NAN, -f64::NAN);
        same(vec![Value::Integer(1), Value::Null], vec![Value::Float(1.0), Value::Null]);
        let map =
            |names: [&str; 2]| Value::map(names.map(|name| (name.into(), Value::from(name))).into_iter().collect());
        same(map(["a", "b"]), map(["b", "a"]));
    }

    #[test]
    fn other_values_differ() {
        assert_ne!(Value::from("1"), Value::from(1));
        assert_ne!(Value::from(9_007_199_254_740_993), Value::from(9_007_199_254_740_992.0));
        assert_ne!(Value::Null, Value::from(false));
    }
}
