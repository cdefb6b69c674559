//! Labels that the schema gives: a relationship of a strict graph leads to nodes of the labels that its type links.

use cypher_plan::{Ex, Expand, Labels, Plan, Step};
use graph_model::{Direction, LabelId};

use super::expand::edge_labels;
use crate::Result;
use crate::eval::Cx;
use crate::row::Row;

/// The expansion that found the node which the filter at a place tests for labels; none where it tests something else,
/// or the node may come from elsewhere.
pub(super) fn led_to(plan: &Plan, at: usize) -> Option<Step> {
    let before = plan.steps.get(..at)?;
    let Some(Step::Filter(ex)) = plan.steps.get(at) else { return None };
    let Ex::HasLabels(of, _) = &**ex else { return None };
    let Ex::Slot(slot) = **of else { return None };
    let found = before.iter().rev().find(|step| !matches!(step, Step::Filter(_)))?;
    let expand = expansion(found)?;
    (expand.to == slot && expand.from != slot && !expand.is_into).then(|| found.clone())
}

/// The expansion of a step that always follows at least one relationship.
fn expansion(step: &Step) -> Option<&Expand> {
    match step {
        Step::Expand(expand) => Some(expand),
        Step::Walk(walk) if walk.min > 0 => Some(&walk.expand),
        _ => None,
    }
}

/// Whether the schema gives labels to every node that an expansion finds.
pub(super) fn has_labels_by_schema(cx: &Cx<'_, '_>, found: &Step, labels: &Labels) -> Result<bool> {
    let Some(expand) = expansion(found) else { return Ok(false) };
    let mut row = Row::default();
    let is_dynamic = |labels: &Labels| !labels.is_constant();
    if is_dynamic(labels) || expand.types.as_ref().is_some_and(is_dynamic) || cx.store.has_deleted() {
        return Ok(false);
    }
    let types = edge_labels(cx, expand.types.as_ref(), &mut row)?;
    is_implied(cx, expand.direction, types.as_deref(), labels, &mut row)
}

/// Whether the schema says that the node at the end of a relationship of types has labels.
pub(super) fn is_implied(
    cx: &Cx<'_, '_>,
    direction: Direction,
    types: Option<&[LabelId]>,
    labels: &Labels,
    row: &mut Row,
) -> Result<bool> {
    if cx.store.is_auto() {
        return Ok(false);
    }
    let links: Vec<Option<(LabelId, LabelId)>> = {
        let catalogue = cx.store.catalogue();
        let meant = catalogue.edge_labels().filter(|label| types.is_none_or(|types| types.contains(&label.id)));
        let meant = meant.filter(|label| types.is_some() || label.link.is_some());
        meant.map(|label| label.link).collect()
    };
    for link in links {
        let Some((source, target)) = link else { return Ok(false) };
        let ends: &[LabelId] = match direction {
            Direction::Out => &[target],
            Direction::In => &[source],
            Direction::Both => &[source, target],
        };
        for end in ends {
            // What expires can be gone before its relationships are.
            let stays = cx.store.catalogue().vertex_label(*end).is_some_and(|label| label.ttl_ms == 0);
            if !stays || !cx.has(labels, &cx.store.labels_of(*end), row)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
