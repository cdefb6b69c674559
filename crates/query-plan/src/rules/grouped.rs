//! Scans of which only how often each value occurs is wanted.

use query_value::{Scope, T};

use crate::op::{By, Grouping, Node, Op, Pipeline, PropertyRead};

/// Elements that are only grouped by a property or their labels, or of which only the values of a property are counted
/// or summed up, are not made: each value comes once and stands for all that have it.
pub(super) fn group_scans(pipeline: &mut Pipeline, rules: &mut Vec<&'static str>) {
    for at in 1..pipeline.nodes.len() {
        let (before, after) = pipeline.nodes.split_at_mut(at);
        let (Some(Node { op: Op::Scan(scan), labels, .. }), [next, rest @ ..]) = (before.last_mut(), after) else {
            continue;
        };
        if !labels.is_empty() || !next.labels.is_empty() || !scan.is_whole() || scan.is_counted {
            continue;
        }
        let is_taken = match &mut next.op {
            Op::GroupCount(None, by) => {
                scan.grouped = match by {
                    By::Token(T::Label) => Some(Grouping::Label),
                    By::Property(key) => Some(Grouping::First(key.clone())),
                    _ => None,
                };
                if scan.grouped.is_some() {
                    *by = By::Identity;
                }
                false
            }
            Op::Properties(PropertyRead::Values, keys) => match keys.as_slice() {
                [key] if is_any_order_alike(rest) => {
                    scan.grouped = Some(Grouping::All(key.clone()));
                    true
                }
                _ => false,
            },
            Op::Token(T::Label) if is_any_order_alike(rest) => {
                scan.grouped = Some(Grouping::Label);
                true
            }
            _ => false,
        };
        if scan.grouped.is_none() {
            continue;
        }
        rules.push("GroupsWithoutElements");
        if is_taken {
            pipeline.nodes.remove(at);
        }
        // A start is first: there is no other one in this pipeline.
        return;
    }
}

/// Whether what follows takes all of its input before it gives something, the same for any order and for values that
/// stand for several.
fn is_any_order_alike(nodes: &[Node]) -> bool {
    let Some((first, rest)) = nodes.split_first() else { return false };
    match &first.op {
        Op::Count(Scope::Global)
        | Op::Sum(Scope::Global)
        | Op::Mean(Scope::Global)
        | Op::Min(Scope::Global)
        | Op::Max(Scope::Global)
        | Op::GroupCount(None, By::Identity) => true,
        Op::Dedup(labels, by) => {
            labels.is_empty() && by.is_empty() && first.labels.is_empty() && is_any_order_alike(rest)
        }
        _ => false,
    }
}
