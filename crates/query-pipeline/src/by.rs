//! Modulators, and the values of labels.

use std::sync::Arc;

use query_plan::{By, Text};
use query_value::{Column, Pop, T, Value};

use crate::context::{Build, Cx};
use crate::effects;
use crate::error::{ExecError, Result};
use crate::pipe::Pipe;
use crate::storage::{self, Wanted};
use crate::traverser::{Stored, Traverser};

/// A modulator in motion.
pub enum ByEval<'g> {
    /// The value itself.
    Identity,
    /// A part of the element.
    Token(T),
    /// A side of a map.
    Column(Column),
    /// A property's value.
    Property(Text),
    /// What a pipeline yields first.
    Child(Pipe<'g>),
    /// Null where the modulator inside yields nothing.
    Productive(Box<Self>),
}

impl<'g> ByEval<'g> {
    /// A modulator ready to be used.
    ///
    /// # Errors
    /// A pipeline within that cannot be carried out.
    pub fn new(by: &By, build: Build<'g>) -> Result<Self> {
        Ok(match by {
            By::Identity => Self::Identity,
            By::Token(token) => Self::Token(*token),
            By::Column(column) => Self::Column(*column),
            By::Property(key) => Self::Property(key.clone()),
            By::Child(child) => Self::Child(Pipe::new(child, build)?),
            By::Productive(by) => Self::Productive(Box::new(Self::new(by, build)?)),
            By::Ordered(ordered) => Self::new(&ordered.by, build)?,
        })
    }

    /// The same for several.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn all(by: &[By], build: Build<'g>) -> Result<Vec<Self>> {
        by.iter().map(|by| Self::new(by, build)).collect()
    }

    /// Whether it reads the element.
    pub fn reads(&self) -> bool {
        match self {
            Self::Property(_) => true,
            Self::Token(token) => *token == T::Label,
            Self::Productive(by) => by.reads(),
            _ => false,
        }
    }

    /// What it makes of a traverser; none: nothing.
    pub fn get(&mut self, cx: &mut Cx<'g>, traverser: &Traverser) -> Result<Option<Value>> {
        match self {
            Self::Identity => Ok(Some(traverser.value.clone())),
            Self::Child(pipe) => Ok(pipe.first(cx, traverser.single())?.map(|result| result.value)),
            Self::Productive(by) => Ok(Some(by.get(cx, traverser)?.unwrap_or_default())),
            Self::Token(token) => self::token(cx, *token, &traverser.value, traverser.stored.as_ref()).map(Some),
            Self::Column(column) => self::column(*column, &traverser.value).map(Some),
            Self::Property(key) => property(cx, key, &traverser.value, traverser.stored.as_ref()),
        }
    }

    /// What it makes of another value, seen from a traverser.
    pub fn of(&mut self, cx: &mut Cx<'g>, traverser: &Traverser, value: Value) -> Result<Option<Value>> {
        match self {
            Self::Identity => Ok(Some(value)),
            other => other.get(cx, &traverser.with(value)),
        }
    }
}

/// The modulator whose turn it is.
pub fn turn<'b, 'g>(by: &'b mut [ByEval<'g>], at: usize) -> Option<&'b mut ByEval<'g>> {
    let count = by.len();
    if count == 0 { None } else { by.get_mut(at % count) }
}

/// Applies the modulator whose turn it is; without any the value itself.
pub fn by_turn<'g>(
    by: &mut [ByEval<'g>],
    at: usize,
    cx: &mut Cx<'g>,
    traverser: &Traverser,
    value: Value,
) -> Result<Option<Value>> {
    match turn(by, at) {
        None => Ok(Some(value)),
        Some(by) => by.of(cx, traverser, value),
    }
}

