//! What makes one value, or several, of each.

use std::sync::Arc;

use query_plan::{Op, PropertyRead, Text};
use query_value::{Direction, Enum, Map, Random, Reference, Scope, T, Value};

use super::each::{Loads, each};
use crate::by::{ByEval, by_turn, items, token};
use crate::context::{Build, Cx, Stage};
use crate::error::{ExecError, Result};
use crate::storage::{self, Wanted};
use crate::traverser::Traverser;
use crate::{semantics, steps::math};

/// Which tokens a map of properties has.
mod tokens {
    pub(super) const IDS: u8 = 1;
    pub(super) const LABELS: u8 = 2;
    pub(super) const KEYS: u8 = 4;
    pub(super) const VALUES: u8 = 8;
}

pub(super) fn stage<'g>(op: &Op, build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    Ok(match op {
        Op::Token(part) => {
            let part = *part;
            let loads = match part {
                T::Label => Loads::Yes,
                T::Id => Loads::OnAuto,
                T::Key | T::Value => Loads::No,
            };
            each(loads, move |cx, traverser, out| {
                let value = token(cx, part, &traverser.value, traverser.stored.as_ref())?;
                out.push(traverser.with(value));
                Ok(())
            })
        }
        Op::Loops(name) => {
            let name = name.clone();
            each(false, move |_, traverser, out| {
                let mut rounds = traverser.rounds().iter().rev();
                let round = rounds.find(|round| name.is_none() || round.name == name);
                let count = match (&name, round) {
                    (Some(name), None) => {
                        return Err(ExecError::evaluation(format!("there is no loop with the name {name}")));
                    }
                    (_, round) => round.map_or(0, |round| round.count),
                };
                out.push(traverser.with(Value::Int(i32::try_from(count).unwrap_or(i32::MAX))));
                Ok(())
            })
        }
        Op::Index(is_map) => index(*is_map),
        Op::Constant(value) => {
            let value = value.clone();
            each(false, move |_, traverser, out| {
                out.push(traverser.with(value.clone()));
                Ok(())
            })
        }
        Op::Properties(read, keys) => properties(*read, keys),
        Op::ValueMap { keys, tokens, by, as_properties } => {
            value_map(keys, *tokens, ByEval::all(by, build)?, *as_properties)
        }
        Op::ElementMap(keys) => element_map(keys),
        Op::Element => each(false, |cx, traverser, out| {
            let owner = match &traverser.value {
                Value::VertexProperty(property) => {
                    property.owner.as_ref().map(|owner| storage::owner_value(&cx.catalogue, owner))
                }
                Value::Property(property) => property.owner.clone(),
                other => {
                    let kind = other.kind();
                    return Err(ExecError::evaluation(format!("element() takes a property, found {kind}")));
                }
            };
            out.extend(owner.map(|owner| traverser.with(owner)));
            Ok(())
        }),
        Op::Unfold => each(false, |_, traverser, out| {
            unfold(&traverser, out);
            Ok(())
        }),
        Op::DedupLocal => local(|items| Ok(Value::set(items))),
        Op::Range(Scope::Local, low, high) => range_local(*low, *high),
        Op::Tail(_, count) => tail_local(*count),
        Op::Sample(_, count, _) => sample_local(*count),
        Op::SackGet => each(false, |_, traverser, out| {
            let sack = traverser.sack().cloned().unwrap_or_default();
            out.push(traverser.with(sack));
            Ok(())
        }),
        Op::SackSet(operator, by) => {
            let (operator, mut by) = (*operator, ByEval::new(by, build)?);
            each(by.reads(), move |cx, mut traverser, out| {
                let Some(value) = by.get(cx, &traverser)? else { return Ok(()) };
                let sack = match traverser.sack() {
                    None => value,
                    Some(old) => semantics::apply(operator, old, &value)?,
                };
                traverser.state_mut().sack = Some(sack);
                out.push(traverser);
                Ok(())
            })
        }
        Op::Math(formula, by) => math::stage(formula, by, build)?,
        Op::Format(format, by) => math::format(format, by, build)?,
        other => {
            let name = format!("{other:?}");
            let name = name.split(['(', ' ', '{']).next().unwrap_or_default();
            return Err(ExecError::unsupported(format!("The operator {name} is not supported")));
        }
    })
}

