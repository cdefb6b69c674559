//! Scripts: statements one after the other, expressions, and the results of the last one.

mod methods;
mod schema_calls;

use std::sync::Arc;

use gremlin::{Bytecode, Expression, Resolve, Script, Source, Statement, Target, Terminal, Text, TransactionCall};
use query_plan::Plan;
use query_value::{Set, Value};

use crate::advice::explain;
use crate::error::{QueryError, QueryErrorKind};
use crate::limits::{LIST_ITEMS_MAX, ROWS_PER_BATCH};
use crate::names::Names;
use crate::request::{QueryRequest, Sink};
use crate::rights;
use crate::running::Registered;
use crate::slot::{Slot, Variables};
use crate::unit::{Flow, Unit};

/// What a script works with.
pub(crate) struct Evaluator<'e, 'g> {
    pub(crate) unit: &'e mut Unit<'g>,
    pub(crate) names: &'e Names<'e>,
    pub(crate) request: &'e QueryRequest,
    pub(crate) variables: &'e mut Variables,
    pub(crate) running: &'e Registered<'e>,
    pub(crate) sink: &'e mut dyn Sink,
}

impl Evaluator<'_, '_> {
    /// Carries out a script and gives the results of its last statement to the sink.
    pub(crate) fn run(&mut self, script: &Script) -> Result<(), QueryError> {
        let mut last = None;
        for statement in &script.statements {
            match statement {
                Statement::Expression(expression) => last = Some(self.evaluate(expression)?),
                Statement::Return(expression) => {
                    last = Some(self.evaluate(expression)?);
                    break;
                }
                Statement::Assign { target, value } => {
                    let slot = self.evaluate(value)?;
                    self.assign(target, slot.clone())?;
                    last = Some(slot);
                }
            }
        }
        match last {
            Some(slot) => self.give(slot),
            None => Ok(()),
        }
    }

    /// Gives what a script comes to to the sink: a traversal's results, a collection's items, or the one value.
    fn give(&mut self, slot: Slot) -> Result<(), QueryError> {
        let value = match slot {
            Slot::Query(plan) => return self.stream(&plan),
            Slot::Value(value) => value,
            other => self.text_of(&other).into(),
        };
        match &value {
            Value::List(items) => self.give_all(items.iter().map(|item| (item.clone(), 1))),
            Value::Set(items) => self.give_all(items.iter().map(|item| (item.clone(), 1))),
            Value::BulkSet(items) => self.give_all(items.iter().map(|(item, count)| (item.clone(), *count))),
            Value::Map(pairs) => {
                let entry = |(key, value): (&Value, &Value)| (Value::Entry(Arc::new((key.clone(), value.clone()))), 1);
                self.give_all(pairs.iter().map(entry))
            }
            _ => self.give_all(std::iter::once((value.clone(), 1))),
        }
    }

    fn give_all(&mut self, rows: impl Iterator<Item = (Value, u64)>) -> Result<(), QueryError> {
        let mut rows = rows.peekable();
        while rows.peek().is_some() {
            let batch: Vec<_> = rows.by_ref().take(ROWS_PER_BATCH).collect();
            hand_on(self.sink, self.running, batch)?;
        }
        Ok(())
    }

    fn stream(&mut self, plan: &Arc<Plan>) -> Result<(), QueryError> {
        self.running.set_plan(plan);
        let _execute = traces::enter("execute");
        let Self { unit, sink, running, .. } = self;
        unit.run(plan, ROWS_PER_BATCH, &mut |rows| {
            hand_on(&mut **sink, running, rows)?;
            Ok(Flow::Continue)
        })
    }

