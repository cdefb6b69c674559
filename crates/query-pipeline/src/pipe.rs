//! Pipelines in motion: a queue before each stage, and a loop that runs the last stage that has something to do.
//!
//! Taking the last one keeps queues short and lets results come out early. A stage is told of the end of its input once
//! nothing before it has anything left; sources give their batches when told so. Nothing here recurses, except into
//! pipelines inside stages.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use query_plan::{OpFacts as _, Paths, Pipeline, Text};
use query_value::{Metrics, TraversalMetrics, Value};

use crate::context::{Build, Cx, Stage, rows};
use crate::error::Result;
use crate::traverser::{Labels, Traverser};

/// A stage at its place.
struct Slot<'g> {
    stage: Box<dyn Stage<'g> + 'g>,
    labels: Labels,
    extends: bool,
    name: Text,
    metrics: Measured,
}

/// What a profile tells of a stage.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    traversers: u64,
    elements: u64,
    nanoseconds: u64,
}

/// A pipeline in motion.
pub struct Pipe<'g> {
    slots: Vec<Slot<'g>>,
    /// What waits for each stage, and results at the end.
    queues: Vec<VecDeque<Traverser>>,
    /// Stages before this one have come to their end.
    closed: usize,
    /// Rooms that are used again.
    taken: VecDeque<Traverser>,
    given: Vec<Traverser>,
    is_used: bool,
    /// Of what waits for the first stage, what was pushed and is counted by whoever pushed it.
    pushed: u64,
    /// What was thrown away, and is still counted as held.
    dropped: u64,
}

/// As how many traversers one counts that waits: large texts count as more.
fn rows_of<'t>(traversers: impl IntoIterator<Item = &'t Traverser>) -> u64 {
    traversers.into_iter().map(|traverser| rows(&traverser.value)).sum()
}

impl<'g> Pipe<'g> {
    /// A pipeline at rest.
    ///
    /// # Errors
    /// An operator that cannot be carried out.
    pub fn new(pipeline: &Pipeline, build: Build<'g>) -> Result<Self> {
        let mut slots = Vec::with_capacity(pipeline.nodes.len());
        for node in &pipeline.nodes {
            let labels = (!node.labels.is_empty()).then(|| Arc::from(node.labels.as_slice()));
            let stage = (build.0)(node, build)?;
            let extends = node.op.extends_path();
            slots.push(Slot { stage, labels, extends, name: node.name.clone(), metrics: Measured::default() });
        }
        let queues = (0..=slots.len()).map(|_| VecDeque::new()).collect();
        Ok(Self {
            slots,
            queues,
            closed: 0,
            taken: VecDeque::new(),
            given: Vec::new(),
            is_used: false,
            pushed: 0,
            dropped: 0,
        })
    }

    /// Forgets everything: state, queues, results.
    pub fn reset(&mut self) {
        self.closed = 0;
        self.is_used = false;
        let held: u64 = self.queues.iter().map(rows_of).sum();
        self.dropped += held.saturating_sub(self.pushed);
        self.pushed = 0;
        self.queues.iter_mut().for_each(VecDeque::clear);
        self.slots.iter_mut().for_each(|slot| slot.stage.reset());
    }

    /// Gives input; stages that were at their end go on with it.
    pub fn push(&mut self, traverser: Traverser) {
        self.closed = 0;
        self.is_used = true;
        self.pushed += rows(&traverser.value);
        if let Some(first) = self.queues.first_mut() {
            first.push_back(traverser);
        }
    }

    /// Whether it was given anything since it was last reset.
    pub fn is_used(&self) -> bool {
        self.is_used
    }

    /// The next result; none: the input is used up.
    pub fn next(&mut self, cx: &mut Cx<'g>) -> Result<Option<Traverser>> {
        loop {
            if let Some(result) = self.queues.last_mut().and_then(VecDeque::pop_front) {
                cx.release(std::mem::take(&mut self.dropped).saturating_add(rows(&result.value)));
                return Ok(Some(result));
            }
            if !self.step(cx)? {
                return Ok(None);
            }
        }
    }

