//! `match()`: values of labels that fulfil patterns, found by joining one pattern after the other.
//!
//! What labels stand for is in the paths of traversers. Traversers of which the same patterns are left go through the
//! next one together; of several that could be next, conditions come first, then what leads to a known label, then what
//! has yielded least so far.

use std::collections::VecDeque;

use query_plan::{OpFacts as _, Pipeline};
use query_plan::{Paths, Pattern, PipelineFacts as _, Text};
use query_value::{Map, Pop, Value};

use crate::context::{Build, Cx, Stage};
use crate::error::{ExecError, Result};
use crate::pipe::Pipe;
use crate::traverser::Traverser;

/// Patterns and labels of a `match()`: as many as a set of bits has.
const PATTERNS_MAX: usize = 64;

pub(super) fn stage<'g>(patterns: &[Pattern], build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    let mut stage = Match { patterns: Vec::new(), labels: Vec::new(), own: 0, all: 0, start: None, work: Vec::new() };
    label(&mut stage, patterns)?;
    stage.own = mask(stage.labels.len());
    stage.all = stage.add(patterns, build)?;
    stage.start = first_label(patterns).and_then(|label| stage.label(&label));
    Ok(Box::new(stage))
}

/// The lowest bits.
fn mask(count: usize) -> u64 {
    (0..count).fold(0, |mask, at| mask | 1 << at)
}

/// Numbers the labels that patterns give values to.
fn label(stage: &mut Match<'_>, patterns: &[Pattern]) -> Result<()> {
    for pattern in patterns {
        match pattern {
            Pattern::Join(join) => {
                stage.number(&join.start)?;
                join.end.iter().try_for_each(|end| stage.number(end).map(|_| ()))?;
            }
            Pattern::Any(lists) => lists.iter().try_for_each(|list| label(stage, list))?,
            Pattern::Test(..) => {}
        }
    }
    Ok(())
}

/// The label that stands for what comes in: the first that patterns start at and none leads to, else the first.
fn first_label(patterns: &[Pattern]) -> Option<Text> {
    fn joins<'p>(patterns: &'p [Pattern], out: &mut Vec<(&'p Text, Option<&'p Text>)>) {
        for pattern in patterns {
            match pattern {
                Pattern::Join(join) => out.push((&join.start, join.end.as_ref())),
                Pattern::Any(lists) => lists.iter().for_each(|list| joins(list, out)),
                Pattern::Test(..) => {}
            }
        }
    }
    let mut all = Vec::new();
    joins(patterns, &mut all);
    let is_end = |label: &Text| all.iter().any(|(start, end)| *end == Some(label) && *start != label);
    let first = all.iter().find(|(start, _)| !is_end(start)).or(all.first());
    first.map(|(start, _)| (*start).clone())
}

struct Match<'g> {
    patterns: Vec<PatternEval<'g>>,
    labels: Vec<Text>,
    /// The labels that are in results.
    own: u64,
    /// The patterns that must be fulfilled, without those within others.
    all: u64,
    /// The label of what comes in.
    start: Option<usize>,
    work: Vec<Work>,
}

enum PatternEval<'g> {
    Join {
        start: usize,
        end: Option<usize>,
        /// Labels that must have values.
        needs: u64,
        pipe: Pipe<'g>,
        /// Whether many traversers may go through the pipeline together.
        is_row_wise: bool,
        /// Whether what comes out does not know where it came from.
        has_barrier: bool,
        /// How many went in and came out.
        taken: u64,
        given: u64,
    },
    Test {
        needs: u64,
        pipe: Pipe<'g>,
    },
    Any {
        lists: Vec<u64>,
    },
}

/// Traversers of which the same patterns are left and the same labels have values.
struct Work {
    left: u64,
    bound: u64,
    /// The pattern that they go through; none: not chosen yet.
    pattern: Option<usize>,
    waiting: VecDeque<Traverser>,
    /// What is in the pipeline: the last one that went in.
    running: Option<Traverser>,
}

impl<'g> Match<'g> {
    fn label(&self, label: &str) -> Option<usize> {
        self.labels.iter().position(|own| own == label)
    }

    fn number(&mut self, label: &Text) -> Result<usize> {
        if let Some(at) = self.label(label) {
            return Ok(at);
        }
        if self.labels.len() == PATTERNS_MAX {
            return Err(ExecError::unsupported(format!("match() takes {PATTERNS_MAX} labels (PATTERNS_MAX)")));
        }
        self.labels.push(label.clone());
        Ok(self.labels.len() - 1)
    }

