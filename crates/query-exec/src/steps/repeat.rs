//! Loops.
//!
//! All inputs go round together, so steps that take everything see a whole round, and equal traversers are counted as
//! one. Where effects of single traversers can be observed and each result depends on one input alone, one input after
//! the other goes through all its rounds.

use std::collections::VecDeque;

use query_plan::{OpFacts as _, Paths, Repeat, Text};
use rustc_hash::FxHashMap;

use super::range::add_bulked;
use crate::context::{Build, Cx, Stage};
use crate::error::{ExecError, Result};
use crate::limits::ROUNDS_MAX;
use crate::pipe::Pipe;
use crate::traverser::{Round, Traverser};

pub(super) fn stage<'g>(repeat: &Repeat, build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    let pipe = |child: &Option<query_plan::Pipeline>| child.as_ref().map(|child| Pipe::new(child, build)).transpose();
    Ok(Box::new(RepeatStage {
        name: repeat.name.clone(),
        body: Pipe::new(&repeat.body, build)?,
        until: pipe(&repeat.until)?,
        times: repeat.times.map(|times| u32::try_from(times.max(0)).unwrap_or(u32::MAX)),
        until_first: repeat.until_first,
        emit: pipe(&repeat.emit)?,
        emit_first: repeat.emit_first,
        is_row_wise: repeat.body.nodes.iter().all(|node| node.op.is_row_wise()),
        level: Vec::new(),
    }))
}

struct RepeatStage<'g> {
    name: Option<Text>,
    body: Pipe<'g>,
    until: Option<Pipe<'g>>,
    times: Option<u32>,
    until_first: bool,
    emit: Option<Pipe<'g>>,
    emit_first: bool,
    is_row_wise: bool,
    /// What goes into the next round, where inputs go round together.
    level: Vec<Traverser>,
}

/// What comes out of a loop does not count its rounds any more.
fn leave(mut traverser: Traverser) -> Traverser {
    if let Some(state) = &mut traverser.state {
        state.rounds.pop();
    }
    traverser
}

fn add_round(traverser: &mut Traverser) -> Result<()> {
    if let Some(round) = traverser.state.as_mut().and_then(|state| state.rounds.last_mut()) {
        round.count += 1;
        if round.count > ROUNDS_MAX {
            return Err(ExecError::evaluation(format!("repeat() ran {ROUNDS_MAX} rounds (ROUNDS_MAX)")));
        }
    }
    Ok(())
}

impl<'g> RepeatStage<'g> {
    fn enter(&self, mut traverser: Traverser) -> Traverser {
        let round = Round { name: self.name.clone(), count: 0 };
        traverser.state_mut().rounds.push(round);
        traverser
    }

    fn ends(&mut self, cx: &mut Cx<'g>, traverser: &Traverser) -> Result<bool> {
        if let Some(times) = self.times {
            return Ok(traverser.round().is_some_and(|round| round >= times));
        }
        match &mut self.until {
            None => Ok(false),
            Some(pipe) => Ok(pipe.first(cx, traverser.single())?.is_some()),
        }
    }

    fn emits(&mut self, cx: &mut Cx<'g>, traverser: &Traverser) -> Result<bool> {
        match &mut self.emit {
            None => Ok(false),
            Some(pipe) => Ok(pipe.first(cx, traverser.single())?.is_some()),
        }
    }

    /// Before a round. False: it has left the loop.
    fn before(&mut self, cx: &mut Cx<'g>, traverser: &Traverser, out: &mut Vec<Traverser>) -> Result<bool> {
        if self.until_first && self.ends(cx, traverser)? {
            out.push(leave(traverser.clone()));
            return Ok(false);
        }
        if self.emit_first && self.emits(cx, traverser)? {
            out.push(leave(traverser.clone()));
        }
        Ok(true)
    }

    /// After a round. False: it has left the loop.
    fn after(&mut self, cx: &mut Cx<'g>, traverser: &mut Traverser, out: &mut Vec<Traverser>) -> Result<bool> {
        add_round(traverser)?;
        if !self.until_first && self.ends(cx, traverser)? {
            out.push(leave(traverser.clone()));
            return Ok(false);
        }
        if !self.emit_first && self.emits(cx, traverser)? {
            out.push(leave(traverser.clone()));
        }
        Ok(true)
    }

    /// One input through all its rounds.
    fn go(&mut self, cx: &mut Cx<'g>, start: Traverser, out: &mut Vec<Traverser>) -> Result<()> {
        let is_tested_first = self.until_first || self.emit_first;
        let mut level = VecDeque::from([start]);
        let mut results = Vec::new();
        while !level.is_empty() {
            let wanted = if is_tested_first { 1 } else { level.len() };
            for traverser in level.drain(..wanted).collect::<Vec<_>>() {
                if self.before(cx, &traverser, out)? {
                    self.body.push(traverser);
                }
            }
            self.body.drain(cx, &mut results)?;
            cx.tick(u64::try_from(results.len()).unwrap_or(u64::MAX))?;
            for mut traverser in results.drain(..) {
                if self.after(cx, &mut traverser, out)? {
                    level.push_back(traverser);
                }
            }
            cx.may_hold(u64::try_from(level.len() + out.len()).unwrap_or(u64::MAX))?;
        }
        Ok(())
    }

    /// One round of everything that goes round together.
    fn round(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<()> {
        let level = std::mem::take(&mut self.level);
        cx.release(u64::try_from(level.len()).unwrap_or_default());
        let mut going = Vec::with_capacity(level.len());
        for traverser in level {
            if self.before(cx, &traverser, out)? {
                going.push(traverser);
            }
        }
        let mut at = FxHashMap::default();
        going.into_iter().for_each(|traverser| self.body.push(traverser));
        while let Some(mut traverser) = self.body.next(cx)? {
            if self.after(cx, &mut traverser, out)? {
                if cx.paths != Paths::Full {
                    add_bulked(cx, &mut self.level, &mut at, traverser)?;
                } else {
                    cx.hold(1)?;
                    self.level.push(traverser);
                }
            }
        }
        Ok(())
    }
}

impl<'g> Stage<'g> for RepeatStage<'g> {
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, out: &mut Vec<Traverser>) -> Result<()> {
        for traverser in input.drain(..) {
            let traverser = self.enter(traverser);
            if !self.is_row_wise || !cx.is_lazy {
                cx.hold(1)?;
                self.level.push(traverser);
            } else {
                self.go(cx, traverser, out)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<bool> {
        if !self.level.is_empty() {
            self.round(cx, out)?;
        }
        Ok(!self.level.is_empty())
    }

    fn reset(&mut self) {
        self.body.reset();
        self.level.clear();
    }
}
