//! Rules that make a plan cheaper without changing its results.
//!
//! Each rule looks at neighbouring operators of one pipeline. A label on an operator that would vanish moves to the
//! operator that takes its place, or keeps the rule from being used.

mod grouped;
mod hops;
mod needed;

use query_value::{Comparison, Direction, Predicate, Scope, T, Value};

use crate::Text;
use crate::needs::OpFacts as _;
use crate::op::{Node, Op, Pipeline, Scan, Target};
use crate::paths::Paths;
use crate::plan::{Plan, PlanError};

/// Applies all rules, and works out what the plan needs.
///
/// # Errors
/// Those of [`Plan::finish`].
pub fn optimize(plan: &mut Plan) -> Result<(), PlanError> {
    plan.finish()?;
    let mut rules = Vec::new();
    let may_skip_edges = plan.paths < Paths::Full && plan.sack.is_none();
    let may_join_hops = plan.paths == Paths::None && plan.sack.is_none();
    pipeline(&mut plan.root, may_skip_edges, &mut rules);
    if may_join_hops {
        hops::join_hops(&mut plan.root, true, &mut rules);
    }
    rules.sort_unstable();
    rules.dedup();
    plan.rules.extend(rules);
    plan.finish()
}

fn pipeline(pipeline: &mut Pipeline, may_skip_edges: bool, rules: &mut Vec<&'static str>) {
    for node in &mut pipeline.nodes {
        for child in node.op.children_mut() {
            self::pipeline(child, may_skip_edges, rules);
        }
    }
    remove_identities(pipeline, rules);
    fold_filters(pipeline, rules);
    if may_skip_edges {
        skip_edges(pipeline, rules);
    }
    push_limits(pipeline, rules);
    bound_edges(pipeline, rules);
    skip_properties(pipeline, rules);
    count_only(pipeline, rules);
    grouped::group_scans(pipeline, rules);
    skip_repetitions(pipeline, rules);
    count_distinct(pipeline, rules);
    needed::read_only_needed(pipeline, rules);
}

/// `identity()` does nothing.
fn remove_identities(pipeline: &mut Pipeline, rules: &mut Vec<&'static str>) {
    let before = pipeline.nodes.len();
    let is_needed = |node: &Node| !matches!(node.op, Op::Identity) || !node.labels.is_empty();
    if pipeline.nodes.len() > 1 {
        let first = pipeline.nodes.first().cloned();
        pipeline.nodes.retain(is_needed);
        if pipeline.nodes.is_empty() {
            pipeline.nodes.extend(first);
        }
    }
    if pipeline.nodes.len() != before {
        rules.push("IdentityRemoval");
    }
}

/// Conditions right after a scan become part of it, where ids and indexes serve them.
fn fold_filters(pipeline: &mut Pipeline, rules: &mut Vec<&'static str>) {
    let mut folded: Vec<Node> = Vec::with_capacity(pipeline.nodes.len());
    for node in std::mem::take(&mut pipeline.nodes) {
        if let Some(Node { op: Op::Scan(scan), labels, .. }) = folded.last_mut()
            && fold(scan, &node.op)
        {
            labels.extend(node.labels);
            rules.push("ConditionsIntoScan");
            continue;
        }
        folded.push(node);
    }
    pipeline.nodes = folded;
}

fn fold(scan: &mut Scan, op: &Op) -> bool {
    match op {
        Op::Has(target @ Target::Property(_), predicate) => {
            scan.conditions.push((target.clone(), predicate.clone()));
            true
        }
        Op::Has(Target::Token(T::Label), predicate) => match (labels(predicate), &scan.labels) {
            (Some(labels), None) => {
                scan.labels = Some(labels);
                true
            }
            _ => {
                scan.conditions.push((Target::Token(T::Label), predicate.clone()));
                true
            }
        },
        Op::Has(Target::Token(T::Id), predicate) => {
            let ids = match predicate {
                Predicate::Compare(Comparison::Eq, id) if *id != Value::Null => Some(vec![id.clone()]),
                Predicate::Within(ids) if !ids.contains(&Value::Null) => Some(ids.iter().cloned().collect()),
                _ => None,
            };
            match (ids, &scan.ids) {
                // Equality decides: `1` finds `1L`, but a text of a number does not.
                (Some(ids), None) => {
                    scan.ids = Some(ids);
                    scan.conditions.push((Target::Token(T::Id), predicate.clone()));
                }
                _ => scan.conditions.push((Target::Token(T::Id), predicate.clone())),
            }
            true
        }
        _ => false,
    }
}

/// The labels that a condition names.
fn labels(predicate: &Predicate) -> Option<Vec<Text>> {
    let text = |value: &Value| value.as_text().map(Text::from);
    match predicate {
        Predicate::Compare(Comparison::Eq, value) => text(value).map(|label| vec![label]),
        Predicate::Within(values) => {
            let mut all: Vec<Text> = values.iter().map(text).collect::<Option<_>>()?;
            all.sort_unstable();
            all.dedup();
            Some(all)
        }
        _ => None,
    }
}