fn index<'g>(is_map: bool) -> Box<dyn Stage<'g> + 'g> {
    each(false, move |_, traverser, out| {
        let items = items(&traverser.value).unwrap_or_else(|| vec![traverser.value.clone()]);
        let position = |at: usize| Value::Int(i32::try_from(at).unwrap_or(i32::MAX));
        let pairs = items.into_iter().enumerate();
        out.push(traverser.with(if is_map {
            Value::map(pairs.map(|(at, item)| (position(at), item)))
        } else {
            Value::list(pairs.map(|(at, item)| Value::list([item, position(at)])))
        }));
        Ok(())
    })
}

fn properties<'g>(read: PropertyRead, keys: &[Text]) -> Box<dyn Stage<'g> + 'g> {
    let keys = keys.to_vec();
    let wanted = if read == PropertyRead::Values { Wanted::Values } else { Wanted::Properties };
    let mut found = Vec::new();
    each(true, move |cx, traverser, out| {
        check_element(&traverser.value)?;
        storage::properties(cx, &traverser.value, traverser.stored.as_ref(), &keys, wanted, &mut found)?;
        out.extend(found.drain(..).map(|value| traverser.with(value)));
        Ok(())
    })
}

fn check_element(value: &Value) -> Result<()> {
    match value {
        Value::Vertex(_) | Value::Edge(_) | Value::VertexProperty(_) => Ok(()),
        other => Err(ExecError::evaluation(format!("only elements have properties, found {}", other.kind()))),
    }
}

fn t(part: T) -> Value {
    Value::Enum(Enum::T(part))
}

fn value_map<'g>(keys: &[Text], shown: u8, mut by: Vec<ByEval<'g>>, as_properties: bool) -> Box<dyn Stage<'g> + 'g> {
    let keys = keys.to_vec();
    let wanted = if as_properties { Wanted::Properties } else { Wanted::Values };
    each(true, move |cx, traverser, out| {
        check_element(&traverser.value)?;
        let stored = traverser.stored.as_ref();
        let mut map = Map::new();
        let is_property = matches!(traverser.value, Value::VertexProperty(_));
        let parts = [
            (tokens::IDS, T::Id, true),
            (tokens::LABELS, T::Label, !is_property),
            (tokens::KEYS, T::Key, is_property),
            (tokens::VALUES, T::Value, is_property),
        ];
        for (bit, part, fits) in parts {
            if shown & bit != 0 && fits {
                map.insert(t(part), token(cx, part, &traverser.value, stored)?);
            }
        }
        let is_vertex = matches!(traverser.value, Value::Vertex(_));
        for (at, (key, mut values)) in
            storage::properties_map(cx, &traverser.value, stored, &keys, wanted)?.into_iter().enumerate()
        {
            let value = if is_vertex { Value::from(values) } else { values.pop().unwrap_or_default() };
            if let Some(value) = by_turn(&mut by, at, cx, &traverser, value)? {
                map.insert(Value::String(key), value);
            }
        }
        out.push(traverser.with(Value::from(map)));
        Ok(())
    })
}

fn element_map<'g>(keys: &[Text]) -> Box<dyn Stage<'g> + 'g> {
    let keys = keys.to_vec();
    each(true, move |cx, traverser, out| {
        check_element(&traverser.value)?;
        let stored = traverser.stored.as_ref();
        let mut map = Map::new();
        map.insert(t(T::Id), token(cx, T::Id, &traverser.value, stored)?);
        if let Value::VertexProperty(property) = &traverser.value {
            map.insert(t(T::Key), Value::String(property.key.clone()));
            map.insert(t(T::Value), property.value.clone());
        } else {
            map.insert(t(T::Label), token(cx, T::Label, &traverser.value, stored)?);
        }
        if let Value::Edge(edge) = &traverser.value {
            for (direction, end) in [(Direction::In, &edge.target), (Direction::Out, &edge.source)] {
                map.insert(Value::Enum(Enum::Direction(direction)), end_map(cx, end)?);
            }
        }
        for (key, values) in storage::properties_map(cx, &traverser.value, stored, &keys, Wanted::Values)? {
            map.insert(Value::String(key), values.into_iter().next_back().unwrap_or_default());
        }
        out.push(traverser.with(Value::from(map)));
        Ok(())
    })
}

/// Id and label of an end.
fn end_map(cx: &Cx<'_>, end: &Reference) -> Result<Value> {
    let vertex = storage::end_value(end);
    let stored = storage::load_value(cx, &vertex)?;
    let label = storage::label_of(cx, &vertex, stored.as_ref())?.unwrap_or_default();
    let id = token(cx, T::Id, &vertex, stored.as_ref())?;
    Ok(Value::map([(t(T::Id), id), (t(T::Label), Value::String(label))]))
}

