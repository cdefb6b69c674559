//! Joins: relationships one after the other, found by the numbers of their nodes. No row is made before all of its
//! nodes are found, and none for what is only counted.

mod hops;
mod rows;
mod sieve;

use std::rc::Rc;
use std::sync::Arc;

use graph_access::NumberedRead;

use self::hops::{Bound, JoinHost, Start, bind};
use self::rows::Rows;
pub(super) use self::sieve::Sieve;
use super::different::Different;
use super::feed::Feed;
use super::mend::{Read, load};
use crate::Result;
use crate::eval::{Cx, Left, Operator, Source};
use crate::limits::{BATCH, JOINED_ROWS_MAX};
use crate::row::Row;
use cypher_plan::{Ex, Join, JoinRows};

/// What a join by numbers goes by.
struct Numbered<'g> {
    graph: &'g dyn NumberedRead,
    bound: Bound,
    rows: Rows,
    join: pattern_join::Join,
}

/// The same, left for whoever carries the step out again; the step stays where it is meanwhile.
struct Idle {
    step: Arc<Join>,
    bound: Bound,
    rows: Rows,
    join: pattern_join::Join,
}

impl<'g> Numbered<'g> {
    /// What a step was carried out by before, or something new; none where the graph has no numbers, or they do not
    /// say all.
    fn new(cx: &Cx<'_, 'g>, step: &Arc<Join>) -> Result<Option<Self>> {
        let Some(graph) = cx.store.reader().and_then(|reader| reader.numbered()) else { return Ok(None) };
        let idle = cx.left.take::<Idle>(Arc::as_ptr(step).addr());
        if let Some(idle) = idle.filter(|idle| Arc::ptr_eq(&idle.step, step)) {
            let Idle { bound, mut rows, mut join, .. } = *idle;
            join.clear(&JoinHost { cx, graph, tests: &bound.tests });
            rows.clear(cx);
            return Ok(Some(Self { graph, bound, rows, join }));
        }
        let Some(bound) = bind(cx, step)? else { return Ok(None) };
        let (rows, join) = (Rows::new(step, &bound), pattern_join::Join::new(&bound.pattern));
        Ok(Some(Self { graph, bound, rows, join }))
    }

    /// Leaves it for whoever carries the step out again.
    fn leave(self, left: &Left, step: &Arc<Join>) {
        let Self { bound, rows, join, .. } = self;
        left.put(Arc::as_ptr(step).addr(), Box::new(Idle { step: Arc::clone(step), bound, rows, join }));
    }

    /// In how many ways the nodes of a row are part of the pattern, none of which becomes a row; only whether there is
    /// one, if that is asked. None where a node has no number.
    fn ways(&mut self, cx: &Cx<'_, 'g>, row: &Row, is_any: bool) -> Result<Option<u64>> {
        let Self { graph, bound, join, .. } = self;
        let numbers = match bound.start(*graph, row, 0) {
            Start::Numbers(numbers) if !bound.is_empty => numbers,
            Start::NoNumber => return Ok(None),
            _ => return Ok(Some(0)),
        };
        let host = JoinHost { cx, graph: *graph, tests: &bound.tests };
        let mut ways = 0_u64;
        join.add(&host, &numbers)?;
        while !(join.is_idle() || is_any && ways > 0) {
            join.advance(&host, *graph, &mut |_, times| {
                ways = ways.saturating_add(times);
                Ok(())
            })?;
        }
        Ok(Some(ways))
    }
}

/// In how many ways a join carries a row on, without a row for any; only whether there is one, if that is asked. None
/// where it is not known by numbers.
pub(crate) fn ways(cx: &Cx<'_, '_>, step: &Arc<Join>, row: &Row, is_any: bool) -> Result<Option<u64>> {
    let Some(mut numbered) = Numbered::new(cx, step)? else { return Ok(None) };
    let ways = numbered.ways(cx, row, is_any);
    numbered.leave(cx.left, step);
    ways
}

pub(super) struct Joining<'g> {
    input: Feed<'g>,
    join: Arc<Join>,
    /// Where what it goes by is left for others.
    left: Option<Rc<Left>>,
    /// None inside: the graph has no numbers, or relationships must differ that numbers cannot tell apart. An outer
    /// none: not decided yet.
    numbered: Option<Option<Numbered<'g>>>,
    /// Some rows that are taken by the steps that the join stands for.
    detour: Option<Source<'g>>,
    /// Conditions behind the join, until it is known how it is carried out; then those for a detour.
    sieve: Option<Sieve>,
    conditions: Vec<(Arc<Ex>, Read)>,
    /// Nodes that came by a detour, where only their number is wanted.
    different: Different,
    is_ended: bool,
}

impl<'g> Joining<'g> {
    pub(super) fn new(input: Source<'g>, join: &Arc<Join>) -> Self {
        Self::with(input, join, None)
    }