    /// Adds patterns; the set of their numbers.
    fn add(&mut self, patterns: &[Pattern], build: Build<'g>) -> Result<u64> {
        let mut added = 0;
        for pattern in patterns {
            let eval = match pattern {
                Pattern::Join(join) => {
                    let start = self.number(&join.start)?;
                    let end = join.end.as_ref().map(|end| self.number(end)).transpose()?;
                    // What a pattern refers to and none gives a value comes from outside.
                    let refers = join.refers.iter().filter_map(|label| self.label(label));
                    let needs = refers.filter(|label| Some(*label) != end && self.own & (1 << label) != 0);
                    let needs = needs.fold(1 << start, |needs, label| needs | 1 << label);
                    let is_row_wise = is_row_wise(&join.body);
                    let pipe = Pipe::new(&join.body, build)?;
                    let has_barrier = join.body.has_barrier();
                    PatternEval::Join { start, end, needs, pipe, is_row_wise, has_barrier, taken: 0, given: 0 }
                }
                Pattern::Test(condition, labels) => {
                    let mut needs = 0;
                    for label in labels {
                        needs |= 1 << self.number(label)?;
                    }
                    PatternEval::Test { needs, pipe: Pipe::new(condition, build)? }
                }
                Pattern::Any(lists) => {
                    let lists = lists.iter().map(|list| self.add(list, build)).collect::<Result<_>>()?;
                    PatternEval::Any { lists }
                }
            };
            if self.patterns.len() == PATTERNS_MAX {
                return Err(ExecError::unsupported(format!("match() takes {PATTERNS_MAX} patterns (PATTERNS_MAX)")));
            }
            added |= 1 << self.patterns.len();
            self.patterns.push(eval);
        }
        Ok(added)
    }

    /// The labels that have values at the beginning.
    fn bound(&self, cx: &Cx<'_>, traverser: &Traverser) -> u64 {
        let has = |label: &Text| traverser.path().is_some_and(|path| path.backwards().any(|node| node.has(label)));
        let bound = self
            .labels
            .iter()
            .enumerate()
            .filter(|(at, label)| has(label) || self.own & (1 << at) == 0 && cx.side_effects.has(label));
        bound.fold(0, |bound, (at, _)| bound | 1 << at)
    }