fn unfold(traverser: &Traverser, out: &mut Vec<Traverser>) {
    match &traverser.value {
        Value::List(items) => out.extend(items.iter().map(|item| traverser.with(item.clone()))),
        Value::Set(items) => out.extend(items.iter().map(|item| traverser.with(item.clone()))),
        Value::Path(path) => out.extend(path.objects.iter().map(|item| traverser.with(item.clone()))),
        Value::BulkSet(items) => {
            for (item, count) in items.iter() {
                let bulk = traverser.bulk.saturating_mul(*count);
                out.push(Traverser { bulk, ..traverser.with(item.clone()) });
            }
        }
        Value::Map(map) => {
            let entry = |(key, value): (&Value, &Value)| Value::Entry(Arc::new((key.clone(), value.clone())));
            out.extend(map.iter().map(|pair| traverser.with(entry(pair))));
        }
        _ => out.push(traverser.clone()),
    }
}

/// A stage over the items of collections; other values pass as they are.
fn local<'g>(make: impl Fn(Vec<Value>) -> Result<Value> + 'g) -> Box<dyn Stage<'g> + 'g> {
    each(false, move |_, traverser, out| {
        let value = match (&traverser.value, items(&traverser.value)) {
            (Value::Map(_), _) | (_, None) => traverser.value.clone(),
            (_, Some(items)) => make(items)?,
        };
        out.push(traverser.with(value));
        Ok(())
    })
}

/// A part of a collection: of a map a map, of a path a path.
fn slice(value: &Value, from: usize, to: usize) -> Option<Value> {
    let part = |count: usize| (from.min(count), to.min(count).max(from.min(count)));
    Some(match value {
        Value::Map(map) => {
            let (from, to) = part(map.len());
            Value::map(map.iter().skip(from).take(to - from).map(|(key, value)| (key.clone(), value.clone())))
        }
        Value::Path(path) => {
            let (from, to) = part(path.objects.len());
            let mut sliced = query_value::Path::default();
            for (object, labels) in path.objects.iter().zip(&path.labels).skip(from).take(to - from) {
                sliced.push(object.clone(), labels.clone());
            }
            Value::from(sliced)
        }
        Value::Set(_) => {
            let items = items(value)?;
            let (from, to) = part(items.len());
            Value::set(items.into_iter().skip(from).take(to - from))
        }
        other => {
            let items = items(other)?;
            let (from, to) = part(items.len());
            Value::list(items.into_iter().skip(from).take(to - from))
        }
    })
}

fn length(value: &Value) -> usize {
    match value {
        Value::Map(map) => map.len(),
        Value::Path(path) => path.objects.len(),
        other => items(other).map_or(1, |items| items.len()),
    }
}

fn range_local<'g>(low: i64, high: i64) -> Box<dyn Stage<'g> + 'g> {
    let low = usize::try_from(low).unwrap_or_default();
    let high = usize::try_from(high).unwrap_or(usize::MAX);
    each(false, move |_, traverser, out| {
        let value = slice(&traverser.value, low, high).unwrap_or_else(|| traverser.value.clone());
        out.push(traverser.with(value));
        Ok(())
    })
}

fn tail_local<'g>(count: i64) -> Box<dyn Stage<'g> + 'g> {
    let count = usize::try_from(count).unwrap_or_default();
    each(false, move |_, traverser, out| {
        let from = length(&traverser.value).saturating_sub(count);
        let value = slice(&traverser.value, from, usize::MAX).unwrap_or_else(|| traverser.value.clone());
        out.push(traverser.with(value));
        Ok(())
    })
}

fn sample_local<'g>(count: i64) -> Box<dyn Stage<'g> + 'g> {
    let count = usize::try_from(count).unwrap_or_default();
    let mut random = None;
    each(false, move |cx, traverser, out| {
        let random: &mut Random = random.get_or_insert_with(|| cx.new_random());
        let value = match &traverser.value {
            Value::Map(map) => {
                let mut pairs: Vec<_> = map.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
                while pairs.len() > count {
                    pairs.remove(random.below(pairs.len()));
                }
                Value::map(pairs)
            }
            value => match items(value) {
                None => value.clone(),
                Some(items) if items.len() <= count => value.clone(),
                Some(mut items) => {
                    cx.tick(u64::try_from(count).unwrap_or(u64::MAX))?;
                    Value::list((0..count).map(|_| items.remove(random.below(items.len()))))
                }
            },
        };
        out.push(traverser.with(value));
        Ok(())
    })
}
