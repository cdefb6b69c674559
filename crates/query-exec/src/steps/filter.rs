//! What keeps some and drops the rest.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use query_plan::{By, Op, Place, ScopeTest, Target, Text};
use query_value::{Pop, Predicate, Random, T, Value};
use rustc_hash::FxHashSet;

use super::each::{each, keep};
use crate::by::{ByEval, by_turn, items, scoped, token};
use crate::context::{Build, Cx, Held, Stage, rows};
use crate::error::{ExecError, ExecErrorKind, Result};
use crate::limits::ROWS_PER_CHECK;
use crate::pipe::Pipe;
use crate::storage::{self, Wanted};
use crate::traverser::{PathNode, Traverser};

pub(super) fn stage<'g>(op: &Op, build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    Ok(match op {
        Op::Has(target, predicate) => {
            let (target, predicate) = (target.clone(), predicate.clone());
            keep(reads(&target), move |cx, traverser| target_passes(cx, &target, &predicate, traverser))
        }
        Op::HasKey(key, wanted) => {
            let (keys, wanted) = ([key.clone()], *wanted);
            keep(true, move |cx, traverser| {
                let mut found = Vec::new();
                let stored = traverser.stored.as_ref();
                storage::properties(cx, &traverser.value, stored, &keys, Wanted::Values, &mut found)?;
                Ok(found.is_empty() != wanted)
            })
        }
        Op::HasChild(target, child) => {
            let (target, mut pipe) = (target.clone(), Pipe::new(child, build)?);
            keep(reads(&target), move |cx, traverser| {
                for value in target_values(cx, &target, traverser)? {
                    if pipe.first(cx, traverser.with(value).single())?.is_some() {
                        return Ok(true);
                    }
                }
                Ok(false)
            })
        }
        Op::Is(predicate) => {
            let predicate = predicate.clone();
            keep(false, move |_, traverser| Ok(predicate.test(&traverser.value)))
        }
        Op::Filter(child) => {
            let mut pipe = Pipe::new(child, build)?;
            keep(false, move |cx, traverser| Ok(pipe.first(cx, traverser.single())?.is_some()))
        }
        Op::Not(child) => {
            let mut pipe = Pipe::new(child, build)?;
            keep(false, move |cx, traverser| Ok(pipe.first(cx, traverser.single())?.is_none()))
        }
        Op::And(children) | Op::Or(children) => {
            let is_or = matches!(op, Op::Or(_));
            let mut pipes = children.iter().map(|child| Pipe::new(child, build)).collect::<Result<Vec<_>>>()?;
            keep(false, move |cx, traverser| {
                for pipe in &mut pipes {
                    if pipe.first(cx, traverser.single())?.is_some() == is_or {
                        return Ok(is_or);
                    }
                }
                Ok(!is_or)
            })
        }
        Op::Where(test) => scope_test(test, build)?,
        Op::ScopeStart(label) => {
            let label = label.clone();
            each(false, move |cx, traverser, out| {
                if let Some(value) = scoped(cx, Some(Pop::Last), &label, &traverser)? {
                    out.push(Traverser { value, stored: None, ..traverser });
                }
                Ok(())
            })
        }
        Op::ScopeEnd(label) => {
            let label = label.clone();
            keep(false, move |cx, traverser| {
                Ok(scoped(cx, Some(Pop::Last), &label, traverser)?.is_some_and(|value| value == traverser.value))
            })
        }
        Op::Any(predicate) => collection(predicate, |tests| tests.contains(&true)),
        Op::All(predicate) => collection(predicate, |tests| !tests.contains(&false)),
        Op::NoneOf(predicate) => collection(predicate, |tests| !tests.contains(&true)),
        Op::Dedup(labels, by) => Box::new(Dedup {
            labels: labels.clone(),
            by: ByEval::all(by, build)?,
            seen: FxHashSet::default(),
            held: Held::default(),
        }),
        Op::Coin(probability) => {
            let (probability, mut random) = (*probability, None);
            each(false, move |cx, mut traverser, out| {
                let random: &mut Random = random.get_or_insert_with(|| cx.new_random());
                let mut kept = 0;
                for at in 0..traverser.bulk {
                    kept += u64::from(probability >= random.double());
                    if at % ROWS_PER_CHECK == 0 {
                        cx.tick(ROWS_PER_CHECK)?;
                    }
                }
                traverser.bulk = kept;
                if traverser.bulk > 0 {
                    out.push(traverser);
                }
                Ok(())
            })
        }
        Op::TimeLimit(milliseconds) => {
            let limit = Duration::from_millis(u64::try_from(*milliseconds).unwrap_or_default());
            Box::new(TimeLimit { limit, started: None, is_over: false })
        }
        Op::PathTest(is_simple, place, by) => path_test(*is_simple, place, by, build)?,
        Op::Fail(message) => {
            let message = message.as_ref().map_or("fail() step triggered", Text::as_str).to_owned();
            each(false, move |_, _, _| {
                Err(ExecError { kind: ExecErrorKind::Fail, message: message.clone(), step: None })
            })
        }
        _ => keep(false, |_, _| Ok(false)),
    })
}

