//! Which properties of scanned elements a plan looks at.

use query_value::{Scope, T};

use crate::Text;
use crate::op::{By, Grouping, Node, Op, Pipeline, PropertyRead, Target};

/// Scans read only the properties that are looked at, where that is known.
pub(super) fn read_only_needed(pipeline: &mut Pipeline, rules: &mut Vec<&'static str>) {
    for at in 0..pipeline.nodes.len() {
        let (before, after) = pipeline.nodes.split_at_mut(at + 1);
        let Some(Node { op: Op::Scan(scan), .. }) = before.last_mut() else { continue };
        if !scan.is_start || scan.ids.is_some() || scan.is_edges || scan.is_counted {
            continue;
        }
        if let Some(grouping) = &scan.grouped {
            scan.properties = Some(match grouping {
                Grouping::Label => Vec::new(),
                Grouping::First(key) | Grouping::All(key) => vec![key.clone()],
            });
            continue;
        }
        let Some(mut keys) = looked_at(after, false) else { continue };
        keys.extend(scan.conditions.iter().filter_map(|(target, _)| key(target)));
        keys.sort_unstable();
        keys.dedup();
        scan.properties = Some(keys);
        rules.push("NeededPropertiesOnly");
    }
}

/// The properties that operators look at before they go on to something else; `None` where they are not known. With
/// `end_here`, nobody looks at their results.
fn looked_at(nodes: &[Node], end_here: bool) -> Option<Vec<Text>> {
    let mut keys = Vec::new();
    for node in nodes {
        match &node.op {
            Op::Has(target, _) => keys.extend(key(target)),
            Op::HasKey(key, _) => keys.push(key.clone()),
            Op::Filter(child) | Op::Not(child) => keys.extend(looked_at(&child.nodes, true)?),
            Op::And(all) | Op::Or(all) => {
                for child in all {
                    keys.extend(looked_at(&child.nodes, true)?);
                }
            }
            Op::Order(sort) => modulators(&sort.by, &mut keys)?,
            Op::Dedup(labels, by) if labels.is_empty() => modulators(by, &mut keys)?,
            Op::Start
            | Op::Identity
            | Op::Barrier(_)
            | Op::Coin(_)
            | Op::TimeLimit(_)
            | Op::Range(Scope::Global, ..)
            | Op::Tail(Scope::Global, _) => {}
            Op::Expand(_) | Op::Count(Scope::Global) | Op::Token(T::Id | T::Label) | Op::Constant(_) => {
                return Some(keys);
            }
            Op::GroupCount(None, by) if !matches!(by, By::Identity) => {
                modulators(std::slice::from_ref(by), &mut keys)?;
                return Some(keys);
            }
            Op::Properties(PropertyRead::Values, names) if !names.is_empty() => {
                keys.extend(names.iter().cloned());
                return Some(keys);
            }
            _ => return None,
        }
    }
    end_here.then_some(keys)
}

fn key(target: &Target) -> Option<Text> {
    if let Target::Property(key) = target { Some(key.clone()) } else { None }
}

fn modulators(all: &[By], keys: &mut Vec<Text>) -> Option<()> {
    for by in all {
        match by {
            By::Identity | By::Token(T::Id | T::Label) => {}
            By::Property(key) => keys.push(key.clone()),
            By::Child(child) => keys.extend(looked_at(&child.nodes, false)?),
            By::Productive(by) => modulators(std::slice::from_ref(by), keys)?,
            By::Ordered(ordered) => modulators(std::slice::from_ref(&ordered.by), keys)?,
            _ => return None,
        }
    }
    Some(())
}
