//! Expansions whose relationships nobody reads: put together as one join, which works on nodes alone.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use cypher::ast::{BinaryOp, SubqueryKind};
use cypher_value::Aggregate as Function;
use graph_model::Direction;

use super::slots::{is_dynamic, read_behind, slots_of};
use crate::plan::{
    Aggregate, AggregateValue, Ex, Expand, Hop, HopKind, Join, JoinRows, Labels, Plan, Slot, Step, Union,
};

/// Puts together what can be, in each part of a query. `next` is the first free slot.
pub(super) fn fuse(query: &mut Union, next: &mut Slot) {
    for (plan, columns) in &mut query.parts {
        fuse_steps(&mut Arc::make_mut(plan).steps, columns, next);
    }
}

/// `columns`: what is read behind the steps.
fn fuse_steps(steps: &mut Vec<Step>, columns: &[Slot], next: &mut Slot) {
    let types: Types = steps
        .iter()
        .filter_map(|step| match step {
            Step::Expand(expand) => Some((expand.relationship, expand.types.clone()?)),
            _ => None,
        })
        .collect();
    let mut at = 0;
    while at < steps.len() {
        let behind = read_behind(steps, at + 1, columns);
        if let (Some(Step::Optional(optional)), Some(behind)) = (steps.get_mut(at), &behind) {
            fuse_steps(&mut Arc::make_mut(&mut Arc::make_mut(optional).plan).steps, behind, next);
        }
        if let Some(read) = read_behind(steps, at, columns)
            && !count_all(steps, at, &read)
        {
            prune(steps, at, &read);
            join(steps, at, &types, columns, next);
        }
        at += 1;
    }
}

/// All relationships, or those of types, counted: each stands at one node as its start.
fn count_all(steps: &mut Vec<Step>, at: usize, read: &[Slot]) -> bool {
    let (Some(Step::Scan(scan)), Some(Step::Count(count))) = (steps.get(at), steps.get(at + 1)) else { return false };
    let (expand, slot) = &**count;
    let is_any = scan.labels.is_none() && scan.ids.is_none() && scan.equal.is_empty() && scan.within.is_empty();
    let is_simple = expand.from == scan.slot && expand.others.is_empty() && expand.direction != Direction::Both;
    // Read once: by the expansion itself.
    let is_only = read.iter().filter(|slot| **slot == scan.slot).count() == 1;
    if !is_any || !is_simple || !is_only || at > 0 {
        return false;
    }
    let all = Step::CountRelationships(Arc::new((expand.types.clone(), *slot)));
    steps.splice(at..at + 2, [all]);
    true
}

/// Whether it does not matter how often the step at a place gets the same values.
fn is_distinct(step: Option<&Step>) -> bool {
    match step {
        Some(Step::Distinct(_)) => true,
        Some(Step::Aggregate(aggregate)) => aggregate
            .values
            .iter()
            .all(|value| value.is_distinct || matches!(value.aggregate, Function::Min | Function::Max)),
        _ => false,
    }
}

/// A walk of which only the ends are wanted, each once.
fn prune(steps: &mut [Step], at: usize, read: &[Slot]) {
    let behind = steps.get(at + 1..).unwrap_or_default();
    let first = behind.iter().find(|step| !matches!(step, Step::Filter(_)));
    if !is_distinct(first) {
        return;
    }
    let counted = different_nodes(behind.first());
    if let Some(Step::Walk(walk)) = steps.get_mut(at)
        && !read.contains(&walk.expand.relationship)
        && walk.each.is_none()
        && walk.min <= 1
        && walk.expand.others.is_empty()
        && !walk.expand.is_into
    {
        let walk = Arc::make_mut(walk);
        walk.is_pruned = true;
        if let Some((node, slot)) = counted
            && node == walk.expand.to
        {
            walk.counted = Some(slot);
            if let Some(behind) = steps.get_mut(at + 1) {
                *behind = sum_of(slot);
            }
        }
    }
}

/// The slot of the nodes whose different ones are counted by a step that does nothing else, and where that goes.
fn different_nodes(step: Option<&Step>) -> Option<(Slot, Slot)> {
    let Some(Step::Aggregate(aggregate)) = step else { return None };
    let ([], [value]) = (aggregate.keys.as_slice(), aggregate.values.as_slice()) else { return None };
    match value.arguments.as_slice() {
        [Ex::Slot(node)] if value.aggregate == Function::Count && value.is_distinct => Some((*node, value.slot)),
        _ => None,
    }
}