fn reads(target: &Target) -> bool {
    !matches!(target, Target::Token(T::Id | T::Key | T::Value))
}

/// The values of a property or part.
fn target_values(cx: &mut Cx<'_>, target: &Target, traverser: &Traverser) -> Result<Vec<Value>> {
    let stored = traverser.stored.as_ref();
    match target {
        Target::Token(part) => Ok(vec![token(cx, *part, &traverser.value, stored)?]),
        Target::Property(key) => {
            let mut found = Vec::new();
            storage::properties(cx, &traverser.value, stored, std::slice::from_ref(key), Wanted::Values, &mut found)?;
            Ok(found)
        }
    }
}

/// Whether a property or part of an element passes.
pub(super) fn target_passes(
    cx: &mut Cx<'_>,
    target: &Target,
    predicate: &Predicate,
    traverser: &Traverser,
) -> Result<bool> {
    if *target == Target::Token(T::Id)
        && let Some(id) = traverser.value.element_id()
    {
        return Ok(storage::id_passes(cx, predicate, id));
    }
    for value in target_values(cx, target, traverser)? {
        if predicate.test(&value) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn collection<'g>(predicate: &Predicate, decide: fn(&[bool]) -> bool) -> Box<dyn Stage<'g> + 'g> {
    let predicate = predicate.clone();
    keep(false, move |_, traverser| {
        if matches!(traverser.value, Value::Map(_)) {
            return Ok(false);
        }
        let Some(items) = items(&traverser.value) else { return Ok(false) };
        let tests: Vec<bool> = items.iter().map(|item| predicate.test(item)).collect();
        Ok(decide(&tests))
    })
}

/// A test against the values of labels.
fn scope_test<'g>(test: &ScopeTest, build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    let ScopeTest { start, predicate, by } = test.clone();
    let mut by = ByEval::all(&by, build)?;
    Ok(keep(false, move |cx, traverser| {
        let value = match &start {
            None => traverser.value.clone(),
            Some(label) => match scoped(cx, Some(Pop::Last), label, traverser)? {
                Some(value) => value,
                None => return Ok(false),
            },
        };
        let Some(value) = by_turn(&mut by, 0, cx, traverser, value)? else { return Ok(false) };
        let mut turn = 1;
        let Some(predicate) = resolve(cx, &predicate, traverser, &mut by, &mut turn)? else { return Ok(false) };
        Ok(predicate.test(&value))
    }))
}

/// A test with values in the place of labels; none if a label has no value.
fn resolve<'g>(
    cx: &mut Cx<'g>,
    predicate: &Predicate,
    traverser: &Traverser,
    by: &mut [ByEval<'g>],
    turn: &mut usize,
) -> Result<Option<Predicate>> {
    let mut one = |cx: &mut Cx<'g>, value: &Value, turn: &mut usize| -> Result<Option<Value>> {
        let Value::String(label) = value else { return Ok(Some(value.clone())) };
        let Some(found) = scoped(cx, Some(Pop::Last), label, traverser)? else { return Ok(None) };
        let at = *turn;
        *turn += 1;
        by_turn(by, at, cx, traverser, found)
    };
    Ok(match predicate {
        Predicate::Compare(comparison, value) => {
            one(cx, value, turn)?.map(|value| Predicate::Compare(*comparison, value))
        }
        Predicate::Range(interval, low, high) => {
            let (low, high) = (one(cx, low, turn)?, one(cx, high, turn)?);
            low.zip(high).map(|(low, high)| Predicate::Range(*interval, low, high))
        }
        Predicate::Within(values) | Predicate::Without(values) => {
            let mut all = Vec::new();
            for value in values.iter() {
                match one(cx, value, turn)? {
                    None => return Ok(None),
                    Some(found) => match items(&found) {
                        Some(items) if !matches!(found, Value::Map(_) | Value::Path(_)) => all.extend(items),
                        _ => all.push(found),
                    },
                }
            }
            let all = all.into_iter().collect();
            Some(if matches!(predicate, Predicate::Within(_)) {
                Predicate::Within(all)
            } else {
                Predicate::Without(all)
            })
        }
        Predicate::Text(..) | Predicate::Regex(..) | Predicate::TypeOf(_) => Some(predicate.clone()),
        Predicate::Not(inner) => resolve(cx, inner, traverser, by, turn)?.map(|inner| Predicate::Not(Box::new(inner))),
        Predicate::And(all) | Predicate::Or(all) => {
            let mut resolved = Vec::with_capacity(all.len());
            for inner in all {
                match resolve(cx, inner, traverser, by, turn)? {
                    Some(inner) => resolved.push(inner),
                    None => return Ok(None),
                }
            }
            Some(if matches!(predicate, Predicate::And(_)) {
                Predicate::And(resolved)
            } else {
                Predicate::Or(resolved)
            })
        }
    })
}

