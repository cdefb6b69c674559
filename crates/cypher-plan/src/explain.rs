//! How a query is, or was, carried out, for people to read.

use crate::compile::Compiled;
use crate::plan::{Hop, HopKind, Join, JoinRows, Labels, Plan, Scan, Step};

/// An operator of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanNode {
    /// What it is.
    pub operator: &'static str,
    /// What it works on.
    pub details: String,
    /// How many rows it is likely to give, where that is thought of.
    pub estimated: Option<u64>,
    /// Rows that it gave and reads of the graph, where the query was run to know that.
    pub measured: Option<(u64, u64)>,
    /// The operators it takes rows from, and those it carries out for each row.
    pub children: Vec<Self>,
}

/// The name of the index that a scan is served by, and its keys.
pub type IndexOf<'a> = &'a dyn Fn(&Scan) -> Option<(String, Vec<String>)>;

/// The plan of a query. `measured`: rows and reads of each step of each part.
#[must_use]
pub fn explain(compiled: &Compiled, measured: &[Vec<(u64, u64)>], index: IndexOf<'_>) -> PlanNode {
    let Compiled { query, columns, estimates, .. } = compiled;
    let parts = query.parts.iter().enumerate().map(|(at, (plan, _))| {
        let own = measured.get(at).map(Vec::as_slice);
        let child = steps(plan, own, estimates.get(at).map(Vec::as_slice), index);
        let names: Vec<&str> = columns.iter().map(cypher_value::Text::as_str).collect();
        let rows = child.as_ref().and_then(|child| child.measured).map(|(rows, _)| (rows, 0));
        PlanNode {
            operator: "ProduceResults",
            details: names.join(", "),
            estimated: child.as_ref().and_then(|child| child.estimated),
            measured: rows,
            children: child.into_iter().collect(),
        }
    });
    let mut parts: Vec<PlanNode> = parts.collect();
    if parts.len() == 1
        && let Some(only) = parts.pop()
    {
        return only;
    }
    let measured = parts
        .iter()
        .map(|part| part.measured)
        .try_fold((0, 0), |(rows, reads), own| own.map(|(more, _)| (rows + more, reads)));
    let operator = if query.is_distinct { "DistinctUnion" } else { "Union" };
    let estimated = parts.iter().map(|part| part.estimated).try_fold(0_u64, |all, own| Some(all.saturating_add(own?)));
    PlanNode { operator, details: String::new(), estimated, measured, children: parts }
}

/// The steps of a plan, the last one outside.
fn steps(
    plan: &Plan,
    measured: Option<&[(u64, u64)]>,
    estimates: Option<&[f64]>,
    index: IndexOf<'_>,
) -> Option<PlanNode> {
    let mut below: Option<PlanNode> = None;
    for (at, step) in plan.steps.iter().enumerate() {
        let (mut operator, mut details) = describe(step);
        if let Step::Scan(scan) = step
            && operator != "NodeByIdSeek"
            && let Some((name, keys)) = index(scan)
        {
            let about = labels(scan.labels.as_ref());
            (operator, details) = ("NodeIndexSeek", format!("node{about}({}), index {name}", keys.join(", ")));
        }
        let mut children: Vec<PlanNode> = below.take().into_iter().collect();
        children.extend(inner(step, index));
        let measured = measured.and_then(|measured| measured.get(at)).copied();
        let estimated = estimates.and_then(|estimates| estimates.get(at)).map(|rows| whole(*rows));
        below = Some(PlanNode { operator, details, estimated, measured, children });
    }
    below
}

/// A number of rows as a whole number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is no larger than the type, nor below 0"
)]
fn whole(rows: f64) -> u64 {
    rows.ceil().clamp(0.0, 1e18) as u64
}

/// The plans that a step carries out for each row.
fn inner(step: &Step, index: IndexOf<'_>) -> Vec<PlanNode> {
    match step {
        Step::Optional(optional) => steps(&optional.plan, None, None, index).into_iter().collect(),
        Step::Repeat(repeat) => steps(&repeat.plan, None, None, index).into_iter().collect(),
        Step::Merge(merge) => steps(&merge.find, None, None, index).into_iter().collect(),
        Step::Foreach(foreach) => steps(&foreach.2, None, None, index).into_iter().collect(),
        Step::Call(call) => call.query.parts.iter().filter_map(|(plan, _)| steps(plan, None, None, index)).collect(),
        _ => Vec::new(),
    }
}

fn labels(labels: Option<&Labels>) -> String {
    match labels {
        None => String::new(),
        Some(Labels::Name(name)) => format!(":{name}"),
        Some(Labels::Any) => ":%".to_owned(),
        Some(_) => ":(..)".to_owned(),
    }
}

