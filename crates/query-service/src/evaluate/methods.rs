//! The methods that scripts may call on graphs, elements and results. There are no others.

use std::sync::Arc;

use gremlin::{Bytecode, Expression, Instruction, Method, Terminal};
use query_value::{Enum, T, Value};

use crate::error::{QueryError, QueryErrorKind};
use crate::evaluate::{Evaluator, argument};
use crate::slot::Slot;

type Argument = gremlin::Value;

impl Evaluator<'_, '_> {
    /// Calls a method of what an expression yields.
    pub(crate) fn method(
        &mut self,
        target: &Expression,
        method: Method,
        arguments: &[Argument],
    ) -> Result<Slot, QueryError> {
        let slot = self.evaluate(target)?;
        match (&slot, method) {
            (_, Method::ToString) => Ok(Slot::Value(Value::String(self.text_of(&slot)))),
            (Slot::Graph | Slot::Source, Method::AddVertex) => self.add_vertex(arguments),
            (Slot::Graph | Slot::Source, Method::Vertices) => self.elements("V", arguments),
            (Slot::Graph | Slot::Source, Method::Edges) => self.elements("E", arguments),
            (Slot::Query(plan), _) => {
                let plan = Arc::clone(plan);
                let terminal = match (method, arguments) {
                    (Method::Next, []) => Terminal::Next(None),
                    (Method::Next, [count]) => Terminal::Next(Some(self.plain(count)?.as_i64().unwrap_or_default())),
                    (Method::ToList, []) => Terminal::ToList,
                    (Method::ToSet, []) => Terminal::ToSet,
                    (Method::Iterate, []) => Terminal::Iterate,
                    (Method::HasNext, []) => Terminal::HasNext,
                    (Method::TryNext, []) => Terminal::TryNext,
                    _ => return Err(not_there(method, &slot)),
                };
                self.finish(&plan, terminal)
            }
            (Slot::Value(value), _) => {
                let value = value.clone();
                self.method_of_value(target, &value, method, arguments)
            }
            _ => Err(not_there(method, &slot)),
        }
    }

    fn method_of_value(
        &mut self,
        target: &Expression,
        value: &Value,
        method: Method,
        arguments: &[Argument],
    ) -> Result<Slot, QueryError> {
        if let Some(start) = start_at(value) {
            return self.method_of_element(value, start, method, arguments);
        }
        let plain = arguments.iter().map(|argument| self.plain(argument)).collect::<Result<Vec<_>, _>>()?;
        if let (Method::Put, [key, new]) = (method, plain.as_slice()) {
            let before = self.entry(&Slot::Value(value.clone()), key)?;
            self.assign_entry(target, key.clone(), new.clone())?;
            return Ok(before);
        }
        if let (Method::Add, [new]) = (method, plain.as_slice()) {
            let changed = added(value, new.clone())?;
            self.store(target, changed)?;
            return Ok(Slot::Value(Value::Bool(true)));
        }
        if let (Method::Get, [key]) = (method, plain.as_slice()) {
            return self.entry(&Slot::Value(value.clone()), key);
        }
        of_collection(value, method, &plain)
            .map(Slot::Value)
            .ok_or_else(|| not_there(method, &Slot::Value(value.clone())))
    }

