//! The text of a plan.

use std::fmt::Write as _;

use crate::needs::OpFacts as _;
use crate::op::{Node, Pipeline};
use crate::paths::Paths;
use crate::plan::Plan;

/// The plan as text: a line for each operator, what is kept of paths, and the rules that changed the plan.
#[must_use]
pub fn explain(plan: &Plan) -> String {
    let mut text = String::new();
    let paths = match plan.paths {
        Paths::None => "none",
        Paths::Labels => "labels",
        Paths::Full => "full",
    };
    let rules = if plan.rules.is_empty() { "none".to_owned() } else { plan.rules.join(", ") };
    _ = writeln!(text, "Final Plan (paths: {paths}, writes: {}, rules: {rules})", plan.is_write);
    write(&plan.root, 1, &mut text);
    text
}

fn write(pipeline: &Pipeline, level: usize, text: &mut String) {
    for node in &pipeline.nodes {
        let Node { op, labels, name } = node;
        let detail = format!("{op:?}");
        let kind = detail.split(['(', ' ', '{']).next().unwrap_or_default();
        let own = if op.children().is_empty() { detail.as_str() } else { kind };
        let labels = if labels.is_empty() { String::new() } else { format!(" as {}", labels.join(", ")) };
        _ = writeln!(text, "{:indent$}{name}: {own}{labels}", "", indent = level * 2);
        for child in op.children() {
            write(child, level + 1, text);
        }
    }
}
