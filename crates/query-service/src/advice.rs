//! Which index labels a query uses, and which would spare it a scan.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use graph_host::HostedGraph;
use graph_model::PropertyKeyId;
use graph_schema::{Catalogue, IndexLabel, IndexType, Status};
use query_plan::{Op, OpFacts as _, Pipeline, Plan, Scan, Target};
use query_value::{Comparison, Interval, Predicate};

/// The text of a plan, and below it a line for each label whose elements an index leads to, and for each condition that
/// a scan compares with every element of a label.
pub(crate) fn explain(plan: &Plan, graph: &HostedGraph) -> String {
    let mut text = query_plan::explain(plan);
    let mut lines = BTreeSet::new();
    visit(&plan.root, &mut |scan| advise(scan, &graph.catalogue(), &mut lines));
    for line in lines {
        text.push_str("  ");
        text.push_str(&line);
        text.push('\n');
    }
    text
}

fn visit(pipeline: &Pipeline, found: &mut impl FnMut(&Scan)) {
    for node in &pipeline.nodes {
        if let Op::Scan(scan) = &node.op {
            found(scan);
        }
        for child in node.op.children() {
            visit(child, found);
        }
    }
}

/// What kind of index serves a condition; `None` for one that none serves.
fn index_for(predicate: &Predicate, is_auto: bool) -> Option<IndexType> {
    if is_auto {
        return match auto_graph::indexed(predicate)? {
            graph_schema::Predicate::Equal(_) | graph_schema::Predicate::OneOf(_) => Some(IndexType::Secondary),
            _ => Some(IndexType::Range),
        };
    }
    match predicate {
        Predicate::Compare(Comparison::Eq, _) | Predicate::Within(_) => Some(IndexType::Secondary),
        Predicate::Compare(Comparison::Gt | Comparison::Gte | Comparison::Lt | Comparison::Lte, _)
        | Predicate::Range(Interval::Inside | Interval::Between, ..) => Some(IndexType::Range),
        _ => None,
    }
}

fn advise(scan: &Scan, catalogue: &Catalogue, lines: &mut BTreeSet<String>) {
    if scan.ids.is_some() {
        return;
    }
    let kind = if scan.is_edges { "edges" } else { "vertices" };
    let mut conditions: Vec<(PropertyKeyId, &str, IndexType)> = Vec::new();
    for (target, predicate) in &scan.conditions {
        if let (Target::Property(name), Some(index)) = (target, index_for(predicate, catalogue.is_auto()))
            && let Some(key) = catalogue.property_key_named(name)
        {
            conditions.push((key.id, key.name.as_str(), index));
        }
    }
    if conditions.is_empty() {
        return;
    }
    let is_auto = catalogue.is_auto();
    if is_auto && scan.labels.is_none() {
        let names: Vec<&str> = conditions.iter().map(|(_, name, _)| *name).collect();
        lines.insert(format!(
            "Scan: all {kind} are compared by {}: where a label is given, an index label over it by {} would help",
            quoted(&names),
            if names.len() == 1 { "it" } else { "one of them" },
        ));
        return;
    }
    let labels: Vec<(graph_model::LabelId, &str, &[PropertyKeyId], &[PropertyKeyId])> = if scan.is_edges {
        let all = catalogue.edge_labels();
        all.map(|label| (label.id, label.name.as_str(), label.properties.as_slice(), &[][..])).collect()
    } else {
        let all = catalogue.vertex_labels();
        all.map(|label| (label.id, label.name.as_str(), label.properties.as_slice(), label.primary_keys.as_slice()))
            .collect()
    };
    let is_wanted = |name: &str| scan.labels.as_ref().is_none_or(|labels| labels.iter().any(|label| label == name));
    for (label, name, properties, primary_keys) in labels.into_iter().filter(|(_, name, ..)| is_wanted(name)) {
        // Elements of a label without one of the properties are never found.
        if !is_auto && !conditions.iter().all(|(key, ..)| properties.contains(key)) {
            continue;
        }
        let equals =
            |key: &PropertyKeyId| conditions.iter().any(|(on, _, index)| on == key && *index == IndexType::Secondary);
        let by_primary_keys = !primary_keys.is_empty() && primary_keys.iter().all(equals);
        let serves = |index: &&Arc<IndexLabel>| {
            let first = index.fields.first();
            index.status == Status::Created
                && (index.complete || !is_auto)
                && conditions.iter().any(|(key, _, wanted)| {
                    first == Some(key)
                        && match index.index_type {
                            IndexType::Secondary => *wanted == IndexType::Secondary,
                            IndexType::Range | IndexType::Shard => true,
                            IndexType::Search | IndexType::Unique => false,
                        }
                })
        };
        // The one that the store takes.
        let rank = |index: &&Arc<IndexLabel>| {
            let fields = index.fields.iter().take_while(|field| equals(field)).count();
            let kind = [IndexType::Range, IndexType::Shard, IndexType::Secondary].map(|kind| kind == index.index_type);
            (index.complete, fields, kind.iter().rposition(|is_it| *is_it), Reverse(index.id))
        };
        let serving = catalogue.indexes_over(!scan.is_edges, label).iter().filter(serves).max_by_key(rank);
        if let (false, Some(index)) = (by_primary_keys, serving) {
            lines.insert(format!("Index: {kind} of label '{name}' are found by index label '{}'", index.name));
        }
        if let (false, None, Some((_, key, index))) = (by_primary_keys, serving, conditions.first()) {
            let index = if *index == IndexType::Range { "RANGE" } else { "SECONDARY" };
            lines.insert(format!(
                "Scan: all {kind} of label '{name}' are compared by '{key}': a {index} index label over '{name}' by \
                 '{key}' would help"
            ));
        }
    }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ")
}
