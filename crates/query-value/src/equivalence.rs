//! `==` and `Hash` of values: equivalence, by which values are grouped and made unique.
//!
//! Numbers are equivalent if their types and values are, decimals also if their scales are; NaN is equivalent to
//! itself, 0.0 and -0.0 are not. Sets and maps are compared whatever their order. Elements of a kind are equivalent by
//! id, properties of edges by key and value.

use std::hash::{BuildHasher, Hash, Hasher};
use std::mem::discriminant;

use crate::value::{Edge, Property, Reference, Subgraph, Tree, Value, Vertex, VertexProperty};

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Byte(a), Self::Byte(b)) => a == b,
            (Self::Short(a), Self::Short(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Long(a), Self::Long(b)) => a == b,
            (Self::BigInteger(a), Self::BigInteger(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => float_bits(*a) == float_bits(*b),
            (Self::Double(a), Self::Double(b)) => double_bits(*a) == double_bits(*b),
            (Self::BigDecimal(a), Self::BigDecimal(b)) => a.as_bigint_and_exponent() == b.as_bigint_and_exponent(),
            (Self::Char(a), Self::Char(b)) => a == b,
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Bytes(a), Self::Bytes(b)) => a == b,
            (Self::Uuid(a), Self::Uuid(b)) => a == b,
            (Self::DateTime(a), Self::DateTime(b)) => a == b,
            (Self::Duration(a), Self::Duration(b)) => a == b,
            (Self::List(a), Self::List(b)) => a == b,
            (Self::Set(a), Self::Set(b)) => a == b,
            (Self::Map(a), Self::Map(b)) => a == b,
            (Self::Entry(a), Self::Entry(b)) => a == b,
            (Self::BulkSet(a), Self::BulkSet(b)) => a == b,
            (Self::Vertex(a), Self::Vertex(b)) => a == b,
            (Self::Edge(a), Self::Edge(b)) => a == b,
            (Self::VertexProperty(a), Self::VertexProperty(b)) => a == b,
            (Self::Property(a), Self::Property(b)) => a == b,
            (Self::Path(a), Self::Path(b)) => a == b,
            (Self::Tree(a), Self::Tree(b)) => a == b,
            (Self::Graph(a), Self::Graph(b)) => a == b,
            (Self::Enum(a), Self::Enum(b)) => a == b,
            (Self::Metrics(a), Self::Metrics(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        discriminant(self).hash(state);
        match self {
            Self::Null => {}
            Self::Bool(flag) => flag.hash(state),
            Self::Byte(number) => number.hash(state),
            Self::Short(number) => number.hash(state),
            Self::Int(number) => number.hash(state),
            Self::Long(number) => number.hash(state),
            Self::BigInteger(number) => number.hash(state),
            Self::Float(number) => float_bits(*number).hash(state),
            Self::Double(number) => double_bits(*number).hash(state),
            Self::BigDecimal(number) => number.as_bigint_and_exponent().hash(state),
            Self::Char(character) => character.hash(state),
            Self::String(text) => text.hash(state),
            Self::Bytes(bytes) => bytes.hash(state),
            Self::Uuid(bits) => bits.hash(state),
            Self::DateTime(moment) => moment.hash(state),
            Self::Duration(duration) => duration.hash(state),
            Self::List(items) => items.hash(state),
            Self::Set(items) => unordered(items.iter(), state),
            Self::Map(pairs) => unordered(pairs.iter(), state),
            Self::Entry(pair) => pair.hash(state),
            Self::BulkSet(items) => unordered(items.iter(), state),
            Self::Vertex(vertex) => vertex.hash(state),
            Self::Edge(edge) => edge.hash(state),
            Self::VertexProperty(property) => property.hash(state),
            Self::Property(property) => property.hash(state),
            Self::Path(path) => path.hash(state),
            Self::Tree(tree) => tree.hash(state),
            Self::Graph(graph) => graph.hash(state),
            Self::Enum(constant) => constant.hash(state),
            Self::Metrics(metrics) => metrics.hash(state),
        }
    }
}

/// Bits that are the same for every NaN.
fn float_bits(number: f32) -> u32 {
    if number.is_nan() { f32::NAN.to_bits() } else { number.to_bits() }
}

fn double_bits(number: f64) -> u64 {
    if number.is_nan() { f64::NAN.to_bits() } else { number.to_bits() }
}

/// Hashes items to the same whatever their order: the sum of their own hashes. The items' hasher is a fixed one, so
/// whoever can choose all items of a set can find sets of one hash; they share it already by being sets of one size.
fn unordered<I: Hash>(items: impl Iterator<Item = I>, state: &mut impl Hasher) {
    let hasher = std::hash::BuildHasherDefault::<std::hash::DefaultHasher>::default();
    let (mut sum, mut count) = (0_u64, 0_usize);
    for item in items {
        sum = sum.wrapping_add(hasher.hash_one(item));
        count += 1;
    }
    (sum, count).hash(state);
}

macro_rules! by {
    ($($type:ident: $($field:ident),*;)*) => {
        $(
            impl PartialEq for $type {
                fn eq(&self, other: &Self) -> bool {
                    $(self.$field == other.$field)&&*
                }
            }

            impl Eq for $type {}

            impl Hash for $type {
                fn hash<H: Hasher>(&self, state: &mut H) {
                    $(self.$field.hash(state);)*
                }
            }
        )*
    };
}

by! {
    Vertex: id;
    Edge: id;
    VertexProperty: id;
    Property: key, value;
    Reference: kind, id;
}

impl Hash for Tree {
    fn hash<H: Hasher>(&self, state: &mut H) {
        unordered(self.0.iter(), state);
    }
}

impl Hash for Subgraph {
    fn hash<H: Hasher>(&self, state: &mut H) {
        unordered(self.vertices.keys(), state);
        unordered(self.edges.keys(), state);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Map, Set};

    fn hash(value: &Value) -> u64 {
        std::hash::BuildHasherDefault::<std::hash::DefaultHasher>::default().hash_one(value)
    }

    #[test]
    fn types_of_numbers_matter_and_nan_is_itself() {
        let same =
            [(Value::Double(f64::NAN), Value::Double(-f64::NAN)), (Value::Float(f32::NAN), Value::Float(-f32::NAN))];
        for (a, b) in same {
            assert_eq!(a, b);
            assert_eq!(hash(&a), hash(&b));
        }
        let numbers =
            [Value::Byte(1), Value::Short(1), Value::Int(1), Value::Long(1), Value::Float(1.0), Value::Double(1.0)];
        for (i, a) in numbers.iter().enumerate() {
            for (j, b) in numbers.iter().enumerate() {
                assert_eq!(a == b, i == j);
            }
        }
        assert_ne!(Value::Double(0.0), Value::Double(-0.0));
        let decimal = |text: &str| Value::BigDecimal(Arc::new(text.parse().unwrap()));
        assert_ne!(decimal("1.0"), decimal("1.00"));
    }

    #[test]
    fn order_matters_in_lists_alone() {
        let (a, b) = (Value::Int(1), Value::from("x"));
        let set = |items: [&Value; 2]| Value::Set(Arc::new(items.into_iter().cloned().collect::<Set>()));
        assert_eq!(set([&a, &b]), set([&b, &a]));
        assert_eq!(hash(&set([&a, &b])), hash(&set([&b, &a])));
        let map = |keys: [&Value; 2]| {
            Value::Map(Arc::new(keys.map(|key| (key.clone(), key.clone())).into_iter().collect::<Map>()))
        };
        assert_eq!(map([&a, &b]), map([&b, &a]));
        assert_eq!(hash(&map([&a, &b])), hash(&map([&b, &a])));
        let list = |items: [&Value; 2]| Value::list(items.into_iter().cloned());
        assert_ne!(list([&a, &b]), list([&b, &a]));
        assert_ne!(list([&a, &b]), set([&a, &b]));
    }

    #[test]
    fn elements_are_equal_by_id() {
        let vertex = |id, label: &str| Value::Vertex(Arc::new(Vertex { id, label: label.into(), properties: None }));
        assert_eq!(vertex(Value::Int(1), "a"), vertex(Value::Int(1), "b"));
        assert_ne!(vertex(Value::Int(1), "a"), vertex(Value::Long(1), "a"));
        let edge = Reference { kind: crate::ElementKind::Edge, id: Value::Int(1), label: "a".into() }.to_value();
        assert_ne!(edge, vertex(Value::Int(1), "a"));
    }
}