/// The sum of a slot, in the same slot.
fn sum_of(slot: Slot) -> Step {
    let sum = AggregateValue { slot, aggregate: Function::Sum, arguments: vec![Ex::Slot(slot)], is_distinct: false };
    Step::Aggregate(Arc::new(Aggregate { keys: Vec::new(), values: vec![sum] }))
}

/// Puts the expansions that begin at a place together.
fn join(steps: &mut Vec<Step>, at: usize, types: &Types, columns: &[Slot], next: &mut Slot) {
    if !matches!(steps.get(at), Some(Step::Expand(_) | Step::Count(_))) {
        return;
    }
    let run_of = |steps: &[Step], most: usize| {
        let mut run = Run { types: Some(types), ..Run::default() };
        let mut length = 0;
        for step in steps.iter().skip(at).take(most) {
            if run.counted.is_some() || !run.take(step) {
                break;
            }
            length += 1;
        }
        (run, length)
    };
    // The longest run whose relationships are read by none but themselves.
    let (_, mut length) = run_of(steps, usize::MAX);
    while length > 0 {
        let (run, _) = run_of(steps, length);
        if let Some(join) = joined(steps, at..at + length, run, columns, next) {
            steps.splice(at..at + length, [Step::Join(Arc::new(join))]);
            return;
        }
        length -= 1;
    }
}

/// The types of relationships that are found one by one.
type Types = HashMap<Slot, Labels>;

/// Steps that a join can stand for.
#[derive(Default)]
struct Run<'t> {
    types: Option<&'t Types>,
    /// Types that must have no relationship in common, see [`Join::apart`].
    apart: Vec<(Labels, Labels)>,
    hops: Vec<Hop>,
    /// The relationship of each hop.
    relationships: Vec<Slot>,
    different: Vec<(Slot, Slot)>,
    /// Where the number of the last relationships goes.
    counted: Option<Slot>,
    /// Slots that are filled in vain: nothing may read them.
    unread: Vec<Slot>,
}