    /// A join whose rows meet conditions.
    pub(super) fn with(input: Source<'g>, join: &Arc<Join>, sieve: Option<Sieve>) -> Self {
        Self {
            input: Feed::new(input),
            join: Arc::clone(join),
            left: None,
            numbered: None,
            detour: None,
            sieve,
            conditions: Vec::new(),
            different: Different::default(),
            is_ended: false,
        }
    }

    /// Takes more rows; false where there are none.
    fn begin(&mut self, cx: &Cx<'_, 'g>) -> Result<bool> {
        let mut is_begun = false;
        loop {
            let rows = self.input.rows(cx, BATCH)?;
            if rows.is_empty() {
                return Ok(is_begun);
            }
            is_begun = true;
            let Some(Some(Numbered { graph, bound, rows: given, join })) = &mut self.numbered else {
                self.detour = Some((cx.build)(&self.join.steps, rows));
                return Ok(true);
            };
            let mut found = Vec::with_capacity(rows.len());
            for (place, row) in rows.iter().enumerate() {
                match bound.start(*graph, row, u32::try_from(place).unwrap_or(u32::MAX)) {
                    Start::Numbers(numbers) => found.push(numbers),
                    Start::NoNode => {}
                    Start::NoNumber => {
                        self.detour = Some((cx.build)(&self.join.steps, rows));
                        return Ok(true);
                    }
                }
            }
            given.begin(rows);
            if bound.is_empty {
                continue;
            }
            let host = JoinHost { cx, graph: *graph, tests: &bound.tests };
            for numbers in found {
                join.add(&host, &numbers)?;
            }
            // Where rows are forgotten, more of them may be the same to the join.
            if !self.join.forgets_rows || join.waiting() >= JOINED_ROWS_MAX {
                return Ok(true);
            }
        }
    }

    /// Hands on what is known only once all rows were taken.
    fn end(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<()> {
        if let JoinRows::DistinctCount(_, slot) = self.join.rows
            && !std::mem::replace(&mut self.is_ended, true)
        {
            let graph = match &mut self.numbered {
                Some(Some(numbered)) => {
                    self.different.take_numbers(&mut numbered.rows.different);
                    Some(numbered.graph)
                }
                _ => None,
            };
            out.push(self.different.row(cx, graph, slot)?);
        }
        Ok(())
    }
}

/// Keeps the rows that meet a condition.
fn keep(cx: &Cx<'_, '_>, condition: &Ex, read: &Read, rows: &mut Vec<Row>) -> Result<()> {
    load(cx, rows, read)?;
    for mut row in std::mem::take(rows) {
        if cx.holds(condition, &mut row)? {
            rows.push(row);
        }
    }
    Ok(())
}

impl Drop for Joining<'_> {
    fn drop(&mut self) {
        if let (Some(left), Some(Some(numbered))) = (&self.left, self.numbered.take()) {
            numbered.leave(left, &self.join);
        }
    }
}

impl<'g> Operator<'g> for Joining<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        if self.numbered.is_none() {
            let mut numbered = Numbered::new(cx, &self.join)?;
            self.left = Some(Rc::clone(cx.left));
            self.conditions = self.sieve.iter().flat_map(Sieve::conditions).cloned().collect();
            if let Some(numbered) = &mut numbered {
                numbered.rows.sieve = self.sieve.take();
            }
            self.numbered = Some(numbered);
        }
        while out.len() < BATCH {
            if let Some(Some(Numbered { rows, .. })) = &mut self.numbered
                && rows.repeat(out)
            {
                return Ok(true);
            }
            if let Some(Some(Numbered { graph, bound, rows, join })) = &mut self.numbered
                && !join.is_idle()
            {
                let host = JoinHost { cx, graph: *graph, tests: &bound.tests };
                join.advance(&host, *graph, &mut |tuple, times| rows.give(cx, *graph, tuple, times, out))?;
                if join.is_idle() {
                    rows.sift(cx, *graph, out)?;
                }
            } else if let Some(source) = &mut self.detour {
                let is_more = match self.join.rows {
                    JoinRows::DistinctCount(node, _) => self.different.gather(cx, source, node)?,
                    _ => {
                        let mut found = Vec::new();
                        let is_more = source.next(cx, &mut found)?;
                        for (condition, read) in &self.conditions {
                            keep(cx, condition, read, &mut found)?;
                        }
                        out.append(&mut found);
                        is_more
                    }
                };
                if !is_more {
                    self.detour = None;
                }
            } else {
                if let Some(Some(Numbered { graph, rows, .. })) = &mut self.numbered {
                    rows.finish(cx, *graph, out)?;
                }
                if !self.begin(cx)? {
                    self.end(cx, out)?;
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
