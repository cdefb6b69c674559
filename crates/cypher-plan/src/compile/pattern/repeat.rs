//! Parts of a path that are repeated.

use std::sync::Arc;

use cypher::ast::Repeated;

use super::Work;
use super::chain::{Condition, Link, Part};
use crate::Result;
use crate::compile::Compiler;
use crate::compile::slots::{Names, slots_of};
use crate::plan::{Plan, Repeat, Slot, Step};

impl Compiler<'_> {
    /// A part that is repeated. Its names stand for lists from here on.
    pub(super) fn part_of(&mut self, repeated: &Repeated, names: &mut Names) -> Result<Part> {
        let (first, mut inner) = (self.next, names.clone());
        let mut chain = self.chain(&repeated.pattern, &mut inner)?;
        let mut conditions = Vec::new();
        self.inline_conditions(&repeated.pattern, &mut chain, &inner, &mut conditions)?;
        if let Some(filter) = &repeated.filter {
            self.conjuncts(filter, &inner, &mut conditions)?;
        }
        let slots = first..self.next;
        let mut groups = Vec::new();
        for (name, _) in repeated.names() {
            let own = inner.want(&name.text)?;
            if groups.iter().all(|(other, _)| *other != own) {
                let list = self.slot();
                names.set(&name.text, list);
                groups.push((own, list));
            }
        }
        Ok(Part { chain, conditions, groups, slots })
    }

    /// The search for a part that is repeated, from its start on or from its end on.
    pub(super) fn repeat(
        &mut self,
        part: &Part,
        (from, to): (Slot, Slot),
        (step, clause): (&Link, usize),
        is_forward: bool,
        work: &mut Work<'_>,
    ) {
        let chain = &part.chain;
        let (start, end) = (chain.nodes.first(), chain.nodes.last());
        let (start, end) = (start.map_or(0, |node| node.slot), end.map_or(0, |node| node.slot));
        let (first, last) = if is_forward { (start, end) } else { (end, start) };
        let conditions = part.conditions.iter().map(|ex| {
            let mut slots = Vec::new();
            slots_of(ex, &mut slots);
            Condition { ex: ex.clone(), slots }
        });
        let mut steps = Vec::new();
        let open = part.slots.clone().filter(|slot| *slot != first).collect();
        let mut inner = Work { steps: &mut steps, conditions: conditions.collect(), open, relationships: Vec::new() };
        inner.flush();
        if is_forward {
            (0..chain.steps.len()).for_each(|at| self.expand(chain, at, true, &mut inner));
        } else {
            (0..chain.steps.len()).rev().for_each(|at| self.expand(chain, at, false, &mut inner));
        }
        inner.flush_all();
        let (min, max) = step.length.unwrap_or((1, 1));
        let repeat = Repeat {
            from,
            to,
            is_into: work.is_known(to),
            plan: Arc::new(Plan { steps }),
            first,
            last,
            relationships: chain.steps.iter().map(|step| step.slot).collect(),
            groups: part.groups.clone(),
            list: step.slot,
            min,
            max,
            is_reversed: !is_forward,
            others: work.others(clause),
        };
        work.steps.push(Step::Repeat(Arc::new(repeat)));
        work.relationships.push((step.slot, clause));
        work.open.retain(|slot| !part.slots.contains(slot));
        part.groups.iter().for_each(|(_, list)| work.fill(*list));
        work.fill(step.slot);
        work.fill(to);
    }
}