/// Keeps the first of equal ones.
struct Dedup<'g> {
    labels: Vec<Text>,
    by: Vec<ByEval<'g>>,
    seen: FxHashSet<Value>,
    held: Held,
}

impl<'g> Stage<'g> for Dedup<'g> {
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, out: &mut Vec<Traverser>) -> Result<()> {
        if self.by.iter().any(ByEval::reads) {
            storage::load_queue(cx, input)?;
        }
        for mut traverser in input.drain(..) {
            let key = if self.labels.is_empty() {
                match self.by.first_mut() {
                    None => Some(traverser.value.clone()),
                    Some(by) => by.get(cx, &traverser)?,
                }
            } else {
                let mut all = Vec::with_capacity(self.labels.len());
                for label in &self.labels {
                    let Some(value) = scoped(cx, Some(Pop::Last), label, &traverser)? else { break };
                    let Some(value) = by_turn(&mut self.by, 0, cx, &traverser, value)? else { break };
                    all.push(value);
                }
                (all.len() == self.labels.len()).then(|| Value::from(all))
            };
            let Some(key) = key else { continue };
            if self.seen.insert(key) {
                traverser.bulk = 1;
                self.held.more(cx, rows(&traverser.value))?;
                out.push(traverser);
            }
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.seen.clear();
        self.held.drop_all();
    }
}

/// Keeps what comes in time.
struct TimeLimit {
    limit: Duration,
    started: Option<Instant>,
    is_over: bool,
}

impl<'g> Stage<'g> for TimeLimit {
    fn process(&mut self, _: &mut Cx<'g>, input: &mut VecDeque<Traverser>, out: &mut Vec<Traverser>) -> Result<()> {
        let started = *self.started.get_or_insert_with(Instant::now);
        self.is_over = started.elapsed() >= self.limit;
        if !self.is_over {
            out.extend(input.drain(..));
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.is_over
    }

    fn reset(&mut self) {
        (self.started, self.is_over) = (None, false);
    }
}

/// The objects of a path between two labels.
pub(super) fn part<'p>(path: Option<&'p Arc<PathNode>>, place: &Place) -> Vec<&'p PathNode> {
    let mut nodes: Vec<&PathNode> = path.into_iter().flat_map(|path| path.backwards()).collect();
    nodes.reverse();
    let find = |label: &Option<Text>| label.as_ref().and_then(|label| nodes.iter().rposition(|node| node.has(label)));
    let (from, to) = (find(&place.from).unwrap_or(0), find(&place.to));
    let to = to.map_or(nodes.len(), |to| to + 1);
    nodes.truncate(to);
    nodes.drain(..from.min(nodes.len()));
    nodes
}

fn path_test<'g>(is_simple: bool, place: &Place, by: &[By], build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    let (place, mut by) = (place.clone(), ByEval::all(by, build)?);
    Ok(keep(false, move |cx, traverser| {
        let mut seen = FxHashSet::default();
        for (at, node) in part(traverser.path(), &place).into_iter().enumerate() {
            let Some(value) = by_turn(&mut by, at, cx, traverser, node.value.clone())? else { return Ok(false) };
            if !seen.insert(value) {
                return Ok(!is_simple);
            }
        }
        Ok(is_simple)
    }))
}
