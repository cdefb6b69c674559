//! Hops one after the other, of which only the last one's vertices matter.

use crate::needs::OpFacts as _;
use crate::op::{Expand, Node, Op, Pipeline};

/// Hops become one operator where the vertices of the last one are only counted, or each is wanted once: what is passed
/// on the way is never made. `is_root`: all that the pipeline gives is wanted.
pub(super) fn join_hops(pipeline: &mut Pipeline, is_root: bool, rules: &mut Vec<&'static str>) {
    for node in &mut pipeline.nodes {
        for child in node.op.children_mut() {
            join_hops(child, false, rules);
        }
    }
    let mut end = pipeline.nodes.len();
    while let Some(last) = pipeline.nodes.get(..end).and_then(|nodes| nodes.iter().rposition(is_hop)) {
        let first = pipeline.nodes.get(..last).unwrap_or_default().iter().rposition(|node| !is_passed(node));
        let first = first.map_or(0, |before| before + 1);
        end = last;
        if first == last || !is_all_wanted(&pipeline.nodes, last, is_root) {
            continue;
        }
        end = first;
        let nodes: Vec<Node> = pipeline.nodes.drain(first..=last).collect();
        let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
        let name = names.join(", ").into();
        let labels = nodes.last().map(|node| node.labels.clone()).unwrap_or_default();
        let hop = |node: Node| if let Op::Expand(expand) = node.op { Some(expand) } else { None };
        let op = Op::Walk(nodes.into_iter().filter_map(hop).collect());
        pipeline.nodes.insert(first, Node { op, labels, name });
        rules.push("HopsTogether");
    }
}

fn is_hop(node: &Node) -> bool {
    matches!(&node.op, Op::Expand(hop) if is_plain(hop) && (hop.is_counted || hop.is_distinct && !hop.to_edges))
}

/// Whether a hop goes on to neighbours, of which nothing is kept.
fn is_passed(node: &Node) -> bool {
    matches!(&node.op, Op::Expand(hop) if is_plain(hop) && !hop.to_edges && !hop.is_counted) && node.labels.is_empty()
}

fn is_plain(hop: &Expand) -> bool {
    hop.edge_filter.is_none() && hop.limit.is_none() && hop.conditions.is_empty()
}

/// Whether nobody stops after some of what an operator gives.
fn is_all_wanted(nodes: &[Node], at: usize, is_root: bool) -> bool {
    for node in nodes.iter().skip(at + 1) {
        match node.op {
            Op::Range(..) | Op::Tail(..) | Op::TimeLimit(_) => return false,
            _ if node.op.is_barrier() => return true,
            _ => {}
        }
    }
    is_root
}
