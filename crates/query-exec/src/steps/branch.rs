//! What runs nested pipelines for each traverser.

use std::collections::VecDeque;

use query_plan::{Branches, Case, Choice, Op, Pipeline, PipelineFacts as _};
use query_value::{Pick, Predicate, Value, equals};

use super::each::{each, keep};
use crate::by::ByEval;
use crate::context::{Build, Cx, Stage};
use crate::error::Result;
use crate::pipe::Pipe;
use crate::traverser::Traverser;

pub(super) fn stage<'g>(op: &Op, build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    Ok(match op {
        Op::Map(child) => {
            let mut pipe = Pipe::new(child, build)?;
            each(false, move |cx, traverser, out| {
                let result = pipe.first(cx, traverser.single())?;
                out.extend(result.map(|result| carry(&traverser, result)));
                Ok(())
            })
        }
        Op::FlatMap(child) => {
            let mut pipe = Pipe::new(child, build)?;
            each(false, move |cx, traverser, out| {
                pipe.reset();
                pipe.push(traverser.single());
                let mut results = Vec::new();
                pipe.drain(cx, &mut results)?;
                out.extend(results.into_iter().map(|result| carry(&traverser, result)));
                Ok(())
            })
        }
        Op::Coalesce(children) => {
            let mut pipes = children.iter().map(|child| Pipe::new(child, build)).collect::<Result<Vec<_>>>()?;
            each(false, move |cx, traverser, out| {
                for pipe in &mut pipes {
                    pipe.reset();
                    pipe.push(traverser.single());
                    let mut results = Vec::new();
                    pipe.drain(cx, &mut results)?;
                    if !results.is_empty() {
                        out.extend(results.into_iter().map(|result| carry(&traverser, result)));
                        break;
                    }
                }
                Ok(())
            })
        }
        Op::Local(child) => {
            let mut pipe = Pipe::new(child, build)?;
            each(false, move |cx, traverser, out| {
                // A bulk is split: what counts within counts each.
                for _ in 0..traverser.bulk {
                    pipe.reset();
                    pipe.push(traverser.single());
                    pipe.drain(cx, out)?;
                    cx.tick(1)?;
                }
                Ok(())
            })
        }
        Op::SideEffect(child) => {
            let mut pipe = Pipe::new(child, build)?;
            each(false, move |cx, traverser, out| {
                pipe.reset();
                pipe.push(traverser.clone());
                while pipe.next(cx)?.is_some() {}
                out.push(traverser);
                Ok(())
            })
        }
        Op::Optional(child) => {
            let mut pipe = Pipe::new(child, build)?;
            each(false, move |cx, traverser, out| {
                pipe.reset();
                pipe.push(traverser.clone());
                let before = out.len();
                pipe.drain(cx, out)?;
                if out.len() == before {
                    out.push(traverser);
                }
                Ok(())
            })
        }
        Op::Union(children, is_start) => {
            let has_barrier = children.iter().any(Pipeline::has_barrier);
            let pipes = children.iter().map(|child| Pipe::new(child, build)).collect::<Result<_>>()?;
            let starts = children.iter().map(|child| *is_start && !is_source(child)).collect();
            Box::new(Union { pipes, is_start: *is_start, starts, is_begun: false, has_barrier, at: 0 })
        }
        Op::Choose(branches) => Box::new(Choose::new(branches, build)?),
        _ => keep(false, |_, _| Ok(true)),
    })
}

/// A result of a nested pipeline as a value of the outer one: with the outer path, as often as the outer was there.
fn carry(outer: &Traverser, result: Traverser) -> Traverser {
    let mut carried = outer.with(result.value);
    carried.bulk = outer.bulk.saturating_mul(result.bulk);
    carried.stored = result.stored;
    if let Some(sack) = result.state.and_then(|state| state.sack) {
        carried.state_mut().sack = Some(sack);
    }
    carried
}

/// Whether a pipeline begins a query; others are given something to begin with.
fn is_source(pipeline: &Pipeline) -> bool {
    match pipeline.nodes.first().map(|node| &node.op) {
        Some(Op::Scan(scan)) => scan.is_start,
        Some(Op::Inject(_, is_start) | Op::Union(_, is_start)) => *is_start,
        Some(Op::AddVertex(add)) => add.is_start,
        Some(Op::AddEdge(add)) => add.is_start,
        Some(Op::MergeVertex(merge) | Op::MergeEdge(merge)) => merge.is_start,
        Some(Op::Call(call)) => call.is_start,
        _ => false,
    }
}

/// All results of several pipelines.
struct Union<'g> {
    pipes: Vec<Pipe<'g>>,
    is_start: bool,
    /// Which pipelines are given something to begin with.
    starts: Vec<bool>,
    is_begun: bool,
    /// Whether the pipelines take all input before they give anything.
    has_barrier: bool,
    at: usize,
}