/// The hops of a join, such as `Both :KNOWS, into Out :IS_PART_OF :City, counted`.
fn hops(join: &Join) -> String {
    let hop = |hop: &Hop| {
        let kind = match hop.kind {
            HopKind::Each => "",
            HopKind::Present => "any ",
            HopKind::Absent => "no ",
            HopKind::Optional => "optional ",
        };
        let mut text = format!("{kind}{}{:?}", if hop.is_into { "into " } else { "" }, hop.direction);
        for own in [labels(hop.types.as_ref()), labels(hop.labels.as_ref())] {
            if !own.is_empty() {
                text = format!("{text} {own}");
            }
        }
        if !hop.conditions.is_empty() {
            text.push_str(" where");
        }
        text
    };
    let all: Vec<String> = join.hops.iter().map(hop).collect();
    let rows = match join.rows {
        JoinRows::Each => "",
        JoinRows::Distinct => ", distinct",
        JoinRows::Counted(_) => ", counted",
        JoinRows::DistinctCount(..) => ", distinct, counted",
    };
    format!("{}{rows}", all.join(", "))
}

fn describe(step: &Step) -> (&'static str, String) {
    match step {
        Step::Scan(scan) => {
            let about = labels(scan.labels.as_ref());
            let keys: Vec<&str> = scan.equal.iter().chain(&scan.within).map(|(key, _)| key.as_str()).collect();
            if scan.ids.is_some() {
                return ("NodeByIdSeek", format!("node{about}"));
            }
            if !keys.is_empty() && scan.labels.is_some() {
                return ("NodeByPropertySeek", format!("node{about}({})", keys.join(", ")));
            }
            let operator = if scan.labels.is_some() { "NodeByLabelScan" } else { "AllNodesScan" };
            (operator, format!("node{about}"))
        }
        Step::Expand(expand) => {
            let operator = if expand.is_into { "Expand(Into)" } else { "Expand(All)" };
            (operator, format!("{:?} {}", expand.direction, labels(expand.types.as_ref())))
        }
        Step::Count(count) => {
            ("CountRelationships", format!("{:?} {}", count.0.direction, labels(count.0.types.as_ref())))
        }
        Step::Join(join) => match join.hops.as_slice() {
            [hop] if join.rows == JoinRows::Each => {
                (if hop.is_into { "Expand(Into)" } else { "Expand(All)" }, hops(join))
            }
            _ => ("Join", hops(join)),
        },
        Step::CountRelationships(count) => ("RelationshipCountFromCountStore", labels(count.0.as_ref())),
        Step::GroupCount(count) => ("GroupCount", format!("by {}{}", count.key, labels(count.scan.labels.as_ref()))),
        Step::CountNodes(count) => ("NodeCountFromCountStore", format!("node{}", labels(count.0.as_ref()))),
        Step::Walk(walk) => {
            let max = if walk.max == u64::MAX { String::new() } else { walk.max.to_string() };
            let types = labels(walk.expand.types.as_ref());
            let operator = if walk.is_pruned { "VarLengthExpand(Pruning)" } else { "VarLengthExpand" };
            let counted = if walk.counted.is_some() { ", distinct, counted" } else { "" };
            (operator, format!("{:?} {types}*{}..{max}{counted}", walk.expand.direction, walk.min))
        }
        Step::Repeat(repeat) => ("Repeat(Trail)", format!("{} relationships each time", repeat.relationships.len())),
        Step::Ends(expand) => ("ProjectEndpoints", labels(expand.types.as_ref())),
        Step::Shortest(shortest) => ("ShortestPath", labels(shortest.walk.expand.types.as_ref())),
        Step::Filter(_) => ("Filter", String::new()),
        Step::Let(values) => ("Projection", format!("{} values", values.len())),
        Step::Aggregate(aggregate) => {
            let operator = if aggregate.keys.is_empty() { "EagerAggregation" } else { "GroupedAggregation" };
            let names: Vec<String> = aggregate.values.iter().map(|value| format!("{:?}", value.aggregate)).collect();
            (operator, names.join(", "))
        }
        Step::Distinct(_) => ("Distinct", String::new()),
        Step::Sort(sort) => (if sort.first.is_empty() { "Sort" } else { "Top" }, format!("{} keys", sort.keys.len())),
        Step::Skip(_) => ("Skip", String::new()),
        Step::Limit(_) => ("Limit", String::new()),
        Step::Unwind(_) => ("Unwind", String::new()),
        Step::Create(makes) => ("Create", format!("{} patterns", makes.len())),
        Step::Merge(_) => ("Merge", String::new()),
        Step::Set(changes) => ("SetOrRemove", format!("{} changes", changes.len())),
        Step::Delete(delete) => (if delete.0 { "DetachDelete" } else { "Delete" }, String::new()),
        Step::Optional(_) => ("OptionalApply", String::new()),
        Step::Call(_) => ("Apply", String::new()),
        Step::Procedure(call) => ("ProcedureCall", call.name.clone()),
        Step::Foreach(_) => ("Foreach", String::new()),
        Step::Drain => ("EmptyResult", String::new()),
    }
}
