//! What counts traversers: ranges, tails, samples, barriers.

use std::collections::VecDeque;

use indexmap::IndexMap;
use query_plan::Op;
use query_value::{Operator, Random, Value};
use rustc_hash::FxHashMap;

use crate::by::ByEval;
use crate::context::{Build, Cx, Stage};
use crate::error::{ExecError, Result};
use crate::semantics;
use crate::traverser::Traverser;

pub(super) fn stage<'g>(op: &Op, build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    Ok(match op {
        Op::Range(_, low, high) => {
            let low = u64::try_from(*low).unwrap_or_default();
            Box::new(Range { low, high: u64::try_from(*high).ok(), counts: FxHashMap::default(), is_done: false })
        }
        Op::Tail(_, count) => {
            let count = u64::try_from(*count).unwrap_or_default();
            Box::new(Tail { count, kept: VecDeque::new(), held: 0 })
        }
        Op::Sample(_, count, by) => {
            let count = u64::try_from(*count).unwrap_or_default();
            Box::new(Sample { count, by: ByEval::all(by, build)?, kept: Vec::new(), random: None })
        }
        Op::Barrier(size) => Box::new(Barrier { size: *size, kept: Vec::new(), at: FxHashMap::default(), held: 0 }),
        _ => Box::new(NormSack { kept: Vec::new() }),
    })
}

/// Keeps those from one position to another; in a loop, of each round.
struct Range {
    low: u64,
    high: Option<u64>,
    counts: FxHashMap<Option<u32>, u64>,
    is_done: bool,
}

impl<'g> Stage<'g> for Range {
    fn process(&mut self, _: &mut Cx<'g>, input: &mut VecDeque<Traverser>, out: &mut Vec<Traverser>) -> Result<()> {
        for mut traverser in input.drain(..) {
            let round = traverser.round();
            let count = self.counts.entry(round).or_default();
            let (first, last) = (*count, count.saturating_add(traverser.bulk));
            *count = last;
            let from = first.max(self.low);
            let to = self.high.map_or(last, |high| last.min(high));
            if from < to {
                traverser.bulk = to - from;
                out.push(traverser);
            }
            self.is_done = round.is_none() && self.high.is_some_and(|high| last >= high);
            if self.is_done {
                break;
            }
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.is_done || self.high == Some(0)
    }

    fn reset(&mut self) {
        self.counts.clear();
        self.is_done = false;
    }
}

/// Keeps the last.
struct Tail {
    count: u64,
    kept: VecDeque<Traverser>,
    held: u64,
}

impl<'g> Stage<'g> for Tail {
    fn process(&mut self, _: &mut Cx<'g>, input: &mut VecDeque<Traverser>, _: &mut Vec<Traverser>) -> Result<()> {
        for traverser in input.drain(..) {
            self.held += traverser.bulk;
            self.kept.push_back(traverser);
            while let Some(first) = self.kept.front_mut()
                && self.held > self.count
            {
                let surplus = self.held - self.count;
                if first.bulk <= surplus {
                    self.held -= first.bulk;
                    self.kept.pop_front();
                } else {
                    first.bulk -= surplus;
                    self.held -= surplus;
                }
            }
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<bool> {
        out.extend(self.kept.drain(..));
        self.held = 0;
        Ok(false)
    }

    fn reset(&mut self) {
        self.kept.clear();
        self.held = 0;
    }
}

/// Keeps some by chance, by weight.
struct Sample<'g> {
    count: u64,
    by: Vec<ByEval<'g>>,
    kept: Vec<(f64, Traverser)>,
    random: Option<Random>,
}

impl<'g> Stage<'g> for Sample<'g> {
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, _: &mut Vec<Traverser>) -> Result<()> {
        for traverser in input.drain(..) {
            let weight = match self.by.first_mut() {
                None => 1.0,
                Some(by) => match by.get(cx, &traverser)? {
                    None => continue,
                    Some(weight) => semantics::as_f64(&weight)
                        .ok_or_else(|| ExecError::evaluation("sample() takes numbers as weights"))?,
                },
            };
            cx.hold(1)?;
            self.kept.push((weight, traverser));
        }
        Ok(())
    }

