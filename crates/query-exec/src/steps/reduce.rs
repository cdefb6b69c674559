//! What makes one value of many: of all traversers, or of the items of each.

use std::collections::VecDeque;

use query_plan::Op;
use query_value::{Operator, Scope, Value};

use super::each::each;
use crate::by::items;
use crate::context::{Cx, Held, Stage, rows};
use crate::error::Result;
use crate::limits::TRAVERSER_BYTES;
use crate::semantics;
use crate::traverser::Traverser;

pub(super) fn stage<'g>(op: &Op) -> Box<dyn Stage<'g> + 'g> {
    let kind = match op {
        Op::Fold(Some((seed, operator))) => Kind::FoldWith(seed.clone(), *operator),
        Op::Fold(None) => Kind::Fold,
        Op::Count(_) => Kind::Count,
        Op::Sum(_) => Kind::Sum,
        Op::Min(_) => Kind::Min,
        Op::Max(_) => Kind::Max,
        _ => Kind::Mean,
    };
    let (Op::Count(scope) | Op::Sum(scope) | Op::Min(scope) | Op::Max(scope) | Op::Mean(scope)) = op else {
        return Box::new(ReduceStage { state: State::of(&kind), kind, is_given: false, held: Held::default() });
    };
    if *scope == Scope::Global {
        return Box::new(ReduceStage { state: State::of(&kind), kind, is_given: false, held: Held::default() });
    }
    each(false, move |cx, traverser, out| {
        let mut state = State::of(&kind);
        let value = match (&kind, &traverser.value) {
            (Kind::Count, Value::Map(map)) => Some(count_value(map.len())),
            (Kind::Count, Value::Tree(tree)) => Some(count_value(tree.0.len())),
            (Kind::Count, value) => Some(count_value(items(value).map_or(1, |items| items.len()))),
            (_, value) => {
                for item in items(value).unwrap_or_else(|| vec![value.clone()]) {
                    state.add(cx, &kind, &item, 1)?;
                }
                state.result(&kind)?
            }
        };
        out.extend(value.map(|value| traverser.with(value)));
        Ok(())
    })
}

fn count_value(count: usize) -> Value {
    Value::Long(i64::try_from(count).unwrap_or(i64::MAX))
}

enum Kind {
    Fold,
    FoldWith(Value, Operator),
    Count,
    Sum,
    Min,
    Max,
    Mean,
}

#[derive(Default)]
struct State {
    list: Vec<Value>,
    value: Option<Value>,
    count: u64,
    /// Nulls do not count, but they are the result where there is nothing else.
    has_null: bool,
}

impl State {
    fn of(kind: &Kind) -> Self {
        let value = if let Kind::FoldWith(seed, _) = kind { Some(seed.clone()) } else { None };
        Self { value, ..Self::default() }
    }

    fn add(&mut self, cx: &mut Cx<'_>, kind: &Kind, value: &Value, bulk: u64) -> Result<()> {
        match kind {
            Kind::Fold => {
                let times = usize::try_from(bulk).unwrap_or(usize::MAX);
                self.list.extend(std::iter::repeat_n(value.clone(), times));
            }
            Kind::FoldWith(_, operator) => {
                for _ in 0..bulk {
                    cx.tick(1)?;
                    let old = self.value.take().unwrap_or_default();
                    self.value = Some(semantics::apply(*operator, &old, value)?);
                }
            }
            Kind::Count => semantics::add_bulk(&mut self.count, bulk)?,
            Kind::Sum | Kind::Mean => {
                if *value == Value::Null {
                    self.has_null = true;
                    return Ok(());
                }
                let term = semantics::times(value, bulk)?;
                self.value = Some(match self.value.take() {
                    None => term,
                    Some(sum) => semantics::apply(Operator::Sum, &sum, &term)?,
                });
                semantics::add_bulk(&mut self.count, bulk)?;
            }
            Kind::Min | Kind::Max => {
                if *value == Value::Null {
                    self.has_null = true;
                    return Ok(());
                }
                let operator = if matches!(kind, Kind::Min) { Operator::Min } else { Operator::Max };
                self.value = Some(match self.value.take() {
                    None => value.clone(),
                    Some(old) => semantics::apply(operator, &old, value)?,
                });
            }
        }
        Ok(())
    }

    fn result(&mut self, kind: &Kind) -> Result<Option<Value>> {
        let null = self.has_null.then_some(Value::Null);
        Ok(match kind {
            Kind::Fold => Some(Value::from(std::mem::take(&mut self.list))),
            Kind::Count => Some(Value::Long(i64::try_from(self.count).unwrap_or(i64::MAX))),
            Kind::FoldWith(..) => self.value.take(),
            Kind::Sum | Kind::Min | Kind::Max => self.value.take().or(null),
            Kind::Mean => match self.value.take() {
                None => null,
                Some(sum) => Some(semantics::mean(&sum, self.count)?),
            },
        })
    }
}

struct ReduceStage {
    kind: Kind,
    state: State,
    is_given: bool,
    held: Held,
}

impl<'g> Stage<'g> for ReduceStage {
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, _: &mut Vec<Traverser>) -> Result<()> {
        self.is_given = false;
        for traverser in input.drain(..) {
            if matches!(self.kind, Kind::Fold) {
                let rows = rows(&traverser.value).saturating_mul(traverser.bulk);
                self.held.more(cx, rows)?;
            }
            self.state.add(cx, &self.kind, &traverser.value, traverser.bulk)?;
        }
        Ok(())
    }

    fn finish(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<bool> {
        if !self.is_given {
            self.is_given = true;
            let result = self.state.result(&self.kind)?;
            // A list is counted for as long as it is alive.
            let held = self.held.end(cx);
            if let Some(value) = result {
                cx.made(&value, held.saturating_mul(TRAVERSER_BYTES))?;
                out.push(cx.fresh(value));
            }
            self.state = State::of(&self.kind);
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.state = State::of(&self.kind);
        self.is_given = false;
        self.held.drop_all();
    }
}