impl<'g> Stage<'g> for Union<'g> {
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, out: &mut Vec<Traverser>) -> Result<()> {
        if self.is_start {
            out.extend(input.drain(..));
            return Ok(());
        }
        for traverser in input.drain(..) {
            for pipe in &mut self.pipes {
                pipe.push(traverser.clone());
                if !self.has_barrier {
                    pipe.drain(cx, out)?;
                }
            }
        }
        self.at = 0;
        Ok(())
    }

    fn finish(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<bool> {
        if !self.is_start && !self.has_barrier {
            return Ok(false);
        }
        if !std::mem::replace(&mut self.is_begun, true) {
            for (pipe, starts) in self.pipes.iter_mut().zip(&self.starts) {
                if *starts {
                    pipe.push(cx.fresh(Value::Null));
                }
            }
        }
        while let Some(pipe) = self.pipes.get_mut(self.at) {
            if let Some(result) = pipe.next(cx)? {
                out.push(result);
                return Ok(true);
            }
            self.at += 1;
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.at = 0;
        self.is_begun = false;
        self.pipes.iter_mut().for_each(Pipe::reset);
    }
}

enum ChoiceEval<'g> {
    Test(Pipe<'g>),
    Predicate(Predicate),
    Value(ByEval<'g>),
}

enum When<'g> {
    Test(Pipe<'g>),
    Value(Value),
    Predicate(Predicate),
    Pick(Pick),
}

/// One of several pipelines, or several.
struct Choose<'g> {
    choice: ChoiceEval<'g>,
    cases: Vec<(When<'g>, Pipe<'g>)>,
    is_first: bool,
    has_barrier: bool,
    at: usize,
}

impl<'g> Choose<'g> {
    fn new(branches: &Branches, build: Build<'g>) -> Result<Self> {
        let choice = match &branches.choice {
            Choice::Test(child) => ChoiceEval::Test(Pipe::new(child, build)?),
            Choice::Predicate(predicate) => ChoiceEval::Predicate(predicate.clone()),
            Choice::Value(by) => ChoiceEval::Value(ByEval::new(by, build)?),
        };
        let mut cases = Vec::with_capacity(branches.cases.len());
        let mut has_barrier = false;
        for case in &branches.cases {
            let (when, child) = match case {
                Case::Value(value, child) => (When::Value(value.clone()), child),
                Case::Predicate(predicate, child) => (When::Predicate(predicate.clone()), child),
                Case::Pick(pick, child) => (When::Pick(*pick), child),
                Case::Test(test, child) => (When::Test(Pipe::new(test, build)?), child),
            };
            has_barrier |= child.has_barrier();
            cases.push((when, Pipe::new(child, build)?));
        }
        Ok(Self { choice, cases, is_first: branches.is_first, has_barrier, at: 0 })
    }

    /// The cases that a traverser takes.
    fn chosen(&mut self, cx: &mut Cx<'g>, traverser: &Traverser) -> Result<Vec<usize>> {
        let value = match &mut self.choice {
            ChoiceEval::Test(pipe) => Some(Value::Bool(pipe.first(cx, traverser.single())?.is_some())),
            ChoiceEval::Predicate(predicate) => Some(Value::Bool(predicate.test(&traverser.value))),
            ChoiceEval::Value(by) => by.get(cx, traverser)?,
        };
        let mut chosen = Vec::new();
        if let Some(value) = &value {
            for (at, (when, _)) in self.cases.iter_mut().enumerate() {
                let fits = match when {
                    When::Test(pipe) => pipe.first(cx, traverser.with(value.clone()).single())?.is_some(),
                    When::Value(wanted) => equals(value, wanted),
                    When::Predicate(predicate) => predicate.test(value),
                    When::Pick(_) => false,
                };
                if fits && (!self.is_first || chosen.is_empty()) {
                    chosen.push(at);
                }
            }
        }
        let picks = |wanted: Pick| {
            let is_wanted = move |when: &When<'_>| matches!(when, When::Pick(pick) if *pick == wanted);
            self.cases.iter().enumerate().filter(move |(_, (when, _))| is_wanted(when)).map(|(at, _)| at)
        };
        if value.is_none() {
            chosen.extend(picks(Pick::Unproductive));
        }
        if chosen.is_empty() && value.is_some() {
            chosen.extend(picks(Pick::None));
        }
        if !self.is_first {
            if value.is_none() && chosen.is_empty() {
                chosen.extend(picks(Pick::None));
            }
            chosen.extend(picks(Pick::Any));
        } else {
            chosen.truncate(1);
        }
        Ok(chosen)
    }
}

impl<'g> Stage<'g> for Choose<'g> {
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, out: &mut Vec<Traverser>) -> Result<()> {
        for traverser in input.drain(..) {
            let chosen = self.chosen(cx, &traverser)?;
            if chosen.is_empty() && self.is_first {
                out.push(traverser);
                continue;
            }
            for at in chosen {
                let Some((_, pipe)) = self.cases.get_mut(at) else { continue };
                pipe.push(traverser.clone());
                if !self.has_barrier {
                    pipe.drain(cx, out)?;
                }
            }
        }
        self.at = 0;
        Ok(())
    }

    fn finish(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<bool> {
        if self.has_barrier {
            while let Some((_, pipe)) = self.cases.get_mut(self.at) {
                if pipe.is_used() {
                    pipe.drain(cx, out)?;
                }
                self.at += 1;
            }
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.at = 0;
        self.cases.iter_mut().for_each(|(_, pipe)| pipe.reset());
    }
}