    fn method_of_element(
        &mut self,
        element: &Value,
        mut steps: Bytecode,
        method: Method,
        arguments: &[Argument],
    ) -> Result<Slot, QueryError> {
        let mut given = Vec::with_capacity(arguments.len());
        for argument in arguments {
            given.push(self.argument_of(argument)?);
        }
        let step = |name: &str, arguments| Instruction::new(name, arguments);
        match (method, given.len()) {
            (Method::Id, 0) => return Ok(Slot::Value(element.element_id().cloned().unwrap_or_default())),
            (Method::Label, 0) => steps.steps.push(step("label", Vec::new())),
            (Method::Value, 1) => steps.steps.push(step("values", given)),
            (Method::Values, _) => {
                steps.steps.push(step("values", given));
                return self.list_of(&steps);
            }
            (Method::Keys, 0) => {
                steps.steps.extend([step("properties", Vec::new()), step("key", Vec::new())]);
                return self.list_of(&steps);
            }
            (Method::Properties, _) => {
                steps.steps.push(step("properties", given));
                return self.list_of(&steps);
            }
            (Method::Property, 1) => {
                steps.steps.push(step("properties", given));
                let plan = self.plan(&steps)?;
                return self.finish(&plan, Terminal::TryNext);
            }
            (Method::Property, _) => {
                steps.steps.push(step("property", given));
                let plan = self.plan(&steps)?;
                return self.finish(&plan, Terminal::Next(None));
            }
            (Method::Remove, 0) => {
                steps.steps.push(step("drop", Vec::new()));
                let plan = self.plan(&steps)?;
                return self.finish(&plan, Terminal::Iterate);
            }
            (Method::AddEdge, 2..) => return self.add_edge(steps, given),
            _ => return Err(not_there(method, &Slot::Value(element.clone()))),
        }
        let plan = self.plan(&steps)?;
        self.finish(&plan, Terminal::Next(None))
    }

    fn argument_of(&mut self, value: &Argument) -> Result<Argument, QueryError> {
        match value {
            Argument::Deferred(expression) => {
                let slot = self.evaluate(expression)?;
                argument(&slot)
            }
            other => Ok(other.clone()),
        }
    }

    /// `addEdge(label, to, key, value, ..)`.
    fn add_edge(&mut self, mut steps: Bytecode, mut given: Vec<Argument>) -> Result<Slot, QueryError> {
        let rest = given.split_off(2);
        let mut given = given.into_iter();
        let (label, to) = (given.next().unwrap_or(Argument::Null), given.next().unwrap_or(Argument::Null));
        steps.steps.extend([Instruction::new("addE", vec![label]), Instruction::new("to", vec![to])]);
        self.properties(&mut steps, rest)?;
        let plan = self.plan(&steps)?;
        self.finish(&plan, Terminal::Next(None))
    }

    /// `addVertex(label)`, `addVertex(T.label, label, T.id, id, key, value, ..)`.
    fn add_vertex(&mut self, arguments: &[Argument]) -> Result<Slot, QueryError> {
        let mut given = Vec::with_capacity(arguments.len());
        for argument in arguments {
            given.push(self.argument_of(argument)?);
        }
        let mut label = None;
        if given.len() == 1 {
            label = given.pop();
        } else if let Some(at) = given.iter().step_by(2).position(|key| is_token(key, T::Label)) {
            let mut taken = given.drain(at * 2..(at * 2 + 2).min(given.len()));
            label = taken.nth(1);
        }
        let mut steps = Bytecode::default();
        steps.steps.push(Instruction::new("addV", label.into_iter().collect()));
        self.properties(&mut steps, given)?;
        let plan = self.plan(&steps)?;
        self.finish(&plan, Terminal::Next(None))
    }

    /// A `property()` step for each pair; one of `T.id` comes first, as the id belongs to the insertion.
    #[expect(clippy::unused_self, reason = "reads with the other methods")]
    fn properties(&mut self, steps: &mut Bytecode, pairs: Vec<Argument>) -> Result<(), QueryError> {
        if !pairs.len().is_multiple_of(2) {
            return Err(QueryError::evaluation("keys and values must come in pairs"));
        }
        let mut pairs = pairs.into_iter();
        while let (Some(key), Some(value)) = (pairs.next(), pairs.next()) {
            let is_id = is_token(&key, T::Id);
            let call = Instruction::new("property", vec![key, value]);
            if is_id {
                steps.steps.insert(steps.steps.len().min(1), call);
            } else {
                steps.steps.push(call);
            }
        }
        Ok(())
    }