    /// The pattern that comes next.
    fn choose(&self, left: u64, bound: u64) -> Option<usize> {
        let rank = |pattern: &PatternEval<'g>| match pattern {
            PatternEval::Test { needs, .. } => (needs & !bound == 0).then_some((0, 0)),
            PatternEval::Join { end, needs, taken, given, .. } => {
                let is_known = end.is_none_or(|end| bound & (1 << end) != 0);
                let ratio = (given.saturating_add(1)).saturating_mul(1000) / taken.saturating_add(1);
                (needs & !bound == 0).then_some(if is_known { (1, ratio) } else { (2, ratio) })
            }
            PatternEval::Any { .. } => Some((3, 0)),
        };
        let open = self.patterns.iter().enumerate().filter(|(at, _)| left & (1 << at) != 0);
        open.filter_map(|(at, pattern)| rank(pattern).map(|rank| (rank, at))).min().map(|(_, at)| at)
    }

    /// The values of labels as the result.
    fn result(&self, traverser: Traverser) -> Traverser {
        let mut map = Map::new();
        for (at, label) in self.labels.iter().enumerate() {
            if self.own & (1 << at) != 0
                && let Some(value) = traverser.labelled(label, Some(Pop::Last))
            {
                map.insert(Value::String(label.clone()), value);
            }
        }
        Traverser { value: Value::from(map), stored: None, ..traverser }
    }

    /// Runs until all work is done.
    fn run(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<()> {
        while let Some(mut work) = self.work.pop() {
            if work.left == 0 {
                out.extend(work.waiting.drain(..).map(|traverser| self.result(traverser)));
                cx.may_hold(u64::try_from(out.len()).unwrap_or(u64::MAX))?;
                continue;
            }
            let at = match work.pattern {
                Some(at) => at,
                None => self.choose(work.left, work.bound).ok_or_else(unsolvable)?,
            };
            let left = work.left & !(1 << at);
            let Some(pattern) = self.patterns.get_mut(at) else { continue };
            match pattern {
                PatternEval::Any { lists } => {
                    for list in lists.iter().rev() {
                        let waiting = work.waiting.clone();
                        let left = left | list;
                        self.work.push(Work { left, bound: work.bound, pattern: None, waiting, running: None });
                    }
                }
                PatternEval::Test { pipe, .. } => {
                    let mut passed = VecDeque::new();
                    for traverser in work.waiting {
                        if pipe.first(cx, traverser.single())?.is_some() {
                            passed.push_back(traverser);
                        }
                    }
                    if !passed.is_empty() {
                        self.work.push(Work { left, bound: work.bound, pattern: None, waiting: passed, running: None });
                    }
                }
                PatternEval::Join { start, end, pipe, is_row_wise, has_barrier, taken, given, .. } => {
                    let label = self.labels.get(*start).ok_or_else(unsolvable)?;
                    let end_label = end.and_then(|end| self.labels.get(end));
                    let is_known = end.is_none_or(|end| work.bound & (1 << end) != 0);
                    if work.pattern.is_none() {
                        pipe.reset();
                        work.pattern = Some(at);
                    }
                    let mut found = VecDeque::new();
                    let mut is_more = true;
                    while found.len() < cx.batch {
                        let result = if work.running.is_some() { pipe.next(cx)? } else { None };
                        let (Some(mut result), Some(outer)) = (result, &work.running) else {
                            // The pipeline is empty: the next ones go in.
                            if !*is_row_wise {
                                pipe.reset();
                            }
                            let wanted = if *is_row_wise { cx.batch } else { 1 };
                            let next: Vec<_> = work.waiting.drain(..wanted.min(work.waiting.len())).collect();
                            *taken += u64::try_from(next.len()).unwrap_or(u64::MAX);
                            work.running = next.last().cloned();
                            if work.running.is_none() {
                                is_more = false;
                                break;
                            }
                            for mut traverser in next {
                                let value = traverser.labelled(label, Some(Pop::Last));
                                traverser.value = value.ok_or_else(unsolvable)?;
                                traverser.stored = None;
                                pipe.push(if *is_row_wise { traverser } else { traverser.single() });
                            }
                            continue;
                        };
                        if !*is_row_wise {
                            result.bulk = result.bulk.saturating_mul(outer.bulk);
                        }
                        if *has_barrier {
                            result.state.clone_from(&outer.state);
                        }
                        if let Some(end_label) = end_label {
                            if !is_known {
                                bind(cx, &mut result, end_label);
                            } else if result.labelled(end_label, Some(Pop::Last)).as_ref() != Some(&result.value) {
                                continue;
                            }
                        }
                        *given += 1;
                        found.push_back(result);
                    }
                    let bound = work.bound | end.map_or(0, |end| 1 << end);
                    if is_more {
                        self.work.push(work);
                    }
                    if !found.is_empty() {
                        self.work.push(Work { left, bound, pattern: None, waiting: found, running: None });
                    }
                }
            }
        }
        Ok(())
    }
}

/// Makes the value that of a label.
fn bind(cx: &Cx<'_>, traverser: &mut Traverser, label: &Text) {
    let labels = std::sync::Arc::from([label.clone()]);
    let is_last = traverser.path().is_some_and(|last| last.value == traverser.value);
    if cx.paths == Paths::Full && is_last {
        traverser.relabel(&labels);
    } else {
        traverser.push_path(Some(labels));
    }
}

fn unsolvable() -> ExecError {
    ExecError::evaluation("The provided match pattern is unsolvable: a label that it starts at has no value")
}

fn is_row_wise(pipeline: &Pipeline) -> bool {
    !pipeline.has_barrier() && pipeline.nodes.iter().all(|node| node.op.is_row_wise())
}

impl<'g> Stage<'g> for Match<'g> {
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, out: &mut Vec<Traverser>) -> Result<()> {
        let starts = self.patterns.iter().fold(0, |all, pattern| match pattern {
            PatternEval::Join { start, .. } => all | 1 << start,
            _ => all,
        });
        let mut groups: Vec<Work> = Vec::new();
        for mut traverser in input.drain(..) {
            let mut bound = self.bound(cx, &traverser);
            if bound & starts == 0
                && let Some(start) = self.start
                && let Some(label) = self.labels.get(start)
            {
                bind(cx, &mut traverser, label);
                bound |= 1 << start;
            }
            match groups.last_mut() {
                Some(group) if group.bound == bound => group.waiting.push_back(traverser),
                _ => {
                    let waiting = VecDeque::from([traverser]);
                    groups.push(Work { left: self.all, bound, pattern: None, waiting, running: None });
                }
            }
        }
        groups.reverse();
        self.work = groups;
        self.run(cx, out)
    }

    fn reset(&mut self) {
        self.work.clear();
        for pattern in &mut self.patterns {
            if let PatternEval::Join { pipe, .. } | PatternEval::Test { pipe, .. } = pattern {
                pipe.reset();
            }
        }
    }
}