    fn finish(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<bool> {
        let mut kept = std::mem::take(&mut self.kept);
        cx.release(u64::try_from(kept.len()).unwrap_or_default());
        let total: u64 = kept.iter().map(|(_, traverser)| traverser.bulk).sum();
        if total <= self.count {
            out.extend(kept.into_iter().map(|(_, traverser)| traverser));
            return Ok(false);
        }
        // A point on the line of all weights chooses; what it chose is off the line then.
        let random = self.random.get_or_insert_with(|| cx.new_random());
        #[expect(clippy::cast_precision_loss, reason = "a weight among others")]
        let weight_of = |weight: f64, traverser: &Traverser| weight.max(0.0) * traverser.bulk as f64;
        for _ in 0..self.count {
            cx.tick(1)?;
            let sum: f64 = kept.iter().map(|(weight, traverser)| weight_of(*weight, traverser)).sum();
            let mut left = sum * random.double();
            let mut chosen = None;
            for (at, (weight, traverser)) in kept.iter().enumerate().filter(|(_, (_, traverser))| traverser.bulk > 0) {
                chosen = Some(at);
                left -= weight_of(*weight, traverser);
                if left <= 0.0 {
                    break;
                }
            }
            let Some((_, traverser)) = chosen.and_then(|at| kept.get_mut(at)) else { break };
            traverser.bulk -= 1;
            out.push(traverser.single());
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.kept.clear();
    }
}

/// Counts equal traversers as one.
struct Barrier {
    size: Option<u64>,
    kept: Vec<Traverser>,
    at: FxHashMap<Value, Vec<usize>>,
    held: u64,
}

impl Barrier {
    fn give(&mut self, cx: &mut Cx<'_>, out: &mut Vec<Traverser>) {
        cx.release(u64::try_from(self.kept.len()).unwrap_or_default());
        out.append(&mut self.kept);
        self.at.clear();
        self.held = 0;
    }
}

impl<'g> Stage<'g> for Barrier {
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, out: &mut Vec<Traverser>) -> Result<()> {
        for traverser in input.drain(..) {
            self.held += traverser.bulk;
            add_bulked(cx, &mut self.kept, &mut self.at, traverser)?;
            if self.size.is_some_and(|size| self.held >= size) {
                self.give(cx, out);
            }
        }
        Ok(())
    }

    fn finish(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<bool> {
        self.give(cx, out);
        Ok(false)
    }

    fn reset(&mut self) {
        self.kept.clear();
        self.at.clear();
        self.held = 0;
    }
}

/// Adds a traverser to others, merged with an equal one if there is one.
pub(super) fn add_bulked(
    cx: &mut Cx<'_>,
    kept: &mut Vec<Traverser>,
    at: &mut FxHashMap<Value, Vec<usize>>,
    traverser: Traverser,
) -> Result<()> {
    let merge = cx.sack.as_ref().and_then(|sack| sack.merge);
    if cx.is_bulked || merge.is_some() {
        let places = at.entry(traverser.value.clone()).or_default();
        for place in places.iter() {
            let Some(other) = kept.get_mut(*place) else { continue };
            if let Some(operator) = merge
                && other.rounds() == traverser.rounds()
                && let (Some(mine), Some(theirs)) = (other.sack(), traverser.sack())
            {
                let sack = semantics::apply(operator, mine, theirs)?;
                other.state_mut().sack = Some(sack);
                if cx.is_bulked {
                    semantics::add_bulk(&mut other.bulk, traverser.bulk)?;
                }
                return Ok(());
            }
            if cx.is_bulked && other.merges(&traverser) {
                semantics::add_bulk(&mut other.bulk, traverser.bulk)?;
                return Ok(());
            }
        }
        places.push(kept.len());
    }
    cx.hold(1)?;
    kept.push(traverser);
    Ok(())
}

/// Makes the sum of sacks 1.
struct NormSack {
    kept: Vec<Traverser>,
}

impl<'g> Stage<'g> for NormSack {
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, _: &mut Vec<Traverser>) -> Result<()> {
        cx.hold(u64::try_from(input.len()).unwrap_or_default())?;
        self.kept.extend(input.drain(..));
        Ok(())
    }

    fn finish(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<bool> {
        cx.release(u64::try_from(self.kept.len()).unwrap_or_default());
        // Equal ones become one first, by their values alone.
        let mut merged: IndexMap<Value, Traverser> = IndexMap::new();
        for traverser in self.kept.drain(..) {
            match merged.get_mut(&traverser.value) {
                Some(other) => {
                    if let (Some(mine), Some(theirs)) = (other.sack(), traverser.sack()) {
                        let operator = cx.sack.as_ref().and_then(|sack| sack.merge).unwrap_or(Operator::Sum);
                        let sack = semantics::apply(operator, mine, theirs)?;
                        other.state_mut().sack = Some(sack);
                    }
                    semantics::add_bulk(&mut other.bulk, traverser.bulk)?;
                }
                None => {
                    merged.insert(traverser.value.clone(), traverser);
                }
            }
        }
        let mut total = None;
        for sack in merged.values().filter_map(Traverser::sack) {
            total = Some(match total {
                None => sack.clone(),
                Some(total) => semantics::apply(Operator::Sum, &total, sack)?,
            });
        }
        for (_, mut traverser) in merged {
            if let (Some(sack), Some(total)) = (traverser.sack(), &total) {
                let sack = semantics::share(sack, total)?;
                traverser.state_mut().sack = Some(sack);
            }
            out.push(traverser);
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.kept.clear();
    }
}