    /// What an expression yields.
    pub(crate) fn evaluate(&mut self, expression: &Expression) -> Result<Slot, QueryError> {
        match expression {
            Expression::Value(value) => self.literal(value),
            Expression::Variable(name) => self.variable(name),
            Expression::Query(query) => {
                if query.bytecode.source.is_empty() && query.bytecode.steps.is_empty() && query.terminal.is_none() {
                    return Ok(Slot::Source);
                }
                let plan = self.plan(&query.bytecode)?;
                match query.terminal {
                    None => Ok(Slot::Query(plan)),
                    Some(terminal) => self.finish(&plan, terminal),
                }
            }
            Expression::Transaction(_, call) => self.transaction(*call),
            Expression::Schema { graph, calls } => {
                let is_own = self.names.of_variable(graph).is_some()
                    || matches!(self.variables.get(graph), Some(Slot::Graph | Slot::Schema));
                if !is_own {
                    return Err(unknown(graph));
                }
                let is_read = calls.iter().all(|call| call.name.starts_with("get"));
                let permission = if is_read { auth::Permission::Read } else { auth::Permission::Write };
                rights::check_schema(&self.request.caller, self.unit.graph().name(), permission)?;
                self.schema(calls)
            }
            Expression::Method { target, method, arguments, .. } => self.method(target, *method, arguments),
            Expression::Entry(target, key) => {
                let target = self.evaluate(target)?;
                let key = self.plain(key)?;
                self.entry(&target, &key)
            }
        }
    }

    fn literal(&mut self, value: &gremlin::Value) -> Result<Slot, QueryError> {
        match value.to_plain() {
            Ok(value) => Ok(Slot::Value(value)),
            Err(_) => {
                let resolved = self.resolved(value)?;
                Ok(resolved.to_plain().map_or(Slot::Argument(resolved), Slot::Value))
            }
        }
    }

    /// A value without expressions in it.
    fn resolved(&mut self, value: &gremlin::Value) -> Result<gremlin::Value, QueryError> {
        use gremlin::Value as Argument;
        let all = |this: &mut Self, items: &[Argument]| -> Result<Vec<_>, QueryError> {
            items.iter().map(|item| this.resolved(item)).collect()
        };
        Ok(match value {
            Argument::Deferred(expression) => {
                let slot = self.evaluate(expression)?;
                argument(&slot)?
            }
            Argument::List(items) => Argument::List(all(self, items)?),
            Argument::Set(items) => Argument::Set(all(self, items)?),
            Argument::Map(pairs) => {
                let mut resolved = Vec::with_capacity(pairs.len());
                for (key, value) in pairs {
                    resolved.push((self.resolved(key)?, self.resolved(value)?));
                }
                Argument::Map(resolved)
            }
            other => other.clone(),
        })
    }

    /// An argument that has to be a value.
    pub(crate) fn plain(&mut self, value: &gremlin::Value) -> Result<Value, QueryError> {
        match self.literal(value)? {
            Slot::Value(value) => Ok(value),
            other => Err(QueryError::evaluation(format!("expected a value, found {}", other.kind()))),
        }
    }

    fn variable(&mut self, name: &Text) -> Result<Slot, QueryError> {
        if let Some(slot) = self.variables.get(name) {
            return Ok(slot.clone());
        }
        if let Some(value) = self.request.bindings.get(name) {
            return Ok(value.to_plain().map_or_else(|_| Slot::Argument(value.clone()), Slot::Value));
        }
        if self.names.of_variable(name).is_some() {
            return Ok(Slot::Graph);
        }
        if self.names.of_source(&Source::Named(name.clone())).is_ok() {
            return Ok(Slot::Source);
        }
        Err(unknown(name))
    }

    /// The plan of a traversal, with the values of what its arguments name.
    pub(crate) fn plan(&mut self, bytecode: &Bytecode) -> Result<Arc<Plan>, QueryError> {
        let _plan = traces::enter("plan");
        if let crate::request::Program::Text(text) = &self.request.program {
            traces::note_query(text);
        }
        let mut resolver = Resolver { evaluator: self, failed: None };
        let lowered = gremlin::lower(bytecode, &mut resolver);
        if let Some(error) = resolver.failed {
            return Err(error);
        }
        let traversal = lowered.map_err(|error| self.located(error))?;
        let plan = gremlin_plan::plan(&traversal);
        plan.map(Arc::new).map_err(|error| QueryError::new(QueryErrorKind::Syntax, error.to_string()))
    }

    fn located(&self, error: gremlin::Error) -> QueryError {
        match &self.request.program {
            crate::request::Program::Text(text) => error.located(text).into(),
            crate::request::Program::Bytecode(_) => error.into(),
        }
    }

