//! How each step of a plan is carried out: operators that pull rows from the one before.

mod aggregate;
mod batches;
mod call;
mod degree;
mod different;
mod expand;
mod feed;
mod group;
mod join;
mod labels;
mod measure;
mod mend;
mod optional;
mod repeat;
mod rows;
mod scan;
mod shortest;
mod sort;
mod table;
mod walk;
mod write;

use std::rc::Rc;
use std::sync::Arc;

use crate::eval::Source;
use crate::row::Row;
use cypher_plan::{Ex, JoinRows, Plan, Step};
use feed::Given;
pub(crate) use join::ways;
pub(crate) use measure::Measure;
pub(crate) use table::index_of;

/// The operators of a plan over given rows.
pub(crate) fn build<'g>(plan: &Arc<Plan>, rows: Vec<Row>) -> Source<'g> {
    let mut source: Source<'g> = Box::new(Given::new(rows));
    let mut has_written = false;
    let mut at = 0;
    while let Some(step) = plan.steps.get(at) {
        has_written |= writes(step);
        if let Step::Join(join) = step
            && join.rows == JoinRows::Each
        {
            let conditions = conditions_behind(plan, at);
            let tested = conditions.len();
            let sieve = join::Sieve::new(conditions);
            at += 1 + if sieve.is_some() { tested } else { 0 };
            source = Box::new(join::Joining::with(source, join, sieve));
            continue;
        }
        source = operator(plan, at, step, source, has_written);
        at += 1;
    }
    source
}

/// The conditions that stand right behind a step.
fn conditions_behind(plan: &Plan, at: usize) -> Vec<Arc<Ex>> {
    let behind = plan.steps.iter().skip(at + 1).map_while(|step| match step {
        Step::Filter(ex) => Some(Arc::clone(ex)),
        _ => None,
    });
    behind.collect()
}

/// As [`build`], with what each step does counted.
pub(crate) fn build_measured<'g>(plan: &Arc<Plan>, rows: Vec<Row>) -> (Source<'g>, Vec<Rc<Measure>>) {
    let mut source: Source<'g> = Box::new(Given::new(rows));
    let (mut has_written, mut measures) = (false, Vec::with_capacity(plan.steps.len()));
    for (at, step) in plan.steps.iter().enumerate() {
        has_written |= writes(step);
        let measure = Rc::new(Measure::default());
        let inner = operator(plan, at, step, source, has_written);
        source = Box::new(measure::Measured { inner, measure: Rc::clone(&measure) });
        measures.push(measure);
    }
    (source, measures)
}

/// Whether a step writes.
pub(crate) fn writes(step: &Step) -> bool {
    match step {
        Step::Create(_) | Step::Merge(_) | Step::Set(_) | Step::Delete(_) | Step::Foreach(_) => true,
        Step::Call(call) => call.query.parts.iter().any(|(plan, _)| plan.steps.iter().any(writes)),
        Step::Procedure(_) => false,
        _ => false,
    }
}

fn operator<'g>(plan: &Plan, at: usize, step: &Step, input: Source<'g>, has_written: bool) -> Source<'g> {
    match step {
        Step::Scan(scan) => {
            let begins_join = matches!(plan.steps.get(at + 1), Some(Step::Join(_)));
            Box::new(scan::Scanning::new(input, scan, begins_join))
        }
        Step::Expand(expand) => {
            let reads = |ex: Arc<Ex>| mend::Read::of([&*ex]).has(expand.relationship);
            let has_properties = conditions_behind(plan, at).into_iter().any(reads);
            Box::new(expand::Expanding::new(input, expand, has_properties))
        }
        Step::Join(join) => Box::new(join::Joining::new(input, join)),
        Step::CountRelationships(count) => Box::new(degree::RelationshipCounting::new(input, count)),
        Step::GroupCount(group) => Box::new(group::GroupCounting::new(input, group)),
        Step::Count(count) => Box::new(degree::Counting::new(input, count)),
        Step::CountNodes(count) => Box::new(degree::NodeCounting::new(input, count)),
        Step::Ends(expand) => Box::new(expand::Ending::new(input, expand)),
        Step::Walk(walk) if walk.counted.is_some() => Box::new(walk::Reaching::new(input, walk)),
        Step::Walk(walk) => Box::new(walk::Walking::new(input, walk)),
        Step::Repeat(repeat) => Box::new(repeat::Repeating::new(input, repeat)),
        Step::Shortest(shortest) => Box::new(shortest::Searching::new(input, shortest)),
        Step::Filter(ex) => Box::new(rows::Filtering::new(input, ex, labels::led_to(plan, at))),
        Step::Let(values) => Box::new(rows::Computing::new(input, values)),
        Step::Unwind(unwind) => Box::new(rows::Unwinding::new(input, unwind)),
        Step::Distinct(slots) => Box::new(rows::Distinct::new(input, slots)),
        Step::Skip(ex) => Box::new(rows::Skipping::new(input, ex)),
        Step::Limit(ex) => Box::new(rows::Limiting::new(input, ex, has_written)),
        Step::Drain => Box::new(rows::Draining::new(input)),
        Step::Sort(sort) => Box::new(sort::Sorting::new(input, sort)),
        Step::Aggregate(aggregate) => Box::new(aggregate::Aggregating::new(input, aggregate)),
        Step::Optional(optional) => Box::new(optional::Trying::new(input, optional)),
        Step::Call(call) if call.transactions.is_some() => Box::new(batches::Batching::new(input, call)),
        Step::Call(call) => Box::new(call::Calling::new(input, call)),
        Step::Procedure(call) => Box::new(call::Procedure::new(input, call)),
        Step::Create(_) | Step::Merge(_) | Step::Set(_) | Step::Delete(_) | Step::Foreach(_) => {
            Box::new(write::Writing::new(input, step))
        }
    }
}
