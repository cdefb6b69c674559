//! Functions of values: of each one, or of the items of each.

use std::collections::VecDeque;
use std::sync::Arc;

use query_plan::{Argument, By, Function};
use query_value::function::collections::{self, Items, OfTwo};
use query_value::function::{Room, convert, text, texts};
use query_value::{Scope, Value, ValueError};

use super::each::compute;
use super::order::Keys;
use crate::context::{Build, Cx, Stage};
use crate::error::{ExecError, Result};
use crate::pipe::Pipe;
use crate::storage;
use crate::traverser::Traverser;

type Boxed<'g> = Box<dyn Stage<'g> + 'g>;
type Computed = std::result::Result<Value, ValueError>;

pub(super) fn stage<'g>(function: &Function, build: Build<'g>) -> Result<Boxed<'g>> {
    Ok(match function.clone() {
        Function::AsBool => plain(|value, _| Ok(convert::as_bool(value)?)),
        Function::AsDate => plain(|value, _| Ok(convert::as_date(value)?)),
        Function::AsNumber(gtype) => {
            if let Some(gtype) = gtype.filter(|gtype| !convert::is_numeric(*gtype)) {
                let name = gtype.name();
                return Err(ExecError::evaluation(format!("asNumber() requires a numeric type token, got {name}")));
            }
            plain(move |value, _| Ok(convert::as_number(value, gtype)?))
        }
        Function::AsString(scope) => plain(move |value, room| as_string(value, scope, room)),
        Function::Concat(arguments) => concat(&arguments, build)?,
        Function::Conjoin(delimiter) => {
            plain(move |value, room| Ok(collections::conjoin(incoming("conjoin", value)?, &delimiter, room)?))
        }
        Function::DateAdd(unit, amount) => plain(move |value, _| match value {
            Value::DateTime(moment) => Ok(convert::add_to_date(moment, unit, amount)?),
            other => Err(not_a_date("dateAdd", other)),
        }),
        Function::DateDiff(argument) => date_difference(&argument, build)?,
        Function::Length(scope) => {
            of_texts("length", scope, |text, _| Ok(Value::Int(i32::try_from(texts::length(text)).unwrap_or(i32::MAX))))
        }
        Function::ToLower(scope) => of_texts("toLower", scope, |text, room| changed(&text.to_lowercase(), room)),
        Function::ToUpper(scope) => of_texts("toUpper", scope, |text, room| changed(&text.to_uppercase(), room)),
        Function::Trim(scope) => of_texts("trim", scope, |text, room| changed(texts::trim(text), room)),
        Function::LTrim(scope) => of_texts("lTrim", scope, |text, room| changed(texts::trim_start(text), room)),
        Function::RTrim(scope) => of_texts("rTrim", scope, |text, room| changed(texts::trim_end(text), room)),
        Function::Replace(scope, from, to) => of_texts("replace", scope, move |text, room| match (&from, &to) {
            (Some(from), Some(to)) => Ok(Value::String(texts::replace(text, from, to, room)?)),
            _ => changed(text, room),
        }),
        Function::Split(scope, separator) => {
            of_texts("split", scope, move |text, room| texts::split(text, separator.as_deref(), room))
        }
        Function::Substring(scope, start, end) => {
            of_texts("substring", scope, move |text, room| changed(texts::substring(text, start, end), room))
        }
        Function::Reverse => plain(reverse),
        Function::Combine(argument) => of_collections("combine", collections::combine, &argument, build)?,
        Function::Difference(argument) => of_collections("difference", collections::difference, &argument, build)?,
        Function::Disjunct(argument) => of_collections("disjunct", collections::disjunct, &argument, build)?,
        Function::Intersect(argument) => of_collections("intersect", collections::intersect, &argument, build)?,
        Function::Product(argument) => of_collections("product", collections::product, &argument, build)?,
        Function::Merge(argument) => of_collections("merge", collections::union, &argument, build)?,
        Function::OrderLocal(by) => order_local(&by, build)?,
    })
}

/// A function of the value alone.
fn plain<'g>(mut function: impl FnMut(&Value, &mut Room) -> Result<Value> + 'g) -> Boxed<'g> {
    compute(false, move |_, traverser, room| function(&traverser.value, room).map(Some))
}

fn changed(text: &str, room: &mut Room) -> Computed {
    room.take(text.len())?;
    Ok(Value::from(text))
}

