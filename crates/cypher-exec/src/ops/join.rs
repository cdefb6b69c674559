//! Joins: relationships one after the other, found by the numbers of their nodes. No row is made before all of its
//! nodes are found, and none for what is only counted.

mod hops;
mod rows;

use std::sync::Arc;

use graph_access::NumberedRead;

use self::hops::{Bound, JoinHost, Start, bind};
use self::rows::Rows;
use super::different::Different;
use super::feed::Feed;
use crate::Result;
use crate::eval::{Cx, Operator, Source};
use crate::limits::{BATCH, JOINED_ROWS_MAX};
use crate::row::Row;
use cypher_plan::{Join, JoinRows};

/// What a join by numbers goes by.
struct Numbered<'g> {
    graph: &'g dyn NumberedRead,
    bound: Bound,
    rows: Rows,
    join: pattern_join::Join,
}

pub(super) struct Joining<'g> {
    input: Feed<'g>,
    join: Arc<Join>,
    /// None inside: the graph has no numbers, or relationships must differ that numbers cannot tell apart. An outer
    /// none: not decided yet.
    numbered: Option<Option<Numbered<'g>>>,
    /// Some rows that are taken by the steps that the join stands for.
    detour: Option<Source<'g>>,
    /// Nodes that came by a detour, where only their number is wanted.
    different: Different,
    is_ended: bool,
}

impl<'g> Joining<'g> {
    pub(super) fn new(input: Source<'g>, join: &Arc<Join>) -> Self {
        Self {
            input: Feed::new(input),
            join: Arc::clone(join),
            numbered: None,
            detour: None,
            different: Different::default(),
            is_ended: false,
        }
    }

    fn decide(&self, cx: &Cx<'_, 'g>) -> Result<Option<Numbered<'g>>> {
        if let Some(reader) = cx.store.reader()
            && let Some(graph) = reader.numbered()
            && let Some(bound) = bind(cx, &self.join)?
        {
            let (rows, join) = (Rows::new(&self.join, &bound), pattern_join::Join::new(&bound.pattern));
            return Ok(Some(Numbered { graph, bound, rows, join }));
        }
        Ok(None)
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

impl<'g> Operator<'g> for Joining<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        if self.numbered.is_none() {
            self.numbered = Some(self.decide(cx)?);
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
            } else if let Some(source) = &mut self.detour {
                let is_more = match self.join.rows {
                    JoinRows::DistinctCount(node, _) => self.different.gather(cx, source, node)?,
                    _ => source.next(cx, out)?,
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
