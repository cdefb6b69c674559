//! How arguments of calls become typed fields of operations, and how these become arguments again.

use bigdecimal::ToPrimitive;
use query_value::{Cardinality, Column, DateUnit, Direction, Enum, GType, Merge, Operator, Order, Pop, Scope, T, Text};

use super::flat::unflat_predicate;
use super::{Leading, Nullable, Predicate, Traversal, Value, ValueTest};
use crate::error::ErrorKind;

/// The arguments of a call that are still to be taken.
pub(crate) struct Arguments<'n> {
    step: &'n str,
    values: std::vec::IntoIter<Value>,
    given: usize,
    /// How many values were put before those of the caller.
    implied: usize,
}

impl<'n> Arguments<'n> {
    pub(crate) fn new(step: &'n str, values: Vec<Value>, implied: usize) -> Self {
        Self { step, given: values.len(), values: values.into_iter(), implied }
    }

    pub(crate) fn peek(&self) -> Option<&Value> {
        self.values.as_slice().first()
    }

    pub(crate) fn next(&mut self) -> Option<Value> {
        self.values.next()
    }

    pub(crate) fn remaining(&self) -> usize {
        self.values.len()
    }

    /// The argument that comes next is not what it should be.
    pub(crate) fn expected(&self, expected: &'static str) -> ErrorKind {
        ErrorKind::Argument {
            step: self.step.to_owned(),
            index: (self.given - self.values.len() + 1).saturating_sub(self.implied),
            expected,
            found: self.peek().map_or("none", Value::kind).to_owned(),
        }
    }

    /// Takes the next one if it is what a function makes something of.
    pub(crate) fn take<V>(
        &mut self,
        expected: &'static str,
        convert: impl FnOnce(&Value) -> Option<V>,
    ) -> Result<V, ErrorKind> {
        let converted = self.peek().and_then(convert).ok_or_else(|| self.expected(expected))?;
        self.next();
        Ok(converted)
    }

    /// There must be no more.
    pub(crate) fn finish(self) -> Result<(), ErrorKind> {
        if self.remaining() == 0 {
            return Ok(());
        }
        Err(ErrorKind::TooManyArguments {
            step: self.step.to_owned(),
            taken: (self.given - self.remaining()).saturating_sub(self.implied),
            given: self.given.saturating_sub(self.implied),
        })
    }
}

/// A typed field of an operation.
pub(crate) trait Argument: Sized {
    /// Takes as many arguments as belong to it.
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind>;
    /// Appends the arguments it would be taken from.
    fn put(&self, out: &mut Vec<Value>);
}

/// What tells whether an optional argument before others is there.
pub(crate) trait Fits {
    fn fits(value: &Value) -> bool;
}

impl<V: Argument + Fits> Argument for Leading<V> {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        let is_there = arguments.peek().is_some_and(V::fits);
        Ok(Self(if is_there { Some(V::take(arguments)?) } else { None }))
    }

    fn put(&self, out: &mut Vec<Value>) {
        self.0.put(out);
    }
}

impl<V: Argument> Argument for Option<V> {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        Ok(if arguments.remaining() > 0 { Some(V::take(arguments)?) } else { None })
    }

    fn put(&self, out: &mut Vec<Value>) {
        if let Some(argument) = self {
            argument.put(out);
        }
    }
}

impl<V: Argument> Argument for Vec<V> {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        let mut all = Self::with_capacity(arguments.remaining());
        while arguments.remaining() > 0 {
            all.push(V::take(arguments)?);
        }
        Ok(all)
    }

    fn put(&self, out: &mut Vec<Value>) {
        for argument in self {
            argument.put(out);
        }
    }
}

impl Argument for Value {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        arguments.next().ok_or_else(|| arguments.expected("a value"))
    }

    fn put(&self, out: &mut Vec<Value>) {
        out.push(self.clone());
    }
}