    fn elements(&mut self, step: &str, arguments: &[Argument]) -> Result<Slot, QueryError> {
        let mut ids = Vec::with_capacity(arguments.len());
        for argument in arguments {
            ids.push(self.argument_of(argument)?);
        }
        let steps = Bytecode { source: Vec::new(), steps: vec![Instruction::new(step, ids)] };
        Ok(Slot::Query(self.plan(&steps)?))
    }

    fn list_of(&mut self, steps: &Bytecode) -> Result<Slot, QueryError> {
        let plan = self.plan(steps)?;
        self.finish(&plan, Terminal::ToList)
    }
}

fn is_token(value: &Argument, token: T) -> bool {
    matches!(value, Argument::Enum(Enum::T(found)) if *found == token)
}

/// The traversal to an element.
fn start_at(value: &Value) -> Option<Bytecode> {
    let (step, id) = match value {
        Value::Vertex(vertex) => ("V", &vertex.id),
        Value::Edge(edge) => ("E", &edge.id),
        _ => return None,
    };
    let id = Argument::from_plain(id).ok()?;
    Some(Bytecode { source: Vec::new(), steps: vec![Instruction::new(step, vec![id])] })
}

fn not_there(method: Method, slot: &Slot) -> QueryError {
    let message = format!("method {}() cannot be called on {} with these arguments", method.name(), slot.kind());
    QueryError::new(QueryErrorKind::UnknownMethod, message)
}

fn added(value: &Value, new: Value) -> Result<Value, QueryError> {
    match value {
        Value::List(items) => Ok(Value::list(items.iter().cloned().chain([new]))),
        Value::Set(items) => Ok(Value::set(items.iter().cloned().chain([new]))),
        other => Err(QueryError::evaluation(format!("nothing can be added to {}", other.kind()))),
    }
}

/// What methods that only look tell of a list, a set, a map, a property or a text.
fn of_collection(value: &Value, method: Method, arguments: &[Value]) -> Option<Value> {
    let len = match value {
        Value::List(items) => items.len(),
        Value::Set(items) => items.len(),
        Value::Map(pairs) => pairs.len(),
        Value::BulkSet(items) => items.len(),
        Value::String(text) => text.chars().count(),
        Value::Path(path) => path.objects.len(),
        Value::VertexProperty(property) => return of_property(&property.key, &property.value, method),
        Value::Property(property) => return of_property(&property.key, &property.value, method),
        _ => return None,
    };
    Some(match (method, arguments) {
        (Method::Size, []) => Value::Int(i32::try_from(len).unwrap_or(i32::MAX)),
        (Method::IsEmpty, []) => Value::Bool(len == 0),
        (Method::Contains, [item]) => Value::Bool(match value {
            Value::List(items) => items.contains(item),
            Value::Set(items) => items.contains(item),
            Value::String(text) => item.as_text().is_some_and(|part| text.contains(part)),
            _ => return None,
        }),
        (Method::ContainsKey, [key]) => match value {
            Value::Map(pairs) => Value::Bool(pairs.contains_key(key)),
            _ => return None,
        },
        (Method::Keys, []) => match value {
            Value::Map(pairs) => Value::set(pairs.keys().cloned()),
            _ => return None,
        },
        (Method::Values, []) => match value {
            Value::Map(pairs) => Value::list(pairs.values().cloned()),
            _ => return None,
        },
        (Method::First, []) => match value {
            Value::List(items) => items.first().cloned().unwrap_or_default(),
            Value::Set(items) => items.first().cloned().unwrap_or_default(),
            _ => return None,
        },
        (Method::Last, []) => match value {
            Value::List(items) => items.last().cloned().unwrap_or_default(),
            Value::Set(items) => items.last().cloned().unwrap_or_default(),
            _ => return None,
        },
        _ => return None,
    })
}

fn of_property(key: &str, value: &Value, method: Method) -> Option<Value> {
    match method {
        Method::Value => Some(value.clone()),
        Method::Label => Some(Value::String(key.into())),
        _ => None,
    }
}
