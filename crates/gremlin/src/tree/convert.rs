//! Literals as values of queries and back.

use std::sync::Arc;

use query_value::{Edge, ElementKind, Reference, Vertex, VertexProperty};

use super::{ElementReference, Predicate, TypeName, Value};
use crate::error::ErrorKind;

impl Value {
    /// The value of a literal. Elements become references without properties.
    ///
    /// # Errors
    /// [`ErrorKind::NotEvaluated`]: it is, or contains, what is no value: a traversal, a predicate, a strategy, a
    /// variable, or the time and UUIDs of execution.
    pub fn to_plain(&self) -> Result<query_value::Value, ErrorKind> {
        use query_value::Value as Plain;
        let all = |items: &[Self]| items.iter().map(Self::to_plain).collect::<Result<Vec<_>, _>>();
        Ok(match self {
            Self::Null => Plain::Null,
            Self::Boolean(flag) => Plain::Bool(*flag),
            Self::Byte(number) => Plain::Byte(*number),
            Self::Short(number) => Plain::Short(*number),
            Self::Int(number) => Plain::Int(*number),
            Self::Long(number) => Plain::Long(*number),
            Self::BigInteger(number) => number.clone().into(),
            Self::Float(number) => Plain::Float(*number),
            Self::Double(number) => Plain::Double(*number),
            Self::BigDecimal(number) => number.clone().into(),
            Self::Char(character) => Plain::Char(*character),
            Self::Text(text) => Plain::String(text.clone()),
            Self::Binary(bytes) => Plain::Bytes(Arc::from(&**bytes)),
            Self::Uuid(bits) => Plain::Uuid(*bits),
            Self::DateTime(moment) => Plain::DateTime(*moment),
            Self::Duration(duration) => Plain::Duration(*duration),
            Self::List(items) => Plain::list(all(items)?),
            Self::Set(items) => Plain::set(all(items)?),
            Self::Map(pairs) => {
                let pairs = pairs.iter().map(|(key, value)| Ok((key.to_plain()?, value.to_plain()?)));
                Plain::map(pairs.collect::<Result<Vec<_>, ErrorKind>>()?)
            }
            Self::Enum(constant) => Plain::Enum(*constant),
            Self::Element(element) => {
                let ElementReference { kind, id, label } = &**element;
                Reference { kind: *kind, id: id.to_plain()?, label: label.clone() }.to_value()
            }
            Self::Now
            | Self::NewUuid
            | Self::WithCardinality(..)
            | Self::Predicate(_)
            | Self::Strategy(_)
            | Self::Traversal(_)
            | Self::Bytecode(_)
            | Self::Deferred(_) => return Err(ErrorKind::NotEvaluated { what: self.kind() }),
        })
    }

