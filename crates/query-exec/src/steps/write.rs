//! What adds, changes and removes elements.

use query_plan::{AddEdge, AddVertex, Argument, Op, PropertyChange, Text, names};
use query_value::{Cardinality, Enum, T, Value};

use super::each::each;
use crate::by::scoped;
use crate::context::{Build, Cx, Stage};
use crate::error::{ExecError, Result};
use crate::pipe::Pipe;
use crate::storage::{self, NewProperty};
use crate::traverser::Traverser;

/// A value, given or made for each traverser.
pub(super) enum ArgumentEval<'g> {
    Value(Value),
    Child(Pipe<'g>),
}

impl<'g> ArgumentEval<'g> {
    pub(super) fn new(argument: &Argument, build: Build<'g>) -> Result<Self> {
        Ok(match argument {
            Argument::Value(value) => Self::Value(value.clone()),
            Argument::Child(child) => Self::Child(Pipe::new(child, build)?),
        })
    }

    pub(super) fn get(&mut self, cx: &mut Cx<'g>, traverser: &Traverser) -> Result<Option<Value>> {
        match self {
            Self::Value(value) => Ok(Some(value.clone())),
            Self::Child(pipe) => Ok(pipe.first(cx, traverser.single())?.map(|result| result.value)),
        }
    }

    /// As [`Self::get`], where something must come of it.
    pub(super) fn need(&mut self, cx: &mut Cx<'g>, traverser: &Traverser) -> Result<Value> {
        let missing = || ExecError::evaluation("The provided traversal does not map to a value");
        self.get(cx, traverser)?.ok_or_else(missing)
    }
}

/// Properties to set, in motion.
pub(super) struct ChangeEval<'g> {
    cardinality: Option<Cardinality>,
    key: ArgumentEval<'g>,
    value: Option<ArgumentEval<'g>>,
    meta: Vec<(ArgumentEval<'g>, ArgumentEval<'g>)>,
}

impl<'g> ChangeEval<'g> {
    pub(super) fn new(change: &PropertyChange, build: Build<'g>) -> Result<Self> {
        let pair = |(key, value): &(Argument, Argument)| {
            Ok((ArgumentEval::new(key, build)?, ArgumentEval::new(value, build)?))
        };
        Ok(Self {
            cardinality: change.cardinality,
            key: ArgumentEval::new(&change.key, build)?,
            value: change.value.as_ref().map(|argument| ArgumentEval::new(argument, build)).transpose()?,
            meta: change.meta.iter().map(pair).collect::<Result<_>>()?,
        })
    }

    pub(super) fn all(changes: &[PropertyChange], build: Build<'g>) -> Result<Vec<Self>> {
        changes.iter().map(|change| Self::new(change, build)).collect()
    }

    /// What is to be set; nothing where the value's pipeline yields nothing.
    fn get(&mut self, cx: &mut Cx<'g>, traverser: &Traverser) -> Result<Vec<NewProperty>> {
        let key = self.key.need(cx, traverser)?;
        let Some(value) = &mut self.value else {
            let Value::Map(map) = &key else { return Ok(Vec::new()) };
            return map.iter().map(|(key, value)| new_property(key, value.clone(), self.cardinality)).collect();
        };
        let value = match value {
            ArgumentEval::Child(pipe) => {
                pipe.reset();
                pipe.push(traverser.single());
                let mut results = Vec::new();
                pipe.drain(cx, &mut results)?;
                let mut values = results.into_iter().map(|result| result.value);
                match values.next() {
                    None => return Ok(Vec::new()),
                    Some(first) => first,
                }
            }
            ArgumentEval::Value(value) => value.clone(),
        };
        let mut property = new_property(&key, value, self.cardinality)?;
        for (key, value) in &mut self.meta {
            let (key, value) = (key.need(cx, traverser)?, value.need(cx, traverser)?);
            if key == Value::Enum(Enum::T(T::Id)) {
                property.id = Some(value);
            } else {
                property.meta.push((names::property_key(&key)?, value));
            }
        }
        Ok(vec![property])
    }
}

/// A property of a key and a value, which may have a cardinality of its own.
pub(super) fn new_property(key: &Value, value: Value, cardinality: Option<Cardinality>) -> Result<NewProperty> {
    let key = names::property_key(key)?;
    // `single(x)` as a value: a pair of the constant and the value.
    let (cardinality, value) = match &value {
        Value::Entry(pair) => match &pair.0 {
            Value::Enum(Enum::Cardinality(own)) => (Some(*own), pair.1.clone()),
            _ => (cardinality, value),
        },
        _ => (cardinality, value),
    };
    Ok(NewProperty { key, id: None, value, cardinality, meta: Vec::new() })
}

pub(super) fn stage<'g>(op: &Op, build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    match op {
        Op::AddVertex(add) => add_vertex(add, build),
        Op::AddEdge(add) => add_edge(add, build),
        Op::SetProperty(change) => set_property(change, build),
        _ => Ok(each(false, |cx, traverser, _| storage::drop_value(cx, &traverser.value))),
    }
}

/// A stage that runs once for each input, or once where there is no input.
pub(super) struct Once<F> {
    is_start: bool,
    is_given: bool,
    each: F,
}