impl Run<'_> {
    /// Whether a slot is a node that a hop starts at or finds.
    fn has(&self, slot: Slot) -> bool {
        self.hops.iter().any(|hop| matches!(hop.kind, HopKind::Each) && (hop.from == slot || hop.to == slot))
    }

    /// Adds a step; false where it is none of these.
    fn take(&mut self, step: &Step) -> bool {
        match step {
            Step::Expand(expand) => self.take_expand(expand, HopKind::Each),
            Step::Count(count) => {
                self.counted = Some(count.1);
                self.take_expand(&count.0, HopKind::Each)
            }
            Step::Filter(ex) => self.take_filter(ex),
            Step::Optional(optional) => self.take_optional(&optional.plan, &optional.filled),
            _ => false,
        }
    }

    fn take_expand(&mut self, expand: &Expand, kind: HopKind) -> bool {
        if !expand.is_from_known || expand.types.as_ref().is_some_and(is_dynamic) {
            return false;
        }
        let mut others = Vec::with_capacity(expand.others.len());
        for slot in &expand.others {
            if let Some(at) = self.relationships.iter().position(|own| own == slot) {
                others.push(at);
                continue;
            }
            match (self.types.and_then(|types| types.get(slot)), &expand.types) {
                (Some(other), Some(own)) if are_likely_apart(own, other) => {
                    self.apart.push((own.clone(), other.clone()));
                }
                _ => return false,
            }
        }
        let is_into = expand.is_into || expand.from == expand.to;
        self.relationships.push(expand.relationship);
        let types = expand.types.clone();
        let Expand { from, to, direction, .. } = *expand;
        self.hops.push(Hop { kind, from, to, is_into, direction, types, labels: None, conditions: Vec::new(), others });
        true
    }

    /// A node that was found must have labels too.
    fn add_labels(&mut self, slot: Slot, labels: &Labels) -> bool {
        let Some(hop) = self.hops.iter_mut().rev().find(|hop| hop.to == slot && !hop.is_into) else { return false };
        hop.labels = Some(match hop.labels.take() {
            Some(own) => Labels::And(vec![own, labels.clone()]),
            None => labels.clone(),
        });
        true
    }

    fn take_filter(&mut self, ex: &Ex) -> bool {
        match ex {
            Ex::HasLabels(of, labels) => match **of {
                Ex::Slot(slot) if self.has(slot) && !is_dynamic(labels) => self.add_labels(slot, labels),
                _ => false,
            },
            Ex::Binary(BinaryOp::Ne, left, right) => match (&**left, &**right) {
                (Ex::Slot(left), Ex::Slot(right)) if self.has(*left) && self.has(*right) => {
                    self.different.push((*left, *right));
                    true
                }
                _ => false,
            },
            Ex::Not(inner) if self.take_exists(inner, HopKind::Absent) => true,
            _ => self.take_exists(ex, HopKind::Present) || self.take_condition(ex),
        }
    }

    /// A condition on the properties of a node that is found.
    fn take_condition(&mut self, ex: &Ex) -> bool {
        let mut slots = Vec::new();
        slots_of(ex, &mut slots);
        slots.sort_unstable();
        slots.dedup();
        let ([slot], true) = (slots.as_slice(), never_fails(ex)) else { return false };
        let is_found = |hop: &&mut Hop| hop.to == *slot && !hop.is_into && hop.kind == HopKind::Each;
        let Some(hop) = self.hops.iter_mut().rev().find(is_found) else { return false };
        hop.conditions.push(ex.clone());
        true
    }

    /// Whether there is a relationship of a node that is found.
    fn take_exists(&mut self, ex: &Ex, kind: HopKind) -> bool {
        let Ex::Subquery(SubqueryKind::Exists, query) = ex else { return false };
        let [(plan, _)] = query.parts.as_slice() else { return false };
        let hop = match plan.steps.as_slice() {
            [Step::Join(join)] if join.different.is_empty() => match join.hops.as_slice() {
                [hop] if hop.kind == HopKind::Each => hop.clone(),
                _ => return false,
            },
            _ => return false,
        };
        if !self.has(hop.from) || (hop.is_into && !self.has(hop.to)) {
            return false;
        }
        if !hop.is_into {
            self.unread.push(hop.to);
        }
        self.relationships.push(Slot::MAX);
        self.hops.push(Hop { kind, ..hop });
        true
    }

    /// Relationships of a node that is found, if there are any.
    fn take_optional(&mut self, plan: &Plan, filled: &[Slot]) -> bool {
        let (Some(Step::Expand(expand)), filters) = (plan.steps.first(), plan.steps.get(1..).unwrap_or_default())
        else {
            return false;
        };
        if expand.is_into || expand.from == expand.to || !self.has(expand.from) {
            return false;
        }
        let mut labels = Vec::new();
        for filter in filters {
            match filter {
                Step::Filter(ex) => match label_filter(ex, expand.to) {
                    Some(own) => labels.push(own),
                    None => return false,
                },
                _ => return false,
            }
        }
        if !self.take_expand(expand, HopKind::Optional) {
            return false;
        }
        labels.into_iter().for_each(|labels| {
            self.add_labels(expand.to, labels);
        });
        self.unread.extend(filled);
        true
    }
}

/// Whether types have no name in common. A parent and its sub labels may still be the same: the graph has to tell.
fn are_likely_apart(one: &Labels, other: &Labels) -> bool {
    fn names<'l>(labels: &'l Labels, out: &mut Vec<&'l str>) -> bool {
        match labels {
            Labels::Name(name) => {
                out.push(name);
                true
            }
            Labels::Or(all) => all.iter().all(|one| names(one, out)),
            _ => false,
        }
    }
    let (mut own, mut theirs) = (Vec::new(), Vec::new());
    names(one, &mut own) && names(other, &mut theirs) && !own.iter().any(|name| theirs.contains(name))
}

/// Whether a condition is made of comparisons of properties of nodes with constants, so that it can be tested for nodes
/// that other conditions leave out.
fn never_fails(ex: &Ex) -> bool {
    let is_operand = |ex: &Ex| match ex {
        Ex::Property(of, _) => matches!(**of, Ex::Slot(_)),
        ex => ex.is_constant(),
    };
    match ex {
        Ex::Binary(BinaryOp::And | BinaryOp::Or, left, right) => never_fails(left) && never_fails(right),
        Ex::Binary(op, left, right) => {
            let is_comparison =
                matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge);
            is_comparison && is_operand(left) && is_operand(right)
        }
        Ex::Chain(first, rest) => is_operand(first) && rest.iter().all(|(_, operand)| is_operand(operand)),
        Ex::Not(inner) => never_fails(inner),
        Ex::IsNull(of, _) => is_operand(of),
        _ => false,
    }
}

fn label_filter(ex: &Ex, slot: Slot) -> Option<&Labels> {
    match ex {
        Ex::HasLabels(of, labels) if matches!(**of, Ex::Slot(own) if own == slot) && !is_dynamic(labels) => {
            Some(labels)
        }
        _ => None,
    }
}