/// `outE().inV()` is `out()`.
fn skip_edges(pipeline: &mut Pipeline, rules: &mut Vec<&'static str>) {
    let mut kept: Vec<Node> = Vec::with_capacity(pipeline.nodes.len());
    for node in std::mem::take(&mut pipeline.nodes) {
        if let (Op::Ends(end), Some(Node { op: Op::Expand(expand), labels, .. })) = (&node.op, kept.last_mut())
            && expand.to_edges
            && labels.is_empty()
            && expand.edge_filter.is_none()
            && matches!((expand.direction, *end), (Direction::Out, Direction::In) | (Direction::In, Direction::Out))
        {
            expand.to_edges = false;
            labels.extend(node.labels);
            rules.push("EdgesToNeighbours");
            continue;
        }
        kept.push(node);
    }
    pipeline.nodes = kept;
}

/// A limit after a scan bounds the scan, after a sort the sort.
fn push_limits(pipeline: &mut Pipeline, rules: &mut Vec<&'static str>) {
    for at in 1..pipeline.nodes.len() {
        let (before, after) = pipeline.nodes.split_at_mut(at);
        let (Some(last), Some(Node { op: Op::Range(Scope::Global, _, high), .. })) = (before.last_mut(), after.first())
        else {
            continue;
        };
        let Ok(high) = u64::try_from(*high) else { continue };
        match &mut last.op {
            Op::Scan(scan) if scan.is_start => scan.limit = Some(scan.limit.unwrap_or(u64::MAX).min(high)),
            Op::Order(sort) => sort.limit = Some(high),
            _ => continue,
        }
        rules.push("LimitPushedDown");
    }
}

/// Conditions on edges right after they are read bound what is read, where they are about sort keys of the label. They
/// are tested all the same.
fn bound_edges(pipeline: &mut Pipeline, rules: &mut Vec<&'static str>) {
    for at in 1..pipeline.nodes.len() {
        let (before, after) = pipeline.nodes.split_at_mut(at);
        let Some(Node { op: Op::Expand(expand), .. }) = before.last_mut() else { continue };
        if !expand.to_edges || expand.limit.is_some() {
            continue;
        }
        let condition = |node: &Node| match &node.op {
            Op::Has(Target::Property(key), predicate) => Some((key.clone(), predicate.clone())),
            _ => None,
        };
        expand.conditions = after.iter().map_while(condition).collect();
        if !expand.conditions.is_empty() {
            rules.push("ConditionsIntoExpand");
        }
    }
}

/// Properties of edges are read only if something follows that may look at them.
fn skip_properties(pipeline: &mut Pipeline, rules: &mut Vec<&'static str>) {
    for at in 0..pipeline.nodes.len() {
        let next = pipeline.nodes.get(at + 1).map(|node| node.op.clone());
        let Some(Node { op: Op::Expand(expand), labels, .. }) = pipeline.nodes.get_mut(at) else { continue };
        let is_unread = match next {
            Some(Op::Ends(_) | Op::OtherEnd | Op::Count(Scope::Global)) => true,
            Some(Op::Token(token)) => token != T::Value,
            _ => false,
        };
        if expand.to_edges && is_unread && labels.is_empty() && expand.properties {
            expand.properties = false;
            rules.push("PropertiesNotRead");
        }
    }
}

/// Of what is only counted, elements are not made: those of a graph or a label, and edges and neighbours of vertices.
fn count_only(pipeline: &mut Pipeline, rules: &mut Vec<&'static str>) {
    for at in 1..pipeline.nodes.len() {
        let (before, after) = pipeline.nodes.split_at_mut(at);
        let (Some(last), Some(Node { op: Op::Count(Scope::Global), .. })) = (before.last_mut(), after.first()) else {
            continue;
        };
        match &mut last.op {
            Op::Scan(scan) if scan.is_whole() => scan.is_counted = true,
            Op::Expand(expand) if expand.edge_filter.is_none() => expand.is_counted = true,
            _ => continue,
        }
        rules.push("CountWithoutElements");
    }
}

/// Neighbours of which repetitions are removed are made once, and so are those before, which lead to the same ones
/// again.
fn skip_repetitions(pipeline: &mut Pipeline, rules: &mut Vec<&'static str>) {
    for at in 1..pipeline.nodes.len() {
        let (before, after) = pipeline.nodes.split_at_mut(at);
        if !matches!(after.first(), Some(Node { op: Op::Dedup(labels, by), .. }) if labels.is_empty() && by.is_empty())
        {
            continue;
        }
        for node in before.iter_mut().rev() {
            let Op::Expand(expand) = &mut node.op else { break };
            if expand.to_edges || expand.edge_filter.is_some() || expand.is_counted {
                break;
            }
            expand.is_distinct = true;
            rules.push("NeighboursOnce");
        }
    }
}

/// Neighbours of which repetitions are removed and the rest is counted are not made.
fn count_distinct(pipeline: &mut Pipeline, rules: &mut Vec<&'static str>) {
    let mut at = 0;
    while at + 2 < pipeline.nodes.len() {
        let is_counted = match pipeline.nodes.get(at..at + 3) {
            Some([expand, dedup, count]) => {
                matches!(&expand.op, Op::Expand(expand) if expand.is_distinct)
                    && matches!(&dedup.op, Op::Dedup(labels, by) if labels.is_empty() && by.is_empty())
                    && matches!(count.op, Op::Count(Scope::Global))
                    && expand.labels.is_empty()
                    && dedup.labels.is_empty()
            }
            _ => false,
        };
        if is_counted {
            pipeline.nodes.remove(at + 1);
            if let Some(Node { op: Op::Expand(expand), .. }) = pipeline.nodes.get_mut(at) {
                expand.is_counted = true;
            }
            rules.push("CountWithoutElements");
        }
        at += 1;
    }
}