impl<F> Once<F> {
    pub(super) fn new(is_start: bool, each: F) -> Self {
        Self { is_start, is_given: false, each }
    }
}

impl<'g, F> Stage<'g> for Once<F>
where
    F: FnMut(&mut Cx<'g>, Traverser, &mut Vec<Traverser>) -> Result<()>,
{
    fn process(
        &mut self,
        cx: &mut Cx<'g>,
        input: &mut std::collections::VecDeque<Traverser>,
        out: &mut Vec<Traverser>,
    ) -> Result<()> {
        for mut traverser in input.drain(..) {
            let bulk = std::mem::replace(&mut traverser.bulk, 1);
            for _ in 0..bulk {
                (self.each)(cx, traverser.clone(), out)?;
                cx.tick(1)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<bool> {
        if self.is_start && !std::mem::replace(&mut self.is_given, true) {
            let start = cx.fresh(Value::Null);
            (self.each)(cx, start, out)?;
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.is_given = false;
    }
}

fn add_vertex<'g>(add: &AddVertex, build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    let mut label = add.label.as_ref().map(|argument| ArgumentEval::new(argument, build)).transpose()?;
    let mut id = add.id.as_ref().map(|argument| ArgumentEval::new(argument, build)).transpose()?;
    let mut changes = ChangeEval::all(&add.properties, build)?;
    Ok(Box::new(Once::new(add.is_start, move |cx: &mut Cx<'g>, traverser: Traverser, out: &mut Vec<Traverser>| {
        let label = match &mut label {
            None => None,
            Some(label) => Some(names::label(&label.need(cx, &traverser)?)?),
        };
        let id = match &mut id {
            None => None,
            Some(id) => Some(id.need(cx, &traverser)?),
        };
        let mut properties = Vec::new();
        for change in &mut changes {
            properties.extend(change.get(cx, &traverser)?);
        }
        let value = storage::add_vertex(cx, label.as_ref(), id.as_ref(), &properties)?;
        out.push(traverser.with(value));
        Ok(())
    })))
}

/// An end of a new edge: a vertex, or what a label stands for.
fn end<'g>(
    cx: &mut Cx<'g>,
    end: &mut Option<ArgumentEval<'g>>,
    traverser: &Traverser,
    label: &Text,
    name: &str,
) -> Result<Value> {
    let wrong = |found: &str| {
        ExecError::evaluation(format!(
            "The value given to addE({label}).{name}() must resolve to a Vertex or the ID of a Vertex present in the \
             graph, but was {found} instead"
        ))
    };
    let value = match end {
        None => traverser.value.clone(),
        Some(ArgumentEval::Value(Value::String(name))) => {
            match scoped(cx, Some(query_value::Pop::Last), name, traverser)? {
                Some(value) => value,
                None => Value::String(name.clone()),
            }
        }
        Some(ArgumentEval::Value(value)) => value.clone(),
        Some(ArgumentEval::Child(pipe)) => {
            let found = pipe.first(cx, traverser.single())?;
            found.map(|found| found.value).ok_or_else(|| wrong("null"))?
        }
    };
    match &value {
        Value::Vertex(_) => Ok(value),
        Value::Null => Err(wrong("null")),
        other => {
            let exists = match storage::vertex_id(other) {
                None => false,
                Some(id) => cx.read().vertices(std::slice::from_ref(&id))?.iter().any(Option::is_some),
            };
            if exists { Ok(value) } else { Err(wrong(other.kind())) }
        }
    }
}

fn add_edge<'g>(add: &AddEdge, build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    let mut label = ArgumentEval::new(&add.label, build)?;
    let optional =
        |argument: &Option<Argument>| argument.as_ref().map(|argument| ArgumentEval::new(argument, build)).transpose();
    let (mut id, mut from, mut to) = (optional(&add.id)?, optional(&add.from)?, optional(&add.to)?);
    let mut changes = ChangeEval::all(&add.properties, build)?;
    Ok(Box::new(Once::new(add.is_start, move |cx: &mut Cx<'g>, traverser: Traverser, out: &mut Vec<Traverser>| {
        let label = names::label(&label.need(cx, &traverser)?)?;
        let from = end(cx, &mut from, &traverser, &label, "from")?;
        let to = end(cx, &mut to, &traverser, &label, "to")?;
        let id = match &mut id {
            None => None,
            Some(id) => Some(id.need(cx, &traverser)?),
        };
        let mut properties = Vec::new();
        for change in &mut changes {
            properties.extend(change.get(cx, &traverser)?);
        }
        let value = storage::add_edge(cx, &label, id.as_ref(), (&from, &to), &properties)?;
        out.push(traverser.with(value));
        Ok(())
    })))
}

fn set_property<'g>(change: &PropertyChange, build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    let mut change = ChangeEval::new(change, build)?;
    Ok(each(false, move |cx, traverser, out| {
        let properties = change.get(cx, &traverser)?;
        let value = if properties.is_empty() {
            traverser.value
        } else {
            storage::set_property(cx, &traverser.value, &properties)?
        };
        out.push(Traverser { value, stored: None, ..traverser });
        Ok(())
    }))
}