fn joined(steps: &mut [Step], run: Range<usize>, of: Run<'_>, columns: &[Slot], next: &mut Slot) -> Option<Join> {
    let Run { hops, relationships, different, counted, unread, mut apart, types: _ } = of;
    // A single relationship that is counted has an operator already.
    if counted.is_some() && hops.len() == 1 {
        return None;
    }
    // Relationships that a step behind must differ from, or reads.
    let behind = steps.get(run.end..)?;
    let mut read = read_behind(behind, 0, columns)?;
    for step in behind {
        let expand = match step {
            Step::Expand(expand) => expand,
            Step::Count(count) => &count.0,
            _ => continue,
        };
        for other in &expand.others {
            let own = relationships.iter().position(|own| own == other).and_then(|at| hops.get(at));
            match (own.and_then(|hop| hop.types.as_ref()), &expand.types) {
                (Some(own), Some(types)) if are_likely_apart(own, types) => apart.push((own.clone(), types.clone())),
                _ => read.push(*other),
            }
        }
    }
    let is_hidden = |slot: &Slot| relationships.contains(slot) || unread.contains(slot);
    let is_found = |slot: Slot| hops.iter().any(|hop| !hop.is_into && hop.to == slot);
    let nodes_of = |read: &[Slot]| {
        let found = hops.iter().filter(|hop| !hop.is_into).map(|hop| hop.to);
        found.filter(|slot| read.contains(slot)).collect::<Vec<Slot>>()
    };
    let mut rows = counted.map_or(JoinRows::Each, JoinRows::Counted);
    if counted.is_none() && is_distinct(behind.first()) {
        rows = JoinRows::Distinct;
    }
    let mut forgets_rows = false;
    if let (Some(counted), Some(Step::Aggregate(aggregate))) = (counted, behind.first()) {
        let mut own = Vec::new();
        aggregate.keys.iter().for_each(|(_, ex)| slots_of(ex, &mut own));
        aggregate.values.iter().flat_map(|value| &value.arguments).for_each(|ex| slots_of(ex, &mut own));
        forgets_rows = own.iter().all(|slot| *slot == counted || is_found(*slot));
    }
    let mut plan = Plan { steps: steps.get(run.clone())?.to_vec() };
    if counted.is_none()
        && let Some(Step::Aggregate(aggregate)) = behind.first()
    {
        // What only counts can count many at once.
        let is_new = |slot: Slot| {
            !unread.contains(&slot) && (relationships.contains(&slot) || hops.iter().any(|hop| hop.to == slot))
        };
        let is_count = |value: &AggregateValue| {
            value.aggregate == Function::Count
                && !value.is_distinct
                && match value.arguments.as_slice() {
                    [] => true,
                    [Ex::Slot(slot)] => is_new(*slot),
                    _ => false,
                }
        };
        if !aggregate.values.is_empty() && aggregate.values.iter().all(is_count) {
            let mut rest = Vec::new();
            aggregate.keys.iter().for_each(|(_, ex)| slots_of(ex, &mut rest));
            let forgets_rows = rest.iter().all(|slot| is_found(*slot));
            rest.extend(read_behind(behind.get(1..)?, 0, columns)?);
            if rest.iter().any(is_hidden) {
                return None;
            }
            let slot = *next;
            *next += 1;
            plan.steps.push(Step::Let(Arc::new(vec![(slot, Ex::Value(cypher_value::Value::Integer(1)))])));
            let mut counting = (**aggregate).clone();
            for value in &mut counting.values {
                value.aggregate = Function::Sum;
                value.arguments = vec![Ex::Slot(slot)];
            }
            let nodes = nodes_of(&rest);
            *steps.get_mut(run.end)? = Step::Aggregate(Arc::new(counting));
            let (rows, steps) = (JoinRows::Counted(slot), Arc::new(plan));
            return Some(Join { hops, nodes, different, forgets_rows, rows, apart, steps });
        }
    }
    if read.iter().any(is_hidden) {
        return None;
    }
    let nodes = nodes_of(&read);
    if rows == JoinRows::Distinct
        && let [node] = nodes.as_slice()
        && let Some((counted, slot)) = different_nodes(behind.first())
        && counted == *node
    {
        // The join counts what is different, so that no row is made for each.
        rows = JoinRows::DistinctCount(*node, slot);
        forgets_rows = true;
        *steps.get_mut(run.end)? = sum_of(slot);
    }
    Some(Join { hops, nodes, different, forgets_rows, rows, apart, steps: Arc::new(plan) })
}