    /// All results that are left.
    pub fn drain(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<()> {
        while self.step(cx)? {}
        if let Some(results) = self.queues.last_mut() {
            cx.release(rows_of(&*results));
            out.extend(results.drain(..));
        }
        Ok(())
    }

    /// The first result for one traverser.
    pub fn first(&mut self, cx: &mut Cx<'g>, start: Traverser) -> Result<Option<Traverser>> {
        self.reset();
        self.push(start);
        self.next(cx)
    }

    /// Runs one stage; false: nothing is left to do.
    fn step(&mut self, cx: &mut Cx<'g>) -> Result<bool> {
        cx.release(std::mem::take(&mut self.dropped));
        let count = self.slots.len();
        let ready = self.queues.iter().take(count).rposition(|queue| !queue.is_empty());
        let (at, is_finish) = match ready {
            Some(at) => (at, false),
            None if self.closed < count => (self.closed, true),
            None => return Ok(false),
        };
        if is_finish && cx.is_profiled {
            cx.measured = self.metrics(0).steps;
        }
        let (Some(slot), Some(queue)) = (self.slots.get_mut(at), self.queues.get_mut(at)) else { return Ok(false) };
        let started = cx.is_profiled.then(Instant::now);
        let mut given = std::mem::take(&mut self.given);
        let outcome = if is_finish {
            cx.tick(1)?;
            slot.stage.finish(cx, &mut given).map(|more| {
                if !more {
                    self.closed += 1;
                }
            })
        } else {
            let wanted = if cx.is_lazy { 1 } else { cx.batch };
            let mut taken = std::mem::take(&mut self.taken);
            taken.extend(queue.drain(..wanted.min(queue.len())));
            let rows = u64::try_from(taken.len()).unwrap_or(u64::MAX);
            cx.tick(rows)?;
            let held = rows_of(&taken);
            let pushed = if at == 0 { held.min(self.pushed) } else { 0 };
            self.pushed -= pushed;
            cx.release(held - pushed);
            let outcome = slot.stage.process(cx, &mut taken, &mut given);
            taken.clear();
            self.taken = taken;
            outcome
        };
        outcome.map_err(|mut error| {
            error.step.get_or_insert_with(|| slot.name.clone());
            error
        })?;
        if let Some(started) = started {
            slot.metrics.nanoseconds += u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
            slot.metrics.traversers += u64::try_from(given.len()).unwrap_or(u64::MAX);
            slot.metrics.elements += given.iter().map(|traverser| traverser.bulk).sum::<u64>();
        }
        match cx.paths {
            Paths::None => {}
            Paths::Labels => {
                if slot.labels.is_some() {
                    given.iter_mut().for_each(|traverser| traverser.push_path(slot.labels.clone()));
                }
            }
            Paths::Full if slot.extends => {
                given.iter_mut().for_each(|traverser| traverser.push_path(slot.labels.clone()));
            }
            Paths::Full => {
                if let Some(labels) = &slot.labels {
                    given.iter_mut().for_each(|traverser| traverser.relabel(labels));
                }
            }
        }
        let is_done = slot.stage.is_done();
        cx.hold(rows_of(&given))?;
        if let Some(next) = self.queues.get_mut(at + 1) {
            next.extend(given.drain(..));
        }
        self.given = given;
        if is_done && self.closed <= at {
            let left: u64 = self.queues.iter().take(at + 1).map(rows_of).sum();
            cx.release(left.saturating_sub(std::mem::take(&mut self.pushed)));
            self.queues.iter_mut().take(at + 1).for_each(VecDeque::clear);
            self.closed = at;
        }
        Ok(true)
    }

    /// What was measured of each stage.
    fn measured(&self) -> impl Iterator<Item = (&Text, Measured)> {
        self.slots.iter().map(|slot| (&slot.name, slot.metrics))
    }

    /// The profile of the pipeline.
    pub fn metrics(&self, nanoseconds: i64) -> TraversalMetrics {
        let total: u64 = self.measured().map(|(_, measured)| measured.nanoseconds).sum();
        let steps = self.measured().enumerate().map(|(at, (name, measured))| {
            #[expect(clippy::cast_precision_loss, reason = "a percentage for people")]
            let percent = if total == 0 { 0.0 } else { measured.nanoseconds as f64 * 100.0 / total as f64 };
            let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
            Metrics {
                id: format!("{at}.0.0()").into(),
                name: name.clone(),
                nanoseconds: count(measured.nanoseconds),
                counts: vec![
                    ("traverserCount".into(), count(measured.traversers)),
                    ("elementCount".into(), count(measured.elements)),
                ],
                annotations: vec![("percentDur".into(), Value::Double(percent))],
                nested: Vec::new(),
            }
        });
        TraversalMetrics { nanoseconds, steps: steps.collect() }
    }
}