    /// What a terminal method makes of a traversal.
    pub(crate) fn finish(&mut self, plan: &Arc<Plan>, terminal: Terminal) -> Result<Slot, QueryError> {
        self.running.set_plan(plan);
        let _execute = traces::enter("execute");
        let value = match terminal {
            Terminal::Next(None) => {
                let first = self.unit.first(plan, 1)?.into_iter().next();
                first.ok_or_else(|| QueryError::evaluation("next(): the traversal has no result"))?
            }
            Terminal::Next(Some(count)) => {
                Value::list(self.unit.first(plan, usize::try_from(count).unwrap_or_default())?)
            }
            Terminal::ToList => Value::list(repeated(self.unit.collect(plan, LIST_ITEMS_MAX)?)?),
            Terminal::ToSet => {
                let rows = self.unit.collect(plan, LIST_ITEMS_MAX)?;
                Value::Set(Arc::new(rows.into_iter().map(|(value, _)| value).collect::<Set>()))
            }
            Terminal::ToBulkSet => {
                let mut counts = query_value::BulkSet::new();
                for (value, times) in self.unit.collect(plan, LIST_ITEMS_MAX)? {
                    let count: &mut u64 = counts.entry(value).or_default();
                    *count = count.saturating_add(times);
                }
                Value::BulkSet(Arc::new(counts))
            }
            Terminal::Iterate => {
                self.unit.run(plan, ROWS_PER_BATCH, &mut |_| Ok(Flow::Continue))?;
                // The traversal at its end: nothing comes of it.
                Value::list([])
            }
            Terminal::HasNext => Value::Bool(!self.unit.first(plan, 1)?.is_empty()),
            Terminal::TryNext => self.unit.first(plan, 1)?.into_iter().next().unwrap_or_default(),
            Terminal::Explain => Value::String(explain(plan, self.unit.graph()).into()),
        };
        Ok(Slot::Value(value))
    }

    fn transaction(&mut self, call: TransactionCall) -> Result<Slot, QueryError> {
        let value = match call {
            TransactionCall::Begin => Value::list([]),
            TransactionCall::Commit => {
                self.unit.commit()?;
                Value::list([])
            }
            TransactionCall::Rollback => {
                self.unit.roll_back();
                Value::list([])
            }
            TransactionCall::IsOpen => Value::Bool(self.unit.is_open()),
        };
        Ok(Slot::Value(value))
    }

    fn assign(&mut self, target: &Target, slot: Slot) -> Result<(), QueryError> {
        match target {
            Target::Variable(name) => self.variables.set(name, slot),
            Target::Entry(collection, key) => {
                let key = self.plain(key)?;
                let Slot::Value(value) = slot else {
                    return Err(QueryError::evaluation(format!("{} cannot be put into a map", slot.kind())));
                };
                self.assign_entry(collection, key, value)
            }
        }
    }

    /// Sets an entry of what an expression yields, in the variable that holds it.
    pub(crate) fn assign_entry(&mut self, holder: &Expression, key: Value, value: Value) -> Result<(), QueryError> {
        let Slot::Value(mut held) = self.evaluate(holder)? else {
            return Err(QueryError::evaluation("only maps and lists have entries that can be set"));
        };
        set_entry(&mut held, key, value)?;
        self.store(holder, held)
    }

    /// Puts a changed collection back where it came from.
    pub(crate) fn store(&mut self, holder: &Expression, changed: Value) -> Result<(), QueryError> {
        match holder {
            Expression::Variable(name) => self.variables.set(name, Slot::Value(changed)),
            Expression::Entry(outer, key) => {
                let key = self.plain(key)?;
                self.assign_entry(outer, key, changed)
            }
            // Nothing can look at it again.
            _ => Ok(()),
        }
    }

    /// An entry of a map or a list, or a property of an element.
    pub(crate) fn entry(&mut self, target: &Slot, key: &Value) -> Result<Slot, QueryError> {
        let Slot::Value(value) = target else {
            return Err(QueryError::evaluation(format!("{} has no entries", target.kind())));
        };
        let found = match value {
            Value::Map(pairs) => pairs.get(key).cloned(),
            Value::List(items) => at(items.len(), key).and_then(|at| items.get(at).cloned()),
            Value::Set(items) => at(items.len(), key).and_then(|at| items.get_index(at).cloned()),
            _ => return Err(QueryError::evaluation(format!("{} has no entries", value.kind()))),
        };
        // As in Groovy, what is not there is null.
        Ok(Slot::Value(found.unwrap_or_default()))
    }