impl Argument for Traversal {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        if !matches!(arguments.peek(), Some(Value::Traversal(_))) {
            return Err(arguments.expected("a traversal"));
        }
        match arguments.next() {
            Some(Value::Traversal(traversal)) => Ok(*traversal),
            _ => Ok(Self::default()),
        }
    }

    fn put(&self, out: &mut Vec<Value>) {
        out.push(Value::Traversal(Box::new(self.clone())));
    }
}

impl Argument for Predicate {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        arguments.take("a predicate", |value| match value {
            Value::Predicate(predicate) => Some((**predicate).clone()),
            _ => None,
        })
    }

    fn put(&self, out: &mut Vec<Value>) {
        out.push(Value::Predicate(Box::new(unflat_predicate(self))));
    }
}

impl Argument for ValueTest {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        Ok(Self(match arguments.next() {
            Some(Value::Predicate(predicate)) => *predicate,
            Some(value) => Predicate::Compare(query_value::Comparison::Eq, value),
            None => return Err(arguments.expected("a value or a predicate")),
        }))
    }

    fn put(&self, out: &mut Vec<Value>) {
        self.0.put(out);
    }
}

impl Argument for Text {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        arguments.take("a string", |value| value.as_text().map(Self::new))
    }

    fn put(&self, out: &mut Vec<Value>) {
        out.push(Value::Text(self.clone()));
    }
}

impl Argument for Nullable {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        arguments.take("a string or null", |value| match value {
            Value::Text(text) => Some(Self(Some(text.clone()))),
            Value::Null => Some(Self(None)),
            _ => None,
        })
    }

    fn put(&self, out: &mut Vec<Value>) {
        out.push(self.0.clone().map_or(Value::Null, Value::Text));
    }
}

impl Argument for i64 {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        arguments.take("an integer", Value::as_i64)
    }

    fn put(&self, out: &mut Vec<Value>) {
        out.push(i32::try_from(*self).map_or(Value::Long(*self), Value::Int));
    }
}

impl Argument for f64 {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        arguments.take("a number", |value| match value {
            Value::Float(number) => Some((*number).into()),
            Value::Double(number) => Some(*number),
            Value::BigDecimal(number) => number.to_f64(),
            Value::BigInteger(number) => number.to_f64(),
            other => other.as_i64().and_then(|number| number.to_f64()),
        })
    }

    fn put(&self, out: &mut Vec<Value>) {
        out.push(Value::Double(*self));
    }
}

impl Argument for bool {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        arguments.take("true or false", |value| if let Value::Boolean(flag) = value { Some(*flag) } else { None })
    }

    fn put(&self, out: &mut Vec<Value>) {
        out.push(Value::Boolean(*self));
    }
}

impl Fits for bool {
    fn fits(value: &Value) -> bool {
        matches!(value, Value::Boolean(_))
    }
}

impl Fits for Text {
    fn fits(value: &Value) -> bool {
        matches!(value, Value::Text(_))
    }
}

/// Left out for the global scope.
impl Argument for Scope {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        let scope = match arguments.peek() {
            Some(Value::Enum(Enum::Scope(scope))) => *scope,
            _ => return Ok(Self::Global),
        };
        arguments.next();
        Ok(scope)
    }

    fn put(&self, out: &mut Vec<Value>) {
        if *self == Self::Local {
            out.push(Value::Enum((*self).into()));
        }
    }
}

macro_rules! constants {
    ($($type:ident $expected:literal),*) => {
        $(
            impl Argument for $type {
                fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
                    arguments.take($expected, |value| match value {
                        Value::Enum(Enum::$type(constant)) => Some(*constant),
                        _ => None,
                    })
                }

                fn put(&self, out: &mut Vec<Value>) {
                    out.push(Value::Enum((*self).into()));
                }
            }

            impl Fits for $type {
                fn fits(value: &Value) -> bool {
                    matches!(value, Value::Enum(Enum::$type(_)))
                }
            }
        )*
    };
}

constants!(
    T "a part of T",
    Direction "a direction",
    Cardinality "a cardinality",
    Merge "a part of Merge",
    Order "an order",
    Column "a column",
    Pop "a pop",
    Operator "an operator",
    DateUnit "a unit of time",
    GType "a type"
);