/// A part of an element.
pub fn token(cx: &Cx<'_>, token: T, value: &Value, stored: Option<&Stored>) -> Result<Value> {
    let none = || {
        let (kind, name) = (value.kind(), token.name());
        ExecError::evaluation(format!("{name}() takes an element or a property, found {kind}"))
    };
    match token {
        T::Id => storage::given_id(cx, value, stored)?.ok_or_else(none),
        T::Label => storage::label_of(cx, value, stored)?.map(Value::String).ok_or_else(none),
        T::Key => match value {
            Value::VertexProperty(property) => Ok(Value::String(property.key.clone())),
            Value::Property(property) => Ok(Value::String(property.key.clone())),
            Value::Entry(pair) => Ok(pair.0.clone()),
            _ => Err(none()),
        },
        T::Value => match value {
            Value::VertexProperty(property) => Ok(property.value.clone()),
            Value::Property(property) => Ok(property.value.clone()),
            Value::Entry(pair) => Ok(pair.1.clone()),
            _ => Err(none()),
        },
    }
}

/// A side of a map, an entry or a path.
pub fn column(column: Column, value: &Value) -> Result<Value> {
    match (value, column) {
        (Value::Map(map), Column::Keys) => Ok(Value::set(map.keys().cloned())),
        (Value::Map(map), Column::Values) => Ok(Value::list(map.values().cloned())),
        (Value::Entry(pair), Column::Keys) => Ok(pair.0.clone()),
        (Value::Entry(pair), Column::Values) => Ok(pair.1.clone()),
        (Value::Path(path), Column::Keys) => {
            let labels = |labels: &Vec<Text>| Value::set(labels.iter().cloned().map(Value::String));
            Ok(Value::list(path.labels.iter().map(labels)))
        }
        (Value::Path(path), Column::Values) => Ok(Value::list(path.objects.iter().cloned())),
        (other, _) => {
            let kind = other.kind();
            let message = format!("The provided object does not have accessible {}: it is {kind}", column.name());
            Err(ExecError::evaluation(message))
        }
    }
}

/// The first value of a property, or of a key in a map.
pub fn property(cx: &Cx<'_>, key: &Text, value: &Value, stored: Option<&Stored>) -> Result<Option<Value>> {
    match value {
        Value::Map(map) => Ok(map.get(&Value::String(key.clone())).cloned()),
        Value::Vertex(_) | Value::Edge(_) | Value::VertexProperty(_) => {
            let read;
            let stored = match stored {
                Some(stored) if !cx.has_written => Some(stored),
                _ => {
                    read = storage::load_value(cx, value)?;
                    read.as_ref()
                }
            };
            let mut found = Vec::new();
            storage::properties(cx, value, stored, std::slice::from_ref(key), Wanted::Values, &mut found)?;
            Ok(found.into_iter().next())
        }
        Value::Null => Ok(None),
        other => {
            let kind = other.class_name();
            Err(ExecError::evaluation(format!(
                "The by(\"{key}\") modulator can only be applied to a traverser that is an Element or a Map - it is \
                 being applied to a {kind}"
            )))
        }
    }
}

/// The value of a name: of a map's key, a side effect or a label of the path; none if there is none.
pub fn scoped(cx: &mut Cx<'_>, pop: Option<Pop>, key: &Text, traverser: &Traverser) -> Result<Option<Value>> {
    if let Value::Map(map) = &traverser.value
        && let Some(value) = map.get(&Value::String(key.clone()))
    {
        return Ok(Some(value.clone()));
    }
    if cx.side_effects.has(key) {
        return effects::value(cx, key);
    }
    Ok(traverser.labelled(key, pop))
}

/// A list of what is in a collection; none for other values.
pub fn items(value: &Value) -> Option<Vec<Value>> {
    Some(match value {
        Value::List(items) => items.to_vec(),
        Value::Set(items) => items.iter().cloned().collect(),
        Value::BulkSet(items) => {
            let repeat = |(item, count): (&Value, &u64)| {
                std::iter::repeat_n(item.clone(), usize::try_from(*count).unwrap_or(usize::MAX))
            };
            items.iter().flat_map(repeat).collect()
        }
        Value::Path(path) => path.objects.clone(),
        Value::Map(map) => {
            map.iter().map(|(key, value)| Value::Entry(Arc::new((key.clone(), value.clone())))).collect()
        }
        _ => return None,
    })
}