/// A function of texts; null stays null.
fn of_texts<'g>(name: &'static str, scope: Scope, function: impl Fn(&str, &mut Room) -> Computed + 'g) -> Boxed<'g> {
    let wrong = move |value: &Value| {
        let class = value.class_name();
        ExecError::evaluation(if scope == Scope::Global {
            format!("The {name}() step can only take string as argument, encountered {class}")
        } else {
            format!("The {name}(local) step can only take string or list of strings, encountered {class}")
        })
    };
    let one = move |value: &Value, room: &mut Room| match value {
        Value::Null => Ok(Value::Null),
        Value::String(text) => Ok(function(text, room)?),
        other => Err(wrong(other)),
    };
    plain(move |value, room| match value.items() {
        Some(mut items) if scope == Scope::Local => {
            let all = items.try_fold(Vec::new(), |mut all, item| {
                room.take(size_of::<Value>())?;
                all.push(one(item, room)?);
                Ok::<_, ExecError>(all)
            });
            Ok(all?.into())
        }
        _ => one(value, room),
    })
}

fn as_string(value: &Value, scope: Scope, room: &mut Room) -> Result<Value> {
    let mut one = |value: &Value| match value {
        Value::Null => Err(ExecError::evaluation("Can't parse null as String.")),
        other => Ok(Value::from(text(other, room)?)),
    };
    match value.items() {
        Some(items) if scope == Scope::Local => Ok(items.map(one).collect::<Result<Vec<_>>>()?.into()),
        _ => one(value),
    }
}

fn reverse(value: &Value, room: &mut Room) -> Result<Value> {
    if let Value::String(text) = value {
        room.take(text.len())?;
        return Ok(Value::String(texts::reverse(text)));
    }
    match value.items() {
        Some(items) => Ok(collections::reverse(items, room)?),
        None => Ok(value.clone()),
    }
}

/// An argument in motion.
enum Given<'g> {
    Value(Value),
    Child(Pipe<'g>),
}

impl<'g> Given<'g> {
    fn new(argument: &Argument, build: Build<'g>) -> Result<Self> {
        Ok(match argument {
            Argument::Value(value) => Self::Value(value.clone()),
            Argument::Child(child) => Self::Child(Pipe::new(child, build)?),
        })
    }

    /// Its value for a traverser; none: the pipeline yields nothing.
    fn get(&mut self, cx: &mut Cx<'g>, traverser: &Traverser) -> Result<Option<Value>> {
        match self {
            Self::Value(value) => Ok(Some(value.clone())),
            Self::Child(pipe) => Ok(pipe.first(cx, traverser.single())?.map(|result| result.value)),
        }
    }
}

fn concat<'g>(arguments: &[Argument], build: Build<'g>) -> Result<Boxed<'g>> {
    let mut all = arguments.iter().map(|argument| Given::new(argument, build)).collect::<Result<Vec<_>>>()?;
    Ok(compute(false, move |cx, traverser, room| {
        let mut joined: Option<String> = None;
        let mut add = |value: &Value, room: &mut Room| match value {
            Value::Null => Ok(()),
            Value::String(text) => Ok(texts::append(joined.get_or_insert_default(), text, room)?),
            other => {
                let class = other.class_name();
                Err(ExecError::evaluation(format!(
                    "String concat() can only take string as argument, encountered {class}"
                )))
            }
        };
        add(&traverser.value, room)?;
        for argument in &mut all {
            if let Some(value) = argument.get(cx, traverser)? {
                add(&value, room)?;
            }
        }
        Ok(Some(joined.map_or(Value::Null, Value::from)))
    }))
}

fn not_a_date(step: &str, value: &Value) -> ExecError {
    let class = value.class_name();
    ExecError::evaluation(format!("{step} can only take a datetime as argument, encountered {class}"))
}

/// From another moment, or from 1970 where there is none.
fn date_difference<'g>(argument: &Argument, build: Build<'g>) -> Result<Boxed<'g>> {
    let mut other = Given::new(argument, build)?;
    let epoch = query_value::DateTime::from_epoch(0, 0);
    Ok(compute(false, move |cx, traverser, _| {
        let Value::DateTime(moment) = &traverser.value else { return Err(not_a_date("dateDiff", &traverser.value)) };
        let other = match other.get(cx, traverser)? {
            Some(Value::DateTime(other)) => Some(other),
            None | Some(Value::Null) => epoch,
            Some(value) => return Err(not_a_date("dateDiff", &value)),
        };
        Ok(other.map(|other| convert::date_difference(moment, &other)).transpose()?)
    }))
}