    /// What is seen of something that is no value.
    pub(crate) fn text_of(&self, slot: &Slot) -> Text {
        let name = self.unit.graph().name();
        match slot {
            Slot::Value(value) => crate::text::text(value).into(),
            Slot::Argument(value) => value.kind().into(),
            Slot::Query(plan) => query_plan::explain(plan).into(),
            Slot::Source => format!("graphtraversalsource[{name}]").into(),
            Slot::Graph | Slot::Schema => format!("graph[{name}]").into(),
        }
    }
}

fn hand_on(sink: &mut dyn Sink, running: &Registered<'_>, rows: Vec<(Value, u64)>) -> Result<(), QueryError> {
    let count = rows.iter().map(|(_, times)| *times).fold(0, u64::saturating_add);
    match sink.take(rows) {
        Ok(bytes) => {
            running.add(count, bytes);
            Ok(())
        }
        Err(_) => Err(QueryError::access(graph_model::ErrorKind::Cancelled, "the client is gone")),
    }
}

fn unknown(name: &str) -> QueryError {
    QueryError::new(QueryErrorKind::UnknownName, format!("there is no variable, graph or traversal source '{name}'"))
}

/// The position that a key means; negative ones count from the end.
fn at(len: usize, key: &Value) -> Option<usize> {
    let at = key.as_i64()?;
    if at < 0 { len.checked_sub(usize::try_from(at.unsigned_abs()).ok()?) } else { usize::try_from(at).ok() }
}

fn set_entry(held: &mut Value, key: Value, value: Value) -> Result<(), QueryError> {
    match held {
        Value::Map(pairs) => {
            Arc::make_mut(pairs).insert(key, value);
            Ok(())
        }
        Value::List(items) => {
            let index = at(items.len(), &key);
            let items = Arc::make_mut(items);
            let len = items.len();
            match index.and_then(|index| items.get_mut(index)) {
                Some(item) => *item = value,
                None if index == Some(len) => items.push(value),
                None => {
                    return Err(QueryError::evaluation(format!("the list has {len} items, and none at that place")));
                }
            }
            Ok(())
        }
        other => Err(QueryError::evaluation(format!("{} has no entries that can be set", other.kind()))),
    }
}

/// Values as often as they occur.
pub(crate) fn repeated(rows: Vec<(Value, u64)>) -> Result<Vec<Value>, QueryError> {
    let total = rows.iter().map(|(_, times)| *times).fold(0, u64::saturating_add);
    if total > LIST_ITEMS_MAX as u64 {
        let message = format!("a list of a script may have {LIST_ITEMS_MAX} items (LIST_ITEMS_MAX)");
        return Err(QueryError::access(graph_model::ErrorKind::LimitExceeded, message));
    }
    let each = |(value, times): (Value, u64)| std::iter::repeat_n(value, usize::try_from(times).unwrap_or(usize::MAX));
    Ok(rows.into_iter().flat_map(each).collect())
}

/// What an expression yields, as an argument of a step.
pub(crate) fn argument(slot: &Slot) -> Result<gremlin::Value, QueryError> {
    match slot {
        Slot::Value(value) => Ok(gremlin::Value::from_plain(value)?),
        Slot::Argument(value) => Ok(value.clone()),
        other => Err(QueryError::evaluation(format!("{} cannot be an argument of a step", other.kind()))),
    }
}

/// Evaluates what arguments name while a traversal is lowered.
struct Resolver<'r, 'e, 'g> {
    evaluator: &'r mut Evaluator<'e, 'g>,
    failed: Option<QueryError>,
}

impl Resolve for Resolver<'_, '_, '_> {
    fn resolve(&mut self, expression: &Expression) -> Result<gremlin::Value, gremlin::ErrorKind> {
        let value = self.evaluator.evaluate(expression).and_then(|slot| argument(&slot));
        value.map_err(|error| {
            self.failed = Some(error);
            gremlin::ErrorKind::NotEvaluated { what: expression.kind() }
        })
    }
}