    /// A value of a query as an argument of a traversal. Elements become references, bulk sets lists that repeat their
    /// items.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`]: it is, or contains, what no step takes, such as a path.
    pub fn from_plain(value: &query_value::Value) -> Result<Self, ErrorKind> {
        use query_value::Value as Plain;
        let all = |items: &mut dyn Iterator<Item = &Plain>| items.map(Self::from_plain).collect::<Result<Vec<_>, _>>();
        let element = |kind, id: &Plain, label: &query_value::Text| {
            let (id, label) = (Self::from_plain(id)?, label.clone());
            Ok(Self::Element(Box::new(ElementReference { kind, id, label })))
        };
        Ok(match value {
            Plain::Null => Self::Null,
            Plain::Bool(flag) => Self::Boolean(*flag),
            Plain::Byte(number) => Self::Byte(*number),
            Plain::Short(number) => Self::Short(*number),
            Plain::Int(number) => Self::Int(*number),
            Plain::Long(number) => Self::Long(*number),
            Plain::BigInteger(number) => Self::BigInteger((**number).clone()),
            Plain::Float(number) => Self::Float(*number),
            Plain::Double(number) => Self::Double(*number),
            Plain::BigDecimal(number) => Self::BigDecimal((**number).clone()),
            Plain::Char(character) => Self::Char(*character),
            Plain::String(text) => Self::Text(text.clone()),
            Plain::Bytes(bytes) => Self::Binary(Box::from(&**bytes)),
            Plain::Uuid(bits) => Self::Uuid(*bits),
            Plain::DateTime(moment) => Self::DateTime(*moment),
            Plain::Duration(duration) => Self::Duration(*duration),
            Plain::List(items) => Self::List(all(&mut items.iter())?),
            Plain::Set(items) => Self::Set(all(&mut items.iter())?),
            Plain::BulkSet(items) => Self::List(all(&mut items
                .iter()
                .flat_map(|(item, count)| std::iter::repeat_n(item, usize::try_from(*count).unwrap_or(usize::MAX))))?),
            Plain::Map(pairs) => {
                let pairs = pairs.iter().map(|(key, value)| Ok((Self::from_plain(key)?, Self::from_plain(value)?)));
                Self::Map(pairs.collect::<Result<Vec<_>, ErrorKind>>()?)
            }
            Plain::Enum(constant) => Self::Enum(*constant),
            Plain::Vertex(vertex) => {
                let Vertex { id, label, .. } = &**vertex;
                return element(ElementKind::Vertex, id, label);
            }
            Plain::Edge(edge) => {
                let Edge { id, label, .. } = &**edge;
                return element(ElementKind::Edge, id, label);
            }
            Plain::VertexProperty(property) => {
                let VertexProperty { id, key, .. } = &**property;
                return element(ElementKind::VertexProperty, id, key);
            }
            Plain::Entry(_)
            | Plain::Property(_)
            | Plain::Path(_)
            | Plain::Tree(_)
            | Plain::Graph(_)
            | Plain::Metrics(_) => {
                let (step, found) = ("a traversal".to_owned(), value.kind().to_owned());
                return Err(ErrorKind::Argument { step, index: 1, expected: "a value", found });
            }
        })
    }
}

impl Predicate {
    /// The predicate ready to be run.
    ///
    /// # Errors
    /// [`ErrorKind::NotEvaluated`]: a value in it is none. [`ErrorKind::Value`]: a regular expression is wrong, or a
    /// type is unknown.
    pub fn to_plain(&self) -> Result<query_value::Predicate, ErrorKind> {
        use query_value::Predicate as Plain;
        let several = |all: &[Self]| all.iter().map(Self::to_plain).collect::<Result<Vec<_>, _>>();
        Ok(match self {
            Self::Compare(comparison, value) => Plain::Compare(*comparison, value.to_plain()?),
            Self::Range(interval, low, high) => Plain::Range(*interval, low.to_plain()?, high.to_plain()?),
            Self::Within(values) => Plain::Within(values.iter().map(Value::to_plain).collect::<Result<_, _>>()?),
            Self::Without(values) => Plain::Without(values.iter().map(Value::to_plain).collect::<Result<_, _>>()?),
            Self::Text(test, value) => match value {
                Value::Text(text) => Plain::text(*test, text)?,
                other => return Err(ErrorKind::NotEvaluated { what: other.kind() }),
            },
            Self::TypeOf(TypeName::Known(gtype)) => Plain::TypeOf(*gtype),
            Self::TypeOf(TypeName::Named(name)) => Plain::type_named(name)?,
            Self::Not(inner) => Plain::Not(Box::new(inner.to_plain()?)),
            Self::And(all) => Plain::And(several(all)?),
            Self::Or(all) => Plain::Or(several(all)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_become_values_and_back() {
        let reference = ElementReference { kind: ElementKind::Edge, id: Value::Int(7), label: "knows".into() };
        let value = Value::Map(vec![
            (Value::Text("a".into()), Value::List(vec![Value::Int(1), Value::Null, Value::Float(1.5)])),
            (Value::Long(1), Value::Set(vec![Value::Uuid(5), Value::Binary(Box::from([1, 2]))])),
            (Value::Null, Value::Element(Box::new(reference))),
        ]);
        assert_eq!(Value::from_plain(&value.to_plain().unwrap()), Ok(value));
    }

    #[test]
    fn what_is_no_value_is_refused() {
        for value in [Value::Now, Value::List(vec![Value::NewUuid]), Value::Traversal(Box::default())] {
            assert!(matches!(value.to_plain(), Err(ErrorKind::NotEvaluated { .. })));
        }
        assert!(Value::from_plain(&query_value::Path::default().into()).is_err());
    }
}