/// The items of what comes in.
fn incoming<'v>(step: &str, value: &'v Value) -> Result<Items<'v>> {
    value.items().ok_or_else(|| {
        ExecError::evaluation(match value {
            Value::Null => format!("Incoming traverser for {step} step can't be null"),
            other => format!(
                "{step} step can only take an array or an Iterable type for incoming traversers, encountered {}",
                other.class_name()
            ),
        })
    })
}

/// A function of two collections; `merge` also takes two maps.
fn of_collections<'g>(step: &'static str, function: OfTwo, argument: &Argument, build: Build<'g>) -> Result<Boxed<'g>> {
    let is_merge = step == "merge";
    if let Argument::Value(value) = argument {
        let is_map = matches!(value, Value::Map(_));
        if *value == Value::Null {
            return Err(ExecError::evaluation(format!("Argument provided for {step} step can't be null")));
        }
        if value.items().is_none() && !(is_merge && is_map) {
            return Err(ExecError::evaluation(format!(
                "{step} step can only take an array or an Iterable as an argument, encountered {}",
                value.class_name()
            )));
        }
    }
    let is_traversal = matches!(argument, Argument::Child(_));
    let mut argument = Given::new(argument, build)?;
    Ok(compute(false, move |cx, traverser, room| {
        if let (true, Value::Map(map)) = (is_merge, &traverser.value) {
            return match argument.get(cx, traverser)? {
                Some(Value::Map(other)) => Ok(Some(collections::merge(map, &other, room)?)),
                other => {
                    let class = other.unwrap_or_default().class_name();
                    Err(ExecError::evaluation(format!(
                        "{step} step expected provided argument to evaluate to a Map, encountered {class}"
                    )))
                }
            };
        }
        drop(incoming(step, &traverser.value)?);
        let other = argument.get(cx, traverser)?.unwrap_or_default();
        let Some(others) = other.items() else {
            let class = other.class_name();
            return Err(ExecError::evaluation(match (&other, is_traversal) {
                (Value::Null, _) => {
                    format!("traversal argument for {step} step must yield an iterable type, not null")
                }
                (_, true) => {
                    format!("traversal argument for {step} step must yield an iterable type, encountered {class}")
                }
                (_, false) => {
                    format!("{step} step type mismatch: expected argument to be Iterable but got Map")
                }
            }));
        };
        Ok(Some(function(incoming(step, &traverser.value)?, others, room)?))
    }))
}

/// Sorts the items of lists and sets and the entries of maps; other values stay.
fn order_local<'g>(by: &[By], build: Build<'g>) -> Result<Boxed<'g>> {
    let mut keys = Keys::new(by, build)?;
    Ok(compute(false, move |cx, traverser, room| {
        let items: Vec<Value> = match &traverser.value {
            Value::Map(map) => {
                room.take(map.len().saturating_mul(4 * size_of::<Value>()))?;
                map.iter().map(|(key, value)| Value::Entry(Arc::new((key.clone(), value.clone())))).collect()
            }
            Value::List(_) | Value::Set(_) | Value::BulkSet(_) => {
                let items = traverser.value.items().into_iter().flatten();
                let taken = items.map(|item| room.take(4 * size_of::<Value>()).map(|()| item.clone()));
                taken.collect::<std::result::Result<_, _>>()?
            }
            other => return Ok(Some(other.clone())),
        };
        let mut items: VecDeque<Traverser> = items.into_iter().map(|item| traverser.with(item).single()).collect();
        if keys.reads() {
            storage::load_queue(cx, &mut items)?;
        }
        let mut sorted = Vec::with_capacity(items.len());
        for item in items {
            cx.tick(1)?;
            if let Some(key) = keys.get(cx, &item)? {
                sorted.push((key, item.value));
            }
        }
        sorted.sort_by(|(a, _), (b, _)| keys.compare(a, b));
        let items = sorted.into_iter().map(|(_, item)| item);
        Ok(Some(if matches!(traverser.value, Value::Map(_)) {
            let pair =
                |entry| if let Value::Entry(pair) = entry { Some((pair.0.clone(), pair.1.clone())) } else { None };
            Value::map(items.filter_map(pair))
        } else {
            Value::list(items)
        }))
    }))
}
