//! Arguments of steps that have several forms.

use query_value::{Column, Enum, Operator, T, Text};

use super::argument::{Argument, Arguments, Fits};
use super::flat::{flat, unflat};
use super::{
    AnyName, AnyOf, BarrierKind, Choose, Concatenated, Has, HasKey, HasTest, Leading, MapArgument, NewLabel, Nullable,
    Predicate, PropertyContent, PropertyWrite, Reduce, Selection, StrategyArgument, Test, Traversal, Value,
};
use crate::error::ErrorKind;
use query_value::Comparison;

impl Argument for Test {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        match arguments.peek() {
            Some(Value::Predicate(_)) => Predicate::take(arguments).map(Self::Predicate),
            Some(Value::Traversal(_)) => Traversal::take(arguments).map(Self::Traversal),
            _ => Err(arguments.expected("a predicate or a traversal")),
        }
    }

    fn put(&self, out: &mut Vec<Value>) {
        match self {
            Self::Predicate(predicate) => predicate.put(out),
            Self::Traversal(traversal) => traversal.put(out),
        }
    }
}

impl Argument for NewLabel {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        match arguments.peek() {
            Some(Value::Text(_)) => Text::take(arguments).map(Self::Text),
            Some(Value::Traversal(_)) => Traversal::take(arguments).map(Self::Traversal),
            _ => Err(arguments.expected("a string or a traversal")),
        }
    }

    fn put(&self, out: &mut Vec<Value>) {
        match self {
            Self::Text(label) => label.put(out),
            Self::Traversal(traversal) => traversal.put(out),
        }
    }
}

impl Argument for MapArgument {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        match arguments.peek() {
            Some(Value::Traversal(_)) => return Traversal::take(arguments).map(Self::Traversal),
            Some(Value::Map(_) | Value::Null) => {}
            _ => return Err(arguments.expected("a map, null or a traversal")),
        }
        Ok(if let Some(Value::Map(pairs)) = arguments.next() { Self::Map(pairs) } else { Self::Null })
    }

    fn put(&self, out: &mut Vec<Value>) {
        match self {
            Self::Map(pairs) => out.push(Value::Map(pairs.clone())),
            Self::Null => out.push(Value::Null),
            Self::Traversal(traversal) => traversal.put(out),
        }
    }
}

impl Fits for MapArgument {
    fn fits(value: &Value) -> bool {
        matches!(value, Value::Map(_))
    }
}

impl Argument for AnyOf {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        match arguments.peek() {
            None => return Err(arguments.expected("a value or a predicate")),
            Some(Value::Predicate(_)) => return Predicate::take(arguments).map(Self::Predicate),
            Some(_) => {}
        }
        Ok(Self::Values(flat(Vec::take(arguments)?)))
    }

    fn put(&self, out: &mut Vec<Value>) {
        match self {
            Self::Values(values) => out.extend(unflat(values)),
            Self::Predicate(predicate) => predicate.put(out),
        }
    }
}

impl Argument for AnyName {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        match arguments.peek() {
            None => Err(arguments.expected("a string or a predicate")),
            Some(Value::Predicate(_)) => Predicate::take(arguments).map(Self::Predicate),
            Some(Value::List(_) | Value::Set(_)) if arguments.remaining() == 1 => {
                // A bound list of names is the names.
                let values = flat(arguments.next().into_iter().collect());
                Vec::take(&mut Arguments::new("hasLabel", values, 0)).map(Self::Names)
            }
            Some(_) => Vec::take(arguments).map(Self::Names),
        }
    }

    fn put(&self, out: &mut Vec<Value>) {
        match self {
            Self::Names(names) if names.is_empty() => out.push(Value::List(Vec::new())),
            Self::Names(names) => names.put(out),
            Self::Predicate(predicate) => predicate.put(out),
        }
    }
}

impl Argument for Has {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        let label = if arguments.remaining() > 2 { Some(Nullable::take(arguments)?) } else { None };
        let key = match arguments.peek() {
            Some(Value::Enum(Enum::T(_))) if label.is_none() => HasKey::Token(T::take(arguments)?),
            _ => HasKey::Property(Nullable::take(arguments)?),
        };
        let test = match arguments.next() {
            None if matches!(key, HasKey::Token(_)) => return Err(arguments.expected("a value or a predicate")),
            None => HasTest::Exists,
            Some(Value::Predicate(predicate)) => HasTest::Predicate(*predicate),
            Some(Value::Traversal(traversal)) => HasTest::Traversal(*traversal),
            Some(value) => HasTest::Predicate(Predicate::Compare(Comparison::Eq, value)),
        };
        Ok(Self { label, key, test })
    }

    fn put(&self, out: &mut Vec<Value>) {
        self.label.put(out);
        match &self.key {
            HasKey::Property(key) => key.put(out),
            HasKey::Token(token) => token.put(out),
        }
        match &self.test {
            HasTest::Exists => {}
            HasTest::Predicate(predicate) => predicate.put(out),
            HasTest::Traversal(traversal) => traversal.put(out),
        }
    }
}

