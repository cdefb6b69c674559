//! How a query is, or was, carried out, for people to read.

use crate::plan::{Labels, Plan, Step, Union};

/// An operator of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanNode {
    /// What it is.
    pub operator: &'static str,
    /// What it works on.
    pub details: String,
    /// Rows that it gave and reads of the graph, where the query was run to know that.
    pub measured: Option<(u64, u64)>,
    /// The operators it takes rows from, and those it carries out for each row.
    pub children: Vec<Self>,
}

/// The plan of a query. `measured`: rows and reads of each step of each part.
#[must_use]
pub fn explain(query: &Union, columns: &[cypher_value::Text], measured: &[Vec<(u64, u64)>]) -> PlanNode {
    let parts = query.parts.iter().enumerate().map(|(at, (plan, _))| {
        let own = measured.get(at).map(Vec::as_slice);
        let child = steps(plan, own);
        let names: Vec<&str> = columns.iter().map(cypher_value::Text::as_str).collect();
        let rows = child.as_ref().and_then(|child| child.measured).map(|(rows, _)| (rows, 0));
        PlanNode {
            operator: "ProduceResults",
            details: names.join(", "),
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
    PlanNode { operator, details: String::new(), measured, children: parts }
}

/// The steps of a plan, the last one outside.
fn steps(plan: &Plan, measured: Option<&[(u64, u64)]>) -> Option<PlanNode> {
    let mut below: Option<PlanNode> = None;
    for (at, step) in plan.steps.iter().enumerate() {
        let (operator, details) = describe(step);
        let mut children: Vec<PlanNode> = below.take().into_iter().collect();
        children.extend(inner(step));
        let measured = measured.and_then(|measured| measured.get(at)).copied();
        below = Some(PlanNode { operator, details, measured, children });
    }
    below
}

/// The plans that a step carries out for each row.
fn inner(step: &Step) -> Vec<PlanNode> {
    match step {
        Step::Optional(optional) => steps(&optional.0, None).into_iter().collect(),
        Step::Merge(merge) => steps(&merge.find, None).into_iter().collect(),
        Step::Foreach(foreach) => steps(&foreach.2, None).into_iter().collect(),
        Step::Call(call) => call.query.parts.iter().filter_map(|(plan, _)| steps(plan, None)).collect(),
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

fn describe(step: &Step) -> (&'static str, String) {
    match step {
        Step::Scan(scan) => {
            let about = labels(scan.labels.as_ref());
            let keys: Vec<&str> = scan.equal.iter().map(|(key, _)| key.as_str()).collect();
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
        Step::CountNodes(count) => ("NodeCountFromCountStore", format!("node{}", labels(count.0.as_ref()))),
        Step::Walk(walk) => {
            let max = if walk.max == u64::MAX { String::new() } else { walk.max.to_string() };
            let types = labels(walk.expand.types.as_ref());
            ("VarLengthExpand", format!("{:?} {types}*{}..{max}", walk.expand.direction, walk.min))
        }
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
