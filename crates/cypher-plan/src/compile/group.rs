//! `MATCH (n:L) RETURN n.key, count(*)`, and the same of the relationships of each node: groups of nodes by a property
//! are counted without a row for each node.

use std::sync::Arc;

use cypher_value::Aggregate as Function;

use super::slots::is_dynamic;
use crate::plan::{Aggregate, Ex, GroupCount, Plan, Slot, Step, Union};

/// Puts the steps together that begin a part of a query, where they only count groups.
pub(super) fn fuse(query: &mut Union) {
    for (plan, _) in &mut query.parts {
        if let Some((count, length)) = group_count(&plan.steps) {
            Arc::make_mut(plan).steps.splice(0..length, [Step::GroupCount(Arc::new(count))]);
        }
    }
}

/// The groups that the first steps count, and how many steps these are.
fn group_count(steps: &[Step]) -> Option<(GroupCount, usize)> {
    let (Some(Step::Scan(scan)), rest) = (steps.first(), steps.get(1..)?) else { return None };
    let is_plain = scan.ids.is_none() && scan.equal.is_empty() && !scan.labels.as_ref().is_some_and(is_dynamic);
    if !is_plain {
        return None;
    }
    let (expand, at) = match rest.first() {
        Some(Step::Count(count)) => (Some(&**count), 2),
        _ => (None, 1),
    };
    if let Some((expand, _)) = expand
        && (expand.from != scan.slot || !expand.others.is_empty() || expand.types.as_ref().is_some_and(is_dynamic))
    {
        return None;
    }
    let Some(Step::Aggregate(aggregate)) = steps.get(at) else { return None };
    let (key, key_slot) = property(aggregate, scan.slot)?;
    let is_count = |argument: &[Ex], function: Function| match (argument, expand) {
        ([], None) => function == Function::Count,
        ([Ex::Slot(slot)], None) => function == Function::Count && *slot == scan.slot,
        ([Ex::Slot(slot)], Some((_, count))) => function == Function::Sum && slot == count,
        _ => false,
    };
    let are_counts = aggregate.values.iter().all(|own| !own.is_distinct && is_count(&own.arguments, own.aggregate));
    if !are_counts || aggregate.values.is_empty() {
        return None;
    }
    let counts: Vec<Slot> = aggregate.values.iter().map(|value| value.slot).collect();
    let first = match steps.get(at + 1) {
        Some(Step::Sort(sort)) => match sort.keys.first() {
            Some((Ex::Slot(slot), true)) if counts.contains(slot) => sort.first.clone(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    let count = GroupCount {
        scan: Arc::clone(scan),
        expand: expand.map(|(expand, _)| expand.clone()),
        key,
        key_slot,
        counts,
        first,
        steps: Arc::new(Plan { steps: steps.get(..=at)?.to_vec() }),
    };
    Some((count, at + 1))
}

/// The property of a node that alone makes the groups, and where it goes.
fn property(aggregate: &Aggregate, node: Slot) -> Option<(cypher_value::Text, Slot)> {
    match aggregate.keys.as_slice() {
        [(slot, Ex::Property(of, key))] if matches!(**of, Ex::Slot(own) if own == node) => Some((key.clone(), *slot)),
        _ => None,
    }
}