impl Argument for PropertyWrite {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        let cardinality = if arguments.remaining() > 1 { Leading::take(arguments)?.0 } else { None };
        if arguments.remaining() == 1 {
            let is_map = matches!(arguments.peek(), Some(Value::Map(_) | Value::Null));
            if !is_map {
                return Err(arguments.expected("a map, or a key and a value"));
            }
            let content = match arguments.next() {
                Some(Value::Map(pairs)) => PropertyContent::Map(pairs),
                _ => PropertyContent::Null,
            };
            return Ok(Self { cardinality, content });
        }
        let key = match arguments.peek() {
            Some(Value::Text(_) | Value::Enum(Enum::T(_)) | Value::Traversal(_) | Value::Null) => {
                Value::take(arguments)?
            }
            _ => return Err(arguments.expected("a key: a string, T.id or T.label")),
        };
        let value = Value::take(arguments)?;
        let mut meta = Vec::new();
        while arguments.remaining() > 0 {
            meta.push((Value::take(arguments)?, Value::take(arguments)?));
        }
        Ok(Self { cardinality, content: PropertyContent::One { key, value, meta } })
    }

    fn put(&self, out: &mut Vec<Value>) {
        self.cardinality.put(out);
        match &self.content {
            PropertyContent::One { key, value, meta } => {
                out.extend([key.clone(), value.clone()]);
                out.extend(meta.iter().flat_map(|(key, value)| [key.clone(), value.clone()]));
            }
            PropertyContent::Map(pairs) => out.push(Value::Map(pairs.clone())),
            PropertyContent::Null => out.push(Value::Null),
        }
    }
}

impl Argument for Selection {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        match arguments.peek() {
            Some(Value::Enum(Enum::Column(_))) => Column::take(arguments).map(Self::Column),
            Some(Value::Traversal(_)) => Traversal::take(arguments).map(Self::Traversal),
            Some(_) => Vec::take(arguments).map(Self::Labels),
            None => Err(arguments.expected("a label, a column or a traversal")),
        }
    }

    fn put(&self, out: &mut Vec<Value>) {
        match self {
            Self::Column(column) => column.put(out),
            Self::Labels(labels) => labels.put(out),
            Self::Traversal(traversal) => traversal.put(out),
        }
    }
}

impl Argument for Choose {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        match arguments.peek() {
            Some(Value::Enum(Enum::T(_))) => return T::take(arguments).map(Self::Token),
            Some(Value::Enum(Enum::Column(_))) => return Column::take(arguments).map(Self::Column),
            _ => {}
        }
        let test = Test::take(arguments)?;
        if arguments.remaining() > 0 {
            let (then, otherwise) = (Traversal::take(arguments)?, Argument::take(arguments)?);
            return Ok(Self::If { test, then, otherwise });
        }
        match test {
            Test::Traversal(traversal) => Ok(Self::Traversal(traversal)),
            Test::Predicate(_) => Err(arguments.expected("a traversal")),
        }
    }

    fn put(&self, out: &mut Vec<Value>) {
        match self {
            Self::Token(token) => token.put(out),
            Self::Column(column) => column.put(out),
            Self::Traversal(traversal) => traversal.put(out),
            Self::If { test, then, otherwise } => {
                test.put(out);
                then.put(out);
                otherwise.put(out);
            }
        }
    }
}

impl Argument for BarrierKind {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        if arguments.remaining() == 0 {
            return Ok(Self::All);
        }
        arguments.take("an integer or normSack", |value| match value {
            Value::Enum(Enum::Barrier(barrier)) => Some(Self::Function(*barrier)),
            other => other.as_i64().map(Self::Size),
        })
    }

    fn put(&self, out: &mut Vec<Value>) {
        match self {
            Self::All => {}
            Self::Size(size) => size.put(out),
            Self::Function(barrier) => out.push(Value::Enum((*barrier).into())),
        }
    }
}

impl Argument for Concatenated {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        match arguments.peek() {
            Some(Value::Traversal(_)) => Vec::take(arguments).map(Self::Traversals),
            _ => Vec::take(arguments).map(Self::Texts),
        }
    }

    fn put(&self, out: &mut Vec<Value>) {
        match self {
            Self::Texts(texts) => texts.put(out),
            Self::Traversals(traversals) => traversals.put(out),
        }
    }
}

impl Argument for Reduce {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        Ok(Self { seed: Value::take(arguments)?, operator: Operator::take(arguments)? })
    }

    fn put(&self, out: &mut Vec<Value>) {
        out.push(self.seed.clone());
        self.operator.put(out);
    }
}

impl Argument for StrategyArgument {
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, ErrorKind> {
        arguments.take("a strategy", |value| match value {
            Value::Strategy(strategy) => Some(Self((**strategy).clone())),
            _ => None,
        })
    }

    fn put(&self, out: &mut Vec<Value>) {
        out.push(Value::Strategy(Box::new(self.0.clone())));
    }
}
